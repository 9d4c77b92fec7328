//! A build that is told to stop.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use kernels::SourceError;

use crate::stage::Stage;

/// Whether a process is at work; one that has ended may wait to be reaped.
fn lives(pid: &str) -> bool {
    let state = fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
    state.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim().starts_with('Z'))
}

#[test]
fn all_that_make_has_started_ends_with_it() {
    let stage = Stage::new();
    stage.change("endless");
    let child = stage.path("programs/child");
    let running = child.clone();
    let builds = stage.builds().with_stop(Arc::new(move || running.exists()));
    let error = builds.build(&stage.source(&[]), &|_| ()).unwrap_err();
    assert!(matches!(error, SourceError::Stopped), "{error}");
    let pid = fs::read_to_string(child).unwrap();
    // It has closed its output; what is left of its end is the system's.
    let patience = Instant::now() + Duration::from_secs(60);
    while lives(pid.trim()) {
        assert!(Instant::now() < patience, "{pid} is still at work");
        thread::sleep(Duration::from_millis(10));
    }
    assert!(lives(&std::process::id().to_string()));
    assert!(stage.kept().is_empty());
}

#[test]
fn a_build_that_was_stopped_goes_on_the_next_time() {
    let stage = Stage::new();
    stage.change("endless");
    let running = stage.path("programs/child");
    let builds = stage.builds().with_stop(Arc::new(move || running.exists()));
    builds.build(&stage.source(&[]), &|_| ()).unwrap_err();
    fs::remove_file(stage.path("programs/child")).unwrap();
    stage.change("int x;");
    assert!(builds.build(&stage.source(&[]), &|_| ()).unwrap().fresh);
    assert_eq!((stage.count("tinyconfig"), stage.build_folders().len()), (1, 1));
}
