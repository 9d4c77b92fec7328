//! Keeping, listing and finding, also among damaged folders.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::SystemTime;

use model::Trial;
use store::{Archive, new_id};

mod example;

use example::text;

const OLD: &str = "20260130-090000-0001";
const MIDDLE: &str = "20260131-090000-0002";
const NEW: &str = "20260131-100000-0003";

fn filled(root: &Path) -> Archive {
    let archive = Archive::open(root).expect("the archive opens");
    for id in [NEW, OLD, MIDDLE] {
        let added = archive.add(&example::trial(id), &[]);
        added.expect("the trial is kept");
    }
    archive
}

/// The reason without the line in the file, which each new setting moves.
fn without_place(why: &str) -> String {
    let parts =
        why.split_once(" at line ").and_then(|(what, rest)| Some((what, rest.split_once(';')?.1)));
    parts.map_or_else(|| why.to_owned(), |(what, advice)| format!("{what};{advice}"))
}

fn ids(trials: &[Trial]) -> Vec<&str> {
    trials.iter().map(|trial| trial.id.as_str()).collect()
}

#[test]
fn what_is_kept_is_found_and_listed_oldest_first() {
    let root = tempfile::tempdir().unwrap();
    let archive = filled(&root.path().join("not/there/yet"));
    let listing = archive.list().unwrap();
    assert_eq!(ids(&listing.trials), [OLD, MIDDLE, NEW]);
    assert!(listing.unreadable.is_empty());
    assert_eq!(archive.find("20260130").unwrap(), example::trial(OLD));
    assert_eq!(archive.find("last").unwrap().id, NEW);
    assert_eq!(archive.find("").unwrap().id, NEW);
}

#[test]
fn attachments_come_back_byte_for_byte() {
    let root = tempfile::tempdir().unwrap();
    let archive = Archive::open(root.path()).unwrap();
    let console = vec![0, 27, 255, 10];
    let files = [("console.log".to_owned(), console.clone())];
    archive.add(&example::broken(NEW), &files).unwrap();
    assert_eq!(archive.attachment(NEW, "console.log").unwrap(), Some(console));
    assert_eq!(archive.attachment(NEW, "profile.json").unwrap(), None);
    for (id, name) in [(OLD, "console.log"), ("2026", "a"), (NEW, "../x"), ("..", "a")] {
        assert!(archive.attachment(id, name).is_err(), "{id} {name}");
    }
}

#[test]
fn no_trial_is_overwritten() {
    let root = tempfile::tempdir().unwrap();
    let archive = filled(root.path());
    let before = fs::read(archive.folder(OLD).join("trial.json")).unwrap();
    let again = archive.add(&example::broken(OLD), &[]);
    insta::assert_snapshot!(text(root.path(), again), @"cannot keep trial 20260130-090000-0001: ROOT/trials/20260130-090000-0001 exists and the archive never overwrites; take a fresh ID");
    assert_eq!(fs::read(archive.folder(OLD).join("trial.json")).unwrap(), before);
    assert_eq!(fs::read_dir(root.path().join("trials")).unwrap().count(), 3);
}

#[test]
fn a_damaged_folder_is_named_and_hides_no_other() {
    let root = tempfile::tempdir().unwrap();
    let archive = filled(root.path());
    let trials = root.path().join("trials");
    let broken = |name: &str, text: &str| {
        fs::create_dir(trials.join(name)).unwrap();
        fs::write(trials.join(name).join("trial.json"), text).unwrap();
    };
    let whole = fs::read_to_string(archive.folder(OLD).join("trial.json")).unwrap();
    broken("a-newer", &whole.replacen("\"format\": 1", "\"format\": 2, \"new\": [{}]", 1));
    broken("b-cut", &whole[..99]);
    broken("c-zeros", "\0\0\0\0");
    broken("d-copied", &whole);
    broken("e-future-setting", &whole.replacen("\"fs\": \"xfs\"", "\"fs\": \"zfs\"", 1));
    fs::create_dir(trials.join("f-empty")).unwrap();
    fs::write(trials.join("g-file"), "").unwrap();
    let listing = archive.list().unwrap();
    assert_eq!(ids(&listing.trials), [OLD, MIDDLE, NEW]);
    let reasons: Vec<_> =
        listing.unreadable.into_iter().map(|(_, why)| without_place(&why)).collect();
    let reasons = reasons.join("\n").replace(&root.path().display().to_string(), "ROOT");
    insta::assert_snapshot!(reasons, @r"
    ROOT/trials/a-newer/trial.json has format 2, and this slowpath reads up to format 1; use the newer slowpath that wrote it
    ROOT/trials/b-cut/trial.json is damaged: EOF while parsing a value; the other trials are not affected, move it away
    ROOT/trials/c-zeros/trial.json is damaged: expected value; the other trials are not affected, move it away
    ROOT/trials/d-copied is damaged: its trial.json is that of trial 20260130-090000-0001; the other trials are not affected, move it away
    ROOT/trials/e-future-setting/trial.json is damaged: fs=zfs: `zfs` is not a filesystem of ours; there are ext2, ext3, ext4, xfs, btrfs, reiserfs, f2fs, jfs and nilfs2; the other trials are not affected, move it away
    ROOT/trials/f-empty is damaged: it has no trial.json; the other trials are not affected, move it away
    ROOT/trials/g-file is damaged: it is no folder; the other trials are not affected, move it away
    ");
}

#[test]
fn a_miss_says_what_there_is() {
    let root = tempfile::tempdir().unwrap();
    let empty = Archive::open(&root.path().join("other")).unwrap();
    let archive = filled(root.path());
    let said = [
        text(root.path(), empty.find("last")),
        text(root.path(), archive.find("20260131-09000l")),
        text(root.path(), archive.find("20260131")),
        text(root.path(), archive.attachment(OLD, "../trial.json")),
        text(root.path(), archive.attachment("20260130", "a.log")),
        text(root.path(), archive.add(&example::trial("last"), &[])),
    ];
    insta::assert_snapshot!(said.join("\n"), @r"
    ROOT/other/trials holds no trial yet; `slowpath run` adds one
    there is no trial `20260131-09000l` in ROOT/trials; the nearest is 20260131-090000-0002, and `slowpath trials` lists all
    `20260131` begins the IDs of 2 trials: 20260131-090000-0002, 20260131-100000-0003; give more of it
    `../trial.json` cannot name an attachment: letters, digits, `-`, `_` and `.` are wanted, not `.` first, and each name once (`trial.json` and `last` are taken)
    there is no trial `20260130` in ROOT/trials; the nearest is 20260130-090000-0001, and `slowpath trials` lists all
    `last` cannot name a trial: letters, digits, `-`, `_` and `.` are wanted, not `.` first, and each name once (`trial.json` and `last` are taken)
    ");
}

#[test]
fn an_archive_that_cannot_be_made_says_so() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("file"), "").unwrap();
    let opened = Archive::open(&root.path().join("file"));
    insta::assert_snapshot!(text(root.path(), opened), @"cannot make ROOT/file/trials: Not a directory (os error 20); something else stands where the archive belongs; give another folder with --store");
}

#[test]
fn many_may_write_at_once() {
    let root = tempfile::tempdir().unwrap();
    let add_some = || {
        let archive = Archive::open(root.path()).unwrap();
        for _ in 0..10 {
            let trial = example::trial(&new_id(SystemTime::now()));
            archive.add(&trial, &[("a.log".to_owned(), vec![7; 5000])]).unwrap();
            assert!(archive.list().unwrap().unreadable.is_empty());
        }
    };
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(add_some);
        }
    });
    let listing = Archive::open(root.path()).unwrap().list().unwrap();
    let unlike: HashSet<_> = ids(&listing.trials).into_iter().collect();
    assert_eq!((listing.trials.len(), unlike.len()), (40, 40));
}

#[test]
fn of_many_with_one_id_one_wins() {
    let root = tempfile::tempdir().unwrap();
    let archive = Archive::open(root.path()).unwrap();
    let won = thread::scope(|scope| {
        let adds: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| archive.add(&example::trial(NEW), &[]).is_ok()))
            .collect();
        adds.into_iter().map(|add| add.join().unwrap()).filter(|ok| *ok).count()
    });
    assert_eq!(won, 1);
    assert_eq!(fs::read_dir(root.path().join("trials")).unwrap().count(), 1);
}

#[test]
fn what_a_further_look_shows_is_added_and_replaced_and_compressed() {
    let folder = tempfile::tempdir().expect("a folder");
    let archive = filled(folder.path());
    let files = |text: &str| {
        ["observation.json", "samples.txt.zst"]
            .map(|name| (name.to_owned(), text.repeat(1000).into_bytes()))
    };
    archive.attach(OLD, &files("one")).expect("they are added");
    archive.attach(OLD, &files("two")).expect("they are replaced");
    for name in ["observation.json", "samples.txt.zst"] {
        let kept = archive.attachment(OLD, name).expect("it is read");
        assert_eq!(kept, Some("two".repeat(1000).into_bytes()), "{name}");
    }
    let packed = fs::metadata(archive.folder(OLD).join("samples.txt.zst")).expect("a file").len();
    assert!(packed < 500, "{packed}");
    assert!(archive.find(OLD).is_ok());
    let trials_own = [("trial.json".to_owned(), Vec::new())];
    assert!(archive.attach(OLD, &trials_own).is_err());
    let unknown = archive.attach("20260131-100000-9999", &files("x")).expect_err("no such trial");
    assert!(unknown.to_string().contains("20260131-100000-9999"), "{unknown}");
}
