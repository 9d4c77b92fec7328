//! Where the trial stands, for the watchdog.

use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::numbered::numbers;

/// Shared between the trial and its watchdog.
#[derive(Debug, Default)]
pub(crate) struct Whereabouts(Mutex<Place>);

#[derive(Clone, Debug, Default)]
struct Place {
    /// For example "in phase `sync 1`".
    stage: String,
    /// The program that runs on the workload's behalf.
    child: Option<u32>,
}

impl Whereabouts {
    fn place(&self) -> MutexGuard<'_, Place> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A stage begins.
    pub(crate) fn enter(&self, stage: impl Into<String>) {
        let stage = stage.into();
        self.place().stage = stage;
    }

    /// A program runs, or ran.
    pub(crate) fn set_child(&self, pid: Option<u32>) {
        self.place().child = pid;
    }

    /// The stage, and what the workload's threads but `except` are stuck in.
    #[must_use]
    pub(crate) fn describe(&self, except: u32) -> String {
        let Place { stage, child } = self.place().clone();
        let stage = if stage.is_empty() { "before its first phase".to_owned() } else { stage };
        let threads = threads(child.unwrap_or_else(std::process::id));
        let waits: Vec<String> = threads
            .iter()
            .filter(|(thread, _)| *thread != except)
            .map(|(_, wait)| wait.clone())
            .filter(|wait| !wait.is_empty())
            .take(3)
            .collect();
        match waits.is_empty() {
            true => stage,
            false => format!("{stage}; the workload is in {}", waits.join(" and in ")),
        }
    }
}

/// Each thread of a process with where it waits.
fn threads(process: u32) -> Vec<(u32, String)> {
    let threads = numbers(&format!("/proc/{process}/task")).into_iter();
    threads.map(|thread| (thread, wait_of(process, thread))).collect()
}

fn wait_of(process: u32, thread: u32) -> String {
    let read = |file: &str| fs::read_to_string(format!("/proc/{process}/task/{thread}/{file}"));
    let stack = read("stack").map(|s| functions(&s)).unwrap_or_default();
    if stack.is_empty() {
        let wait = read("wchan").unwrap_or_default();
        return if wait == "0" { String::new() } else { wait };
    }
    stack
}

// [<0>] folio_wait_bit+0x13a/0x350
// [<0>] entry_SYSCALL_64_after_hwframe+0x76/0xe0
fn functions(stack: &str) -> String {
    let name = |line: &str| {
        let (_, function) = line.split_once("] ")?;
        Some(function.split('+').next()?.to_owned())
    };
    let names: Vec<String> = stack.lines().filter_map(name).take(8).collect();
    names.join(" < ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_becomes_names() {
        let stack = "[<0>] io_schedule+0x46/0x80\n[<0>] folio_wait_bit+0x13a/0x350\n";
        assert_eq!(functions(stack), "io_schedule < folio_wait_bit");
        assert_eq!(functions(""), "");
    }

    #[test]
    fn the_stage_is_told() {
        let whereabouts = Whereabouts::default();
        whereabouts.enter("in phase `sync 1`");
        let told = whereabouts.describe(0);
        assert!(told.starts_with("in phase `sync 1`"), "{told}");
    }
}
