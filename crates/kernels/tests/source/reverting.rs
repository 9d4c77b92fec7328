//! Taking commits out.

use kernels::{Source, SourceError};

use crate::linux::{Linux, changed, written};

fn without(linux: &Linux, revision: &str, commits: &[&str]) -> Source {
    let reverts = commits.iter().map(|commit| (*commit).to_owned()).collect();
    Source { reverts, ..linux.source(revision) }
}

/// `v1`, then `ten` and `two` change a line each.
fn with_two_changes() -> (Linux, String, String) {
    let linux = Linux::new();
    linux.line(10, "ten");
    let ten = linux.commit("ten");
    linux.line(2, "two");
    let two = linux.commit("two");
    (linux, ten, two)
}

#[test]
fn a_commit_comes_out_from_under_another() {
    let (linux, ten, two) = with_two_changes();
    let (contents, _) = linux.laid_out(&without(&linux, "master", &[&ten]));
    assert!(
        contents["fs/sync.c"].starts_with("1\ntwo\n3\n")
            && contents["fs/sync.c"].contains("\n10\n")
    );
    // Without both it is the first one again, by name too.
    let (contents, identity) = linux.laid_out(&without(&linux, "master", &[&two, &ten]));
    assert_eq!(contents, linux.contents("v1"));
    assert_eq!(identity, linux.id("v1^{tree}"));
}

#[test]
fn a_commit_comes_out_of_a_file_that_was_renamed_since() {
    let (linux, ten, _) = with_two_changes();
    linux.git(&["mv", "fs/sync.c", "fs/synced.c"]);
    linux.commit("renamed");
    let (contents, _) = linux.laid_out(&without(&linux, "master", &[&ten]));
    assert!(contents["fs/synced.c"].starts_with("1\ntwo\n3\n"));
    assert!(contents["fs/synced.c"].contains("\n10\n") && !contents.contains_key("fs/sync.c"));
}

#[test]
fn a_second_time_nothing_is_touched() {
    let (linux, ten, _) = with_two_changes();
    let source = without(&linux, "master", &[&ten]);
    let (tree, first) = linux.lay_out(&source);
    let before = written(&tree);
    assert_eq!(linux.lay_out(&source).1.unwrap(), first.unwrap());
    assert_eq!(written(&tree), before);
    linux.lay_out(&linux.source("master")).1.unwrap();
    assert_eq!(changed(&before, &written(&tree)), ["fs/sync.c"]);
}

#[test]
fn a_merge_is_taken_back_to_its_first_parent() {
    let linux = Linux::new();
    linux.git(&["checkout", "-q", "-b", "side"]);
    linux.change("net/side.c", "side");
    linux.git(&["checkout", "-q", "master"]);
    linux.change("mm/vmscan.c", "a");
    linux.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    let merge = linux.id("HEAD");
    linux.change("mm/slab.c", "b");
    let (contents, _) = linux.laid_out(&without(&linux, "master", &[&merge]));
    assert!(!contents.contains_key("net/side.c"));
    assert_eq!((contents["mm/vmscan.c"].as_str(), contents["mm/slab.c"].as_str()), ("a\n", "b\n"));
}

#[test]
fn a_conflict_names_the_files_and_leaves_the_tree() {
    let (linux, ten, _) = with_two_changes();
    linux.line(10, "Ten");
    linux.commit("Ten");
    let (tree, laid_out) = linux.lay_out(&linux.source("master"));
    laid_out.unwrap();
    let before = written(&tree);
    let error = linux.lay_out(&without(&linux, "master", &[&ten])).1.unwrap_err();
    assert!(error.is_the_sources_fault());
    let expected = format!("{ten} does not revert cleanly on master: conflicts in fs/sync.c");
    assert_eq!(error.to_string(), expected);
    assert_eq!(written(&tree), before);
    assert_eq!(linux.laid_out(&linux.source("master")).0, linux.contents("master"));
}

#[test]
fn what_would_change_nothing_is_refused() {
    let (linux, ten, _) = with_two_changes();
    let first = linux.id("v1^{commit}");
    for (revision, commit, why) in
        [("v1", ten.as_str(), "nothing of it is in there"), ("master", &first, "it has no parent")]
    {
        let error = linux.lay_out(&without(&linux, revision, &[commit])).1.unwrap_err();
        let expected = format!("{commit} does not revert cleanly on {revision}: {why}");
        assert_eq!(error.to_string(), expected);
    }
    let error = linux.lay_out(&without(&linux, "v1", &["nosuch"])).1.unwrap_err();
    assert!(matches!(error, SourceError::UnknownRevision { .. }), "{error}");
    let tree = Source { reverts: vec![ten], ..linux.tree() };
    let error = linux.lay_out(&tree).1.unwrap_err().to_string();
    assert!(error.contains("a source tree has no history"), "{error}");
}
