//! Profiles of FFSB, and command lines that run them.

use std::fs;
use std::path::Path;

use super::Bench;
use super::comparison::kernel_setting;

/// Files of 64 KiB in blocks of 4 KiB on two filesystems, and pauses, so that little is written.
pub(crate) const PROFILE: &str = "\
# files on two disks
time = 1

[filesystem]
    location     = /mnt/one
    num_files    = 20
    num_dirs     = 4
    min_filesize = 64k
    max_filesize = 64k
[end]

[filesystem]
    location = /mnt/two
    clone    = /mnt/one
[end]

[threadgroup]
    num_threads     = 2
    create_weight   = 4
    readall_weight  = 2
    delete_weight   = 1
    append_weight   = 1
    write_size      = 4k
    write_blocksize = 4k
    read_blocksize  = 4k
    op_delay        = 5
[end]
";

/// One filesystem on which files are made as fast as can be.
pub(crate) const CREATE: &str = "\
time = 1
[filesystem]
    location = /mnt/disk
    min_filesize = 1m
    max_filesize = 1m
[end]
[threadgroup]
    num_threads = 1
    create_weight = 1
    write_blocksize = 64k
[end]
";

/// Writes a profile into the bench's folder.
pub(crate) fn profile(bench: &Bench, name: &str, text: &str) -> String {
    let path = bench.path(name);
    fs::write(&path, text).expect("a profile");
    path.to_str().expect("a plain path").to_owned()
}

/// Arguments that run a profile on a kernel.
pub(crate) fn run(profile: &str, kernel: &Path, settings: &[&str], more: &[&str]) -> Vec<String> {
    let kernel = kernel_setting(kernel);
    let settings = [&[&*kernel], settings].concat();
    let settings = settings.into_iter().flat_map(|setting| ["--set", setting]);
    let words = ["run", profile].into_iter().chain(settings).chain(more.iter().copied());
    words.map(str::to_owned).collect()
}
