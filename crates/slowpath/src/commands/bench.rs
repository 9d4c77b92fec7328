//! What every command that runs trials works with: places, archive, progress, signals.

use std::io::{self, Write};
use std::sync::Arc;
use std::thread;

use experiment::{Archive, ArchiveError, Cancel, Clock, Place, Progress, Runner};
use model::{Fingerprint, Nanos, Trial, TrialSpec, Variant};
use slowpath::arguments::{Arguments, Running};

use crate::clock::SystemClock;
use crate::commands::output;
use crate::exit::Failure;
use crate::places::{self, Looks, Places};
use crate::progress::Line;

/// The store as `experiment` wants it.
pub(crate) struct Kept(pub(crate) store::Archive);

impl Archive for Kept {
    fn keep(&self, trial: &Trial, attachments: &[(String, Vec<u8>)]) -> Result<(), ArchiveError> {
        self.0.add(trial, attachments).map(drop).map_err(|error| ArchiveError(error.to_string()))
    }

    fn attach(&self, trial: &str, attachments: &[(String, Vec<u8>)]) -> Result<(), ArchiveError> {
        self.0.attach(trial, attachments).map_err(|error| ArchiveError(error.to_string()))
    }

    fn attachment(&self, trial: &str, name: &str) -> Result<Option<Vec<u8>>, ArchiveError> {
        self.0.attachment(trial, name).map_err(|error| ArchiveError(error.to_string()))
    }

    fn known(
        &self,
        spec: &TrialSpec,
        fingerprint: &Fingerprint,
    ) -> Result<Option<Trial>, ArchiveError> {
        self.0.known(spec, fingerprint).map_err(|error| ArchiveError(error.to_string()))
    }
}

/// Places, archive and the rest.
pub(crate) struct Bench {
    pub(crate) places: Places,
    pub(crate) archive: Kept,
    pub(crate) clock: SystemClock,
    pub(crate) progress: Line,
    pub(crate) cancel: Arc<Cancel>,
    jobs: usize,
}

impl Bench {
    /// The bench of this machine; from now on signals end trials in order.
    pub(crate) fn new(
        arguments: &Arguments,
        running: &Running,
        looks: Looks,
    ) -> Result<Self, Failure> {
        output::check(running.json.as_deref())?;
        let cancel = cancelled_by_signals()?;
        let jobs = running.jobs.map_or_else(cores, usize::from);
        Ok(Bench {
            places: Places::new(arguments, looks, (jobs, Arc::clone(&cancel)))?,
            archive: Kept(places::archive(arguments)?),
            clock: SystemClock::new(),
            progress: Line::new(),
            cancel,
            jobs,
        })
    }

    /// Fetches or builds the kernels that these variants name, before anything runs.
    pub(crate) fn make_ready(&self, variants: &[Variant]) -> Result<(), Failure> {
        for variant in variants {
            self.places.make_ready(variant, &|text| self.progress.told(text), &self.cancel)?;
            if self.cancel.is_set() {
                return Err(Failure::interrupted("interrupted; what was built is kept"));
            }
        }
        Ok(())
    }

    /// A runner of trials that belong to the set of that ID.
    pub(crate) fn runner(&self, set: &str, budget: Option<Nanos>) -> Runner<'_> {
        Runner {
            place: &self.places,
            archive: &self.archive,
            clock: &self.clock,
            progress: &self.progress,
            cancel: &self.cancel,
            jobs: self.jobs,
            set: set.to_owned(),
            until: budget.map(|budget| self.clock.monotonic_ns().saturating_add(budget.0)),
        }
    }

    /// Trials at once, in an exact place.
    pub(crate) fn jobs(&self) -> usize {
        self.jobs
    }

    /// Tells whoever interrupted what is kept.
    pub(crate) fn tell_if_interrupted(&self, kept: &str) {
        if self.cancel.is_set() {
            // Nobody may be left to read it.
            let _ = writeln!(io::stderr(), "slowpath: interrupted; {kept}");
        }
    }
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Interrupt, termination and hang-up end the run in order.
fn cancelled_by_signals() -> Result<Arc<Cancel>, Failure> {
    let cancel = Arc::new(Cancel::new());
    let handle = Arc::clone(&cancel);
    ctrlc::set_handler(move || handle.set())
        .map_err(|error| Failure::missing(format!("signals cannot be handled: {error}")))?;
    Ok(cancel)
}
