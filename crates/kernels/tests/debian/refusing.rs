//! What cannot be had, and why.

use std::fs;

use kernels::KernelError;

use crate::stage::Stage;

const KERNELS: [&str; 3] =
    ["6.1.0-9-amd64 bookworm", "6.1.0-11-amd64 bookworm", "6.12.9+deb13-amd64 trixie"];

#[test]
fn a_version_that_is_gone_is_refused_with_the_nearest() {
    let stage = Stage::new(&KERNELS);
    let error = stage.fetch("6.1.0-10-amd64").unwrap_err();
    let KernelError::NoSuchVersion { version, nearest } = &error else { panic!("{error}") };
    assert_eq!(version, "6.1.0-10-amd64");
    assert_eq!(nearest[..], ["6.1.0-11-amd64", "6.1.0-9-amd64"]);
    let error = stage.fetch("6.9").unwrap_err();
    let KernelError::NoSuchVersion { nearest, .. } = &error else { panic!("{error}") };
    assert_eq!(nearest.len(), KERNELS.len());
    assert!(!error.cannot_be_fetched());
    assert_eq!(stage.calls("apt-get update"), 1);
}

#[test]
fn what_is_no_version_is_refused_without_a_look() {
    let stage = Stage::new(&KERNELS);
    for text in ["", "bookworm", "6", "../6.1", "6.1/..", "6.1.0-9-amd64/../..", "-6.1"] {
        let error = stage.fetch(text).unwrap_err();
        assert!(matches!(error, KernelError::NotAVersion { .. }), "{text}: {error}");
    }
    assert!(!stage.cache().exists());
}

#[test]
fn a_machine_without_a_debian_archive_says_so() {
    let stage = Stage::new(&KERNELS);
    stage.put("targets", "Packages|noble|main|http://a.example/ubuntu/|/none.list:1|Ubuntu\n");
    let error = stage.fetch("6.1").unwrap_err();
    assert!(matches!(error, KernelError::NoDebianArchive), "{error}");
    let mirror = stage.debian().with_mirror(Some("http://m.example/debian"));
    mirror.fetch("6.1", &|_| ()).unwrap();
    let sources = fs::read_to_string(stage.cache().join("apt/sources.list")).unwrap();
    assert!(sources.contains("http://m.example/debian bookworm main"), "{sources}");
    assert!(!sources.contains("ubuntu"), "{sources}");
}

#[test]
fn a_client_that_is_not_installed_is_named() {
    for program in ["apt-get", "apt-cache", "dpkg-deb"] {
        let stage = Stage::new(&KERNELS);
        stage.without(program);
        let error = stage.fetch("6.1").unwrap_err();
        assert!(error.cannot_be_fetched());
        assert!(error.to_string().contains(&format!("{program} is not installed")), "{error}");
    }
}

#[test]
fn a_package_that_does_not_unpack_leaves_nothing() {
    let stage = Stage::new(&KERNELS);
    stage.set("damaged", true);
    let error = stage.fetch("6.1").unwrap_err();
    assert!(error.to_string().contains("unexpected end of file"), "{error}");
    assert_eq!(fs::read_dir(stage.kernels()).unwrap().count(), 0);
    stage.set("damaged", false);
    assert_eq!(stage.fetch("6.1").unwrap(), "6.1.0-11-amd64");
}

#[test]
fn a_package_without_an_image_is_no_kernel() {
    let stage = Stage::new(&KERNELS);
    stage.set("hollow", true);
    let error = stage.fetch("6.1").unwrap_err();
    assert!(error.to_string().contains("there is no boot/vmlinuz-6.1.0-11-amd64"), "{error}");
    assert!(stage.debian().cached().is_empty());
}

#[test]
fn an_archive_that_lost_its_packages_is_asked_for_lists_once_more_and_no_further() {
    let stage = Stage::new(&KERNELS);
    stage.debian().available().unwrap();
    stage.set("lost", true);
    let error = stage.fetch("6.1").unwrap_err();
    assert!(error.to_string().contains("404"), "{error}");
    assert_eq!((stage.calls("apt-get update"), stage.calls("apt-get download")), (2, 2));
    // Lists that have just come are not asked for again.
    stage.next_day();
    stage.fetch("6.1").unwrap_err();
    assert_eq!((stage.calls("apt-get update"), stage.calls("apt-get download")), (3, 3));
}

#[test]
fn an_archive_without_kernels_is_no_list_of_none() {
    let stage = Stage::new(&[]);
    let error = stage.debian().available().unwrap_err();
    assert!(error.to_string().contains("they name no kernel"), "{error}");
}

#[test]
fn a_cache_that_cannot_be_written_is_named() {
    let stage = Stage::new(&KERNELS);
    fs::write(stage.cache(), "a file").unwrap();
    let error = stage.fetch("6.1").unwrap_err();
    assert!(matches!(error, KernelError::Write { .. }), "{error}");
    assert!(stage.debian().cached().is_empty());
}
