//! Sets of trials: by their IDs, their variants, and what is said where there is none.

use std::fs;
use std::path::Path;

use model::{Question, Trial};
use store::{Archive, Set};

mod example;

use example::{member, text};

const RUN: &str = "20260131-090000-0000aa";
const COMPARISON: &str = "20260131-100000-0000bb";
const LONE: &str = "20260130-080000-0001";

/// A comparison of two variants in two pairs, a run after it, and a trial that knows no set.
fn trials() -> Vec<Trial> {
    vec![
        example::trial(LONE),
        member(COMPARISON, "20260131-100001-000001", 0, "fs=xfs"),
        member(COMPARISON, "20260131-100002-000002", 0, "fs=ext4"),
        member(COMPARISON, "20260131-100003-000003", 1, "fs=ext4"),
        member(COMPARISON, "20260131-100004-000004", 1, "fs=xfs"),
        member(RUN, "20260131-110001-000005", 0, "fs=xfs"),
        member(RUN, "20260131-110002-000006", 1, "fs=xfs"),
    ]
}

fn filled(root: &Path) -> Archive {
    let archive = Archive::open(root).expect("the archive opens");
    for trial in trials() {
        archive.add(&trial, &[]).expect("the trial is kept");
    }
    archive
}

/// The last digits of the trials' IDs, variant by variant.
fn shape(set: &Set) -> String {
    let last = |trial: &Trial| trial.id[trial.id.len() - 1..].to_owned();
    let variants = set.variants.iter();
    let variants = variants.map(|trials| trials.iter().map(last).collect::<String>());
    format!("{} {}", set.id, variants.collect::<Vec<_>>().join(" "))
}

#[test]
fn a_set_is_found_by_its_id_and_a_trial_by_its_own() {
    let root = tempfile::tempdir().unwrap();
    let with_index = filled(root.path());
    let without = tempfile::tempdir().unwrap();
    fs::create_dir_all(without.path().join("index.sqlite")).unwrap();
    let without_index = filled(without.path());
    for (wanted, expected) in [
        (COMPARISON, "20260131-100000-0000bb 14 23"),
        ("20260131-100000", "20260131-100000-0000bb 14 23"),
        ("20260131-10", "20260131-100000-0000bb 14 23"),
        ("20260131-100000:1", "20260131-100000-0000bb 14"),
        ("20260131-100000-0000bb:2", "20260131-100000-0000bb 23"),
        (RUN, "20260131-090000-0000aa 56"),
        ("20260131-090000-0000aa:1", "20260131-090000-0000aa 56"),
        ("last", "20260131-090000-0000aa 56"),
        ("", "20260131-090000-0000aa 56"),
        ("last:1", "20260131-090000-0000aa 56"),
        ("20260131-100003-000003", "20260131-100003-000003 3"),
        ("20260131-100003", "20260131-100003-000003 3"),
        ("20260131-100003:1", "20260131-100003-000003 3"),
        (LONE, "20260130-080000-0001 1"),
        ("20260130", "20260130-080000-0001 1"),
    ] {
        for archive in [&with_index, &without_index] {
            assert_eq!(shape(&archive.set(wanted).unwrap()), expected, "{wanted}");
        }
    }
    let set = with_index.set(COMPARISON).unwrap();
    assert_eq!(set.variants[1], trials()[2..4]);
}

#[test]
fn a_comparison_s_variants_stand_as_it_asks() {
    let root = tempfile::tempdir().unwrap();
    let archive = filled(root.path());
    let side = |at: usize| {
        let trial = &trials()[at];
        let settings = trial.spec.settings.clone();
        model::Variant { name: String::new(), place: trial.spec.place.clone(), settings }
    };
    let question = Question {
        variants: vec![side(2), example::variant("cpus=4"), side(1)],
        ..example::question()
    };
    let begun = archive.begin(&question, COMPARISON).unwrap();
    assert_eq!(begun.id, COMPARISON);
    assert_eq!(shape(&archive.set(COMPARISON).unwrap()), "20260131-100000-0000bb 23 14");
    assert_eq!(shape(&archive.set("20260131-10:2").unwrap()), "20260131-100000-0000bb 14");
}

#[test]
fn a_miss_says_what_there_is() {
    let root = tempfile::tempdir().unwrap();
    let empty = Archive::open(&root.path().join("other")).unwrap();
    let archive = filled(root.path());
    fs::create_dir(archive.folder("damaged")).unwrap();
    let said = [
        text(root.path(), empty.set("last")),
        text(root.path(), archive.set("20260131-100000-0000bc")),
        text(root.path(), archive.set("20260131-100009")),
        text(root.path(), archive.set("20260131")),
        text(root.path(), archive.set("20260131-1100")),
        text(root.path(), archive.set("20260131-10000:9")),
        text(root.path(), archive.set("20260131-100000:3")),
        text(root.path(), archive.set("20260131-100000:0")),
        text(root.path(), archive.set("20260131-100000:first")),
        text(root.path(), archive.set("last:2")),
        text(root.path(), archive.set("20260131-100003:2")),
        text(root.path(), archive.set("damaged")),
        text(root.path(), archive.add(&member("../x", "20260131-120000-000007", 0, "fs=xfs"), &[])),
    ];
    insta::assert_snapshot!(said.join("\n"), @r"
    ROOT/other/trials holds no trial yet; `slowpath run` adds one
    there is no set and no trial `20260131-100000-0000bc` in ROOT/trials; the nearest is 20260131-100000-0000bb, and `slowpath trials` lists all
    there is no set and no trial `20260131-100009` in ROOT/trials; the nearest is 20260131-100004-000004, and `slowpath trials` lists all
    `20260131` begins the IDs of 2 sets: 20260131-090000-0000aa, 20260131-100000-0000bb; give more of it
    `20260131-1100` begins the IDs of 2 trials: 20260131-110001-000005, 20260131-110002-000006; give more of it
    20260131-100000-0000bb holds 2 variants, so `20260131-10000:9` names none; give 20260131-100000-0000bb:1 to 20260131-100000-0000bb:2
    20260131-100000-0000bb holds 2 variants, so `20260131-100000:3` names none; give 20260131-100000-0000bb:1 to 20260131-100000-0000bb:2
    20260131-100000-0000bb holds 2 variants, so `20260131-100000:0` names none; give 20260131-100000-0000bb:1 to 20260131-100000-0000bb:2
    20260131-100000-0000bb holds 2 variants, so `20260131-100000:first` names none; give 20260131-100000-0000bb:1 to 20260131-100000-0000bb:2
    20260131-090000-0000aa holds one variant, so `last:2` names none; give 20260131-090000-0000aa
    20260131-100003-000003 holds one variant, so `20260131-100003:2` names none; give 20260131-100003-000003
    ROOT/trials/damaged is damaged: it has no trial.json; the other trials are not affected, move it away
    `../x` cannot name a set: letters, digits, `-`, `_` and `.` are wanted, not `.` first, and each name once (`trial.json` and `last` are taken)
    ");
}

#[test]
fn a_set_with_a_damaged_trial_is_not_shown_as_whole() {
    let root = tempfile::tempdir().unwrap();
    let archive = filled(root.path());
    fs::write(archive.folder("20260131-100003-000003").join("trial.json"), "").unwrap();
    insta::assert_snapshot!(text(root.path(), archive.set(COMPARISON)), @"ROOT/trials/20260131-100003-000003/trial.json is damaged: EOF while parsing a value at line 1 column 0; the other trials are not affected, move it away");
    fs::remove_dir_all(archive.folder("20260131-100003-000003")).unwrap();
    let later = Archive::open(root.path()).unwrap();
    assert_eq!(shape(&later.set(COMPARISON).unwrap()), "20260131-100000-0000bb 14 2");
}
