//! What was seen of a trial from outside while it ran: every task switch, wake-up and disk request,
//! in the order in which they happened, on the guest's own clock.
//!
//! A trace holds raw observations; what they mean is worked out from it (`analysis`).

use serde::{Deserialize, Serialize};

use crate::profile::PhaseProfile;

/// A trial as it was seen from outside. All times are ns of the guest's clock on which
/// [`Trace::phases`] lie.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// The phases that ran, in order.
    pub phases: Vec<Span>,
    /// The tasks that were seen; others name them by their index.
    pub tasks: Vec<Task>,
    /// Call paths, innermost function first, as [`Frame`]s; others name them by their index.
    pub stacks: Vec<Vec<Frame>>,
    /// Task switches, in the order of their times.
    pub switches: Vec<Switch>,
    /// Wake-ups, in the order of their times.
    pub wakes: Vec<Wake>,
    /// The disks' names; requests name them by their index.
    pub disks: Vec<String>,
    /// Requests to disks, in the order in which they were issued.
    pub requests: Vec<Request>,
    /// The kernel's counts of memory, in the order of their times.
    pub memory: Vec<MemoryAt>,
    /// What an instruction costs, ns; `None` where the machine has several CPUs, whose instructions do not
    /// add up to time.
    #[serde(default)]
    pub insn_ns: Option<u64>,
    /// Instructions executed when each phase began and when it ended, in the order of [`Trace::phases`].
    #[serde(default)]
    pub counted: Vec<(u64, u64)>,
    /// Instructions by function, exact, in the order of the phases; empty where they were not counted.
    #[serde(default)]
    pub profile: Vec<PhaseProfile>,
    /// A call path was taken every so many instructions.
    #[serde(default)]
    pub sampled_every: Option<u64>,
    /// Those call paths, in the order of their times.
    #[serde(default)]
    pub samples: Vec<PathSample>,
    /// What could not be seen, and why.
    pub notes: Vec<String>,
}

/// A stretch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Its begin.
    pub from_ns: u64,
    /// Its end.
    pub to_ns: u64,
}

impl Span {
    /// How long it is, ns.
    #[must_use]
    pub fn length(self) -> u64 {
        self.to_ns.saturating_sub(self.from_ns)
    }
}

/// A task of the guest.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Task {
    /// The kernel's number of the thread; 0 is a CPU's idle task.
    pub pid: u32,
    /// The number of its process; the same for a process's threads.
    pub process: u32,
    /// Its name, at most 15 characters.
    pub name: String,
    /// Whether it is the kernel's own: it has no user memory.
    #[serde(default)]
    pub kernel: bool,
}

/// A place in a call path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Frame(
    /// The function, and ` [module]` where it is in one; an address where no name is known.
    pub String,
);

/// A CPU goes from one task to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Switch {
    /// When.
    pub at_ns: u64,
    /// The CPU.
    pub cpu: u32,
    /// The task that leaves it.
    pub from: u32,
    /// Why that task leaves.
    pub state: TaskState,
    /// Where it leaves.
    pub stack: u32,
    /// The task that comes.
    pub to: u32,
    /// Instructions that all CPUs executed before; `None` in older traces.
    #[serde(default)]
    pub instructions: Option<u64>,
}

/// What ran at a moment that was chosen by counting instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathSample {
    /// When.
    pub at_ns: u64,
    /// The CPU.
    pub cpu: u32,
    /// The call path; the first frame is the function that ran. Of a program's own code it is that alone.
    pub stack: u32,
}

/// What a task is when it leaves its CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskState {
    /// It could go on: the CPU was taken from it (R).
    Runnable,
    /// It waits and a signal may end that (S).
    Interruptible,
    /// It waits and nothing but what it waits for ends that (D).
    Uninterruptible,
    /// It waits like that, but for nothing in particular: an idle kernel thread (I).
    Idle,
    /// It ends, is stopped or traced.
    Other,
}

/// A task is made runnable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wake {
    /// When.
    pub at_ns: u64,
    /// The CPU on which that happened.
    pub cpu: u32,
    /// The task that is woken.
    pub task: u32,
    /// Where the waker was; interrupts show here.
    pub stack: u32,
}

/// A request to a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The disk's index.
    pub disk: u32,
    /// What it asks for.
    pub kind: RequestKind,
    /// Its bytes; 0 for a bare flush.
    pub bytes: u64,
    /// When the disk's driver was first asked to take it.
    pub issued_ns: u64,
    /// The task on whose CPU that was; `None` where it is not known.
    #[serde(default)]
    pub by: Option<u32>,
    /// When it was done; `None` where that was not seen.
    pub done_ns: Option<u64>,
}

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequestKind {
    /// A read.
    Read,
    /// A write.
    Write,
    /// A flush of the disk's cache.
    Flush,
    /// A discard or anything else.
    Other,
}

/// The kernel's counts of memory at one moment, bytes; `None` where they cannot be had. With
/// per-CPU counters the kernel's sums lag behind by some hundred KiB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryAt {
    /// When.
    pub at_ns: u64,
    /// Free.
    pub free: Option<u64>,
    /// Page cache.
    pub cache: Option<u64>,
    /// Changed, and not on its way to a disk.
    pub dirty: Option<u64>,
    /// On its way to a disk.
    pub writeback: Option<u64>,
}
