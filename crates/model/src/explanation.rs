//! Why a variant is slower, or faster, than the baseline: a difference, taken apart.

use serde::{Deserialize, Serialize};

use crate::account::SeenFrom;
use crate::comparison::series_label;
use crate::finding::Finding;

/// What further passes say of the differences between a variant and the baseline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// The variant, an index of [`crate::Question::variants`].
    pub variant: usize,
    /// The seeds whose trials were looked at, on both sides.
    pub seeds: Vec<u64>,
    /// Those trials: the baseline's and the variant's, in the order of the seeds.
    pub trials: Vec<(String, String)>,
    /// From where the passes looked.
    pub seen_from: SeenFrom,
    /// Whether they measured the trials' own nanoseconds.
    pub same_times: bool,
    /// The phases whose times differ, the headline first.
    pub phases: Vec<PhaseExplained>,
    /// What could not be seen, and what does not hold here, in sentences.
    pub notes: Vec<String>,
}

/// One phase's difference, taken apart. Times are means over the seeds that were looked at, ns; a difference is
/// the variant's less the baseline's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PhaseExplained {
    /// The phase's name.
    pub phase: String,
    /// The rounds, as in [`crate::Series`]; times are means a round.
    pub rounds: Option<(u32, u32)>,
    /// The baseline's time.
    pub baseline_ns: f64,
    /// The variant's.
    pub variant_ns: f64,
    /// Of the whole difference what is running, what is waiting for a CPU, and what is waiting for something else, ns;
    /// `None` where the workload was not seen.
    #[serde(default)]
    pub kinds: Option<KindsDifference>,
    /// The parts of the workload's time, the largest difference first; with [`PhaseExplained::rest_ns`] their
    /// differences add up to the phase's.
    pub parts: Vec<Part>,
    /// What is in no part: what was not seen, and small parts all together.
    pub rest_ns: f64,
    /// Instructions of the whole machine by function: where the difference is, the largest first; counts are means
    /// over the seeds. Empty where they were not counted.
    pub functions: Vec<FunctionDifference>,
    /// Where the machine has one CPU: what its instructions' difference takes, and that of its idle time.
    pub machine: Option<(f64, f64)>,
    /// What explains the difference, by name, the largest share first.
    pub findings: Vec<Finding>,
    /// The share of the difference that no finding explains, in thousandths.
    pub unexplained_milli: u64,
}

/// A difference by what the workload did, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KindsDifference {
    /// It ran.
    pub running_ns: f64,
    /// It could have run, and somebody else did.
    pub ready_ns: f64,
    /// It waited.
    pub blocked_ns: f64,
}

/// A part of the workload's time on both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// What the workload did.
    pub kind: PartKind,
    /// The function that names it, or who had the CPU.
    pub what: String,
    /// The call path, innermost function first.
    pub frames: Vec<String>,
    /// For a wait, who ended most of it and what that one waited for in turn: `kworker/flush`, `disk`.
    pub chain: Vec<String>,
    /// The baseline's time.
    pub baseline_ns: f64,
    /// The variant's.
    pub variant_ns: f64,
    /// Whether seeds alone move it as much: its difference has not the same sign under every seed, or is
    /// smaller than what it differs by from seed to seed on one side.
    pub by_chance: bool,
}

impl Part {
    /// The difference, ns.
    #[must_use]
    pub fn difference(&self) -> f64 {
        self.variant_ns - self.baseline_ns
    }
}

/// What the workload did in a part of its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartKind {
    /// It ran.
    Running,
    /// It could have run, and somebody else did.
    Ready,
    /// It waited.
    Blocked,
}

/// A function's instructions on both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FunctionDifference {
    /// As in [`crate::FunctionCount::name`].
    pub name: String,
    /// The baseline's instructions.
    pub baseline: f64,
    /// The variant's.
    pub variant: f64,
}

impl PhaseExplained {
    /// The difference, ns.
    #[must_use]
    pub fn difference(&self) -> f64 {
        self.variant_ns - self.baseline_ns
    }

    /// See [`series_label`].
    #[must_use]
    pub fn label(&self) -> String {
        series_label(&self.phase, self.rounds)
    }
}
