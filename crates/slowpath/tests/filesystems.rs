//! Each of the nine filesystems is made, mounted, written and synced, with every byte on the disk.

#![allow(clippy::print_stdout, reason = "figures and what is left out are told")]

mod lab;

use std::fs;
use std::path::Path;

use lab::{Bench, dd_sync};
use serde_json::Value;

const SIZE: u64 = 16 << 20;

/// Each with a disk that its mkfs takes. Btrfs and the log-structured ones need room to begin.
const ALL: [(&str, &str); 9] = [
    ("ext2", "disk.size=64M"),
    ("ext3", "disk.size=64M"),
    ("ext4", "disk.size=64M"),
    ("xfs", "disk.size=300M"),
    ("btrfs", "disk.size=256M"),
    ("reiserfs", "disk.size=96M"),
    ("f2fs", "disk.size=128M"),
    ("jfs", "disk.size=64M"),
    ("nilfs2", "disk.size=256M"),
];

fn run(kernel: &Path, fs: &str, disk: &str) -> (Bench, lab::Ran) {
    let bench = Bench::new();
    let fs = format!("fs={fs}");
    let ran = bench.run(&dd_sync(kernel, &[&fs, disk, "size=16M", "rounds=1"]));
    (bench, ran)
}

fn assert_whole(fs: &str, measured: &Value) {
    let phases = measured["phases"].as_array().expect("phases");
    let names: Vec<_> = phases.iter().filter_map(|phase| phase["name"].as_str()).collect();
    assert_eq!(names, ["mkfs", "mount", "write", "sync", "umount"], "{fs}");
    for phase in phases {
        assert!(phase["wall_ns"].as_u64() > Some(0), "{fs}: {phase:#}");
    }
    assert_eq!(phases[2]["bytes"], SIZE, "{fs}");
    let calls = |phase: &Value| -> u64 {
        let buckets = phase["write_latency"].as_array().expect("a histogram");
        buckets.iter().filter_map(|bucket| bucket[1].as_u64()).sum()
    };
    assert_eq!(calls(&phases[2]), SIZE / 1024, "{fs}: one write for each KiB");
    // Between the first write and the end of umount the data went to the disk; compression is off.
    let to_disk: u64 =
        phases[2..].iter().filter_map(|p| p["disks"][0]["written_bytes"].as_u64()).sum();
    assert!((SIZE..4 * SIZE).contains(&to_disk), "{fs}: {to_disk} bytes reached the disk");
}

/// Whether this machine has the filesystem's mkfs; a release may have dropped it.
fn has_mkfs(fs: &str) -> bool {
    let found = ["/usr/sbin", "/sbin", "/usr/bin", "/usr/local/sbin"]
        .iter()
        .any(|folder| Path::new(folder).join(format!("mkfs.{fs}")).exists());
    if !found {
        println!("left out: {fs}, whose mkfs.{fs} is not installed (scripts/install-deps)");
    }
    found
}

fn all_on(kernel: &str, release: &str) {
    let Some(kernel) = lab::kernel(kernel) else { return };
    for (fs, disk) in ALL.into_iter().filter(|(fs, _)| has_mkfs(fs)) {
        let (_, ran) = run(&kernel, fs, disk);
        let trial = &ran.exits(0).trials()[0];
        let booted = trial["fingerprint"]["kernel.release"].as_str().expect("a release");
        assert!(booted.starts_with(release), "{booted}");
        assert_whole(fs, &trial["outcome"]["measured"]);
    }
}

#[test]
fn all_nine_run_on_debian_6_1() {
    all_on("debian-6.1", "6.1.");
}

/// Debian's 6.12 has all nine as well: Linux lost reiserfs with 6.13.
#[test]
fn all_nine_run_on_debian_6_12() {
    all_on("debian-6.12", "6.12.");
}

#[test]
fn a_kernel_without_the_filesystem_is_told_from_one_with_it() {
    let Some(kernel) = lab::kernel("small-6.12") else { return };
    for (fs, disk) in [("btrfs", "disk.size=256M"), ("jfs", "disk.size=64M")] {
        if !has_mkfs(fs) {
            continue;
        }
        let (bench, ran) = run(&kernel, fs, disk);
        let trials = ran.exits(5).trials();
        let reason = trials[0]["outcome"]["broken"]["reason"].as_str().expect("a reason");
        assert!(reason.contains(fs) && reason.contains("6.12"), "{reason}");
        bench.assert_kept(&trials);
        assert!(fs::read_dir(bench.store().join("trials")).unwrap().count() == 1);
    }
}
