//! Which trials need not be run again.

use std::fs;
use std::path::Path;

use model::{Broken, BrokenKind, Fingerprint, Outcome, Trial, TrialSpec};
use store::Archive;

mod example;

const OLD: &str = "20260131-090000-000001";
const NEW: &str = "20260131-100000-000002";
const BROKEN: &str = "20260131-110000-000003";

/// Two equal trials and a later one that broke.
fn filled(root: &Path) -> Archive {
    let archive = Archive::open(root).expect("the archive opens");
    for trial in [example::trial(OLD), example::trial(NEW), example::broken(BROKEN)] {
        archive.add(&trial, &[]).expect("the trial is kept");
    }
    archive
}

fn known(archive: &Archive, spec: &TrialSpec, fingerprint: &Fingerprint) -> Option<String> {
    archive.known(spec, fingerprint).expect("the archive answers").map(|trial| trial.id)
}

#[test]
fn the_newest_measured_trial_is_found_and_is_the_trial_itself() {
    let root = tempfile::tempdir().unwrap();
    let archive = filled(root.path());
    let trial = example::trial(NEW);
    assert_eq!(archive.known(&trial.spec, &trial.fingerprint).unwrap(), Some(trial));
    let empty = Archive::open(&root.path().join("other")).unwrap();
    let trial = example::trial(NEW);
    assert_eq!(empty.known(&trial.spec, &trial.fingerprint).unwrap(), None);
}

/// Changes a trial before it is asked for.
type Change = fn(&mut Trial);

#[test]
fn only_what_moves_no_number_may_differ() {
    let root = tempfile::tempdir().unwrap();
    let with_index = filled(root.path());
    let without = tempfile::tempdir().unwrap();
    fs::create_dir_all(without.path().join("index.sqlite")).unwrap();
    let without_index = filled(without.path());
    let changes: [(&str, Change, bool); 9] = [
        ("nothing", |_| {}, true),
        ("kernel", |t| t.spec.settings.kernel = Some("/boot/vmlinuz".to_owned()), true),
        ("modules", |t| t.spec.settings.modules = vec!["/m/a.ko".to_owned()], true),
        ("case", |t| t.spec.case = "mine".to_owned(), true),
        ("seed", |t| t.spec.seed = 1, false),
        ("place", |t| t.spec.place = "dir:/mnt".to_owned(), false),
        ("setting", |t| t.spec.settings.disk_mbps = 41, false),
        ("fingerprint", |t| t.fingerprint.set("qemu", "10.0.2"), false),
        ("a new item", |t| t.fingerprint.set("plugin", "none"), false),
    ];
    for (what, change, found) in changes {
        let mut wanted = example::trial("wanted");
        change(&mut wanted);
        for archive in [&with_index, &without_index] {
            let known = known(archive, &wanted.spec, &wanted.fingerprint);
            assert_eq!(known.as_deref(), Some(NEW).filter(|_| found), "{what}");
        }
    }
}

#[test]
fn a_broken_or_damaged_trial_is_not_known() {
    let root = tempfile::tempdir().unwrap();
    let archive = filled(root.path());
    let trial = example::trial(NEW);
    fs::write(archive.folder(NEW).join("trial.json"), "{").unwrap();
    assert_eq!(known(&archive, &trial.spec, &trial.fingerprint).as_deref(), Some(OLD));
    // The index still holds it as measured; the folder is the truth.
    let broken = Broken { kind: BrokenKind::Panic, reason: String::new(), console: Vec::new() };
    let broken = Trial { outcome: Outcome::Broken(broken), ..example::trial(OLD) };
    let text = serde_json::to_vec(&broken).unwrap();
    fs::write(archive.folder(OLD).join("trial.json"), text).unwrap();
    assert_eq!(known(&archive, &trial.spec, &trial.fingerprint), None);
    let mut other = example::trial(NEW);
    other.spec.seed = 7;
    fs::write(archive.folder(NEW).join("trial.json"), serde_json::to_vec(&other).unwrap()).unwrap();
    assert_eq!(known(&archive, &trial.spec, &trial.fingerprint), None);
}
