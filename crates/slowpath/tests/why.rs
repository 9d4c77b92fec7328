//! Why: where a trial's time goes, what makes the difference between two sides, and what is said of it.

mod lab;

use lab::comparison::kernel_setting;
use lab::trial::{count, list, phases};
use lab::{Bench, Ran, case, document, main_kernel, one_line, qemu10, text};
use serde_json::Value;

/// The accounts of a trial that was looked at.
fn why(bench: &Bench, trial: &Value) -> Value {
    bench.run(&["show", text(trial, "id"), "--why", "--json"]).exits(0).json()
}

fn sum(parts: &Value) -> u64 {
    list(parts).iter().map(|part| count(part, "ns")).sum()
}

/// Every ns of every phase stands in one part, and one CPU's instructions and its idle time are the phase.
#[track_caller]
fn adds_up(trial: &Value, accounts: &Value) {
    assert_eq!(accounts["same_times"], true, "the pass measured the trial's own nanoseconds");
    let insn_ns: u64 = trial["spec"]["settings"]["insn_ns"].as_u64().unwrap_or(2);
    assert_eq!(list(&accounts["phases"]).len(), phases(trial).len());
    for (account, phase) in list(&accounts["phases"]).iter().zip(phases(trial)) {
        let (label, wall) = (text(account, "phase"), count(account, "wall_ns"));
        // The marks stand some instructions before and after the clock is read.
        let timed = count(phase, "wall_ns");
        assert!(wall.abs_diff(timed) * 1000 <= timed.max(1_000_000), "{label}: {wall}, {timed}");
        let machine = &account["machine"];
        let busy = count(machine, "busy_ns");
        assert_eq!(busy, count(machine, "instructions") * insn_ns, "{label}");
        let both = busy + count(machine, "idle_ns");
        assert!(both.abs_diff(wall) * 1000 <= wall, "{label}: {both} of {wall} ns");
        let workload = &account["workload"];
        let parts = ["running", "ready", "blocked"].map(|kind| sum(&workload[kind]));
        let whole = parts.iter().sum::<u64>() + count(workload, "unseen_ns");
        assert_eq!(whole, wall, "{label}: {parts:?}");
        let functions = list(&account["functions"]).iter();
        let counted: u64 = functions.map(|function| count(function, "instructions")).sum();
        assert_eq!(counted, count(machine, "instructions"), "{label}: by function");
    }
}

/// Runs a case, looks at it, and checks its sums; its accounts.
fn looked_at(bench: &Bench, arguments: &[String]) -> (Value, Value) {
    let arguments = [arguments, &["--observe".to_owned()]].concat();
    let trial = bench.run(&arguments).exits(0).trial();
    let accounts = why(bench, &trial)["accounts"].clone();
    adds_up(&trial, &accounts);
    (trial, accounts)
}

const BUILT_IN: [(&str, &[&str]); 5] = [
    ("dd-sync", &["size=8M", "rounds=2"]),
    ("disk-rate", &["size=8M"]),
    ("mke2fs-fresh", &[]),
    ("mke2fs-aged", &[]),
    ("ffsb-create-4k", &[]),
];

#[test]
fn every_phase_of_every_case_adds_up() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    for (name, settings) in BUILT_IN {
        looked_at(&bench, &case(name, &kernel, settings));
    }
}

#[test]
fn it_adds_up_on_another_emulator_too() {
    let (Some(kernel), Some(qemu)) = (main_kernel(), qemu10()) else { return };
    let bench = Bench::new();
    let arguments = case("dd-sync", &kernel, &["size=8M", "rounds=1"]);
    let qemu = ["--qemu".to_owned(), qemu.display().to_string()];
    let (_, accounts) = looked_at(&bench, &[qemu.as_slice(), &arguments].concat());
    names_are_known(&accounts);
}

/// Names of kernel, modules, programs and libraries.
#[track_caller]
fn names_are_known(accounts: &Value) {
    let functions = |label: &str| -> Vec<(String, u64)> {
        let found = list(&accounts["phases"]).iter().find(|account| account["phase"] == label);
        let functions = list(&found.expect("the phase")["functions"]).iter();
        functions.map(|f| (text(f, "name").to_owned(), count(f, "instructions"))).collect()
    };
    let mkfs = functions("mkfs");
    let named = |ends: &str| mkfs.iter().filter(|(name, _)| name.ends_with(ends)).count();
    assert!(named("(libc.so.6)") > 3, "{mkfs:#?}");
    assert!(named("(libext2fs.so.2)") > 3, "{mkfs:#?}");
    let write = functions("write");
    let has = |ends: &str| write.iter().any(|(name, _)| name.ends_with(ends));
    assert!(has(" [ext4]") && has("(slowpath-agent)"), "{write:#?}");
    for (phase, functions) in [("mkfs", &mkfs), ("write", &write)] {
        let all: u64 = functions.iter().map(|(_, count)| count).sum();
        let unknown = functions.iter().filter(|(name, _)| name == "[user]" || name == "[unknown]");
        let unknown: u64 = unknown.map(|(_, count)| count).sum();
        assert!(unknown * 100 < all, "{phase}: {unknown} of {all} without a name");
    }
}

#[test]
fn functions_have_names_and_stacks_fold() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let (trial, accounts) =
        looked_at(&bench, &case("dd-sync", &kernel, &["size=8M", "rounds=1", "fs=ext4"]));
    names_are_known(&accounts);
    let id = text(&trial, "id");
    for (which, function) in [("running", "ksys_write"), ("blocked", "ksys_sync")] {
        let folded = bench.run(&["show", id, "--folded", which]).exits(0).out;
        let mut total = 0;
        for line in folded.lines() {
            let (frames, ns) = line.rsplit_once(' ').expect("a value");
            assert!(frames.contains(';') && !frames.contains(' '), "{line}");
            total += ns.parse::<u64>().expect("ns");
        }
        let parts = list(&accounts["phases"]).iter().map(|phase| sum(&phase["workload"][which]));
        assert_eq!(total, parts.sum::<u64>(), "{which}");
        assert!(folded.contains(function), "{which}: {folded}");
    }
    let page = one_line(&bench.run(&["show", id, "--why"]).exits(0).out);
    for said in ["write 1", "sync 1", "instructions", "ksys_sync", "jbd2"] {
        assert!(page.contains(said), "`{said}` is not in: {page}");
    }
}

/// All data through the journal, as in stalls.rs.
fn journal(kernel: &std::path::Path, size: &str) -> Vec<String> {
    let mkfs = format!("mkfs=-J size={size}");
    let settings = ["mount=data=journal", "rounds=1", &mkfs];
    case("dd-sync", kernel, &settings)
}

/// The findings of a mechanism among those of a trial or a phase.
fn findings<'v>(findings: &'v Value, mechanism: &str) -> Vec<&'v Value> {
    list(findings).iter().filter(|finding| finding["mechanism"] == mechanism).collect()
}

#[test]
fn a_small_journal_is_found_with_its_stack_and_stretch_and_a_large_one_is_not() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let (trial, accounts) = looked_at(&bench, &journal(&kernel, "4"));
    let found = findings(&accounts["findings"], "journal");
    let [finding] = found.as_slice() else { panic!("one finding: {found:#?}") };
    assert_eq!(finding["phase"], "write 1");
    assert!(count(finding, "share_milli") > 300, "{finding:#}");
    assert!(finding["frames"].to_string().contains("[jbd2]"), "{finding:#}");
    let longest = &finding["longest"];
    let wall = count(&phases(&trial)[2], "wall_ns");
    assert!(count(longest, "from_ns") < count(longest, "to_ns"), "{finding:#}");
    assert!(count(longest, "to_ns") <= wall + 1000, "{finding:#}");
    let page = one_line(&bench.run(&["show", text(&trial, "id"), "--why"]).exits(0).out);
    assert!(page.contains("journal"), "{page}");

    let (_, accounts) = looked_at(&bench, &journal(&kernel, "128"));
    let found = findings(&accounts["findings"], "journal");
    assert!(found.is_empty(), "{found:#?}");
}

/// A difference adds up, its reason is said in ten lines, and the archive holds all of it.
#[test]
fn the_difference_between_two_journals_is_the_journal() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let kernel = kernel_setting(&kernel);
    let words = ["compare", "dd-sync", "--set", &kernel, "--set", "mount=data=journal"];
    let more = ["--set", "rounds=1", "--set", "size=16M", "--seeds", "6"];
    let vary = ["--vary", "mkfs=-J size=64,-J size=4", "--headline", "write"];
    let words = [&words[..], &more, &vary].concat();
    let ran = bench.run(&words).exits(1);
    the_reason_is_short(&ran, "journal");

    let json = bench.run(&[&words[..], &["--json", "-"]].concat()).exits(1).json();
    let [explanation] = list(&json["comparison"]["explanations"]) else { panic!("{json:#}") };
    assert_eq!(explanation["same_times"], true);
    assert_eq!(explanation["seeds"], serde_json::json!([1, 2, 3]));
    let write = &explanation["phases"][0];
    assert_eq!(write["phase"], "write");
    let number = |value: &Value| value.as_f64().expect("a number");
    let difference = number(&write["variant_ns"]) - number(&write["baseline_ns"]);
    let parts = list(&write["parts"]).iter();
    let parts: f64 =
        parts.map(|part| number(&part["variant_ns"]) - number(&part["baseline_ns"])).sum();
    assert!((parts + number(&write["rest_ns"]) - difference).abs() < 1000.0, "{write:#}");
    let found = findings(&write["findings"], "journal");
    assert_eq!(found.len(), 1, "{:#}", write["findings"]);
    assert!(count(found[0], "share_milli") > 500, "{found:#?}");

    let id = text(&json["comparison"], "id");
    let page = one_line(&bench.run(&["show", id, "--why"]).exits(0).out);
    for said in ["journal", "[jbd2]", "instructions"] {
        assert!(page.contains(said), "`{said}` is not in: {page}");
    }
    let seen = bench.run(&["show", id, "--why", "--json"]).exits(0).json();
    assert_eq!(list(&seen["accounts"]).len(), 2, "a trial of each side");
    let folder = bench
        .store()
        .join("trials")
        .join(text(&seen["comparison"]["sides"][0]["series"][0]["values"][0], "trial"));
    assert!(folder.join("accounts.json.zst").is_file(), "{}", folder.display());
}

/// The reason stands at the end of the report, in at most ten lines.
#[track_caller]
fn the_reason_is_short(ran: &Ran, mechanism: &str) {
    let at = ran.out.find("\nwhy").unwrap_or_else(|| panic!("no reason in {}", ran.out));
    let reason = ran.out[at..].trim();
    assert!(reason.lines().count() <= 10 && reason.contains(mechanism), "{reason}");
}

#[test]
fn nobody_looks_when_told_not_to_and_a_trial_says_how_to() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let kernel = kernel_setting(&kernel);
    let words = ["compare", "dd-sync", "--set", &kernel, "--set", "rounds=1", "--set", "size=4M"];
    let vary = ["--vary", "disk.mbps=40,20", "--headline", "sync", "--why", "never"];
    let words = [&words[..], &vary, &["--json", "-"]].concat();
    let json = bench.run(&words).exits(1).json();
    assert!(json["comparison"].get("explanations").is_none());
    let id = text(&json["comparison"], "id");
    bench.run(&["show", id, "--why"]).exits(2).complains(&["--why always"]);
    bench.run(&["show", "--why"]).exits(2).complains(&["slowpath observe"]);
}

/// Without the plugin nothing is seen from outside: what is seen from inside is said to be that.
#[test]
fn without_the_plugin_the_reason_comes_from_inside_and_says_so() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let kernel = kernel_setting(&kernel);
    let words = ["compare", "dd-sync", "--set", &kernel, "--set", "rounds=1", "--set", "size=8M"];
    let vary = ["--vary", "disk.mbps=40,10", "--headline", "sync", "--seeds", "6"];
    let mut command = bench.command(&[&words[..], &vary, &["--json", "-"]].concat());
    command.args(["--without", "plugin"]);
    let json = Ran::of(command).exits(1).json();
    let [explanation] = list(&json["comparison"]["explanations"]) else { panic!("{json:#}") };
    assert_eq!(
        (&explanation["seen_from"], &explanation["same_times"]),
        (&"inside".into(), &false.into())
    );
    let notes = explanation["notes"].to_string();
    assert!(notes.contains("outside") && notes.contains("sampl"), "{notes}");
}

/// What is kept is read again, and what is damaged says so.
#[test]
fn damaged_accounts_are_named() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let arguments = case("disk-rate", &kernel, &["size=1M"]);
    let trial = bench.run(&[arguments, vec!["--observe".to_owned()]].concat()).exits(0).trial();
    let folder = bench.store().join("trials").join(text(&trial, "id"));
    assert_eq!(document(&folder.join("trial.json"))["id"], trial["id"]);
    std::fs::write(folder.join("accounts.json.zst"), b"no zstd").expect("the test's own store");
    bench.run(&["show", "--why"]).complains(&["accounts.json"]);
}
