//! `--observe` sees where a trial waited and what its disks did, and moves no nanosecond of it.

mod lab;

use std::fs;

use lab::comparison::{kernel_setting, place};
use lab::trial::{count, list, measured, phase, phases};
use lab::{Bench, Ran, dd_sync, document, main_kernel, one_line, text};
use serde_json::Value;

const SMALL: [&str; 2] = ["size=8M", "rounds=1"];

/// The arguments, and `--observe`.
fn observed(mut arguments: Vec<String>) -> Vec<String> {
    arguments.push("--observe".to_owned());
    arguments
}

/// The only trial of a run.
#[track_caller]
fn only(ran: &Ran) -> Value {
    let [trial] = <[Value; 1]>::try_from(ran.trials()).expect("one trial");
    trial
}

/// The view of a phase by its label.
#[track_caller]
fn view<'o>(observation: &'o Value, label: &str) -> &'o Value {
    let found = list(&observation["phases"]).iter().find(|phase| phase["phase"] == label);
    found.unwrap_or_else(|| panic!("no view of `{label}`"))
}

/// From a state and with symbols of its own, which the observed trial is the first to ask for.
#[test]
fn an_observed_trial_has_the_times_of_one_that_nobody_looked_at() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::apart();
    let trial = only(&bench.run(&observed(dd_sync(&kernel, &SMALL))).exits(0));
    let plain = Bench::new();
    let alone = only(&plain.run(&dd_sync(&kernel, &SMALL)).exits(0));
    assert_eq!(measured(&trial).to_string(), measured(&alone).to_string());
    assert_eq!(alone.get("observation"), None);

    let seen = &trial["observation"];
    assert_eq!((&seen["format"], &seen["same_times"]), (&1.into(), &true.into()));
    assert_eq!(seen["notes"], serde_json::json!([]), "nothing is missing");
    let limited: Vec<_> = list(&seen["limits"]).iter().map(|limit| text(limit, "phase")).collect();
    assert_eq!(limited, ["write"], "the others complete no calls");
    each_phase_has_waits_and_disks(&trial);
    the_pass_from_inside_is_told_with_its_shifts(&trial);
    it_is_kept_beside_the_trial(&bench, &trial);
    a_trial_is_looked_at_later(&plain, &alone, seen);
}

/// Requests that were watched and the kernel's own counts tell the same of each disk.
#[track_caller]
fn each_phase_has_waits_and_disks(trial: &Value) {
    let labels = ["mkfs", "mount", "write 1", "sync 1", "umount"];
    assert_eq!(phases(trial).len(), labels.len());
    for (phase, label) in phases(trial).iter().zip(labels) {
        let view = view(&trial["observation"], label);
        let waits = list(&view["waits"]);
        let wall = count(phase, "wall_ns");
        assert!(!waits.is_empty(), "{label}");
        for wait in waits {
            assert!(!list(&wait["frames"]).is_empty(), "{label}: {wait:#}");
            let most = wall * count(wait, "count");
            assert!((1..=most).contains(&count(wait, "ns")), "{label}, {wall} ns: {wait:#}");
        }
        let [disk] = list(&view["disks"]["disks"]) else { panic!("{label}: one disk") };
        let done = |kind: &str| -> u64 {
            let kinds = list(&disk["done"]).iter();
            kinds.filter(|done| done["kind"] == kind).map(|done| count(done, "bytes")).sum()
        };
        let counted = &phase["disks"][0];
        assert_eq!(text(disk, "name"), text(counted, "name"));
        assert_eq!(done("write"), count(counted, "written_bytes"), "{label}");
        assert_eq!(done("read"), count(counted, "read_bytes"), "{label}");
    }
    let sync = view(&trial["observation"], "sync 1")["waits"].to_string();
    assert!(sync.contains("ksys_sync"), "the sync waits in sync(2): {sync}");
}

#[track_caller]
fn the_pass_from_inside_is_told_with_its_shifts(trial: &Value) {
    let inside = &trial["observation"]["inside"];
    assert_eq!(inside["every"], "100ms");
    let whole: u64 = phases(trial).iter().map(|phase| count(phase, "wall_ns")).sum();
    let samples = count(inside, "samples");
    assert!(
        samples > 0 && samples < 2 * whole / 100_000_000 + 5,
        "{samples} samples of {whole} ns"
    );
    let shifts = list(&inside["shifts"]);
    assert_eq!(shifts.len(), phases(trial).len());
    for (shift, phase) in shifts.iter().zip(phases(trial)) {
        assert_eq!(shift["timed_ns"], phase["wall_ns"]);
    }
    let thousandths = |shift: &Value| {
        let (timed, observed) = (count(shift, "timed_ns"), count(shift, "observed_ns"));
        timed.abs_diff(observed) * 1000 / timed
    };
    let largest = shifts.iter().map(thousandths).max().expect("a shift");
    // It may be rounded up.
    let told = count(inside, "largest_shift_milli");
    assert!((largest..=largest + 1).contains(&told), "{told}, {largest}");
    let names: Vec<_> = list(&inside["series"]).iter().map(|series| text(series, "name")).collect();
    assert!(names.contains(&"dirty") && names.contains(&"free"), "{names:?}");
}

fn it_is_kept_beside_the_trial(bench: &Bench, trial: &Value) {
    let id = text(trial, "id");
    let folder = bench.store().join("trials").join(id);
    for name in ["observation.json", "samples.txt.zst", "trace.json.zst", "environment.txt"] {
        assert!(fs::metadata(folder.join(name)).is_ok_and(|file| file.len() > 0), "{name}");
    }
    let environment = fs::read_to_string(folder.join("environment.txt")).expect("its text");
    assert!(environment.starts_with("slowpath snapshot 1\n"), "{environment}");
    let release = text(&trial["fingerprint"], "kernel.release");
    assert!(environment.contains(&format!("\nkernel: {release}\n")), "that of the guest");
    assert_eq!(document(&folder.join("observation.json")), trial["observation"]);
    assert_eq!(&bench.trial(id), trial);
    let page = one_line(&bench.run(&["show", id]).exits(0).out);
    for said in [
        "seen meanwhile",
        "at no cost in guest time: it measured the trial's own nanoseconds",
        "where the workload waited",
        "iterate_supers < ksys_sync",
        "disks and memory over time",
    ] {
        assert!(page.contains(said), "`{said}` is not in: {page}");
    }
}

/// `observe` brings for a trial that was run without it what `run --observe` brings.
fn a_trial_is_looked_at_later(bench: &Bench, trial: &Value, wanted: &Value) {
    let id = text(trial, "id");
    let seen = bench.run(&["observe", id, "--json", "-"]).exits(0).json();
    assert_eq!(&seen["observation"], wanted);
    assert_eq!(bench.trial(id), seen);
    // One that is sampled more often is another pass from inside; from outside all is the same.
    let often = bench.run(&["observe", id, "--every", "20ms", "--json", "-"]).exits(0).json();
    let (before, now) = (&wanted["inside"], &often["observation"]["inside"]);
    assert!(count(now, "samples") > 2 * count(before, "samples"), "{now:#}");
    assert_eq!(often["observation"]["phases"], wanted["phases"]);
    assert_eq!(often["outcome"], trial["outcome"]);
}

#[test]
fn another_kernel_on_another_qemu_is_looked_at_alike() {
    let (Some(kernel), Some(qemu)) = (lab::kernel("debian-6.12"), lab::qemu10()) else { return };
    let bench = Bench::new();
    let mut command = bench.command(&observed(dd_sync(&kernel, &SMALL)));
    command.arg("--qemu").arg(qemu);
    let trial = only(&Ran::of(command).exits(0));
    assert_eq!(trial["observation"]["same_times"], true);
    each_phase_has_waits_and_disks(&trial);
}

/// Without BTF nobody knows where a task has its state.
#[test]
fn a_kernel_that_does_not_describe_its_data_is_looked_at_from_inside_alone() {
    let Some(kernel) = lab::kernel("small-6.12") else { return };
    let bench = Bench::new();
    let trial = only(&bench.run(&observed(dd_sync(&kernel, &SMALL))).exits(0));
    let seen = &trial["observation"];
    assert_eq!(seen["same_times"], Value::Null);
    let notes = seen["notes"].to_string();
    assert!(notes.contains("nothing was seen from outside") && notes.contains("BTF"), "{notes}");
    the_pass_from_inside_is_told_with_its_shifts(&trial);
}

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
    let trial = only(&bench.run(&observed(dd_sync(&kernel, &settings))).exits(0));
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

#[test]
fn the_final_sync_of_many_disks_keeps_few_of_them_busy() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let file = bench.path("seen.json");
    // Small journals, which are made faster.
    let path = file.to_str().expect("a plain path");
    let mut command = bench.command(&["run", "ffsb-create-4k", "--observe", "--json", path]);
    for setting in [&*kernel_setting(&kernel), "disks=12", "mkfs=-J size=4"] {
        command.args(["--set", setting]);
    }
    let page = Ran::of(command).exits(0).out;
    let trial = document(&file)["trials"][0].clone();
    let wall = |name: &str| {
        let phase = phases(&trial).iter().find(|phase| phase["name"] == name);
        count(phase.expect("the phase"), "wall_ns")
    };
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let share = 100.0 * wall("sync") as f64 / (wall("run") + wall("sync")) as f64;
    let said = one_line(&page);
    let told = said.split("the final sync is ").nth(1).expect("it is told");
    let told = told.split([')']).next().expect("a share");
    assert!(told.ends_with(&format!("({share:.1} %")), "{share} is not in: {told}");
    let disks = &view(&trial["observation"], "sync 1")["disks"];
    assert_eq!(list(&disks["disks"]).len(), 12);
    let busy = count(disks, "busy_milli");
    assert!((1001..=12_000).contains(&busy), "{busy} thousandths of disks are busy at a time");
}

/// In a directory nothing can be seen from outside.
#[test]
fn in_a_directory_samples_from_inside_are_all_and_nothing_is_left() {
    let bench = Bench::new();
    let data = bench.folder("data");
    fs::write(data.join("toto"), "its user's").expect("a file");
    let on = place(&data);
    let settings = ["--set", "size=4M", "--set", "sample.every=1ms"];
    let mut arguments = vec!["run", "dd-sync", "--on", &on, "--observe", "--json", "-"];
    arguments.extend(settings);
    let trial = only(&bench.run(&arguments).exits(0));
    let seen = &trial["observation"];
    assert_eq!(seen["same_times"], Value::Null);
    assert!(count(&seen["inside"], "samples") > 0, "{seen:#}");
    assert_eq!(list(&seen["phases"]).len(), 8, "four rounds of two");
    let folder = bench.store().join("trials").join(text(&trial, "id"));
    assert!(folder.join("samples.txt.zst").is_file() && !folder.join("trace.json.zst").exists());
    // What waits is the workload: neither what watches it nor what ends it when its time is over.
    let tasks: Vec<&str> = list(&seen["phases"])
        .iter()
        .flat_map(|phase| list(&phase["waits"]))
        .flat_map(|wait| list(&wait["tasks"]))
        .filter_map(Value::as_str)
        .collect();
    assert!(!tasks.contains(&"watchdog") && !tasks.contains(&"watcher"), "{tasks:?}");

    let page = one_line(&bench.run(&["show"]).exits(0).out);
    assert!(page.contains("from outside not available"), "{page}");

    // In a user namespace of its own nobody is root to the kernel, and no stacks can be read.
    let inner = bench.command(&arguments);
    if let Some(ran) = bench.unshared("exec \"$@\"", "sh", &inner) {
        let notes = only(&ran.exits(0))["observation"]["notes"].to_string();
        assert!(notes.contains("kernel stacks (/proc/PID/stack): not available"), "{notes}");
    }
    let left: Vec<_> = fs::read_dir(&data).expect("it").flatten().map(|e| e.file_name()).collect();
    assert_eq!(left, ["toto"]);
}
