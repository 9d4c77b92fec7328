//! The program while it runs.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::{Bench, Ran};

/// How long something may take that is sure to come, on however busy a machine.
const PATIENCE: Duration = Duration::from_secs(100);

/// Starts the program; its output is kept.
pub(crate) fn start(mut command: Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

/// The trials that are in the store, by their folders: the program that runs is not disturbed.
pub(crate) fn finished(bench: &Bench) -> Vec<String> {
    let entries = fs::read_dir(bench.store().join("trials")).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<_> = names.filter(|name| !name.starts_with('.')).collect();
    names.sort();
    names
}

/// Waits until there are so many trials in the store, while the program runs.
#[track_caller]
pub(crate) fn wait_for_trials(bench: &Bench, child: &mut Child, count: usize) {
    let began = Instant::now();
    while finished(bench).len() < count {
        assert_eq!(child.try_wait().expect("its state"), None, "it ended by itself");
        assert!(began.elapsed() < PATIENCE, "there are never {count} trials");
        thread::sleep(Duration::from_millis(2));
    }
}

/// Kills the program and returns the trials that are there then.
#[track_caller]
pub(crate) fn kill(bench: &Bench, mut child: Child) -> Vec<String> {
    assert_eq!(child.try_wait().expect("its state"), None, "it ended by itself");
    child.kill().expect("it is killed");
    child.wait().expect("it is reaped");
    bench.assert_nothing_runs();
    finished(bench)
}

/// Interrupts the program as a terminal does and returns what it said.
pub(crate) fn interrupt(bench: &Bench, child: Child) -> Ran {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process");
    kill_process(pid, Signal::INT).expect("the signal is sent");
    let ran = Ran::from(child.wait_with_output().expect("its output"));
    bench.assert_nothing_runs();
    ran
}
