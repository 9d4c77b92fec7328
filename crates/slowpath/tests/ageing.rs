//! Memory is brought to a condition before the phase that counts, or the trial is broken.

mod lab;

use std::path::Path;

use lab::comparison::{kernel_setting, place};
use lab::trial::{broken, count, list, measured, names, phase};
use lab::{Bench, case, main_kernel, one_line};
use serde_json::Value;

/// Pages in the lists of order 0 of a migrate type, at least, over all zones.
#[track_caller]
fn pages(state: &Value, kind: &str) -> u64 {
    let lists = list(&state["zones"]).iter().flat_map(|zone| list(&zone["by_type"]));
    let lengths = lists.filter(|lists| lists["kind"] == kind).map(|lists| &lists["free"][0]);
    let length = |length: &Value| {
        length["exactly"].as_u64().or(length["more-than"].as_u64()).expect("a length")
    };
    lengths.map(length).sum()
}

/// The lists before and after the phase that counts.
#[track_caller]
fn lists(trial: &Value) -> (&Value, &Value) {
    let memory = &phase(trial, "mke2fs")["memory"];
    (&memory["before"], &memory["after"])
}

/// A list by type is no longer than its zone's, and its types are the whole zone.
#[track_caller]
fn assert_consistent(state: &Value) {
    for zone in list(&state["zones"]) {
        for (order, all) in list(&zone["free"]).iter().enumerate() {
            let lengths = list(&zone["by_type"]).iter().map(|lists| &lists["free"][order]);
            let exact: Option<u64> = lengths.map(|length| length["exactly"].as_u64()).sum();
            // A sum is known where no list was too long to be counted.
            assert!(exact.is_none_or(|sum| all == sum), "order {order}: {zone:#}");
        }
    }
}

#[test]
fn the_aged_memory_has_long_lists_and_the_fresh_one_has_not() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let aged = bench.run(&case("mke2fs-aged", &kernel, &[])).exits(0).trials();
    let page = one_line(&bench.run(&["show"]).exits(0).out);
    assert_eq!(names(&aged[0]), ["prepare", "age", "mke2fs"]);
    let (before, after) = lists(&aged[0]);
    assert!(pages(before, "Unmovable") >= 100_000, "{before:#}");
    assert!(pages(before, "Movable") < 10_000, "{before:#}");
    [before, after].into_iter().for_each(assert_consistent);
    let took = count(phase(&aged[0], "age"), "wall_ns");
    assert!(took < 2_000_000_000, "ageing took {took} ns of guest time");
    for said in ["order all Unmovable Movable", ">100000 → >100000", "zone DMA32"] {
        assert!(page.contains(said), "`{said}` is not in: {page}");
    }

    let fresh = bench.run(&case("mke2fs-fresh", &kernel, &[])).exits(0).trials();
    let (before, _) = lists(&fresh[0]);
    assert!(pages(before, "Unmovable") < 1000, "{before:#}");
    assert_eq!(names(&fresh[0]), names(&aged[0]));

    // To people `run` says it, too; and it is the same once more, with the lists.
    let kernel = kernel_setting(&kernel);
    let ran = bench.run(&["run", "mke2fs-aged", "--set", &kernel]).exits(0);
    let said = "unmovable order 0: over 100,000 pages before mke2fs 1, over 100,000 pages after";
    assert!(one_line(&ran.out).contains(said), "{}", ran.out);
    assert_eq!(measured(&bench.trial("last")), measured(&aged[0]));
}

#[test]
fn everything_that_is_asked_for_is_there() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let settings = [
        "age.unmovable=5000",
        "age.movable=20000",
        "age.cache=64M",
        "age.anon=96M",
        "age.slab=80M",
        "disk.size=1G",
    ];
    let trials = bench.run(&case("mke2fs-aged", &kernel, &settings)).exits(0).trials();
    let (before, after) = lists(&trials[0]);
    assert_consistent(before);
    assert!(pages(before, "Unmovable") >= 5000, "{before:#}");
    assert!(pages(before, "Movable") >= 20_000, "{before:#}");
    for (key, least) in [("cache", 64), ("anon", 96), ("slab", 80)] {
        let (have, later) = (count(before, key), count(after, key));
        // The half of the movable pages that stays occupied is anonymous memory, too: 80 MiB.
        let range = least << 20..(least + 100) << 20;
        assert!(range.contains(&have) && range.contains(&later), "{key}: {have}, {later}");
    }
}

/// The number of MiB that a refusal names for `mem`.
#[track_caller]
fn named_memory(said: &str) -> String {
    let rest = said.split_once("mem=").expect("a size").1;
    rest.split(' ').next().expect("a word").to_owned()
}

fn run_error(bench: &Bench, kernel: &Path, settings: &[&str]) -> String {
    bench.run(&case("mke2fs-aged", kernel, settings)).exits(2).err
}

#[test]
fn a_guest_too_small_for_the_condition_is_refused_with_the_memory_that_does() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let said = run_error(&bench, &kernel, &["mem=512M"]);
    assert!(said.contains("age.*") && said.contains("would do; mem is 512M"), "{said}");
    let impossible = run_error(&bench, &kernel, &["age.unmovable=99999999999"]);
    assert!(impossible.contains("age.*"), "{impossible}");
    assert!(bench.trials().is_empty());
    let enough = format!("mem={}", named_memory(&said));
    let trials = bench.run(&case("mke2fs-aged", &kernel, &[&enough])).exits(0).trials();
    assert!(pages(lists(&trials[0]).0, "Unmovable") >= 100_000);
}

/// More page cache than the kernel lets be, which is told to keep half of the memory free.
#[test]
fn a_condition_that_is_not_met_breaks_the_trial_with_what_was_found() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let settings = ["age.unmovable=0", "age.cache=1200M", "sysctl.vm.min_free_kbytes=1048576"];
    let trials = bench.run(&case("mke2fs-aged", &kernel, &settings)).exits(5).trials();
    let reason = broken(&trials[0], "setup");
    for said in ["not in the condition", "age.cache=1200M"] {
        assert!(reason.contains(said), "`{said}` is not in: {reason}");
    }
    let page = one_line(&bench.run(&["show"]).exits(0).out);
    assert!(page.contains(reason), "{page}");
}

#[test]
fn the_memory_of_this_machine_is_not_aged() {
    let bench = Bench::new();
    let data = bench.folder("data");
    let ran = bench.run(&["run", "mke2fs-aged", "--on", &place(&data)]).exits(2);
    ran.complains(&["ages the memory", "--on exact"]);
    assert!(bench.trials().is_empty());
}
