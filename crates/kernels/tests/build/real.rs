//! A real kernel: the tag `base` of the repository that `SLOWPATH_HISTORY` names, built three times. Without it
//! this says that it is skipped; with it, it takes a quarter of an hour on two cores.
#![allow(clippy::print_stdout, reason = "timings and skipped tests are told, not judged")]

use std::fs;
use std::path::{Path, PathBuf};

use kernels::{Builds, Built, Kernel, Origin, Source, has_pvh_entry};

/// A change that moves code and data, and is taken back.
const CHANGE: &str = "--- a/fs/sync.c
+++ b/fs/sync.c
@@ -1,1 +1,7 @@
 // SPDX-License-Identifier: GPL-2.0
+extern int slowpath_test(int x);
+__attribute__((used)) int slowpath_test(int x);
+__attribute__((used)) int slowpath_test(int x)
+{
+	return x * 3 + 1;
+}
";

fn image(built: &Built) -> Vec<u8> {
    let kernel = Kernel::from_path(&built.folder, None).unwrap();
    assert!(kernel.release.ends_with("-slowpath"), "{}", kernel.release);
    fs::read(kernel.image).unwrap()
}

fn build(cache: &Path, repository: &Path, patches: Vec<PathBuf>) -> Built {
    let origin =
        Origin::Revision { repository: repository.to_path_buf(), revision: "base".to_owned() };
    let source = Source { origin, reverts: Vec::new(), patches, config: Vec::new() };
    let built = Builds::new(cache).build(&source, &|_| ()).unwrap();
    println!("{:?} seconds, {:?}", built.seconds, built.notes);
    built
}

#[test]
fn a_kernel_has_the_same_bytes_from_nothing_and_after_a_change_that_is_taken_back() {
    let Some(repository) = std::env::var_os("SLOWPATH_HISTORY").map(PathBuf::from) else {
        println!("skipped: SLOWPATH_HISTORY is not set");
        return;
    };
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let patch = first.path().join("change.patch");
    fs::write(&patch, CHANGE).unwrap();
    let plain = build(first.path(), &repository, Vec::new());
    let changed = build(first.path(), &repository, vec![patch]);
    let (plain_image, changed_image) = (image(&plain), image(&changed));
    assert!(has_pvh_entry(&plain_image) && plain_image != changed_image);
    // Made again, in the folder that has been through a change, and in another where nothing was.
    fs::remove_dir_all(&plain.folder).unwrap();
    let again = build(first.path(), &repository, Vec::new());
    assert!(again.fresh && image(&again) == plain_image);
    fs::remove_dir_all(first.path()).unwrap();
    assert!(image(&build(second.path(), &repository, Vec::new())) == plain_image);
}
