//! Putting patches in, into revisions and into source trees.

use std::fs;
use std::path::PathBuf;

use kernels::{Source, SourceError};

use crate::linux::{Linux, files, git, written};

/// A kernel with a commit `ten` after `v1`, whose patch is there as a mail and as a difference, and one more
/// difference that needs the first. The work tree is at `v1`.
fn with_patches() -> (Linux, [PathBuf; 3]) {
    let linux = Linux::new();
    linux.line(10, "ten");
    linux.put("fs/new.c", "new\n");
    linux.git(&["rm", "-q", "mm/vmscan.c"]);
    linux.commit("ten\n\nIt is said in a mail.");
    linux.line(10, "Ten");
    linux.git(&["mv", "fs/new.c", "fs/newer.c"]);
    linux.commit("Ten");
    let patch = |name: &str, arguments: &[&str]| {
        let path = linux.path(name);
        fs::write(&path, format!("{}\n", linux.git(arguments))).unwrap();
        path
    };
    let patches = [
        patch("ten.mbox", &["format-patch", "-1", "--stdout", "HEAD~1"]),
        patch("ten.patch", &["diff", "v1", "HEAD~1"]),
        patch("more.patch", &["diff", "-M", "HEAD~1", "HEAD"]),
    ];
    linux.git(&["tag", "patched"]);
    linux.git(&["reset", "-q", "--hard", "v1"]);
    (linux, patches)
}

fn with(patches: &[&PathBuf], source: Source) -> Source {
    Source { patches: patches.iter().map(|patch| (*patch).clone()).collect(), ..source }
}

#[test]
fn a_mail_and_a_difference_make_the_same() {
    let (linux, [mail, difference, more]) = with_patches();
    for source in [linux.source("v1"), linux.tree()] {
        let plain = linux.laid_out(&source);
        let by_mail = linux.laid_out(&with(&[&mail], source.clone()));
        assert_ne!(by_mail.1, plain.1);
        assert_eq!(by_mail.0, linux.contents("patched~1"));
        assert_eq!(linux.laid_out(&with(&[&difference], source.clone())), by_mail);
        let both = with(&[&mail, &more], source.clone());
        assert_eq!(linux.laid_out(&both).0, linux.contents("patched"));
        assert_eq!(linux.laid_out(&source), plain);
    }
    let patched = linux.laid_out(&with(&[&mail, &more], linux.source("v1"))).1;
    assert_eq!(patched, linux.id("patched^{tree}"));
}

#[test]
fn a_second_time_nothing_is_touched() {
    let (linux, [mail, ..]) = with_patches();
    for source in [linux.source("v1"), linux.tree()] {
        let source = with(&[&mail], source);
        let (tree, first) = linux.lay_out(&source);
        let before = written(&tree);
        assert_eq!(linux.lay_out(&source).1.unwrap(), first.unwrap());
        assert_eq!(written(&tree), before);
    }
}

#[test]
fn killed_while_a_patch_was_worked_out_it_begins_anew() {
    let (linux, [mail, ..]) = with_patches();
    let source = with(&[&mail], linux.source("v1"));
    let repo = linux.checkout(&source).folder().join("repo");
    fs::create_dir_all(repo.join("draft/fs")).unwrap();
    for left in ["draft-index", "draft-index.lock", "draft/fs/new.c"] {
        fs::write(repo.join(left), "half").unwrap();
    }
    assert_eq!(linux.laid_out(&source).0, linux.contents("patched~1"));
    assert!(!repo.join("draft").exists());
}

#[test]
fn what_does_not_go_in_says_why_and_leaves_the_tree() {
    let (linux, [mail, _, more]) = with_patches();
    let letter = linux.path("letter");
    fs::write(&letter, "Dear all, there is no patch.\n").unwrap();
    let only_fs = linux.path("fs.patch");
    let difference = linux.git(&["diff", "v1", "patched~1", "--", "fs"]);
    fs::write(&only_fs, format!("{difference}\n")).unwrap();
    let table = [
        (linux.source("v1"), &more, "fs/new.c: does not exist in index"),
        (linux.source("v1"), &letter, "No valid patches in input"),
        (linux.source("patched~1"), &mail, "mm/vmscan.c: does not exist in index"),
        (linux.source("patched~1"), &only_fs, "all of it is in there already"),
        (linux.tree(), &more, "fs/new.c: No such file or directory"),
        (linux.tree(), &letter, "No valid patches in input"),
    ];
    for (source, patch, why) in table {
        let (tree, plain) = linux.lay_out(&source);
        plain.unwrap();
        let before = written(&tree);
        let error = linux.lay_out(&with(&[patch], source)).1.unwrap_err();
        assert!(matches!(error, SourceError::DoesNotApply { .. }), "{error}");
        assert!(error.to_string().contains(why), "{error}");
        assert_eq!(written(&tree), before);
    }
    let none = linux.path("none.patch");
    let error = linux.lay_out(&with(&[&none], linux.source("v1"))).1.unwrap_err();
    assert!(error.to_string().starts_with("cannot read"), "{error}");
}

#[test]
fn lines_that_moved_are_merged_where_the_repository_knows_the_file() {
    let (linux, [_, difference, _]) = with_patches();
    linux.line(9, "nine, by now");
    linux.commit("nine");
    let (contents, _) = linux.laid_out(&with(&[&difference], linux.source("master~1")));
    assert!(contents["fs/sync.c"].contains("\nten\n"));
    let error = linux.lay_out(&with(&[&difference], linux.source("master"))).1.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("{} does not apply to master: conflicts in fs/sync.c", difference.display())
    );
    linux.git(&["reset", "-q", "--hard", "v1"]);
    // Away from the change: only the lines around it differ from what the patch says.
    linux.line(7, "seven, by now");
    linux.commit("seven");
    let (contents, _) = linux.laid_out(&with(&[&difference], linux.source("master")));
    assert!(contents["fs/sync.c"].contains("\nseven, by now\n8\n9\nten\n"));
}

#[test]
fn a_patch_cannot_lead_out_of_the_tree() {
    let (linux, _) = with_patches();
    let patch = linux.path("out.patch");
    let text = "--- a/../../../outside\n+++ b/../../../outside\n@@ -0,0 +1 @@\n+out\n";
    fs::write(&patch, text).unwrap();
    let before = files(&linux.path(""));
    for source in [linux.source("v1"), linux.tree()] {
        let error = linux.lay_out(&with(&[&patch], source)).1.unwrap_err();
        assert!(matches!(error, SourceError::DoesNotApply { .. }), "{error}");
    }
    let outside = |path: &&String| !path.starts_with("cache/source/");
    let after = files(&linux.path(""));
    assert_eq!(after.iter().filter(outside).count(), before.len());
    assert!(!after.iter().any(|path| path.ends_with("outside")));
}

#[test]
fn a_cache_inside_another_repository_makes_no_difference() {
    let (linux, [mail, ..]) = with_patches();
    git(&linux.path(""), &["init", "-q"]);
    let (contents, _) = linux.laid_out(&with(&[&mail], linux.tree()));
    assert_eq!(contents, linux.contents("patched~1"));
}
