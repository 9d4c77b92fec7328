//! What a trial measured.

use serde::{Deserialize, Serialize};

use crate::case::{ROUND, label};
use crate::ffsb;
use crate::memory::MemoryLists;

/// All that one trial measured. In the exact place every value is the guest's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measurements {
    /// The phases in the order in which they ran.
    pub phases: Vec<PhaseRun>,
    /// The guest's random UUID, read after the last phase: any difference between two runs of
    /// one spec and seed shows here.
    pub witness: String,
    /// The clock by which phases were timed, as the guest's kernel names it.
    pub clock: String,
}

/// One phase, once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseRun {
    /// The phase's name.
    pub name: String,
    /// The round, from 1; `None` outside rounds.
    pub round: Option<u32>,
    /// When it began, ns of the workload's own monotonic clock; `None` in older archives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began_ns: Option<u64>,
    /// Elapsed time, ns.
    pub wall_ns: u64,
    /// Time in user mode, ns; the kernel accounts it (by ticks, unless it counts precisely).
    pub user_ns: u64,
    /// Time in the kernel on the workload's behalf, ns.
    pub system_ns: u64,
    /// Page faults served without a disk.
    pub minor_faults: u64,
    /// Page faults that waited for a disk.
    pub major_faults: u64,
    /// Times the workload gave up the CPU to wait.
    pub voluntary_switches: u64,
    /// Times the CPU was taken from it.
    pub involuntary_switches: u64,
    /// Bytes that the workload handed to `write`; `None` where the phase streams nothing.
    pub bytes: Option<u64>,
    /// Bytes that the workload's process caused to be read from disks, as the kernel accounts it.
    pub read_bytes: Option<u64>,
    /// Bytes that it caused to be sent to disks.
    pub write_bytes: Option<u64>,
    /// What every disk did meanwhile, in the order of the disks.
    pub disks: Vec<DiskUse>,
    /// Latencies of the phase's `write` calls: upper bound of a bucket in ns (2 significant
    /// digits) and the calls in it. Empty where the phase streams nothing.
    pub write_latency: Vec<(u64, u64)>,
    /// The slowest `write` calls, slowest first.
    pub slowest: Vec<SlowCall>,
    /// Instructions of the whole machine during the phase, where the plugin counted them.
    pub instructions: Option<u64>,
    /// Those of them in the kernel.
    pub kernel_instructions: Option<u64>,
    /// The longest stretches of at least a millisecond in which no call of the workload completed,
    /// longest first, at most [`MOST_GAPS`]. A single stream's are its calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<Gap>,
    /// What the threads of an ffsb profile did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ffsb: Option<ffsb::Outcome>,
    /// The memory's free lists before and after the phase, in trials whose memory is aged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryLists>,
}

/// The most gaps that a phase keeps.
pub const MOST_GAPS: usize = 128;

/// A stretch in which no call of the workload completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// When it began, ns after the phase did.
    pub at_ns: u64,
    /// How long it was, ns.
    pub took_ns: u64,
}

/// One slow `write`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlowCall {
    /// When it began, ns after the phase did.
    pub at_ns: u64,
    /// How long it took, ns.
    pub took_ns: u64,
    /// Where in the file it wrote, bytes.
    pub offset: u64,
}

/// What one disk did during a phase, from `/proc/diskstats`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskUse {
    /// The disk's name in the guest.
    pub name: String,
    /// Read requests completed.
    pub reads: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Write requests completed.
    pub writes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Flushes completed; `None` before Linux 5.5, which does not count them.
    pub flushes: Option<u64>,
    /// Time with at least one request in flight, ms.
    pub busy_ms: u64,
}

impl Measurements {
    /// The times of the phase of that name, ns, one a round; of [`ROUND`] those of whole rounds.
    #[must_use]
    pub fn times(&self, name: &str) -> Vec<u64> {
        let named = self.phases.iter().filter(|run| run.name == name);
        let times: Vec<u64> = named.map(|run| run.wall_ns).collect();
        if !times.is_empty() || name != ROUND {
            return times;
        }
        let in_rounds: Vec<&PhaseRun> = self.phases.iter().filter(|r| r.round.is_some()).collect();
        let rounds = in_rounds.chunk_by(|one, next| one.round == next.round);
        rounds.map(|round| round.iter().map(|run| run.wall_ns).sum()).collect()
    }
}

impl PhaseRun {
    /// The phase's label in results: see [`label`].
    #[must_use]
    pub fn label(&self) -> String {
        label(&self.name, self.round)
    }

    /// Bytes a second that the phase streamed; `None` where it streamed nothing or took no time.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        let bytes = self.bytes.filter(|_| self.wall_ns > 0)?;
        #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
        Some(bytes as f64 / (self.wall_ns as f64 / 1e9))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_rounds_time_is_the_sum_of_its_phases() {
        let run = |name: &str, round, wall_ns| PhaseRun {
            name: name.to_owned(),
            round,
            wall_ns,
            ..PhaseRun::default()
        };
        let phases = vec![
            run("mkfs", None, 5),
            run("write", Some(1), 10),
            run("sync", Some(1), 100),
            run("write", Some(2), 20),
            run("sync", Some(2), 200),
        ];
        let measured = Measurements { phases, ..Measurements::default() };
        assert_eq!(measured.times("write"), [10, 20]);
        assert_eq!(measured.times(ROUND), [110, 220]);
        assert!(measured.times("umount").is_empty());
    }
}
