//! Laying out revisions of a repository.

use std::cell::{Cell, RefCell};
use std::fs;
use std::os::unix::fs::PermissionsExt;

use kernels::{Checkout, Origin, SourceError};

use crate::linux::{Linux, changed, files, git, written};

#[test]
fn the_tree_holds_exactly_the_revision() {
    let linux = Linux::new();
    linux.put("scripts/run.sh", "#!/bin/sh\n");
    let script = linux.repository().join("scripts/run.sh");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    linux.git(&["rm", "-q", "mm/vmscan.c"]);
    linux.commit("second");
    for revision in ["v1", "master", "v1"] {
        let (contents, identity) = linux.laid_out(&linux.source(revision));
        assert_eq!(contents, linux.contents(revision));
        assert_eq!(identity, linux.id(&format!("{revision}^{{tree}}")));
    }
    let (tree, laid_out) = linux.lay_out(&linux.source("master"));
    assert_eq!(laid_out.unwrap().commit.unwrap().subject, "second");
    let mode = fs::metadata(tree.join("scripts/run.sh")).unwrap().permissions().mode();
    assert_ne!(mode & 0o100, 0);
}

#[test]
fn files_that_stay_keep_their_times() {
    let linux = Linux::new();
    linux.change("mm/vmscan.c", "second");
    let (tree, _) = linux.lay_out(&linux.source("v1"));
    let before = written(&tree);
    linux.lay_out(&linux.source("master")).1.unwrap();
    let after = written(&tree);
    assert_eq!(changed(&before, &after), ["mm/vmscan.c"]);
    assert!(after["mm/vmscan.c"].0 >= before["mm/vmscan.c"].0);
    linux.lay_out(&linux.source("master")).1.unwrap();
    assert_eq!(written(&tree), after);
}

#[test]
fn what_was_changed_in_the_copy_is_put_right() {
    let linux = Linux::new();
    let (tree, _) = linux.lay_out(&linux.source("v1"));
    fs::write(tree.join("Makefile"), "changed\n").unwrap();
    fs::remove_file(tree.join("Kbuild")).unwrap();
    fs::create_dir_all(tree.join("include/config")).unwrap();
    fs::write(tree.join("include/config/auto.conf"), "left\n").unwrap();
    assert_eq!(linux.laid_out(&linux.source("v1")).0, linux.contents("v1"));
}

#[test]
fn killed_half_way_it_is_repaired() {
    let linux = Linux::new();
    linux.change("mm/new.c", "new");
    linux.change("mm/vmscan.c", "second");
    let checkout = linux.checkout(&linux.source("v1"));
    checkout.lay_out(&linux.source("v1"), &|_| ()).unwrap();
    let (tree, repo) = (checkout.tree(), checkout.folder().join("repo"));
    // On the way to the second: a file is there, one half written, the index not yet, and locked.
    fs::write(tree.join("mm/new.c"), "new\n").unwrap();
    fs::write(tree.join("mm/vmscan.c"), "sec").unwrap();
    fs::write(repo.join("index.lock"), "half").unwrap();
    drop(checkout);
    assert_eq!(linux.laid_out(&linux.source("v1")).0, linux.contents("v1"));
    assert!(!repo.join("index.lock").exists());
    // The machine went down.
    for half in [&b"DIRC"[..], b"", b"no index at all, but longer than one must be"] {
        fs::write(repo.join("index"), half).unwrap();
        assert_eq!(linux.laid_out(&linux.source("master")).0, linux.contents("master"));
    }
    // Or while the repository was made.
    fs::write(repo.join("config"), "[core").unwrap();
    assert_eq!(linux.laid_out(&linux.source("v1")).0, linux.contents("v1"));
}

#[test]
fn what_is_no_kernel_is_refused_before_a_file_is_written() {
    let linux = Linux::new();
    linux.git(&["rm", "-rq", "arch"]);
    linux.commit("no x86");
    let (tree, laid_out) = linux.lay_out(&linux.source("master"));
    let error = laid_out.unwrap_err();
    assert!(matches!(error, SourceError::NotAKernel { .. }), "{error}");
    assert!(!tree.exists());
    let error = linux.lay_out(&linux.source("v9")).1.unwrap_err();
    assert!(matches!(error, SourceError::UnknownRevision { .. }), "{error}");
}

#[test]
fn all_work_trees_of_a_repository_share_a_copy() {
    let linux = Linux::new();
    linux.git(&["worktree", "add", "-q", "../linked"]);
    let folder = |place: &str| {
        let repository = linux.path(place);
        let origin = Origin::Revision { repository, revision: "v1".to_owned() };
        let checkout = Checkout::open(&linux.path("cache"), &origin, &|_| (), &|| false).unwrap();
        checkout.folder()
    };
    assert_eq!(folder("linux"), folder("linked"));
    assert_eq!(folder("linux"), folder("linux/fs"));
    git(&linux.path(""), &["clone", "-q", "--bare", "linux", "bare.git"]);
    assert_ne!(folder("linux"), folder("bare.git"));
    assert!(folder("bare.git").file_name().unwrap().to_str().unwrap().starts_with("bare-"));
}

#[test]
fn who_waits_for_a_copy_tells_it_once_and_can_be_stopped() {
    let linux = Linux::new();
    let source = linux.source("v1");
    let held = linux.checkout(&source);
    let told = RefCell::new(Vec::new());
    let tell = |words: &str| told.borrow_mut().push(words.to_owned());
    let looks = std::sync::atomic::AtomicUsize::new(0);
    let stop = || looks.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 3;
    let opened = Checkout::open(&linux.path("cache"), &source.origin, &tell, &stop);
    assert!(matches!(opened.err(), Some(SourceError::Stopped)));
    assert_eq!(*told.borrow(), ["waiting for another slowpath that builds from the same source"]);
    drop(held);
    let none = Cell::new(true);
    Checkout::open(&linux.path("cache"), &source.origin, &|_| none.set(false), &|| false).unwrap();
    assert!(none.get());
}

#[test]
fn one_that_is_told_to_stop_stops() {
    let linux = Linux::new();
    for source in [linux.source("v1"), linux.tree()] {
        let stop = std::sync::atomic::AtomicBool::new(false);
        let stopped = || stop.load(std::sync::atomic::Ordering::Relaxed);
        let checkout =
            Checkout::open(&linux.path("cache"), &source.origin, &|_| (), &stopped).unwrap();
        // It is told when the files are about to be written.
        let tell = |_: &str| stop.store(true, std::sync::atomic::Ordering::Relaxed);
        let error = checkout.lay_out(&source, &tell).unwrap_err();
        assert!(matches!(error, SourceError::Stopped), "{error}");
        assert_eq!(files(&checkout.tree()), Vec::<String>::new());
    }
}
