//! What a further look at a trial showed: where it waited, what memory and disks did meanwhile.
//!
//! An exact trial is looked at twice more: from outside, where nothing that happens takes guest time
//! (a [`crate::Trace`]), and from inside, for what only `/proc` tells, which shifts times a little.
//! In a directory there is the pass from inside alone.

use serde::{Deserialize, Serialize};

use crate::measurement::Gap;
use crate::trace::{MemoryAt, RequestKind};
use crate::units::Nanos;

/// Everything that was seen of one trial.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// The format's number.
    pub format: u32,
    /// The phases, as in the trial.
    pub phases: Vec<PhaseView>,
    /// The disks from the first phase's begin to the last one's end; `None` where that was not seen as
    /// one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<DisksView>,
    /// The stalls, the one that cost most first.
    pub stalls: Vec<Stall>,
    /// From what length on a stretch without a completed call is a stall, by phase name; phases that
    /// complete no calls have none.
    pub limits: Vec<StallLimit>,
    /// The pass that looked from inside.
    pub inside: Option<Inside>,
    /// Whether the pass that looked from outside measured the trial's own nanoseconds; `None` where
    /// there was none.
    pub same_times: Option<bool>,
    /// What could not be seen, and why, in sentences.
    pub notes: Vec<String>,
}

/// From what length on a stretch without a completed call is a stall.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StallLimit {
    /// The phase's name.
    pub phase: String,
    /// The length.
    pub limit: Nanos,
}

/// What was seen of one phase.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseView {
    /// The phase's label.
    pub phase: String,
    /// Stalls in it; of very many only the longest are among [`Observation::stalls`].
    #[serde(default)]
    pub stalls: u64,
    /// How long they were, all together, ns.
    #[serde(default)]
    pub stalled_ns: u64,
    /// Where the workload's own tasks waited, the longest first; empty also where that was not seen.
    pub waits: Vec<StackGroup>,
    /// The disks meanwhile; `None` where they were not seen.
    pub disks: Option<DisksView>,
    /// Memory over the phase, at most [`MOST_MOMENTS`] moments, in ns after the phase began, evenly
    /// thinned.
    pub memory: Vec<MemoryAt>,
}

/// The most moments that a phase or stall keeps of memory or disks.
pub const MOST_MOMENTS: usize = 64;

/// Tasks that stood at the same place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackGroup {
    /// The call path, innermost function first.
    pub frames: Vec<String>,
    /// `D`, `S`, `R`, `I`: as ps(1) shows it.
    pub state: String,
    /// The names of the tasks, each once, in alphabetical order; workers by what they work for.
    pub tasks: Vec<String>,
    /// How many tasks stood there, at most at once.
    pub count: u32,
    /// Time that they stood there, all together, ns.
    pub ns: u64,
    /// How often a task came to stand there, or in how many samples one was seen there.
    pub times: u64,
}

/// What the disks did over a stretch of time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DisksView {
    /// Disks with a request in flight at a time, mean, in thousandths.
    pub busy_milli: u64,
    /// Requests in flight at a time over all disks, mean, in thousandths.
    pub in_flight_milli: u64,
    /// Time in which the workload waited and no disk had a request in flight, ns; `None` where the
    /// workload's waiting was not seen.
    pub idle_wait_ns: Option<u64>,
    /// Each disk.
    pub disks: Vec<DiskView>,
    /// Disks busy over time: means of equal stretches, in thousandths, at most [`MOST_MOMENTS`].
    pub busy_over_time: Vec<u64>,
}

/// What one disk did over a stretch of time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskView {
    /// Its name.
    pub name: String,
    /// Time with a request in flight, ns.
    pub busy_ns: u64,
    /// Requests in flight at a time, mean, in thousandths.
    pub in_flight_milli: u64,
    /// Requests that were done, and their bytes, by kind, in the order of [`RequestKind`].
    pub done: Vec<DiskDone>,
}

/// Requests of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskDone {
    /// The kind.
    pub kind: RequestKind,
    /// Requests.
    pub requests: u64,
    /// Bytes.
    pub bytes: u64,
}

/// A stretch in which the workload completed no call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stall {
    /// The phase's label.
    pub phase: String,
    /// When and how long.
    pub gap: Option<Gap>,
    /// Who waited uninterruptibly meanwhile and where, the longest first.
    pub waiting: Vec<StackGroup>,
    /// What ran on the CPUs meanwhile, the longest first; idle CPUs are left out.
    pub running: Vec<StackGroup>,
    /// Who ended the workload's wait, likely what it waited for.
    pub waited_for: Option<WaitedFor>,
    /// Memory at its two ends, in ns after the phase began.
    pub memory: Vec<MemoryAt>,
    /// The disks meanwhile.
    pub disks: Option<DisksView>,
}

/// Who woke the workload at the end of its longest wait in a stall.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitedFor {
    /// The task; the interrupted one where it was an interrupt.
    pub task: String,
    /// Whether an interrupt did it: a disk's completion, a timer.
    pub interrupt: bool,
    /// Where the waker was, innermost function first.
    pub frames: Vec<String>,
}

/// The pass that looked from inside.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inside {
    /// How often it looked.
    pub every: Nanos,
    /// Moments at which it looked.
    pub samples: u64,
    /// Its phases' times beside the timing pass's.
    pub shifts: Vec<Shift>,
    /// What a finding from this pass can explain at the least: the largest shift, in thousandths.
    pub largest_shift_milli: u64,
    /// What was sampled, as series over time.
    pub series: Vec<SampledSeries>,
}

/// A phase's time in two passes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shift {
    /// The phase's label.
    pub phase: String,
    /// Its time in the timing pass, ns.
    pub timed_ns: u64,
    /// Its time in the pass that looked, ns.
    pub observed_ns: u64,
}

/// One sampled value over time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampledSeries {
    /// What it is: `dirty`, `free`, `nullb0 in flight`, `pressure io some`.
    pub name: String,
    /// Its unit: `bytes`, `requests`, `percent/100`, `pages`.
    pub unit: String,
    /// Moments, ns after the first phase began, and values.
    pub points: Vec<(i64, u64)>,
}
