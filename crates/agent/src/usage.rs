//! What the workload and the disks used during a phase: counters read before and after it.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::FileExt as _;

use evidence::diskstats::{self, DiskStat, SECTOR_BYTES};
use evidence::pid_io;
use model::{DiskUse, PhaseRun};

use crate::syscalls::{Whose, usage};

/// Room for a file's text, bytes, where the file is not longer already.
const ROOM: usize = 32 << 10;

/// Reads the counters, always in the same way and without allocating.
#[derive(Debug)]
pub(crate) struct Meter {
    io: Option<File>,
    disks: Option<File>,
}

/// The counters at one moment.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    own: libc::rusage,
    children: libc::rusage,
    io: Text,
    disks: Text,
}

/// A file's text in memory that is there from the start.
#[derive(Clone, Debug)]
struct Text {
    bytes: Vec<u8>,
    length: usize,
}

impl Text {
    /// Room for twice what stands in `file` now: a host may have hundreds of disks.
    fn room(mut file: Option<&File>) -> Self {
        let mut now = Vec::new();
        if let Some(file) = &mut file {
            // A file that cannot be read now needs no room.
            let _ = file.read_to_end(&mut now);
        }
        // Not zeros: they might not be there yet.
        Text { bytes: vec![b'\n'; ROOM.max(2 * now.len())], length: 0 }
    }

    fn read(&mut self, file: Option<&File>) {
        self.length = 0;
        let Some(file) = file else { return };
        // A proc file gives a page at most at a time.
        while let Ok(count) = file.read_at(&mut self.bytes[self.length..], self.length as u64) {
            self.length += count;
            if count == 0 {
                return;
            }
        }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes[..self.length]).into_owned()
    }
}

impl Meter {
    /// Opens the files; one that the kernel does not have stays unread.
    #[must_use]
    pub(crate) fn new() -> Self {
        Meter { io: File::open("/proc/self/io").ok(), disks: File::open("/proc/diskstats").ok() }
    }

    /// Room for a reading.
    #[must_use]
    pub(crate) fn room(&self) -> Reading {
        Reading {
            own: usage(Whose::Own),
            children: usage(Whose::Children),
            io: Text::room(self.io.as_ref()),
            disks: Text::room(self.disks.as_ref()),
        }
    }

    /// Reads all counters into `reading`.
    pub(crate) fn read(&self, reading: &mut Reading) {
        reading.io.read(self.io.as_ref());
        reading.disks.read(self.disks.as_ref());
        reading.own = usage(Whose::Own);
        reading.children = usage(Whose::Children);
    }
}

impl Default for Meter {
    fn default() -> Self {
        Self::new()
    }
}

/// Puts what was used between two readings into `run`; `disks` are their names, in order.
pub(crate) fn account(run: &mut PhaseRun, before: &Reading, after: &Reading, disks: &[String]) {
    let sum = |count: fn(&libc::rusage) -> u64| {
        let total = |reading: &Reading| count(&reading.own) + count(&reading.children);
        total(after).saturating_sub(total(before))
    };
    run.user_ns = sum(|u| nanos(u.ru_utime));
    run.system_ns = sum(|u| nanos(u.ru_stime));
    run.minor_faults = sum(|u| u.ru_minflt.cast_unsigned());
    run.major_faults = sum(|u| u.ru_majflt.cast_unsigned());
    run.voluntary_switches = sum(|u| u.ru_nvcsw.cast_unsigned());
    run.involuntary_switches = sum(|u| u.ru_nivcsw.cast_unsigned());
    let io = |reading: &Reading| pid_io::parse(&reading.io.text()).value;
    let (first, last) = (io(before), io(after));
    run.read_bytes = difference(first.read_bytes, last.read_bytes);
    run.write_bytes = difference(first.write_bytes, last.write_bytes);
    run.disks = disk_uses(&before.disks.text(), &after.disks.text(), disks);
}

fn nanos(time: libc::timeval) -> u64 {
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_usec.cast_unsigned() * 1000
}

fn difference(first: Option<u64>, last: Option<u64>) -> Option<u64> {
    Some(last?.saturating_sub(first?))
}

/// A disk that the kernel does not tell about has no entry.
fn disk_uses(before: &str, after: &str, disks: &[String]) -> Vec<DiskUse> {
    let (before, after) = (diskstats::parse(before).value, diskstats::parse(after).value);
    let find = |stats: &[DiskStat], name: &str| stats.iter().find(|s| s.name == name).cloned();
    let of = |name: &String| Some(disk_use(&find(&before, name)?, &find(&after, name)?));
    disks.iter().filter_map(of).collect()
}

fn disk_use(before: &DiskStat, after: &DiskStat) -> DiskUse {
    let sum = |count: fn(&DiskStat) -> u64| count(after).saturating_sub(count(before));
    DiskUse {
        name: after.name.clone(),
        reads: sum(|s| s.reads),
        read_bytes: sum(|s| s.sectors_read) * SECTOR_BYTES,
        writes: sum(|s| s.writes),
        written_bytes: sum(|s| s.sectors_written) * SECTOR_BYTES,
        flushes: after.flushes.zip(before.flushes).map(|(now, then)| now.saturating_sub(then)),
        busy_ms: sum(|s| s.busy_ms.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_is_charged_with_the_difference() {
        let stat = |writes: u32, flushes: u32| {
            format!(" 252 0 nullb0 4 0 32 1 {writes} 0 {writes}0 5 0 7 9 0 0 0 0 {flushes} 2\n")
        };
        let other = " 252 1 nullb1 1 1 1 1 1 1 1 1 1 1 1\n";
        let after = format!("{other}{}", stat(12, 3));
        let names = ["nullb0".to_owned(), "nullb9".to_owned()];
        let uses = disk_uses(&stat(10, 1), &after, &names);
        assert_eq!(uses.len(), 1);
        assert_eq!((uses[0].writes, uses[0].flushes, uses[0].busy_ms), (2, Some(2), 0));
        assert_eq!(uses[0].written_bytes, 20 * 512);
    }

    #[test]
    fn what_this_process_did_is_seen() {
        let meter = Meter::new();
        let (mut before, mut after) = (meter.room(), meter.room());
        meter.read(&mut before);
        let memory = std::hint::black_box(vec![1u8; 8 << 20]);
        meter.read(&mut after);
        let mut run = PhaseRun::default();
        account(&mut run, &before, &after, &[]);
        assert!(run.minor_faults > 0, "{} bytes", memory.len());
    }
}
