//! Comparisons that begin, go on and end.

use std::fs;
use std::path::Path;
use std::thread;

use model::{Extent, Question};
use store::{Archive, Comparisons};

mod example;

use example::{comparison, member, question, text};

const A: &str = "20260131-100000-0000aa";
const B: &str = "20260131-110000-0000bb";
const C: &str = "20260131-120000-0000cc";

fn begun(archive: &Archive, question: &Question, fresh: &str) -> String {
    archive.begin(question, fresh).expect("the comparison begins").id
}

fn entries(root: &Path) -> Vec<String> {
    let entries = fs::read_dir(root.join("comparisons")).expect("the folder is there");
    let mut names: Vec<_> = entries
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a plain name"))
        .collect();
    names.sort();
    names
}

#[test]
fn a_comparison_that_was_interrupted_goes_on_with_its_trials() {
    let root = tempfile::tempdir().unwrap();
    let archive = Archive::open(root.path()).unwrap();
    let first = archive.begin(&question(), A).unwrap();
    assert_eq!((first.id.as_str(), first.trials.len()), (A, 0));
    let trials = [("20260131-100002-02", "fs=xfs"), ("20260131-100001-01", "fs=ext4")]
        .map(|(id, pair)| member(A, id, 0, pair));
    for trial in &trials {
        archive.add(trial, &[]).unwrap();
    }
    archive.add(&example::trial("20260131-100003-03"), &[]).unwrap();
    drop(first);
    let later = Archive::open(root.path()).unwrap().begin(&question(), B).unwrap();
    assert_eq!(later.id, A);
    assert_eq!(later.trials, [trials[1].clone(), trials[0].clone()]);
    assert_eq!(entries(root.path()), [A]);
}

#[test]
fn a_comparison_that_a_living_program_holds_is_left_to_it() {
    let root = tempfile::tempdir().unwrap();
    let archive = Archive::open(root.path()).unwrap();
    let first = archive.begin(&question(), A).unwrap();
    let second = Archive::open(root.path()).unwrap().begin(&question(), B).unwrap();
    assert_eq!((first.id.as_str(), second.id.as_str()), (A, B));
    drop(first);
    let third = archive.begin(&question(), C).unwrap();
    assert_eq!(third.id, A);
    drop((second, third));
    // Of several the newest.
    assert_eq!(begun(&archive, &question(), C), B);
    assert_eq!(entries(root.path()), [A, B]);
}

#[test]
fn many_that_ask_the_same_at_once_each_have_their_own() {
    let root = tempfile::tempdir().unwrap();
    let all = thread::scope(|scope| {
        let begins: Vec<_> = (0..8)
            .map(|n| {
                let root = root.path();
                scope.spawn(move || {
                    let archive = Archive::open(root).unwrap();
                    archive.begin(&question(), &format!("20260131-10000{n}")).unwrap()
                })
            })
            .collect();
        begins.into_iter().map(|begin| begin.join().unwrap()).collect::<Vec<_>>()
    });
    let mut ids: Vec<_> = all.iter().map(|begun| begun.id.clone()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 8);
}

#[test]
fn another_question_is_another_comparison() {
    let root = tempfile::tempdir().unwrap();
    let archive = Archive::open(root.path()).unwrap();
    assert_eq!(begun(&archive, &question(), A), A);
    let changes: [fn(&mut Question); 5] = [
        |q| q.threshold = 0.02,
        |q| q.extent = Extent::Pairs(30),
        |q| q.variants[1].name = "xfs".to_owned(),
        |q| q.variants.swap(1, 2),
        |q| q.variants[2].settings.cpus = 2,
    ];
    for (at, change) in changes.into_iter().enumerate() {
        let mut other = question();
        change(&mut other);
        let fresh = format!("20260131-11000{at}");
        assert_eq!(begun(&archive, &other, &fresh), fresh);
        assert_eq!(begun(&archive, &other, C), fresh);
    }
    assert_eq!(begun(&archive, &question(), C), A);
}

#[test]
fn one_that_has_ended_is_found_and_not_gone_on_with() {
    let root = tempfile::tempdir().unwrap();
    let archive = Archive::open(root.path()).unwrap();
    let first = archive.begin(&question(), A).unwrap();
    let folder = archive.finish(&comparison(A)).unwrap();
    assert_eq!(folder, root.path().join("comparisons").join(A));
    drop(first);
    assert_eq!(begun(&archive, &question(), B), B);
    assert_eq!(archive.comparison("20260131-10").unwrap(), Some(comparison(A)));
    assert_eq!(archive.comparison(C).unwrap(), None);
    assert_eq!(archive.comparison("last").unwrap(), None);
    assert_eq!(archive.comparison("").unwrap(), None);
}

#[test]
fn one_that_had_nothing_to_run_is_kept_whole() {
    let root = tempfile::tempdir().unwrap();
    let archive = Archive::open(root.path()).unwrap();
    archive.finish(&comparison(A)).unwrap();
    assert_eq!(archive.comparison(A).unwrap(), Some(comparison(A)));
    let asked = fs::read_to_string(root.path().join("comparisons").join(A).join("question.json"));
    archive.begin(&question(), B).unwrap();
    let other = fs::read_to_string(root.path().join("comparisons").join(B).join("question.json"));
    assert_eq!(asked.unwrap().replace(A, B), other.unwrap());
}

#[test]
fn a_listing_names_what_cannot_be_read() {
    let root = tempfile::tempdir().unwrap();
    let archive = Archive::open(root.path()).unwrap();
    assert_eq!(archive.comparisons().unwrap(), Comparisons::default());
    archive.finish(&comparison(B)).unwrap();
    archive.finish(&comparison(A)).unwrap();
    archive.begin(&question(), C).unwrap();
    let folder = root.path().join("comparisons");
    let ended = fs::read_to_string(folder.join(A).join("comparison.json")).unwrap();
    let asked = fs::read_to_string(folder.join(C).join("question.json")).unwrap();
    let newer = |text: &str| text.replacen("\"format\": 1", "\"format\": 2, \"new\": []", 1);
    for (name, file, text) in [
        ("a-newer", "comparison.json", newer(&ended)),
        ("b-newer", "question.json", newer(&asked)),
        ("c-cut", "comparison.json", ended[..99].to_owned()),
        ("d-copied", "comparison.json", ended.clone()),
        ("e-copied", "question.json", asked.clone()),
        ("f-empty", "lock", String::new()),
    ] {
        fs::create_dir(folder.join(name)).unwrap();
        fs::write(folder.join(name).join(file), text).unwrap();
    }
    fs::create_dir(folder.join(".new-x")).unwrap();
    let all = archive.comparisons().unwrap();
    assert_eq!(all.ended, [comparison(A), comparison(B)]);
    let unfinished: Vec<_> = all.unfinished.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(unfinished, [C]);
    let reasons: Vec<_> = all.unreadable.into_iter().map(|(_, why)| why).collect();
    let reasons = reasons.join("\n").replace(&root.path().display().to_string(), "ROOT");
    insta::assert_snapshot!(reasons, @r"
    ROOT/comparisons/a-newer/comparison.json has format 2, and this slowpath reads up to format 1; use the newer slowpath that wrote it
    ROOT/comparisons/b-newer/question.json has format 2, and this slowpath reads up to format 1; use the newer slowpath that wrote it
    ROOT/comparisons/c-cut/comparison.json is damaged: EOF while parsing a string at line 5 column 11; the other comparisons are not affected, move it away
    ROOT/comparisons/d-copied is damaged: its comparison.json is that of comparison 20260131-100000-0000aa; the other comparisons are not affected, move it away
    ROOT/comparisons/e-copied is damaged: its question.json is that of comparison 20260131-120000-0000cc; the other comparisons are not affected, move it away
    ROOT/comparisons/f-empty is damaged: it has no question.json; the other comparisons are not affected, move it away
    ");
    // None of them is gone on with, and none is in the way.
    assert_eq!(begun(&archive, &question(), "20260131-130000"), C);
}

#[test]
fn what_cannot_be_says_why() {
    let root = tempfile::tempdir().unwrap();
    let archive = Archive::open(root.path()).unwrap();
    let held = archive.begin(&question(), A).unwrap();
    archive.finish(&comparison(B)).unwrap();
    let said = [
        text(root.path(), archive.comparison(A)),
        text(root.path(), archive.comparison("20260131")),
        text(root.path(), archive.finish(&comparison(B))),
        text(root.path(), archive.finish(&comparison("../x"))),
        text(root.path(), archive.begin(&question(), A)),
        text(root.path(), archive.begin(&question(), "last")),
    ];
    drop(held);
    fs::remove_dir_all(root.path().join("comparisons")).unwrap();
    fs::write(root.path().join("comparisons"), "").unwrap();
    let blocked = [
        text(root.path(), archive.begin(&question(), A)),
        text(root.path(), archive.finish(&comparison(A))),
        text(root.path(), archive.comparisons()),
    ];
    insta::assert_snapshot!([said.join("\n"), blocked.join("\n")].join("\n"), @r"
    comparison 20260131-100000-0000aa has not ended; the same `slowpath compare` goes on with it, and its trials are the set 20260131-100000-0000aa
    `20260131` begins the IDs of 2 comparisons: 20260131-100000-0000aa, 20260131-110000-0000bb; give more of it
    cannot keep comparison 20260131-110000-0000bb: ROOT/comparisons/20260131-110000-0000bb/comparison.json exists and the archive never overwrites; take a fresh ID
    `../x` cannot name a comparison: letters, digits, `-`, `_` and `.` are wanted, not `.` first, and each name once (`trial.json` and `last` are taken)
    cannot keep comparison 20260131-100000-0000aa: ROOT/comparisons/20260131-100000-0000aa exists and the archive never overwrites; take a fresh ID
    `last` cannot name a comparison: letters, digits, `-`, `_` and `.` are wanted, not `.` first, and each name once (`trial.json` and `last` are taken)
    cannot list the comparisons in ROOT/comparisons: Not a directory (os error 20); something else stands where the archive belongs; give another folder with --store
    cannot make ROOT/comparisons: File exists (os error 17); something else stands where the archive belongs; give another folder with --store
    cannot list the comparisons in ROOT/comparisons: Not a directory (os error 20); something else stands where the archive belongs; give another folder with --store
    ");
}

/// As a program leaves it that was killed while it wrote the result.
#[test]
fn a_result_that_was_not_written_to_its_end_is_none() {
    let root = tempfile::tempdir().unwrap();
    let archive = Archive::open(root.path()).unwrap();
    drop(archive.begin(&question(), A).unwrap());
    let folder = root.path().join("comparisons").join(A);
    fs::write(folder.join("comparison.new"), "{\"format\": 1, \"i").unwrap();
    let unfinished = archive.comparisons().unwrap().unfinished;
    assert_eq!(unfinished.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>(), [A]);
    let again = archive.begin(&question(), B).unwrap();
    assert_eq!(again.id, A);
    archive.finish(&comparison(A)).unwrap();
    assert_eq!(archive.comparison(A).unwrap(), Some(comparison(A)));
    assert!(!folder.join("comparison.new").exists());
}
