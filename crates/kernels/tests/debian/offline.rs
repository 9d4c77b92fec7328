//! Without a network.

use kernels::KernelError;

use crate::stage::Stage;

const KERNELS: [&str; 2] = ["6.1.0-9-amd64 bookworm", "6.12.9+deb13-amd64 trixie"];

#[test]
fn nothing_at_hand_is_a_clear_error() {
    let stage = Stage::new(&KERNELS);
    stage.set("offline", true);
    for version in ["6.1", "6.1.0-9-amd64"] {
        let error = stage.fetch(version).unwrap_err();
        assert!(error.cannot_be_fetched(), "{error}");
        assert!(error.to_string().contains("Temporary failure resolving"), "{error}");
    }
    assert!(stage.debian().available().unwrap_err().cannot_be_fetched());
}

#[test]
fn fresh_lists_and_a_cached_kernel_need_no_network() {
    let stage = Stage::new(&KERNELS);
    stage.fetch("6.1").unwrap();
    stage.set("offline", true);
    let calls = stage.all_calls();
    assert_eq!(stage.fetch("6.1").unwrap(), "6.1.0-9-amd64");
    assert_eq!(stage.fetch("6.1.0-9-amd64").unwrap(), "6.1.0-9-amd64");
    assert_eq!(stage.all_calls(), calls);
}

#[test]
fn old_lists_are_used_when_they_cannot_be_renewed() {
    let stage = Stage::new(&KERNELS);
    stage.fetch("6.1").unwrap();
    stage.next_day();
    stage.set("offline", true);
    let (release, told) = stage.fetch_and_listen("6.1");
    assert_eq!(release.unwrap(), "6.1.0-9-amd64");
    assert!(told.contains("going on with the package lists at hand"), "{told}");
    assert_eq!(stage.debian().available().unwrap().len(), KERNELS.len());
    // The next program asks again.
    stage.set("offline", false);
    stage.archive(&["6.1.0-10-amd64 bookworm"]);
    assert_eq!(stage.fetch("6.1").unwrap(), "6.1.0-10-amd64");
}

#[test]
fn a_program_asks_a_silent_archive_once() {
    let stage = Stage::new(&KERNELS);
    stage.fetch("6.1").unwrap();
    stage.next_day();
    stage.set("offline", true);
    let debian = stage.debian();
    for _ in 0..3 {
        debian.fetch("6.1", &|_| ()).unwrap();
    }
    assert_eq!(stage.calls("apt-get update"), 2);
}

#[test]
fn the_newest_in_the_cache_serves_when_a_newer_one_cannot_be_fetched() {
    let stage = Stage::new(&KERNELS);
    stage.fetch("6.1").unwrap();
    stage.archive(&["6.1.0-10-amd64 bookworm"]);
    stage.next_day();
    stage.debian().available().unwrap();
    stage.set("offline", true);
    let (release, told) = stage.fetch_and_listen("6.1");
    assert_eq!(release.unwrap(), "6.1.0-9-amd64");
    assert!(told.contains("taking 6.1.0-9-amd64 from the cache: cannot fetch kernel"), "{told}");
    // But never for one that was named.
    let error = stage.fetch("6.1.0-10-amd64").unwrap_err();
    assert!(matches!(error, KernelError::CannotFetch { .. }), "{error}");
    assert_eq!(stage.calls("apt-get update"), 2, "a silent archive is not asked for lists, too");
}

#[test]
fn a_cached_series_needs_neither_archive_nor_client() {
    let stage = Stage::new(&KERNELS);
    stage.fetch("6.1").unwrap();
    stage.next_day();
    stage.put("targets", "");
    assert_eq!(stage.fetch("6.1").unwrap(), "6.1.0-9-amd64");
    stage.without("apt-get");
    assert_eq!(stage.fetch("6.1").unwrap(), "6.1.0-9-amd64");
}

#[test]
fn old_lists_do_not_say_that_a_version_does_not_exist() {
    let stage = Stage::new(&KERNELS);
    stage.debian().available().unwrap();
    stage.next_day();
    stage.set("offline", true);
    let error = stage.fetch("6.18").unwrap_err();
    assert!(error.cannot_be_fetched(), "{error}");
    assert!(error.to_string().starts_with("cannot fetch kernel 6.18: the package lists at hand"));
}
