//! `/proc/PID/sched`: what the scheduler knows of a task.
//!
//! Source: `proc_sched_show_task` in `kernel/sched/debug.c` (`kernel/sched_debug.c` before 3.3);
//! there where the kernel was built with `CONFIG_SCHED_DEBUG`. Most times of waiting stand there
//! only while `kernel.sched_schedstats` is 1.

use std::collections::BTreeMap;

use crate::{Parsed, lines};

/// The file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PidSched {
    /// The task's name.
    pub comm: Option<String>,
    /// Its number.
    pub pid: Option<u32>,
    /// Threads of its process.
    pub threads: Option<u32>,
    /// The lines `name : value` by the kernel's names, as text: see [`PidSched::count`] and
    /// [`PidSched::ns`].
    pub values: BTreeMap<String, String>,
}

/// Reads the whole file. What it tells of NUMA faults, in lines of other forms, is passed over.
// dd (3312, #threads: 1)
// -------------------------------------------------------------------
// se.sum_exec_runtime                          :          1843.120773
// nr_voluntary_switches                        :                  911
// current_node=0, numa_group_id=0
#[must_use]
pub fn parse(text: &str) -> Parsed<PidSched> {
    lines::read(text, |sched: &mut PidSched, line| {
        let line = line.trim();
        if is_passed_over(line) {
            return Ok(());
        }
        if let Some((comm, pid, threads)) = head(line) {
            sched.comm = Some(comm.to_owned());
            (sched.pid, sched.threads) = (Some(pid), Some(threads));
            return Ok(());
        }
        let (name, value) = line.rsplit_once(':').ok_or("it has no colon")?;
        let value = value.trim();
        if !value.starts_with(|first: char| first.is_ascii_digit() || first == '-') {
            return Err(format!("`{value}` is no number"));
        }
        sched.values.insert(name.trim().to_owned(), value.to_owned());
        Ok(())
    })
}

fn is_passed_over(line: &str) -> bool {
    let numa = ["current_node=", "numa_faults", "numa_migrations,"];
    line.bytes().all(|byte| byte == b'-') || numa.iter().any(|begin| line.starts_with(begin))
}

fn head(line: &str) -> Option<(&str, u32, u32)> {
    let (comm, numbers) = line.rsplit_once(" (")?;
    let (pid, threads) = numbers.strip_suffix(')')?.split_once(", #threads: ")?;
    Some((comm, pid.parse().ok()?, threads.parse().ok()?))
}

impl PidSched {
    /// A value as the kernel printed it. A name may also be asked for without what stands before
    /// its last dot, since that differs by age: `wait_sum` was `se.wait_sum` and
    /// `se.statistics.wait_sum`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let last = |full: &str| full.rsplit_once('.').is_some_and(|(_, last)| last == name);
        let found = self
            .values
            .get(name)
            .or_else(|| self.values.iter().find_map(|(full, value)| last(full).then_some(value)));
        found.map(String::as_str)
    }

    /// A value that is a whole number from 0 on; `None` also where it is none such.
    #[must_use]
    pub fn count(&self, name: &str) -> Option<u64> {
        lines::counter(self.get(name)?).ok()
    }

    /// A value that is a time, printed in ms with six decimals, in ns; `None` also where it is
    /// below zero or no time.
    #[must_use]
    pub fn ns(&self, name: &str) -> Option<u64> {
        let (ms, ns) = self.get(name)?.split_once('.')?;
        if ns.len() != 6 {
            return None;
        }
        let (ms, ns) = (lines::counter(ms).ok()?, lines::counter(ns).ok()?);
        ms.checked_mul(1_000_000)?.checked_add(ns)
    }
}

#[cfg(test)]
mod tests;
