//! Copying source trees as they stand.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::{Duration, SystemTime};

use kernels::{Checkout, Origin, Source, SourceError};

use crate::linux::{Linux, changed, files, git, written};

/// The kernel's own rules, and Debian's on top of them, which leave nothing at the top.
const IGNORED: &str = ".*\n*.o\n*.ko\n/vmlinux\n/include/config/\n/include/generated/\n";
const DEBIAN: &str = "/*\n!/debian/\n";

/// What a build in the tree leaves there.
const PRODUCTS: [&str; 9] = [
    ".config",
    ".version",
    "vmlinux",
    "vmlinux.o",
    "fs/sync.o",
    "fs/.sync.o.cmd",
    "include/config/auto.conf",
    "include/generated/autoconf.h",
    "lib/crc32table.h",
];

fn with_products(linux: &Linux, ignored: &str) {
    linux.put(".gitignore", ignored);
    linux.put("lib/.gitignore", "crc32table.h\n");
    linux.put("include/linux/fs.h", "struct inode;\n");
    for product in PRODUCTS {
        linux.put(product, "built\n");
    }
}

/// Whether a product is among these.
fn has_product(files: &[String]) -> bool {
    files.iter().any(|file| PRODUCTS.contains(&file.as_str()))
}

#[test]
fn what_a_build_left_is_not_copied_whether_or_not_git_knows_the_tree() {
    let linux = Linux::new();
    with_products(&linux, IGNORED);
    linux.put("mm/untracked.c", "new\n");
    linux.git(&["add", "-f", ".gitignore"]);
    let (tree, first) = linux.lay_out(&linux.tree());
    let copied = files(&tree);
    assert!(copied.contains(&"mm/untracked.c".to_owned()) && !has_product(&copied), "{copied:?}");
    assert!(copied.contains(&"include/linux/fs.h".to_owned()));
    first.unwrap();
    // As out of an archive.
    fs::remove_dir_all(linux.repository().join(".git")).unwrap();
    linux.put(".gitignore", &format!("{IGNORED}{DEBIAN}"));
    linux.lay_out(&linux.tree()).1.unwrap();
    let of_archive = files(&tree);
    let without_rules = |files: Vec<String>| {
        files.into_iter().filter(|file| !file.ends_with(".gitignore")).collect::<Vec<_>>()
    };
    assert_eq!(without_rules(of_archive), without_rules(copied));
}

#[test]
fn what_git_tracks_is_copied_whatever_its_name() {
    let linux = Linux::new();
    with_products(&linux, IGNORED);
    linux.git(&["add", "-f", "fs/sync.o"]);
    linux.put("drivers/own/.gitignore", "");
    linux.put("drivers/own/main.c", "module\n");
    git(&linux.repository().join("drivers/own"), &["init", "-q"]);
    fs::remove_file(linux.repository().join("mm/vmscan.c")).unwrap();
    let copied = linux.laid_out(&linux.tree()).0;
    assert_eq!(copied["fs/sync.o"], "built\n");
    assert_eq!(copied["drivers/own/main.c"], "module\n", "a repository in it is part of it");
    assert!(!copied.contains_key("mm/vmscan.c"), "it is tracked, but not there");
    assert!(!copied.keys().any(|path| path.contains(".git/")));
}

#[test]
fn only_what_differs_is_written_and_bears_the_time_of_now() {
    let linux = Linux::new();
    let (tree, first) = linux.lay_out(&linux.tree());
    let (before, began) = (written(&tree), SystemTime::now());
    assert_eq!(linux.lay_out(&linux.tree()).1.unwrap(), first.as_ref().unwrap().clone());
    assert_eq!(written(&tree), before);
    // Of the same length, and older than what was copied; another only touched.
    linux.put("mm/vmscan.c", "RECLAIM\n");
    linux.put("Kbuild", "obj-y += fs/\n");
    let path = linux.repository().join("mm/vmscan.c");
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    let second = linux.lay_out(&linux.tree()).1.unwrap();
    let after = written(&tree);
    assert_eq!(changed(&before, &after), ["mm/vmscan.c"]);
    // The filesystem's clock ticks more coarsely than ours.
    assert!(after["mm/vmscan.c"].0 + Duration::from_secs(1) > began);
    assert_ne!(second.identity, first.unwrap().identity);
}

#[test]
fn kinds_of_files_change_into_each_other() {
    let linux = Linux::new();
    let path = linux.repository().join("fs/thing");
    let states: [&dyn Fn(); 6] = [
        &|| linux.put("fs/thing", "file\n"),
        &|| fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap(),
        &|| {
            fs::remove_file(&path).unwrap();
            symlink("sync.c", &path).unwrap();
        },
        &|| {
            fs::remove_file(&path).unwrap();
            symlink("nowhere", &path).unwrap();
        },
        &|| {
            fs::remove_file(&path).unwrap();
            linux.put("fs/thing/inside.c", "inside\n");
        },
        &|| {
            fs::remove_dir_all(&path).unwrap();
            linux.put("fs/thing", "file\n");
        },
    ];
    let mut identities = Vec::new();
    for change in states {
        change();
        let (tree, laid_out) = linux.lay_out(&linux.tree());
        identities.push(laid_out.unwrap().identity);
        let (ours, theirs) = (tree.join("fs/thing"), &path);
        let kind = |path: &std::path::Path| {
            let about = fs::symlink_metadata(path).unwrap();
            (about.file_type(), about.permissions().mode() & 0o100, fs::read_link(path).ok())
        };
        assert_eq!(kind(&ours), kind(theirs));
        assert_eq!(fs::read(&ours).ok(), fs::read(theirs).ok());
        assert_eq!(files(&tree.join("fs")), files(&linux.repository().join("fs")));
    }
    assert_eq!(identities[0], identities[5], "the same again");
    identities.pop();
    identities.sort();
    identities.dedup();
    assert_eq!(identities.len(), 5);
}

#[test]
fn a_cache_in_the_tree_is_not_copied_into_itself() {
    let linux = Linux::new();
    let cache = linux.repository().join("cache");
    let source = linux.tree();
    let mut seen = Vec::new();
    for _ in 0..2 {
        let checkout = Checkout::open(&cache, &source.origin, &|_| (), &|| false).unwrap();
        let laid_out = checkout.lay_out(&source, &|_| ()).unwrap();
        assert_eq!(files(&checkout.tree()).len(), 6);
        seen.push(laid_out);
    }
    assert_eq!(seen[0], seen[1]);
}

#[test]
fn a_half_copied_tree_is_made_whole() {
    let linux = Linux::new();
    let (tree, first) = linux.lay_out(&linux.tree());
    fs::write(tree.join("fs/sync.c"), "1\n2").unwrap();
    fs::remove_dir_all(tree.join("arch")).unwrap();
    fs::write(tree.join("left.c"), "left\n").unwrap();
    fs::create_dir_all(tree.join("../patched/fs")).unwrap();
    fs::write(tree.join("../patched/fs/sync.c"), "stale\n").unwrap();
    let (contents, identity) = linux.laid_out(&linux.tree());
    assert_eq!(contents, linux.contents("v1"));
    assert_eq!(identity, first.unwrap().identity);
}

#[test]
fn what_is_no_kernel_or_not_there_is_refused() {
    let linux = Linux::new();
    fs::remove_dir_all(linux.repository().join("scripts")).unwrap();
    let error = linux.lay_out(&linux.tree()).1.unwrap_err();
    assert!(matches!(error, SourceError::NotAKernel { .. }), "{error}");
    let nowhere = Source { origin: Origin::Tree(linux.path("nowhere")), ..linux.tree() };
    let opened = Checkout::open(&linux.path("cache"), &nowhere.origin, &|_| (), &|| false);
    let Err(error) = opened else { panic!("it is not there") };
    assert!(error.to_string().starts_with("cannot read"), "{error}");
}
