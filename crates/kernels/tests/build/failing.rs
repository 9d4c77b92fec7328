//! What does not build, and why.

use std::fs;

use kernels::{Builds, SourceError};

use crate::stage::Stage;

#[test]
fn the_first_error_is_shown_with_its_compiler_and_the_log_is_kept() {
    let stage = Stage::new();
    stage.change("broken");
    let error = stage.build(&[]).unwrap_err();
    assert!(error.is_the_sources_fault());
    let SourceError::DoesNotBuild { first, tail, log } = &error else { panic!("{error}") };
    assert_eq!(first, "fs/sync.c:1:1: error: it is broken (with gcc (of the stage) 12.2.0)");
    assert_eq!(tail.last().unwrap(), "make: *** [fs/sync.o] Error 1");
    assert_eq!(log.parent().unwrap(), stage.path("cache/built"));
    assert!(fs::read_to_string(log).unwrap().contains("  CC      fs/sync.o\n"));
    // Nothing is kept of it but the log, and that it failed.
    assert!(stage.kept().iter().all(|name| name.starts_with("failed-")), "{:?}", stage.kept());
}

#[test]
fn what_failed_is_not_tried_again() {
    let stage = Stage::new();
    stage.change("broken");
    let builds = stage.builds();
    let build = || builds.build(&stage.source(&[]), &|_| ());
    let first = build().unwrap_err().to_string();
    assert_eq!(build().unwrap_err().to_string(), first);
    assert_eq!(stage.count("vmlinux"), 1);
    stage.change("int x;");
    assert!(build().unwrap().fresh);
    stage.change("broken");
    build().unwrap_err();
    assert_eq!(stage.count("vmlinux"), 2);
    // Another program knows, until somebody takes the record away.
    assert_eq!(stage.build(&[]).unwrap_err().to_string(), first);
    assert_eq!(stage.count("vmlinux"), 2);
    let records = stage.kept().into_iter().filter(|name| name.ends_with(".json"));
    records.for_each(|name| fs::remove_file(stage.path("cache/built").join(name)).unwrap());
    stage.build(&[]).unwrap_err();
    assert_eq!(stage.count("vmlinux"), 3);
}

#[test]
fn a_compiler_that_was_killed_says_nothing_of_the_source() {
    let stage = Stage::new();
    stage.change("broken by Killed");
    stage.build(&[]).unwrap_err();
    stage.build(&[]).unwrap_err();
    assert_eq!(stage.count("vmlinux"), 2);
}

#[test]
fn all_that_is_missing_is_named_with_its_packages() {
    let stage = Stage::new();
    for program in ["bison", "bc", "pahole"] {
        stage.without_program(program);
    }
    stage.put("programs/no-header", "");
    let error = stage.build(&[]).unwrap_err();
    assert!(error.is_missing());
    assert_eq!(
        error.to_string(),
        "building a kernel needs bison, bc, gelf.h; install: apt-get install bison bc libelf-dev"
    );
    assert!(stage.calls().is_empty() && !stage.path("cache").exists());
    let nothing = tempfile::tempdir().unwrap();
    let builds = Builds::new(&stage.path("cache")).with_programs(nothing.path());
    let error = builds.build(&stage.source(&[]), &|_| ()).unwrap_err().to_string();
    assert!(
        error.starts_with("building a kernel needs gcc, ld, objcopy, make, bison, "),
        "{error}"
    );
}

#[test]
fn what_only_this_configuration_needs_is_named_too() {
    let stage = Stage::new();
    stage.change("ssl");
    let error = stage.build(&[]).unwrap_err().to_string();
    assert_eq!(
        error,
        "building a kernel needs openssl/opensslv.h; install: apt-get install libssl-dev"
    );
}

#[test]
fn a_disk_that_is_too_small_is_noticed_before() {
    let stage = Stage::new();
    let builds = stage.builds().with_free_bytes(2_000_000_000);
    let error = builds.build(&stage.source(&[]), &|_| ()).unwrap_err();
    let SourceError::NoSpace { why, .. } = &error else { panic!("{error}") };
    assert_eq!(why, "2.0 GB are free, and it takes about 3.1 GB");
    assert!(stage.calls().is_empty());
}

#[test]
fn a_disk_that_fills_up_is_no_fault_of_the_source() {
    let stage = Stage::new();
    stage.change("large");
    let error = stage.build(&[]).unwrap_err();
    assert!(matches!(error, SourceError::NoSpace { .. }), "{error}");
    assert!(error.is_missing() && !error.is_the_sources_fault());
}

#[test]
fn a_cache_that_make_cannot_name_is_refused() {
    let stage = Stage::new();
    let builds = Builds::new(&stage.path("my cache")).with_programs(&stage.path("programs"));
    let error = builds.build(&stage.source(&[]), &|_| ()).unwrap_err().to_string();
    assert!(error.contains("no folder with a space or a colon in its path"), "{error}");
}

#[test]
fn a_kernel_whose_modules_cannot_be_installed_is_not_kept_by_halves() {
    let stage = Stage::new();
    stage.put("more", "CONFIG_OVERLAY_FS=m\n");
    stage.change("halfway");
    let error = stage.build(&["more"]).unwrap_err();
    assert!(error.to_string().contains("halfway"), "{error}");
    assert!(stage.kept().iter().all(|name| name.starts_with("failed-")), "{:?}", stage.kept());
    let draft = |name: &std::path::PathBuf| name.ends_with("draft");
    assert!(!stage.beside_the_tree().iter().any(draft));
}
