//! Ends what a command left behind: processes that outlive it must not write into the next trial, nor
//! into folders that are removed.

use std::fs;
use std::time::{Duration, Instant};

use evidence::pid_stat;
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, wait};

use crate::numbered::numbers;

/// How long is waited for processes that the kernel cannot end yet.
const PATIENCE: Duration = Duration::from_secs(2);

/// From now on processes whose parents end become this one's children, whatever session they made
/// for themselves.
pub(crate) fn adopt() {
    // Without it (Linux before 3.4) only direct children are found.
    let _ = set_child_subreaper(Some(getpid()));
}

/// Kills all children, and theirs as they come.
pub(crate) fn end() {
    let began = Instant::now();
    loop {
        let children = children();
        if children.is_empty() || began.elapsed() > PATIENCE {
            return;
        }
        for child in children {
            // It may have ended by itself.
            let _ = kill_process(child, Signal::KILL);
        }
        while matches!(wait(WaitOptions::NOHANG), Ok(Some(_))) {}
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn children() -> Vec<Pid> {
    let own = std::process::id();
    let is_child = |pid: &u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        pid_stat::parse(&stat).value.is_some_and(|stat| stat.ppid == Some(own))
    };
    let children = numbers("/proc").into_iter().filter(is_child);
    children.filter_map(|pid| Pid::from_raw(i32::try_from(pid).ok()?)).collect()
}
