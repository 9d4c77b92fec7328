//! `--observe` sees where a trial waited and what its disks did, and moves no nanosecond of it.

mod lab;

use std::fs;

use lab::comparison::{kernel_setting, place};
use lab::trial::{count, list, measured, phases, view};
use lab::{Bench, Ran, dd_sync, document, main_kernel, one_line, text};
use serde_json::Value;

const SMALL: [&str; 2] = ["size=8M", "rounds=1"];

/// The arguments, and `--observe`.
fn observed(mut arguments: Vec<String>) -> Vec<String> {
    arguments.push("--observe".to_owned());
    arguments
}

/// From a state and with symbols of its own, which the observed trial is the first to ask for.
#[test]
fn an_observed_trial_has_the_times_of_one_that_nobody_looked_at() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::apart();
    let trial = bench.run(&observed(dd_sync(&kernel, &SMALL))).exits(0).trial();
    let plain = Bench::new();
    let alone = plain.run(&dd_sync(&kernel, &SMALL)).exits(0).trial();
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
    let trial = Ran::of(command).exits(0).trial();
    assert_eq!(trial["observation"]["same_times"], true);
    each_phase_has_waits_and_disks(&trial);
}

/// Without BTF nobody knows where a task has its state.
#[test]
fn a_kernel_that_does_not_describe_its_data_is_looked_at_from_inside_alone() {
    let Some(kernel) = lab::kernel("small-6.12") else { return };
    let bench = Bench::new();
    let trial = bench.run(&observed(dd_sync(&kernel, &SMALL))).exits(0).trial();
    let seen = &trial["observation"];
    assert_eq!(seen["same_times"], Value::Null);
    let notes = seen["notes"].to_string();
    assert!(notes.contains("nothing was seen from outside") && notes.contains("BTF"), "{notes}");
    the_pass_from_inside_is_told_with_its_shifts(&trial);
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
    let trial = bench.run(&arguments).exits(0).trial();
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
        let notes = ran.exits(0).trial()["observation"]["notes"].to_string();
        assert!(notes.contains("kernel stacks (/proc/PID/stack): not available"), "{notes}");
    }
    let left: Vec<_> = fs::read_dir(&data).expect("it").flatten().map(|e| e.file_name()).collect();
    assert_eq!(left, ["toto"]);
}
