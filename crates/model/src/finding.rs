//! Findings: named mechanisms, each with the evidence that it rests on.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::trace::Span;

/// A mechanism that was at work, and what shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Which.
    pub mechanism: Mechanism,
    /// The phase's label; `None` where the evidence knows no phases.
    pub phase: Option<String>,
    /// What happened, in a sentence.
    pub sentence: String,
    /// Time that it explains, ns: of a trial's phase, or of a difference between two. `None` where the evidence
    /// has no times.
    pub ns: Option<u64>,
    /// The same as a share of the phase, or of the difference, in thousandths; 1000 where it is more than that.
    pub share_milli: Option<u64>,
    /// The numbers that it rests on.
    pub numbers: Vec<Number>,
    /// The call path that shows it, innermost function first; empty where none does.
    pub frames: Vec<String>,
    /// The longest stretch of it, ns after the phase began.
    pub longest: Option<Span>,
    /// How sure it is.
    pub surety: Surety,
}

/// A mechanism by which writing becomes slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mechanism {
    /// Several disks have data to be written, and one at a time is.
    OneDiskAtATime,
    /// The caller writes back by itself while the threads whose work that is do nothing.
    IdleFlushers,
    /// The page allocator walks long free lists.
    FreeListSearch,
    /// The journal commits, or has no room left.
    Journal,
    /// Writers are held back for dirty memory.
    DirtyThrottling,
    /// The writer has to free memory before it can go on.
    Reclaim,
    /// Tasks stand in line for one lock of a filesystem.
    LockConvoy,
    /// More bytes go to the disks than were written.
    WriteAmplification,
}

impl fmt::Display for Mechanism {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mechanism::OneDiskAtATime => "one disk at a time",
            Mechanism::IdleFlushers => "flushers idle",
            Mechanism::FreeListSearch => "free-list search",
            Mechanism::Journal => "journal",
            Mechanism::DirtyThrottling => "dirty throttling",
            Mechanism::Reclaim => "reclaim",
            Mechanism::LockConvoy => "lock convoy",
            Mechanism::WriteAmplification => "write amplification",
        })
    }
}

/// How sure a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Surety {
    /// Every instant of it was seen, and its share was counted.
    Measured,
    /// It was seen in samples.
    Sampled,
    /// The evidence fits, and something else would fit as well.
    Likely,
}

/// A number that a finding rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Number {
    /// What it is: `disks busy at a time`.
    pub name: String,
    /// Its unit: `s`, `bytes`, `disks`, `instructions`, `times`; empty for a ratio.
    pub unit: String,
    /// Of the baseline; `None` in a trial by itself.
    pub baseline: Option<f64>,
    /// Of the variant, or the trial.
    pub value: f64,
}
