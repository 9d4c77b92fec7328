//! From what was seen of a trial to where it waited, what ran, and what the disks did meanwhile.
//!
//! [`outside()`] works on a [`model::Trace`], in which every switch and every request stands: its
//! times are exact. [`sampled()`] works on samples: its times are numbers of samples.
//!
//! All moments in what comes out are ns after the phase began.

pub(crate) mod disks;
pub(crate) mod frames;
pub(crate) mod groups;
mod limits;
mod memory;
pub(crate) mod names;
pub(crate) mod outside;
mod sampled;
mod sampled_disks;
pub(crate) mod stretches;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod timeline;
mod waiting;

pub use limits::{MOST_STALLS, judged_limit};
pub use outside::outside;
pub use sampled::{DiskSample, Samples, StackSample, sampled};

use model::observation::{DisksView, PhaseView, Stall, StallLimit};

/// What a pass showed: the parts of a [`model::Observation`] that rest on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The phases, as in the trial.
    pub phases: Vec<PhaseView>,
    /// The disks over all phases, from the first one's begin to the last one's end.
    pub whole: Option<DisksView>,
    /// The longest stalls, at most [`MOST_STALLS`], longest first.
    pub stalls: Vec<Stall>,
    /// From what length on a stretch is a stall, by phase name.
    pub limits: Vec<StallLimit>,
    /// What could not be seen, and why, in sentences.
    pub notes: Vec<String>,
}
