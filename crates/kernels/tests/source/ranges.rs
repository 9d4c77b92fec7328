//! The commits between two revisions.

use kernels::SourceError;

use crate::linux::{Linux, expected, git, subjects};

/// Where `side` left `master`, with a merge after that:
///
/// ```text
/// v1 ── a (mm) ── b (fs) ── merge ── c (mm)
///   └── side 1 (fs) ── side 2 (net) ─┘
/// ```
fn with_merge() -> Linux {
    let linux = Linux::new();
    linux.git(&["checkout", "-q", "-b", "side"]);
    linux.change("fs/side.c", "side 1");
    linux.change("net/side.c", "side 2");
    linux.git(&["checkout", "-q", "master"]);
    linux.change("mm/vmscan.c", "a");
    linux.change("fs/super.c", "b");
    linux.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    linux.change("mm/vmscan.c", "c");
    linux
}

#[test]
fn a_line_of_commits_comes_oldest_first() {
    let linux = Linux::new();
    for subject in ["a", "b", "c"] {
        linux.change("mm/vmscan.c", subject);
    }
    let line = expected(&[("a", &[]), ("b", &["a"]), ("c", &["b"])]);
    assert_eq!(linux.between("v1", "master", &[]), line);
    assert_eq!(linux.between("v1", "HEAD~1", &[]), line[..2]);
    let range = linux.open().range("v1", "HEAD", &[]).unwrap();
    assert_eq!((range.good.subject.as_str(), range.instead_of), ("Linux 1", None));
    assert_eq!(range.commits[2].commit.id, linux.id("HEAD"));
}

#[test]
fn a_merge_stands_on_both_sides() {
    let mut seen = with_merge().between("v1", "master", &[]);
    assert_eq!(seen.pop().unwrap().0, "c");
    assert_eq!(seen.pop().unwrap(), expected(&[("merge", &["b", "side 2"])])[0]);
    // Which side comes first is git's choice.
    seen.sort();
    let sides = [("a", &[][..]), ("b", &["a"]), ("side 1", &[]), ("side 2", &["side 1"])];
    assert_eq!(seen, expected(&sides));
}

#[test]
fn paths_leave_the_graph_of_what_touches_them() {
    let linux = with_merge();
    let fs = [("side 1", &[][..]), ("b", &[]), ("merge", &["b", "side 1"]), ("c", &["merge"])];
    let sorted = |mut list: Vec<(String, Vec<String>)>| {
        list.sort();
        list
    };
    assert_eq!(sorted(linux.between("v1", "master", &["fs"])), sorted(expected(&fs)));
    // The side that changed nothing there is gone, and with it the merge; the last one is always there.
    let net = expected(&[("side 2", &[]), ("c", &["side 2"])]);
    assert_eq!(linux.between("v1", "master", &["net/"]), net);
    let mm = expected(&[("a", &[]), ("c", &["a"])]);
    assert_eq!(linux.between("v1", "master", &["mm/*.c"]), mm);
    assert_eq!(linux.between("v1", "master", &["./mm"]), mm);
}

#[test]
fn what_a_side_took_back_itself_made_nothing() {
    let linux = Linux::new();
    linux.git(&["checkout", "-q", "-b", "side"]);
    linux.change("mm/vmscan.c", "there");
    linux.change("mm/vmscan.c", "reclaim");
    linux.git(&["checkout", "-q", "master"]);
    linux.change("mm/slab.c", "a");
    linux.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    let mm = expected(&[("a", &[]), ("merge", &["a"])]);
    assert_eq!(linux.between("v1", "master", &["mm"]), mm);
}

#[test]
fn a_good_end_beside_the_history_gives_way_to_where_they_part() {
    let linux = Linux::new();
    linux.git(&["checkout", "-q", "-b", "stable"]);
    let stable = linux.change("Makefile", "stable");
    linux.git(&["checkout", "-q", "master"]);
    linux.change("mm/vmscan.c", "a");
    let range = linux.open().range("stable", "master", &[]).unwrap();
    assert_eq!(range.good.id, linux.id("v1^{commit}"));
    assert_eq!(range.instead_of.as_ref().unwrap().id, stable);
    assert_eq!(subjects(&range), expected(&[("a", &[])]));
}

#[test]
fn what_has_nothing_between_says_why() {
    let linux = Linux::new();
    linux.change("mm/vmscan.c", "a");
    linux.git(&["tag", "v2"]);
    linux.change("fs/sync.c", "b");
    let between = |good: &str, bad: &str, paths: &[String]| {
        linux.open().range(good, bad, paths).unwrap_err().to_string()
    };
    let start = "there is no commit between";
    assert_eq!(
        between("v2", "v1", &[]),
        format!("{start} v2 and v1; the bad one is older than the good one: are the two swapped?")
    );
    assert_eq!(
        between("v1", "HEAD~2", &[]),
        format!("{start} v1 and HEAD~2; they are the same commit")
    );
    let mm = ["mm".to_owned()];
    assert_eq!(between("v2", "HEAD", &mm), format!("{start} v2 and HEAD that touches mm"));
}

#[test]
fn a_path_that_neither_end_has_is_an_error() {
    let linux = with_merge();
    for path in ["fs/ext5", ""] {
        let error = linux.open().range("v1", "master", &[path.to_owned()]).unwrap_err();
        assert!(
            matches!(&error, SourceError::UnknownPath { path: it, .. } if it == path),
            "{error}"
        );
    }
    // One that is gone at the end was there at the beginning.
    linux.git(&["rm", "-q", "fs/sync.c"]);
    linux.commit("no sync");
    let gone = linux.between("v1", "master", &["fs/sync.c"]);
    assert_eq!(gone, expected(&[("no sync", &[])]));
}

#[test]
fn revisions_without_a_common_ancestor_are_unrelated() {
    let linux = Linux::new();
    linux.git(&["checkout", "-q", "--orphan", "other"]);
    linux.commit("other");
    let error = linux.open().range("v1", "other", &[]).unwrap_err();
    assert!(matches!(error, SourceError::Unrelated { .. }), "{error}");
}

#[test]
fn a_bare_repository_answers_as_well() {
    let linux = with_merge();
    git(&linux.path(""), &["clone", "-q", "--bare", "linux", "bare.git"]);
    let bare = kernels::Repository::open(&linux.path("bare.git")).unwrap();
    let range = bare.range("v1", "master", &["mm".to_owned()]).unwrap();
    assert_eq!(subjects(&range), expected(&[("a", &[]), ("c", &["a"])]));
}
