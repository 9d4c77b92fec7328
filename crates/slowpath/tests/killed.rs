//! Ended at any moment, the program leaves no QEMU behind and loses no finished trial.

mod lab;

use std::io::Read;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use lab::running::finished;
use lab::{Bench, Ran, dd_sync, main_kernel};
use rustix::process::{Pid, Signal, kill_process};

/// Small trials, so that many moments of one are hit.
const SETTINGS: [&str; 2] = ["size=1M", "rounds=1"];

/// How long the program runs before it is killed, ms: over its start, the probe, the boot and first trials.
const MOMENTS: [u64; 12] = [0, 20, 60, 120, 250, 400, 700, 1100, 1700, 2500, 3500, 5000];

/// Starts more trials than will ever be run.
fn start(bench: &Bench, kernel: &Path) -> Child {
    let mut command = bench.command(&dd_sync(kernel, &SETTINGS));
    command.args(["--repeat", "500"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

fn signal(child: &Child, signal: Signal) {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process");
    kill_process(pid, signal).expect("the signal is sent");
}

fn assert_running(child: &mut Child) {
    assert_eq!(child.try_wait().expect("its state"), None, "it ended by itself");
}

/// Kills the program, sees that nothing of it runs on and no finished trial is lost, and returns the
/// trials that are there.
fn kill(bench: &Bench, child: &mut Child, when: &str) -> Vec<String> {
    let before = finished(bench);
    assert_running(child);
    child.kill().expect("it is killed");
    child.wait().expect("it is reaped");
    bench.assert_nothing_runs();
    let after = lab::ids(&bench.trials());
    assert!(before.iter().all(|id| after.contains(id)), "{when}: a trial is lost");
    after
}

/// Waits until something is the case while the program runs.
fn wait_until(child: &mut Child, holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert_running(child);
        assert!(began.elapsed() < Duration::from_secs(100), "it never came to that");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn killed_at_any_moment_it_leaves_no_qemu_and_loses_no_finished_trial() {
    let Some(kernel) = main_kernel() else { return };
    // A cache of its own: the first boots are killed, too.
    let bench = Bench::apart();
    for moment in MOMENTS {
        let mut child = start(&bench, &kernel);
        thread::sleep(Duration::from_millis(moment));
        let after = kill(&bench, &mut child, &format!("{moment} ms"));
        assert_eq!(after, finished(&bench), "{moment} ms: a trial cannot be read");
    }
    // What was left in the cache is either whole or not believed.
    bench.run(&dd_sync(&kernel, &SETTINGS)).exits(0);
}

/// Trials run for certain here, on a machine however slow.
#[test]
fn killed_between_trials_it_leaves_no_qemu_and_loses_no_finished_trial() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    for (round, moment) in [0, 30, 90, 270].into_iter().enumerate() {
        let count = finished(&bench).len() + 2;
        let mut child = start(&bench, &kernel);
        wait_until(&mut child, || finished(&bench).len() >= count);
        thread::sleep(Duration::from_millis(moment));
        kill(&bench, &mut child, &format!("round {round}"));
    }
}

#[test]
fn interrupted_it_reports_what_was_finished() {
    let Some(kernel) = main_kernel() else { return };
    for sent in [Signal::INT, Signal::TERM, Signal::HUP] {
        let bench = Bench::new();
        let mut child = start(&bench, &kernel);
        wait_until(&mut child, || finished(&bench).len() >= 2);
        signal(&child, sent);
        let ran = Ran::from(child.wait_with_output().unwrap()).exits(130);
        bench.assert_nothing_runs();
        let reported = ran.trials();
        assert!(reported.len() >= 2, "{sent:?}");
        assert!(reported.iter().all(|trial| trial["outcome"]["measured"].is_object()));
        bench.assert_kept(&reported);
    }
}

#[test]
fn interrupted_in_its_boot_it_has_nothing_to_report() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::apart();
    let mut child = start(&bench, &kernel);
    let boots = || bench.processes().iter().any(|(_, line)| line.contains("stop=on"));
    wait_until(&mut child, boots);
    signal(&child, Signal::INT);
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(130));
    bench.assert_nothing_runs();
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(said, "");
    assert!(bench.trials().is_empty());
    // The boot that was cut off is made again.
    bench.run(&dd_sync(&kernel, &SETTINGS)).exits(0);
}
