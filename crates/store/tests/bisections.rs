//! Bisections that begin, go on and end. What they share with comparisons is tested there.

use std::fs;

use model::Hunt;
use store::{Archive, Bisections};

mod example;

use example::{bisection, comparison, hunt, member, question, text};

const A: &str = "20260131-100000-0000aa";
const B: &str = "20260131-110000-0000bb";
const C: &str = "20260131-120000-0000cc";

fn begun(archive: &Archive, hunt: &Hunt, fresh: &str) -> String {
    archive.begin_bisection(hunt, fresh).expect("the bisection begins").id
}

#[test]
fn one_that_was_interrupted_goes_on_with_its_trials() {
    let root = tempfile::tempdir().unwrap();
    let archive = Archive::open(root.path()).unwrap();
    let first = archive.begin_bisection(&hunt(3), A).unwrap();
    let broken = model::Trial { set: A.to_owned(), ..example::broken("20260131-100002-02") };
    let trials = [member(A, "20260131-100001-01", 1, "cpus=2"), broken];
    for trial in &trials {
        archive.add(trial, &[]).unwrap();
    }
    archive.add(&example::trial("20260131-100003-03"), &[]).unwrap();
    // While the first lives another has its own.
    let second = Archive::open(root.path()).unwrap().begin_bisection(&hunt(3), B).unwrap();
    assert_eq!((second.id.as_str(), second.trials.len()), (B, 0));
    drop(first);
    let later = archive.begin_bisection(&hunt(3), C).unwrap();
    assert_eq!((later.id.as_str(), later.trials), (A, trials.to_vec()));
}

#[test]
fn another_hunt_is_another_bisection() {
    let root = tempfile::tempdir().unwrap();
    let archive = Archive::open(root.path()).unwrap();
    assert_eq!(begun(&archive, &hunt(3), A), A);
    let changes: [fn(&mut Hunt); 5] = [
        |h| h.threshold = 0.02,
        |h| h.candidates[2].parents.clear(),
        |h| h.fixes.clear(),
        |h| h.settings.cpus = 2,
        |h| drop(h.candidates.pop()),
    ];
    for (at, change) in changes.into_iter().enumerate() {
        let mut other = hunt(3);
        change(&mut other);
        let fresh = format!("20260131-11000{at}");
        assert_eq!(begun(&archive, &other, &fresh), fresh);
        assert_eq!(begun(&archive, &other, C), fresh);
    }
    assert_eq!(begun(&archive, &hunt(3), C), A);
}

#[test]
fn one_that_has_ended_is_found_and_not_gone_on_with() {
    let root = tempfile::tempdir().unwrap();
    let archive = Archive::open(root.path()).unwrap();
    let first = archive.begin_bisection(&hunt(3), A).unwrap();
    let folder = archive.finish_bisection(&bisection(A)).unwrap();
    assert_eq!(folder, root.path().join("bisections").join(A));
    drop(first);
    assert_eq!(begun(&archive, &hunt(3), B), B);
    assert_eq!(archive.bisection("20260131-10").unwrap(), Some(bisection(A)));
    for none in [C, "last", ""] {
        assert_eq!(archive.bisection(none).unwrap(), None);
    }
}

#[test]
fn bisections_and_comparisons_stand_apart() {
    let root = tempfile::tempdir().unwrap();
    let archive = Archive::open(root.path()).unwrap();
    archive.finish(&comparison(A)).unwrap();
    archive.finish_bisection(&bisection(B)).unwrap();
    assert_eq!(archive.bisection(A).unwrap(), None);
    assert_eq!(archive.comparison(B).unwrap(), None);
    assert_eq!(archive.comparisons().unwrap().ended, [comparison(A)]);
    assert_eq!(archive.bisections().unwrap().ended, [bisection(B)]);
    assert_eq!(archive.begin(&question(), C).unwrap().id, C);
    assert_eq!(begun(&archive, &hunt(3), C), C);
}

#[test]
fn an_archive_that_is_older_than_bisections_holds_none() {
    let root = tempfile::tempdir().unwrap();
    let archive = Archive::open(root.path()).unwrap();
    assert_eq!(archive.bisections().unwrap(), Bisections::default());
    assert_eq!(archive.bisection(A).unwrap(), None);
    assert!(!root.path().join("bisections").exists());
}

#[test]
fn a_listing_names_what_cannot_be_read() {
    let root = tempfile::tempdir().unwrap();
    let archive = Archive::open(root.path()).unwrap();
    archive.finish_bisection(&bisection(B)).unwrap();
    archive.begin_bisection(&hunt(3), A).unwrap();
    let cut = root.path().join("bisections").join(C);
    fs::create_dir(&cut).unwrap();
    fs::write(cut.join("bisection.json"), "{\"format\": 1, \"i").unwrap();
    let all = archive.bisections().unwrap();
    assert_eq!((all.ended, all.unfinished), (vec![bisection(B)], vec![(A.to_owned(), hunt(3))]));
    assert_eq!(all.unreadable.len(), 1);
    assert_eq!(all.unreadable[0].0, cut);
}

#[test]
fn what_cannot_be_says_why() {
    let root = tempfile::tempdir().unwrap();
    let archive = Archive::open(root.path()).unwrap();
    let held = archive.begin_bisection(&hunt(3), A).unwrap();
    archive.finish_bisection(&bisection(B)).unwrap();
    let said = [
        text(root.path(), archive.bisection(A)),
        text(root.path(), archive.bisection("20260131")),
        text(root.path(), archive.finish_bisection(&bisection(B))),
        text(root.path(), archive.finish_bisection(&bisection("../x"))),
        text(root.path(), archive.begin_bisection(&hunt(3), A)),
    ];
    drop(held);
    fs::remove_dir_all(root.path().join("bisections")).unwrap();
    fs::write(root.path().join("bisections"), "").unwrap();
    let blocked = text(root.path(), archive.bisections());
    insta::assert_snapshot!([said.join("\n"), blocked].join("\n"), @r"
    bisection 20260131-100000-0000aa has not ended; the same `slowpath bisect` goes on with it, and its trials are the set 20260131-100000-0000aa
    `20260131` begins the IDs of 2 bisections: 20260131-100000-0000aa, 20260131-110000-0000bb; give more of it
    cannot keep bisection 20260131-110000-0000bb: ROOT/bisections/20260131-110000-0000bb/bisection.json exists and the archive never overwrites; take a fresh ID
    `../x` cannot name a bisection: letters, digits, `-`, `_` and `.` are wanted, not `.` first, and each name once (`trial.json` and `last` are taken)
    cannot keep bisection 20260131-100000-0000aa: ROOT/bisections/20260131-100000-0000aa exists and the archive never overwrites; take a fresh ID
    cannot list the bisections in ROOT/bisections: Not a directory (os error 20); something else stands where the archive belongs; give another folder with --store
    ");
}

/// As a program leaves it that was killed while it wrote the result.
#[test]
fn a_result_that_was_not_written_to_its_end_is_none() {
    let root = tempfile::tempdir().unwrap();
    let archive = Archive::open(root.path()).unwrap();
    drop(archive.begin_bisection(&hunt(3), A).unwrap());
    let folder = root.path().join("bisections").join(A);
    fs::write(folder.join("bisection.new"), "{\"format\": 1, \"i").unwrap();
    let again = archive.begin_bisection(&hunt(3), B).unwrap();
    assert_eq!(again.id, A);
    archive.finish_bisection(&bisection(A)).unwrap();
    assert_eq!(archive.bisection(A).unwrap(), Some(bisection(A)));
    assert!(!folder.join("bisection.new").exists());
}

#[test]
fn a_hunt_through_twenty_thousand_commits_goes_on() {
    let root = tempfile::tempdir().unwrap();
    let archive = Archive::open(root.path()).unwrap();
    let large = hunt(20_000);
    assert_eq!(begun(&archive, &large, A), A);
    let mut other = large.clone();
    other.candidates[19_999].change.title.push('x');
    assert_eq!(begun(&archive, &other, B), B);
    assert_eq!(begun(&archive, &large, C), A);
}
