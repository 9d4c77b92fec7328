//! A host's disk that is full: a clear message, and an archive that still opens.

mod lab;

use std::fs;
use std::path::Path;
use std::process::Command;

use lab::{Bench, Ran, dd_sync, main_kernel};

const SETTINGS: [&str; 2] = ["size=1M", "rounds=1"];

/// Runs `script` in a shell; `"$@"` in it is a run of slowpath.
fn shell(bench: &Bench, wrapper: &[&str], script: &str, arguments: &[String]) -> Ran {
    let mut command = Command::new(wrapper[0]);
    command.args(&wrapper[1..]).args(["-c", script, "sh"]);
    let inner = bench.command(arguments);
    command.arg(inner.get_program()).args(inner.get_args());
    bench.quarantine(&mut command);
    Ran::of(command)
}

/// A trial before the disk is full: it also leaves the machine's state in the cache, which then needs no room.
fn first(bench: &Bench, kernel: &Path) -> Vec<serde_json::Value> {
    bench.run(&dd_sync(kernel, &SETTINGS)).exits(0).trials()
}

/// A full filesystem in earnest, where the system lets a user mount one for himself.
#[test]
fn a_full_filesystem_ends_the_run_and_keeps_what_was_finished() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    first(&bench, &kernel);
    // A store of its own with room for some trials, copied out before the mount goes.
    let script = "mkdir -p small out; mount -t tmpfs -o size=300k slowpath-test small || exit 99\n\
                  \"$@\" --store small; code=$?; cp -r small/. out; exit $code";
    let without_store: Vec<String> = dd_sync(&kernel, &SETTINGS);
    let mut inner = Command::new(lab::program());
    inner.args(without_store).args(["--repeat", "100", "--cache"]).arg(bench.cache());
    let Some(ran) = bench.unshared(script, "sh", &inner) else { return };
    let ran = ran.exits(4).complains(&["cannot keep trial", "No space left", "make room"]);
    let reported = ran.trials();
    assert!(!reported.is_empty(), "what was finished is reported");
    let out = bench.path("out");
    let mut list = Command::new(lab::program());
    list.args(["trials", "--json", "--store"]).arg(&out);
    bench.quarantine(&mut list);
    let listed = Ran::of(list).exits(0).trials();
    assert_eq!(lab::ids(&listed), lab::ids(&reported));
}

/// A cache without room: the machine cannot be saved.
#[test]
fn a_cache_without_room_is_named() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::apart();
    // 1 MiB: neither the unpacked kernel nor the machine's state fits.
    let script = "trap '' XFSZ; ulimit -f 2048; exec \"$@\"";
    let ran = shell(&bench, &["sh"], script, &dd_sync(&kernel, &SETTINGS)).exits(4);
    let cache = bench.cache().display().to_string();
    ran.complains(&["cannot", &cache]);
    assert!(bench.trials().is_empty());
    // Nothing half is left that a later run would take for whole.
    bench.run(&dd_sync(&kernel, &SETTINGS)).exits(0);
    assert!(fs::read_dir(bench.cache()).unwrap().count() > 0);
}
