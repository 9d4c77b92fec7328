//! One trial, wholly described.

use serde::{Deserialize, Serialize};

use crate::case::Phase;
use crate::ffsb::Profile;
use crate::settings::Settings;
use crate::units::Nanos;

/// A trial before it runs. The same spec and fingerprint give the same numbers in the exact place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrialSpec {
    /// The case's name.
    pub case: String,
    /// The phase by which the case is judged.
    pub headline: String,
    /// All phases, rounds written out.
    pub phases: Vec<Phase>,
    /// The profile that the ffsb phases follow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ffsb: Option<Profile>,
    /// Files and folders that travel along with commands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<String>,
    /// All settings.
    pub settings: Settings,
    /// Where it runs, as given to `--on`.
    pub place: String,
    /// Which harmless perturbation it runs under; 0 is none.
    pub seed: u64,
    /// What it may take.
    pub limits: Limits,
}

impl TrialSpec {
    /// Whether a phase streams `size`.
    #[must_use]
    pub fn streams(&self) -> bool {
        self.phases.iter().any(|phase| phase.action.streams())
    }
}

/// What a trial may take before it is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The guest's time from its readiness to the end of the last phase.
    pub guest: Nanos,
    /// The host's time for the boot, and again for the trial.
    pub wall: Nanos,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { guest: Nanos(3_600_000_000_000), wall: Nanos(600_000_000_000) }
    }
}
