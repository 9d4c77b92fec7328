//! Fetching while the archive is there.

use std::fs;
use std::thread;

use crate::stage::Stage;

const KERNELS: [&str; 6] = [
    "6.1.0-9-amd64 bookworm",
    "6.1.0-57-amd64 bookworm-security",
    "6.1.0-58-cloud-amd64 bookworm-security",
    "6.12.9+deb12-amd64 bookworm-backports",
    "6.12.9+deb13-amd64 trixie",
    "6.12-amd64 trixie",
];

#[test]
fn a_series_means_its_newest_plain_kernel() {
    let stage = Stage::new(&KERNELS);
    assert_eq!(stage.fetch("6.1").unwrap(), "6.1.0-57-amd64");
    assert_eq!(stage.fetch("6.12").unwrap(), "6.12.9+deb13-amd64");
    assert_eq!(stage.debian().cached(), ["6.12.9+deb13-amd64", "6.1.0-57-amd64"]);
}

#[test]
fn a_release_means_just_that_one() {
    let stage = Stage::new(&KERNELS);
    for release in ["6.1.0-9-amd64", "6.1.0-58-cloud-amd64", "6.12.9+deb12-amd64"] {
        assert_eq!(stage.fetch(release).unwrap(), release);
    }
}

#[test]
fn the_package_is_removed_and_what_it_was_is_written_down() {
    let stage = Stage::new(&KERNELS);
    let release = stage.fetch("6.12").unwrap();
    let record = fs::read_to_string(stage.kernels().join(&release).join("packages.txt")).unwrap();
    assert_eq!(record, "linux-image-6.12.9+deb13-amd64 6.0-1 trixie\n");
    let left: Vec<_> = fs::read_dir(stage.kernels()).unwrap().flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn an_unsigned_package_serves_where_no_signed_one_is() {
    let stage = Stage::new(&["6.1.0-9-amd64-unsigned bookworm", "6.1.0-9-amd64-dbg bookworm"]);
    assert_eq!(stage.fetch("6.1").unwrap(), "6.1.0-9-amd64");
}

#[test]
fn what_is_there_is_not_asked_for_again() {
    let stage = Stage::new(&KERNELS);
    stage.fetch("6.1").unwrap();
    let calls = stage.all_calls();
    stage.fetch("6.1").unwrap();
    stage.fetch("6.1.0-57-amd64").unwrap();
    assert_eq!(stage.all_calls(), calls);
    // Another kernel of the same lists.
    stage.fetch("6.12").unwrap();
    assert_eq!(stage.calls("apt-get update"), 1);
}

#[test]
fn a_day_later_a_newer_one_is_found() {
    let stage = Stage::new(&KERNELS);
    stage.fetch("6.1").unwrap();
    stage.archive(&["6.1.0-60-amd64 bookworm-security"]);
    assert_eq!(stage.fetch("6.1").unwrap(), "6.1.0-57-amd64");
    stage.next_day();
    assert_eq!(stage.fetch("6.1.0-57-amd64").unwrap(), "6.1.0-57-amd64");
    assert_eq!(stage.calls("apt-get update"), 1);
    assert_eq!(stage.fetch("6.1").unwrap(), "6.1.0-60-amd64");
}

#[test]
fn lists_that_are_too_old_for_the_archive_are_renewed_at_once() {
    let stage = Stage::new(&KERNELS);
    stage.debian().available().unwrap();
    stage.archive(&["6.1.0-60-amd64 bookworm-security"]);
    assert_eq!(stage.fetch("6.1").unwrap(), "6.1.0-60-amd64");
    assert_eq!(stage.calls("apt-get update"), 2);
}

#[test]
fn two_at_once_fetch_once() {
    let stage = Stage::new(&KERNELS);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| stage.fetch("6.1").unwrap());
        }
    });
    assert_eq!(stage.calls("apt-get download"), 1);
    assert_eq!(stage.calls("apt-get update"), 1);
}

#[test]
fn what_a_killed_fetch_left_is_no_kernel_and_is_swept_away() {
    let stage = Stage::new(&KERNELS);
    let left = stage.kernels().join(".draft/root/boot");
    fs::create_dir_all(&left).unwrap();
    fs::write(left.join("vmlinuz-6.1.0-57-amd64"), "half").unwrap();
    assert!(stage.debian().cached().is_empty());
    stage.fetch("6.1").unwrap();
    assert!(!stage.kernels().join(".draft").exists());
}

#[test]
fn what_can_be_had_is_listed_newest_first() {
    let stage = Stage::new(&KERNELS);
    let offers = stage.debian().available().unwrap();
    let shown: Vec<String> =
        offers.iter().map(|offer| format!("{} {}", offer.release, offer.suite)).collect();
    let mut expected = KERNELS[..5].to_vec();
    expected.reverse();
    assert_eq!(shown, expected);
    assert_eq!(stage.all_calls(), 5, "two looks at the sources, the update, names and versions");
    stage.debian().available().unwrap();
    assert_eq!(stage.all_calls(), 5);
}

#[test]
fn progress_is_told() {
    let stage = Stage::new(&KERNELS);
    let (_, told) = stage.fetch_and_listen("6.1");
    let package = "linux-image-6.1.0-57-amd64";
    let expected = format!(
        "fetching Debian's package lists\n\
         fetching {package}\n\
         fetching {package} (70.6 MB)\n\
         fetching {package} (70.6 MB): 40 %\n\
         unpacking {package}\n"
    );
    assert_eq!(told, expected);
}
