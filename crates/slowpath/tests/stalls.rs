//! An observation lists the stretches in which a workload stood still, and in what.

mod lab;

use lab::comparison::kernel_setting;
use lab::trial::{count, list, phase, phases, view};
use lab::{Bench, dd_sync, main_kernel, one_line, text};
use serde_json::Value;

/// Whether a function of the journal is among what waited in a stall.
fn waits_in_the_journal(stall: &Value) -> bool {
    let frames = list(&stall["waiting"]).iter().flat_map(|group| list(&group["frames"]));
    frames.filter_map(Value::as_str).any(|frame| frame.ends_with("[jbd2]"))
}

/// With `data=journal` all data goes through the journal. A transaction takes up to a quarter of it: one
/// of 48 MiB holds all that is written here, one of 4 MiB must be emptied again and again.
#[test]
fn a_small_journal_stalls_its_writer_and_a_large_one_does_not() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let run = |journal: &str| {
        let (kernel, mkfs) = (kernel_setting(&kernel), format!("mkfs=-J size={journal}"));
        let settings = [&*kernel, &*mkfs, "mount=data=journal", "size=8M", "disk.mbps=20"];
        let settings = settings.into_iter().chain(["rounds=1"]).flat_map(|s| ["--set", s]);
        let words = ["run", "dd-sync", "--seed", "0,1", "--observe", "--json", "-"].into_iter();
        bench.run(&words.chain(settings).collect::<Vec<_>>()).exits(0).trials()
    };
    for trial in run("4") {
        let seen = &trial["observation"];
        assert_eq!(seen["same_times"], true);
        let stalls = list(&seen["stalls"]);
        // Each commit that the writer waits for takes four turns of the disk.
        assert!(stalls.len() > 2, "seed {}: {stalls:#?}", trial["spec"]["seed"]);
        for stall in stalls {
            assert_eq!(stall["phase"], "write 1");
            assert!(waits_in_the_journal(stall), "{stall:#}");
            // Its gap is one of those that the trial measured.
            let gaps = list(&phases(&trial)[2]["gaps"]);
            assert!(gaps.contains(&stall["gap"]), "{stall:#}");
        }
        let page = one_line(&bench.run(&["show", text(&trial, "id")]).exits(0).out);
        let told = format!("{} stalls in write 1", stalls.len());
        assert!(page.contains(&told) && page.contains("jbd2_"), "{page}");
    }
    for trial in run("48") {
        assert_eq!(trial["observation"]["stalls"], serde_json::json!([]));
        let page = one_line(&bench.run(&["show", text(&trial, "id")]).exits(0).out);
        assert!(page.contains("no stall: no stretch without a completed call"), "{page}");
    }
}

/// Stalls of the phase of that label.
#[track_caller]
fn stalls_in(observation: &Value, label: &str) -> u64 {
    count(view(observation, label), "stalls")
}

/// A trial keeps its 128 longest gaps, and an observation the 64 longest stalls: what is left out was there.
#[test]
fn a_limit_that_is_set_holds_for_single_calls_and_no_stall_is_denied() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let settings = ["size=4M", "block=16k", "rounds=1", "oflag=dsync", "disk.latency=2ms"];
    let settings = [&settings[..], &["stall.limit=1ms"]].concat();
    let trial = bench
        .run(&[dd_sync(&kernel, &settings), vec!["--observe".to_owned()]].concat())
        .exits(0)
        .trial();
    assert_eq!(list(&phase(&trial, "write")["gaps"]).len(), 128, "of 256 calls");
    let seen = &trial["observation"];
    assert_eq!(list(&seen["stalls"]).len(), 64);
    for (label, stalls) in [("mkfs", 1), ("write 1", 128), ("sync 1", 1)] {
        assert_eq!(stalls_in(seen, label), stalls, "{label}");
    }
    let page = one_line(&bench.run(&["show"]).exits(0).out);
    assert!(page.contains("at least 128 stalls in write 1"), "{page}");
    assert!(page.contains("1 stall in sync 1"), "{page}");
    let denied = page.split("no stall: ").nth(1).and_then(|rest| rest.split_once(')'));
    assert!(!denied.is_some_and(|(said, _)| said.contains("sync")), "{denied:?}");

    // The sync found everything written: it takes the disk's 2 ms, and mkfs takes hundreds.
    let words = ["observe", "--stall-limit", "100ms", "--json", "-"];
    let later = &bench.run(&words).exits(0).json()["observation"];
    for (label, stalls) in [("mkfs", 1), ("write 1", 0), ("sync 1", 0)] {
        assert_eq!(stalls_in(later, label), stalls, "{label}");
    }
}
