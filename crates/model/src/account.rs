//! Where a phase's time went, as a further pass of a trial saw it.
//!
//! The workload's time is split without gap and without overlap: at every moment of a phase one of its
//! tasks runs, or else one could run and has no CPU, or else all of them wait. So its parts add up to the
//! phase. All moments are ns after the phase began.

use serde::{Deserialize, Serialize};

use crate::case::label;
use crate::finding::Finding;
use crate::observation::DisksView;
use crate::profile::FunctionCount;
use crate::trace::RequestKind;

/// All that a further pass tells of where a trial's time went.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Accounts {
    /// The format's number.
    pub format: u32,
    /// From where the pass looked.
    pub seen_from: SeenFrom,
    /// Whether it measured the trial's own nanoseconds.
    pub same_times: bool,
    /// A call path was taken every so many instructions; `None` where none were.
    pub sampled_every: Option<u64>,
    /// The phases, as in the trial.
    pub phases: Vec<Account>,
    /// What the time went into, by name: in each phase, the largest first.
    pub findings: Vec<Finding>,
    /// What could not be seen, and why, in sentences.
    pub notes: Vec<String>,
}

/// From where a pass looked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SeenFrom {
    /// From the emulator: every switch and request, at no cost in guest time.
    #[default]
    Outside,
    /// By samples of `/proc`: times are numbers of samples, and the looking shifted them.
    Inside,
}

/// Where one phase's time went.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Account {
    /// The phase's name.
    pub phase: String,
    /// The round, from 1; `None` outside rounds.
    pub round: Option<u32>,
    /// Its time in the timing pass, ns.
    pub timed_ns: u64,
    /// Its time in this pass, ns; the parts below add up to it.
    pub wall_ns: u64,
    /// The machine's one CPU; `None` where it has several, or its instructions were not counted.
    pub machine: Option<MachineTime>,
    /// Instructions of the whole machine by function, largest first, exact; empty where they were not counted.
    pub functions: Vec<FunctionCount>,
    /// The workload's time; `None` where its tasks were not seen.
    pub workload: Option<WorkloadTime>,
    /// The tasks that were on a CPU in the phase, those of one name folded, the longest running first.
    pub tasks: Vec<TaskTime>,
    /// What the disks did; `None` where they were not seen.
    pub disks: Option<DisksView>,
    /// Who had requests done, by disk, in the order of their first ones; empty where that was not seen.
    pub issued: Vec<IssuedBy>,
    /// How the workload's waiting and the disks' work lay to each other; `None` where either was not seen.
    pub overlap: Option<Overlap>,
    /// Bytes that the workload wrote in the phase; `None` where that is not known.
    pub written_bytes: Option<u64>,
}

/// What the machine's one CPU did: `instructions × cost + idle` is the phase's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineTime {
    /// Instructions executed, by whomever.
    pub instructions: u64,
    /// What they took, ns.
    pub busy_ns: u64,
    /// Time in which the CPU was halted, ns: counted by itself, from idle stretches alone.
    pub idle_ns: u64,
}

/// The workload's time in a phase: the parts add up to [`Account::wall_ns`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkloadTime {
    /// At least one of its tasks was on a CPU, by call path, the longest first.
    pub running: Vec<RanAt>,
    /// None ran, but one could have: a CPU was lacking.
    pub ready: Vec<ReadyBehind>,
    /// All waited, by where, the longest first. Where several waited at once, each has its share.
    pub blocked: Vec<BlockedAt>,
    /// None of it was seen, ns.
    pub unseen_ns: u64,
}

/// Time on a CPU with one call path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RanAt {
    /// The call path, innermost function first: where the time was spent. Empty where no paths were taken.
    pub frames: Vec<String>,
    /// How long, ns. Paths are samples: they share the time that was measured exactly.
    pub ns: u64,
}

/// Time in which a task of the workload could have run and somebody else had the CPU.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadyBehind {
    /// Who had the CPU, by name; `interrupts and idle` where it was no task.
    pub holder: String,
    /// How long, ns.
    pub ns: u64,
}

/// Time waited at one place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockedAt {
    /// The call path, innermost function first, without the scheduler's own.
    pub frames: Vec<String>,
    /// `D` or `S`, as ps(1) shows it.
    pub state: String,
    /// How long, ns.
    pub ns: u64,
    /// How often.
    pub times: u64,
    /// The first of the waits that is longest, ns after the phase began.
    pub longest_at_ns: u64,
    /// How long that one was, ns.
    pub longest_ns: u64,
    /// What ended these waits, the most time first; the times add up to `ns`.
    pub ended_by: Vec<EndedBy>,
}

/// What ended waits, and what it did while they lasted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedBy {
    /// Who.
    pub waker: Waker,
    /// Time of the waits that it ended, ns.
    pub ns: u64,
    /// How many.
    pub times: u64,
    /// Where the waker was, innermost first; empty where several places were seen.
    pub frames: Vec<String>,
    /// Of a task: what it did during these waits.
    pub meanwhile: Option<Meanwhile>,
}

/// Who ended a wait.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Waker {
    /// A task, by name; of kernel threads by what they work for.
    Task(String),
    /// A disk had done a request.
    Disk,
    /// A timer or another interrupt.
    Interrupt,
    /// The phase ended first, or it was not seen.
    #[default]
    Unknown,
}

/// What a waker did while others waited for it: the times add up to those of the waits that it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meanwhile {
    /// It was on a CPU, ns.
    pub running_ns: u64,
    /// It could have been, ns.
    pub ready_ns: u64,
    /// It waited, and where, the longest first; at most a few steps deep.
    pub blocked: Vec<BlockedAt>,
}

/// A task's time in a phase, or that of several of one name, together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskTime {
    /// The name; kernel threads by what they work for.
    pub name: String,
    /// Whether it is the kernel's own.
    pub kernel: bool,
    /// How many tasks.
    pub tasks: u32,
    /// On a CPU, ns.
    pub running_ns: u64,
    /// Ready for one, ns.
    pub ready_ns: u64,
    /// Waiting for something, ns; an idle worker's waiting for work is not among it.
    pub blocked_ns: u64,
    /// Without work, ns.
    pub idle_ns: u64,
    /// Where it waited, the longest first.
    pub waits: Vec<BlockedAt>,
}

/// Requests of one kind that one name had done by one disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssuedBy {
    /// The disk, an index of [`DisksView::disks`].
    pub disk: u32,
    /// Who handed them to the disk: a program, or a kernel thread by what it works for.
    pub by: String,
    /// Whether it is a kernel thread.
    pub kernel: bool,
    /// The kind.
    pub kind: RequestKind,
    /// Requests that were issued in the phase.
    pub requests: u64,
    /// Their bytes.
    pub bytes: u64,
    /// When the first was issued.
    pub first_ns: u64,
    /// When the last was done; the phase's end where that was not seen.
    pub last_ns: u64,
}

/// How waiting and the disks' work lay to each other. Each is a part of the workload's waiting, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overlap {
    /// All of its waiting.
    pub waited_ns: u64,
    /// No disk had a request.
    pub no_disk_ns: u64,
    /// Exactly one disk had requests, while another one still had some to come in the phase.
    pub one_disk_ns: u64,
    /// The disks' requests were the workload's own, and no flusher ran, could run, or had a request in flight.
    pub no_flusher_ns: u64,
    /// Disks that had requests in the phase.
    pub disks: u32,
    /// Disks with a request in flight at a time while it waited, mean, in thousandths.
    pub busy_milli: u64,
}

impl Account {
    /// The phase's label in results: see [`label`].
    #[must_use]
    pub fn label(&self) -> String {
        label(&self.phase, self.round)
    }
}

impl WorkloadTime {
    /// Time on a CPU, ns.
    #[must_use]
    pub fn running_ns(&self) -> u64 {
        self.running.iter().map(|part| part.ns).sum()
    }

    /// Time ready for one, ns.
    #[must_use]
    pub fn ready_ns(&self) -> u64 {
        self.ready.iter().map(|part| part.ns).sum()
    }

    /// Time waiting, ns.
    #[must_use]
    pub fn blocked_ns(&self) -> u64 {
        self.blocked.iter().map(|part| part.ns).sum()
    }
}
