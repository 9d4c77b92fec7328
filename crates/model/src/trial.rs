//! A trial that was run.

use serde::{Deserialize, Serialize};

use crate::fingerprint::Fingerprint;
use crate::measurement::Measurements;
use crate::spec::TrialSpec;

/// A trial with its result, as the archive keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trial {
    /// The format's number.
    pub format: u32,
    /// Its name in the archive.
    pub id: String,
    /// The run or comparison that made it, by its ID. Empty in archives that did not know sets:
    /// such a trial is a set of its own.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub set: String,
    /// When it began: RFC 3339, UTC.
    pub started: String,
    /// What the trial took on the host, ns.
    pub host_ns: u64,
    /// What was asked for.
    pub spec: TrialSpec,
    /// What it depended on.
    pub fingerprint: Fingerprint,
    /// Where something had to fall back, or a figure wants a word, in sentences.
    pub notes: Vec<String>,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It ran to its end.
    Measured(Measurements),
    /// It did not; it enters no series.
    Broken(Broken),
}

/// Why a trial is broken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Broken {
    /// Which kind of breakage it is.
    pub kind: BrokenKind,
    /// What happened, in a sentence or two.
    pub reason: String,
    /// The last lines of the guest's console.
    pub console: Vec<String>,
}

/// The ways in which a trial breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BrokenKind {
    /// The kernel could not be built from its source.
    Build,
    /// The guest never reached the agent.
    NoBoot,
    /// The guest's kernel panicked.
    Panic,
    /// The trial could not be prepared: a module, a disk, a sysctl.
    Setup,
    /// A step of the case failed.
    Workload,
    /// It took more guest or host time than it may.
    OutOfTime,
    /// The emulator ended or misbehaved.
    Emulator,
    /// The program was told to stop.
    Interrupted,
}

impl Trial {
    /// The measurements, unless the trial is broken.
    #[must_use]
    pub fn measured(&self) -> Option<&Measurements> {
        match &self.outcome {
            Outcome::Measured(measurements) => Some(measurements),
            Outcome::Broken(_) => None,
        }
    }
}
