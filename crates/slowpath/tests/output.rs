//! What the program writes, and where: tables for people, one JSON document for programs, nothing else in a pipe.

mod lab;

use std::fs;

use lab::{Bench, Ran, main_kernel};
use serde_json::Value;

/// Two rounds, so that a table and its JSON have phases of one name.
fn arguments(kernel: &std::path::Path, more: &[&str]) -> Vec<String> {
    let kernel = format!("kernel={}", kernel.display());
    let fixed = ["run", "dd-sync", "--set", "size=1M", "--set", "rounds=2", "--set", &kernel];
    fixed.iter().chain(more).map(|word| (*word).to_owned()).collect()
}

#[test]
fn a_pipe_gets_tables_without_escape_codes_and_no_progress() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let ran = bench.run(&arguments(&kernel, &[])).exits(0);
    assert_eq!(ran.err, "", "no progress in a pipe");
    for text in [&ran.out, &bench.run(&["show"]).exits(0).out, &bench.run(&["trials"]).exits(0).out]
    {
        let strange = text.chars().find(|c| c.is_control() && *c != '\n');
        assert_eq!(strange, None, "{text}");
    }
    for word in [
        "phase",
        "wall",
        "user",
        "system",
        "rate", // the columns
        "mkfs",
        "mount",
        "write 1",
        "sync 1",
        "write 2",
        "sync 2",
        "umount", // the phases
        "MiB/s",
        "qemu",
        "cpu Nehalem-v1",
        "mem 2G",
        "insn.ns 2",
        "512M, 40 MiB/s", // the machine
        "virtual time knows no caches",
    ] {
        assert!(ran.out.contains(word), "`{word}` is not in:\n{}", ran.out);
    }
}

/// `script` gives the program a terminal.
#[test]
fn a_terminal_gets_progress_and_colours_unless_they_are_unwanted() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let on_a_terminal = |no_color: &str| {
        let inner = bench.command(&arguments(&kernel, &[]));
        let quoted = |word: &std::ffi::OsStr| format!("'{}'", word.to_string_lossy());
        let words: Vec<_> =
            [inner.get_program()].into_iter().chain(inner.get_args()).map(quoted).collect();
        let mut script = std::process::Command::new("script");
        script.args(["-qec", &words.join(" "), "/dev/null"]);
        bench.quarantine(&mut script);
        script.env("TERM", "xterm-256color").env("NO_COLOR", no_color);
        script.output().map(Ran::from)
    };
    let Ok(coloured) = on_a_terminal("") else {
        println!("left out: no `script` program here");
        return;
    };
    let coloured = coloured.exits(0);
    assert!(coloured.out.contains(" left "), "progress is shown: {}", coloured.out);
    let colour = |text: &str| text.contains("\u{1b}[1m") || text.contains("\u{1b}[3");
    assert!(colour(&coloured.out), "{:?}", coloured.out);
    let plain = on_a_terminal("1").unwrap().exits(0);
    assert!(!colour(&plain.out), "{:?}", plain.out);
}

#[test]
fn json_on_standard_output_is_one_document_with_hyperfines_fields() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let ran = bench.run(&arguments(&kernel, &["--json", "-", "--repeat", "2"])).exits(0);
    let document = ran.json();
    assert_eq!(document["format"], 1);
    let results = document["results"].as_array().expect("results");
    assert_eq!(results.len(), 7, "one entry a phase");
    for (at, result) in results.iter().enumerate() {
        let seconds = |field: &str| result[field].as_f64().unwrap_or_else(|| panic!("no {field}"));
        let times: Vec<_> =
            result["times"].as_array().expect("times").iter().filter_map(Value::as_f64).collect();
        assert_eq!(times.len(), 2, "one time a run");
        // The exact place: both runs took the same time, and it is that of the trial.
        let trial = &document["trials"][0]["outcome"]["measured"]["phases"][at];
        let wall = trial["wall_ns"].as_f64().expect("a time") / 1e9;
        for field in ["mean", "median", "min", "max"] {
            assert!((seconds(field) - wall).abs() < 1e-9, "{field}: {result:#}");
        }
        assert!(seconds("user") >= 0.0 && seconds("system") >= 0.0 && seconds("stddev") < 1e-9);
        assert_eq!(result["exit_codes"], serde_json::json!([0, 0]));
        assert_eq!(result["parameters"]["size"], "1M");
        let command = result["command"].as_str().expect("a command");
        assert!(command.starts_with("dd-sync: "), "{command}");
    }
}

#[test]
fn json_in_a_file_stands_beside_the_tables() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let file = bench.path("out.json");
    let ran = bench.run(&arguments(&kernel, &["--json", file.to_str().unwrap()])).exits(0);
    assert!(ran.out.contains("write 1"), "{}", ran.out);
    let document: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let trials = document["trials"].as_array().unwrap();
    bench.assert_kept(trials);
    // `show --json` has the same trial.
    assert_eq!(bench.run(&["show", "--json"]).exits(0).json(), trials[0]);
    // Where it could not be written nothing is run.
    let nowhere = bench.run(&arguments(&kernel, &["--json", "/nonexistent/out.json"])).exits(2);
    nowhere.complains(&["/nonexistent/out.json", "no folder /nonexistent"]);
    bench.assert_kept(trials);
}

#[test]
fn a_profile_is_shown_by_function() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    bench.run(&arguments(&kernel, &["--profile"])).exits(0);
    let page = bench.run(&["show"]).exits(0).out;
    assert!(page.contains("vfs_write"), "{page}");
}
