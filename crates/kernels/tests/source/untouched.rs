//! Nothing is written into what is the user's: neither a file nor a time changes, whatever is asked.

use std::fs;
use std::path::PathBuf;

use kernels::{Repository, Source, maintainers};

use crate::linux::{Linux, git, seen};

/// A repository in a state in which git would like to write: files changed, touched, staged, left over.
fn unruly() -> Linux {
    let linux = Linux::new();
    linux.line(10, "ten");
    linux.commit("ten");
    linux.line(2, "two");
    linux.commit("two");
    linux.git(&["config", "core.fsmonitor", "true"]);
    linux.git(&["config", "core.untrackedCache", "true"]);
    linux.git(&["config", "gc.auto", "1"]);
    linux.put("Kbuild", "obj-y += fs/\n");
    linux.put("Makefile", "VERSION = 7\n");
    linux.put("mm/staged.c", "staged\n");
    linux.git(&["add", "mm/staged.c"]);
    linux.put("mm/untracked.c", "untracked\n");
    linux
}

fn ask_everything(repository: &Repository) {
    repository.resolve("v1").unwrap();
    repository.resolve("nosuch").unwrap_err();
    repository.is_dirty().unwrap();
    repository.range("v1", "master", &[]).unwrap();
    repository.range("v1", "master", &["fs".to_owned()]).unwrap();
    repository.range("master", "v1", &[]).unwrap_err();
    repository.facts("master").unwrap();
}

#[test]
fn asking_and_laying_out_write_nothing_into_the_repository() {
    let linux = unruly();
    let before = seen(&linux.repository());
    let untouched = |what: &str| assert!(seen(&linux.repository()) == before, "{what}");
    let repository = linux.open();
    ask_everything(&repository);
    untouched("questions");
    assert!(maintainers(&linux.repository(), &repository, "master").is_empty());
    untouched("maintainers");
    for revision in ["v1", "master", "v1"] {
        linux.lay_out(&linux.source(revision)).1.unwrap();
        untouched(revision);
    }
    linux.lay_out(&linux.tree()).1.unwrap();
    untouched("a tree");
}

#[test]
fn reverts_and_patches_leave_all_but_the_times_of_objects() {
    let linux = unruly();
    let patch = linux.path("ten.patch");
    fs::write(&patch, format!("{}\n", linux.git(&["diff", "v1", "master~1"]))).unwrap();
    // git marks an object that is made anew as used where it lies.
    let looked = || {
        let without_times = |(path, figures, content): (PathBuf, [i64; 6], Vec<u8>)| {
            let is_object =
                path.is_file() && path.starts_with(linux.repository().join(".git/objects"));
            (path, if is_object { [0; 6] } else { figures }, content)
        };
        seen(&linux.repository()).into_iter().map(without_times).collect::<Vec<_>>()
    };
    let before = looked();
    let reverting = |commit: &str, revision: &str| Source {
        reverts: vec![commit.to_owned()],
        ..linux.source(revision)
    };
    let patching = |source: Source| Source { patches: vec![patch.clone()], ..source };
    for (source, goes_well) in [
        (reverting("master~1", "master"), true),
        (reverting("master", "v1"), false),
        (patching(linux.source("v1")), true),
        (patching(linux.source("master")), false),
        (patching(linux.tree()), false),
    ] {
        assert_eq!(linux.lay_out(&source).1.is_ok(), goes_well, "{source:?}");
        assert!(looked() == before, "{source:?}");
    }
}

#[test]
fn other_kinds_of_repositories_are_not_written_to_either() {
    let linux = unruly();
    linux.git(&["worktree", "add", "-q", "../linked"]);
    git(&linux.path(""), &["clone", "-q", "--bare", "linux", "bare.git"]);
    for place in ["linked", "bare.git", "linux/.git", "linux/fs"] {
        let before = [seen(&linux.path(place)), seen(&linux.repository())];
        let repository = Repository::open(&linux.path(place)).unwrap();
        ask_everything(&repository);
        let after = [seen(&linux.path(place)), seen(&linux.repository())];
        assert!(before == after, "{place}");
    }
}
