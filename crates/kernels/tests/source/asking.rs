//! What is asked of a repository.

use std::fs;

use kernels::{Repository, SourceError};

use crate::linux::{Linux, git};

#[test]
fn a_repository_is_opened_wherever_one_stands_in_it() {
    let linux = Linux::new();
    linux.git(&["worktree", "add", "-q", "../linked"]);
    git(&linux.path(""), &["clone", "-q", "--bare", "linux", "bare.git"]);
    let v1 = linux.id("v1^{commit}");
    for (place, has_work_tree) in [
        ("linux", true),
        ("linux/fs", true),
        ("linux/.git", true),
        ("linked", true),
        ("bare.git", false),
    ] {
        let repository = Repository::open(&linux.path(place)).unwrap();
        assert_eq!(repository.resolve("v1").unwrap().id, v1, "{place}");
        assert!(!repository.is_shallow() && !repository.is_dirty().unwrap(), "{place}");
        let tree = if place == "linked" { "linked" } else { "linux" };
        fs::write(linux.path(tree).join("Kbuild"), "changed\n").unwrap();
        assert_eq!(repository.is_dirty().unwrap(), has_work_tree, "{place}");
        fs::write(linux.path(tree).join("Kbuild"), "obj-y += fs/\n").unwrap();
    }
}

#[test]
fn what_is_no_repository_is_told() {
    let linux = Linux::new();
    fs::create_dir(linux.path("plain")).unwrap();
    for place in ["plain", "nowhere", "linux/Makefile"] {
        let Err(error) = Repository::open(&linux.path(place)) else { panic!("{place}") };
        assert!(matches!(error, SourceError::NotARepository { .. }), "{error}");
    }
}

#[test]
fn a_revision_is_a_commit_with_its_subject() {
    let linux = Linux::new();
    let second = linux.change("fs/sync.c", "fs: sync: don't wake the flushers");
    let repository = linux.open();
    let (v1, short) = (linux.id("v1^{commit}"), &second[..12]);
    assert_ne!(v1, linux.id("v1"), "the tag is an object of its own");
    for (revision, id, subject) in [
        ("v1", &v1, "Linux 1"),
        ("HEAD~1", &v1, "Linux 1"),
        (short, &second, "fs: sync: don't wake the flushers"),
        ("master", &second, "fs: sync: don't wake the flushers"),
    ] {
        let commit = repository.resolve(revision).unwrap();
        assert_eq!((commit.id.as_str(), commit.subject.as_str()), (id.as_str(), subject));
    }
}

#[test]
fn an_unknown_revision_says_what_may_be_meant() {
    let linux = Linux::new();
    let repository = linux.open();
    for (revision, hint) in [
        ("1", "; did you mean v1?"),
        ("mastr", "; did you mean master?"),
        ("0123456789", "; fetch it: git fetch --tags"),
        (&linux.id("HEAD:Makefile"), "; there is such an object, but it is no commit"),
        ("--all", ""),
        ("", ""),
        ("^v1", "; did you mean v1?"),
    ] {
        let error = repository.resolve(revision).unwrap_err().to_string();
        let folder = linux.repository();
        let expected = format!("{} has no revision `{revision}`{hint}", folder.display());
        assert_eq!(error, expected);
    }
}

#[test]
fn a_shallow_clone_is_told_to_fetch_more() {
    let linux = Linux::new();
    linux.change("fs/sync.c", "second");
    let from = format!("file://{}", linux.repository().display());
    git(&linux.path(""), &["clone", "-q", "--depth=1", &from, "shallow"]);
    let repository = Repository::open(&linux.path("shallow")).unwrap();
    assert!(repository.is_shallow());
    let error = repository.resolve("v1").unwrap_err().to_string();
    assert!(error.ends_with("git fetch --unshallow --tags"), "{error}");
    assert_eq!(
        repository.facts("HEAD").unwrap().files,
        Vec::<String>::new(),
        "the parent is not there"
    );
}

#[test]
fn dirty_is_what_differs_not_what_was_touched() {
    let linux = Linux::new();
    let repository = linux.open();
    // The same text at another time.
    linux.put("Kbuild", "obj-y += fs/\n");
    linux.put("vmlinux.o", "git does not know it");
    assert!(!repository.is_dirty().unwrap());
    linux.put("Kbuild", "obj-y += mm/\n");
    assert!(repository.is_dirty().unwrap());
    linux.git(&["add", "Kbuild"]);
    assert!(repository.is_dirty().unwrap(), "what is staged differs too");
}
