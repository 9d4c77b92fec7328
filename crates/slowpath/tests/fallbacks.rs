//! Without a part of the emulator the program falls back and says so; the numbers are exact all the same.

mod lab;

use lab::{Bench, Ran, dd_sync, main_kernel};
use serde_json::Value;

const SETTINGS: [&str; 2] = ["size=1M", "rounds=2"];

/// Two trials without that part: identical, with a note on each part that fell back.
fn without(part: &str, notes: &[&str]) -> Option<Value> {
    let kernel = main_kernel()?;
    let bench = Bench::new();
    let mut command = bench.command(&dd_sync(&kernel, &SETTINGS));
    command.args(["--without", part, "--repeat", "2"]);
    let trials = Ran::of(command).exits(0).trials();
    let said = trials[0]["notes"].as_array().expect("notes");
    for note in notes {
        let found = said.iter().filter_map(Value::as_str).any(|text| text.contains(note));
        assert!(found, "`{note}` is not in {said:#?}");
    }
    assert_eq!(said.len(), notes.len(), "{said:#?}");
    let page = lab::one_line(&bench.run(&["show"]).exits(0).out);
    assert!(notes.iter().all(|note| page.contains(note)), "{page}");
    let measured: Vec<_> = trials.iter().map(|trial| &trial["outcome"]["measured"]).collect();
    assert!(measured[0]["phases"][2]["wall_ns"].as_u64() > Some(0));
    assert_eq!(measured[0], measured[1], "two runs without {part} are identical");
    Some(trials[0].clone())
}

const BOOTS: &str = "each trial boots";
const RECORDS: &str = "record mode";
const SERIAL: &str = "over the serial console";

#[test]
fn without_the_plugin() {
    if let Some(trial) = without("plugin", &["without the plugin", RECORDS, BOOTS, SERIAL]) {
        let instructions = &trial["outcome"]["measured"]["phases"][0]["instructions"];
        assert!(instructions.is_null(), "nobody counted: {instructions}");
    }
}

#[test]
fn without_the_cure_of_the_hlt_leak() {
    without("hlt-cure", &[RECORDS, BOOTS]);
}

#[test]
fn without_stopping() {
    if let Some(trial) = without("stop", &[BOOTS]) {
        assert_eq!(trial["fingerprint"]["restored"], "no");
    }
}

#[test]
fn without_reading_the_guests_memory() {
    if let Some(trial) = without("guest-memory", &[SERIAL]) {
        assert_eq!(trial["fingerprint"]["results"], "serial");
    }
}

#[test]
fn with_everything_there_is_no_note() {
    let Some(kernel) = main_kernel() else { return };
    let trials = Bench::new().run(&dd_sync(&kernel, &SETTINGS)).exits(0).trials();
    assert_eq!(trials[0]["notes"], serde_json::json!([]));
}
