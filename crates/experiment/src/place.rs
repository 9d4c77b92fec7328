//! Where trials run.

use std::sync::atomic::{AtomicBool, Ordering};

use model::{Fingerprint, Measurements, Outcome, Trace, TrialSpec, Variant};

/// Somewhere that trials can run.
pub trait Place: Sync {
    /// Whether a setting means anything in this place.
    ///
    /// # Errors
    /// It does not; the sentence says how the same is done instead.
    fn takes(&self, key: &str) -> Result<(), String>;

    /// Whether the same spec and fingerprint give the same numbers here, every time.
    fn is_exact(&self, spec: &TrialSpec) -> bool;

    /// Makes ready what trials of a side need and what takes long, so that a check is quick
    /// afterwards: a kernel is fetched or built. `tell` hears of it, a few words at a time. A kernel that
    /// does not build is no error: its trials are broken.
    ///
    /// # Errors
    /// See [`PlaceError`]. When it was cancelled it returns early, without one.
    fn make_ready(
        &self,
        side: &Variant,
        tell: &(dyn Fn(&str) + Sync),
        cancel: &Cancel,
    ) -> Result<(), PlaceError>;

    /// Finds what would make the trial impossible or meaningless, before anything runs, and returns
    /// what its numbers will depend on; `None` where it is known that it breaks before it begins.
    ///
    /// # Errors
    /// See [`PlaceError`].
    fn check(&self, spec: &TrialSpec) -> Result<Option<Fingerprint>, PlaceError>;

    /// Runs a trial to its end. What goes wrong inside the trial is a broken outcome, no error.
    ///
    /// # Errors
    /// See [`PlaceError`]; then there is no trial.
    fn run(
        &self,
        spec: &TrialSpec,
        events: &(dyn Fn(TrialEvent) + Sync),
        cancel: &Cancel,
    ) -> Result<TrialOutput, PlaceError>;

    /// Looks at a trial that was measured, by running it again, in as many `passes` as are wanted. What cannot be seen is told
    /// by the notes, no error.
    ///
    /// # Errors
    /// See [`PlaceError`].
    fn observe(
        &self,
        spec: &TrialSpec,
        passes: Passes,
        events: &(dyn Fn(TrialEvent) + Sync),
        cancel: &Cancel,
    ) -> Result<Seen, PlaceError>;
}

/// Which further passes of a trial are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passes {
    /// All that the place has: from outside and from inside.
    All,
    /// The one that shows where the time went: from outside, and only where that cannot be, from inside.
    Reasons,
}

/// What further passes of a trial saw.
#[derive(Debug, Default)]
pub struct Seen {
    /// The pass that looked from outside.
    pub outside: Option<Outside>,
    /// The pass that looked from inside.
    pub inside: Option<InsidePass>,
    /// What could not be seen, and why, in sentences.
    pub notes: Vec<String>,
    /// What is kept besides: name and bytes.
    pub attachments: Vec<(String, Vec<u8>)>,
}

/// A pass that looked from outside.
#[derive(Debug)]
pub struct Outside {
    /// What it measured; the same as the trial, in an exact place.
    pub measurements: Measurements,
    /// What it saw.
    pub trace: Trace,
}

/// A pass that looked from inside.
#[derive(Debug)]
pub struct InsidePass {
    /// What it measured, shifted by the looking.
    pub measurements: Measurements,
    /// What it saw, in the form of `evidence::samples`.
    pub samples: Vec<u8>,
}

/// Why a place cannot run a trial.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// The request itself cannot be met: wrong input.
    #[error("{0}")]
    Refused(String),
    /// Something that must be installed is not.
    #[error("{0}")]
    Missing(String),
    /// The host failed: a full disk, no permission.
    #[error("{0}")]
    Host(String),
}

/// What came of a trial and what belongs to it.
#[derive(Debug)]
pub struct TrialOutput {
    /// What the numbers depended on.
    pub fingerprint: Fingerprint,
    /// Where something had to fall back, or a figure wants a word.
    pub notes: Vec<String>,
    /// What came of it.
    pub outcome: Outcome,
    /// Logs and profiles: name and bytes.
    pub attachments: Vec<(String, Vec<u8>)>,
}

/// What happens while a trial runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialEvent {
    /// The machine boots, to be saved when it is ready.
    Booting,
    /// The trial starts in a ready machine.
    Started,
    /// The phase of that index, from 0, began.
    PhaseBegan(usize),
    /// The phase of that index ended.
    PhaseEnded(usize),
    /// A further pass begins, which looks at a trial that was measured.
    Observing,
}

/// Set once, by a signal: running trials are ended, no other starts.
#[derive(Debug, Default)]
pub struct Cancel(AtomicBool);

impl Cancel {
    /// One that is not set.
    #[must_use]
    pub const fn new() -> Self {
        Cancel(AtomicBool::new(false))
    }

    /// Sets it. Safe to call from a signal handler.
    pub fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether it is set.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
