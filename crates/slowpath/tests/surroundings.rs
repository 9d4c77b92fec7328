//! What surrounds a write: dd's `oflag` and `conv`, appending, several writers; in a guest and in a
//! directory.

mod lab;

use std::fs;
use std::path::Path;

use lab::comparison::{kernel_setting, place};
use lab::trial::{count, list, phase, phases, written};
use lab::{Bench, dd_sync, main_kernel, text};
use serde_json::Value;
use tempfile::TempDir;

/// Writes, syncs, and in the end says how large the files are.
const CASE: &str = r#"format = 1
name = "surroundings"
headline = "write"

[settings]
size = "1M"
block = "64k"

[[before]]
name = "mkfs"
do = "mkfs"

[[before]]
name = "mount"
do = "mount"

[[round]]
name = "write"
do = "write"
file = "toto"

[[round]]
name = "sync"
do = "sync"

[[after]]
name = "sizes"
do = "command"
command = ["sh", "-c", "wc -c toto*"]
"#;

const SIZE: u64 = 1 << 20;

/// A folder for trials on a disk, which takes `O_DIRECT`: not every /tmp does.
fn on_disk() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder")
}

/// Runs the case with settings at a place, given as two arguments.
fn run(bench: &Bench, at: [&str; 2], settings: &[&str]) -> Value {
    let case = bench.path("surroundings.toml");
    fs::write(&case, CASE).expect("a case");
    let settings = settings.iter().flat_map(|setting| ["--set", setting]);
    let case = case.to_str().expect("a plain path");
    let fixed = ["run", case, "--json", "-", "--allow-command", "--include", "/usr/bin/wc"];
    let words: Vec<&str> = fixed.into_iter().chain(at).chain(settings).collect();
    let mut trials = bench.run(&words).exits(0).trials();
    assert_eq!(trials.len(), 1);
    trials.remove(0)
}

/// The sizes of the trial's files by name, as wc said.
fn sizes(bench: &Bench, trial: &Value) -> Vec<(String, u64)> {
    let folder = bench.store().join("trials").join(text(trial, "id"));
    let logs = ["output.log", "agent.log"].map(|name| fs::read_to_string(folder.join(name)));
    let log = logs.into_iter().flatten().collect::<String>();
    let size = |line: &str| {
        let (size, name) = line.trim().split_once(' ')?;
        name.starts_with("toto").then_some((name.to_owned(), size.parse().ok()?))
    };
    log.lines().filter_map(size).collect()
}

fn bytes(trial: &Value) -> Vec<u64> {
    let writes = phases(trial).iter().filter(|phase| phase["name"] == "write");
    writes.map(|phase| count(phase, "bytes")).collect()
}

/// In both places: the files that come of it, and the bytes that each round wrote.
#[test]
fn files_come_out_alike_in_a_guest_and_in_a_directory() {
    let Some(kernel) = main_kernel() else { return };
    let (bench, data) = (Bench::new(), on_disk());
    let (kernel, on) = (kernel_setting(&kernel), place(data.path()));
    for at in [["--set", &*kernel], ["--on", &*on]] {
        let check = |settings: &[&str], files: &[&str], each: u64, rounds: &[u64]| {
            let trial = run(&bench, at, settings);
            let files: Vec<_> = files.iter().map(|name| ((*name).to_owned(), each)).collect();
            assert_eq!(sizes(&bench, &trial), files, "{at:?} {settings:?}");
            assert_eq!(bytes(&trial), rounds, "{at:?} {settings:?}");
        };
        for setting in ["oflag=direct", "oflag=sync", "oflag=dsync", "conv=fsync", "conv=fdatasync"]
        {
            check(&[setting], &["toto"], SIZE, &[SIZE]);
        }
        let direct = ["oflag=direct,dsync", "conv=fsync", "rewrite=overwrite", "rounds=2"];
        check(&direct, &["toto"], SIZE, &[SIZE, SIZE]);
        check(&["rewrite=append", "rounds=2"], &["toto"], 2 * SIZE, &[SIZE, SIZE]);
        check(&["rewrite=truncate", "rounds=2"], &["toto"], SIZE, &[SIZE, SIZE]);
        check(&["writers=3"], &["toto", "toto.2", "toto.3"], SIZE, &[3 * SIZE]);
        let appended = ["writers=2", "rewrite=append", "rounds=2", "disks=2"];
        check(&appended, &["toto", "toto.2"], 2 * SIZE, &[4 * SIZE, 4 * SIZE]);
    }
    assert_eq!(fs::read_dir(data.path()).expect("it").count(), 0, "nothing is left");
}

/// The phase `write` of the last round.
fn last_write(trial: &Value) -> &Value {
    phases(trial).iter().rfind(|phase| phase["name"] == "write").expect("a write")
}

/// Write calls that took at least so many ns, by the upper ends of their buckets.
fn slow_calls(phase: &Value, least: u64) -> u64 {
    let buckets = list(&phase["write_latency"]).iter();
    let slow = buckets.filter(|bucket| bucket[0].as_u64() >= Some(least));
    slow.filter_map(|bucket| bucket[1].as_u64()).sum()
}

/// Written through, or flushed before the file is closed, all is on the disk when the phase ends.
#[test]
fn in_a_guest_the_disk_shows_when_the_data_reached_it() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let kernel = kernel_setting(&kernel);
    let run = |settings: &[&str]| run(&bench, ["--set", &*kernel], settings);
    let later = run(&[]);
    assert_eq!(written(phase(&later, "write")), 0);
    assert!(written(phase(&later, "sync")) >= SIZE);
    // A request to the disk takes 100 µs; of 16 calls each waits for its own.
    let flags = ["oflag=direct", "oflag=sync", "oflag=dsync", "conv=fsync", "conv=fdatasync"];
    for (setting, waiting) in flags.into_iter().zip([16, 16, 16, 0, 0]) {
        let trial = run(&[setting, "block=64k"]);
        assert!(written(phase(&trial, "write")) >= SIZE, "{setting}");
        assert!(written(phase(&trial, "sync")) < SIZE / 8, "{setting}");
        // Without waiting a call takes up to 0.3 ms, since it copies.
        let calls = slow_calls(phase(&trial, "write"), 400_000);
        assert!(waiting == 0 || calls > 0, "{setting}");
        assert!(waiting > 0 || calls == 0, "{setting}: {calls}");
    }
    // Over what is there already only data must be written, not the file's time of change.
    for (data, all) in [("oflag=dsync", "oflag=sync"), ("conv=fdatasync", "conv=fsync")] {
        let again = |setting| {
            let trial = run(&[setting, "rewrite=overwrite", "rounds=2"]);
            written(last_write(&trial))
        };
        assert_eq!(again(data), SIZE, "{data}");
        assert!(again(all) > SIZE, "{all}");
    }
}

#[test]
fn direct_writes_go_past_the_page_cache_in_requests_of_their_own() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let settings = ["size=1M", "rounds=1", "block=4k", "oflag=direct"];
    let trials = bench.run(&dd_sync(&kernel, &settings)).exits(0).trials();
    let write = phase(&trials[0], "write");
    let requests = count(&write["disks"][0], "writes");
    assert!((256..300).contains(&requests), "{requests} requests for 256 blocks");
    let calls = slow_calls(write, 100_000);
    assert_eq!(calls, 256, "each call takes the disk's 100 µs");
}

#[test]
fn wrong_surroundings_are_refused_with_what_would_do() {
    let Some(kernel) = main_kernel() else { return };
    let (bench, data) = (Bench::apart(), on_disk());
    let (kernel, on) = (kernel_setting(&kernel), place(data.path()));
    let refused = |settings: &[&str], said: &[&str]| {
        for at in [["--set", &*kernel], ["--on", &*on]] {
            let settings = settings.iter().flat_map(|setting| ["--set", setting]);
            let words: Vec<&str> =
                ["run", "dd-sync"].into_iter().chain(at).chain(settings).collect();
            let ran = bench.run(&words).exits(2).complains(said);
            assert_eq!(ran.out, "");
        }
    };
    refused(&["oflag=direct", "block=1k"], &["oflag=direct", "multiples of 4K", "block=1K"]);
    refused(&["oflag=direct", "block=4k", "size=1030k"], &["multiples of 4K", "size=1030K"]);
    refused(&["oflag=nocache"], &["oflag=nocache", "direct, sync or dsync"]);
    refused(&["conv=sync"], &["conv=sync", "none, fsync or fdatasync"]);
    refused(&["rewrite=yes"], &["rewrite=yes", "truncate, overwrite or append"]);
    refused(&["writers=0"], &["writers=0", "1 to 64"]);
    refused(&["writers=65"], &["writers=65", "1 to 64"]);
    assert!(bench.trials().is_empty());
}

#[test]
fn what_does_not_fit_on_the_disk_is_refused() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::apart();
    let refused = |kernel: &Path, settings: &[&str]| {
        let settings = [&["size=4M", "disk.size=10M"], settings].concat();
        bench.run(&dd_sync(kernel, &settings)).exits(2).complains(&["does not fit", "disk.size"]);
    };
    refused(&kernel, &["rounds=1", "writers=3"]);
    refused(&kernel, &["rounds=3", "rewrite=append"]);
    assert!(bench.trials().is_empty());
}
