//! What is known of a commit.

use std::fs;

use kernels::maintainers;

use crate::linux::Linux;

/// Prints what it was called with and which files the patch on its input touches.
const SCRIPT: &str = r#"
print "$ARGV[0] $ARGV[1]\n";
while (<STDIN>) { print "A. Writer <writer\@example.org> (maintainer:$1)\n" if m{^\+\+\+ b/(.*)}; }
"#;

#[test]
fn a_commit_has_author_date_and_files() {
    let linux = Linux::new();
    linux.put("fs/a b.c", "new\n");
    linux.git(&["mv", "mm/vmscan.c", "mm/reclaim.c"]);
    let id = linux.commit("mm: rename");
    let facts = linux.open().facts("HEAD").unwrap();
    assert_eq!(facts.id, id);
    assert_eq!(facts.subject, "mm: rename");
    assert_eq!(facts.author, "A. Writer <writer@example.org>");
    assert_eq!(facts.date, "2024-11-17T14:15:08-08:00");
    assert_eq!(facts.files, ["fs/a b.c", "mm/reclaim.c", "mm/vmscan.c"]);
    assert!(facts.maintainers.is_empty());
    let first = linux.open().facts("v1").unwrap();
    assert_eq!(first.files.len(), 6, "the first commit brings all of its files");
}

#[test]
fn of_a_merge_the_files_are_those_it_brought() {
    let linux = Linux::new();
    linux.git(&["checkout", "-q", "-b", "side"]);
    linux.change("net/side.c", "side");
    linux.git(&["checkout", "-q", "master"]);
    linux.change("mm/vmscan.c", "a");
    linux.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    assert_eq!(linux.open().facts("HEAD").unwrap().files, ["net/side.c"]);
}

#[test]
fn the_trees_own_script_names_the_maintainers() {
    let linux = Linux::new();
    linux.change("fs/sync.c", "slow");
    let asked = || maintainers(&linux.repository(), &linux.open(), "HEAD");
    assert!(asked().is_empty(), "there is no script");
    linux.put("scripts/get_maintainer.pl", SCRIPT);
    let named =
        ["--no-git --no-git-fallback", "A. Writer <writer@example.org> (maintainer:fs/sync.c)"];
    assert_eq!(asked(), named);
    let path = linux.repository().join("scripts/get_maintainer.pl");
    fs::write(path, "print \"half\\n\"; exit 1;").unwrap();
    assert!(asked().is_empty(), "it failed");
}
