//! What there is to see, file by file.

use std::fs::File;
use std::io::{self, Read as _};

use evidence::pid_stat;
use evidence::samples;

use crate::numbered::numbers;

/// What the kernel tells of itself. `/proc/pagetypeinfo` is for root alone.
const MACHINE: [&str; 9] = [
    "/proc/meminfo",
    "/proc/vmstat",
    "/proc/buddyinfo",
    "/proc/pagetypeinfo",
    "/proc/zoneinfo",
    "/proc/diskstats",
    "/proc/pressure/cpu",
    "/proc/pressure/io",
    "/proc/pressure/memory",
];

/// What it tells of each thread of the workload.
const OWN: [&str; 6] = ["stat", "io", "schedstat", "sched", "wchan", "stack"];

/// The agent's threads that are not the workload's.
const OWN_LOOKERS: [&str; 2] = ["watcher", "watchdog"];

/// The beginnings of the names of kernel threads that write for others: flushers, journals, the
/// writers of logs and trees.
const WRITERS: [&str; 8] =
    ["kworker", "flush-", "pdflush", "jbd2", "kjournald", "xfsaild", "btrfs-", "reiserfs/"];

/// Memory for a file, used again for the next one.
pub(super) struct Look {
    text: Vec<u8>,
    own: u32,
}

impl Look {
    pub(super) fn new() -> Self {
        Look { text: Vec::with_capacity(64 << 10), own: std::process::id() }
    }

    /// Everything: the machine, the workload, and those who write for it.
    pub(super) fn everything(&mut self, out: &mut Vec<u8>) {
        for path in MACHINE {
            self.file(out, path);
        }
        self.tasks(out, true);
    }

    /// Only who stands where.
    pub(super) fn stacks(&mut self, out: &mut Vec<u8>) {
        self.tasks(out, false);
    }

    fn tasks(&mut self, out: &mut Vec<u8>, all: bool) {
        for process in numbers("/proc") {
            let threads = format!("/proc/{process}/task");
            // A thread that has ended meanwhile is no longer of interest.
            for thread in numbers(&threads) {
                self.task(out, &format!("{threads}/{thread}"), process, all);
            }
        }
    }

    fn task(&mut self, out: &mut Vec<u8>, folder: &str, process: u32, all: bool) {
        let stat = format!("{folder}/stat");
        if self.read(&stat).is_err() {
            return;
        }
        let Some(task) = pid_stat::parse(&String::from_utf8_lossy(&self.text)).value else {
            return;
        };
        let waits = task.state == 'D';
        // The workload's threads and the programs that it runs; its own helpers are not.
        let own = (process == self.own || task.ppid == Some(self.own))
            && !OWN_LOOKERS.contains(&task.comm.as_str());
        let writes = WRITERS.iter().any(|name| task.comm.starts_with(name));
        let shown = own || waits || (all && writes && task.state != 'I');
        if !shown {
            return;
        }
        samples::file(out, &stat, &self.text);
        match (own, all) {
            (true, true) => {
                for name in OWN.into_iter().filter(|name| *name != "stat") {
                    self.file(out, &format!("{folder}/{name}"));
                }
            }
            (true, false) => {
                // By this a reader knows the workload's tasks.
                self.file(out, &format!("{folder}/schedstat"));
                self.file(out, &format!("{folder}/stack"));
            }
            (false, _) => self.file(out, &format!("{folder}/stack")),
        }
    }

    fn file(&mut self, out: &mut Vec<u8>, path: &str) {
        match self.read(path) {
            Ok(()) => samples::file(out, path, &self.text),
            Err(error) => samples::unread(out, path, &error.to_string()),
        }
    }

    fn read(&mut self, path: &str) -> io::Result<()> {
        self.text.clear();
        File::open(path)?.read_to_end(&mut self.text).map(drop)
    }
}
