//! Runs phases in order and measures each, in a guest and on a host alike.

use std::path::PathBuf;

use model::case::Phase;
use model::settings::Rewrite;
use model::{Action, PhaseRun};
use protocol::marker::{NO_PHASE, phase_number};

use crate::clock::now_ns;
use crate::failure::{Failure, While as _};
use crate::latency::Latency;
use crate::pages::Pages;
use crate::usage::{Meter, Reading, account};
use crate::whereabouts::Whereabouts;
use crate::{marker, stream};

/// Where phases run, and what can be done there alone.
pub(crate) trait Site {
    /// The folders that a write writes into, one after the other.
    fn folders(&self) -> &[PathBuf];

    /// The disks below them by their names in `/proc/diskstats`.
    fn disks(&self) -> &[String];

    /// Does what is neither a write nor a sync (those are the workload's own); the bytes that it
    /// streamed, where it streams.
    ///
    /// # Errors
    /// It fails, or is not to be had here.
    fn act(&mut self, action: &Action) -> Result<Option<u64>, Failure>;

    /// What comes after an action and is not timed.
    ///
    /// # Errors
    /// It fails.
    fn follow_up(&mut self, action: &Action) -> Result<(), Failure>;
}

/// How a writing phase writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Writing {
    /// Bytes for each folder.
    pub(crate) size: u64,
    /// Bytes of one write.
    pub(crate) block: u64,
    /// What becomes of the file of the round before.
    pub(crate) rewrite: Rewrite,
}

/// The workload between its phases.
pub(crate) struct Workload<'a, S> {
    site: S,
    writing: Writing,
    whereabouts: &'a Whereabouts,
    /// What a write writes.
    block: Pages,
    latency: Latency,
    meter: Meter,
    before: Reading,
    after: Reading,
}

impl<'a, S: Site> Workload<'a, S> {
    /// Makes ready what all phases need: memory and open files.
    ///
    /// # Errors
    /// Something of that cannot be had.
    pub(crate) fn new(
        site: S,
        writing: Writing,
        whereabouts: &'a Whereabouts,
    ) -> Result<Self, Failure> {
        let block = usize::try_from(writing.block).unwrap_or(usize::MAX);
        let meter = Meter::new();
        Ok(Workload {
            site,
            writing,
            whereabouts,
            block: Pages::new(block).in_setup("allocating the block that is written")?,
            latency: Latency::new(),
            before: meter.room(),
            after: meter.room(),
            meter,
        })
    }

    /// Runs all phases.
    ///
    /// # Errors
    /// The first phase that fails; those behind it do not run.
    pub(crate) fn run(mut self, phases: &[Phase]) -> Result<Vec<PhaseRun>, Failure> {
        let mut runs = Vec::with_capacity(phases.len());
        for (index, phase) in phases.iter().enumerate() {
            runs.push(self.measure(index, phase)?);
            self.site.follow_up(&phase.action)?;
        }
        Ok(runs)
    }

    fn measure(&mut self, index: usize, phase: &Phase) -> Result<PhaseRun, Failure> {
        let mut run =
            PhaseRun { name: phase.name.clone(), round: phase.round, ..PhaseRun::default() };
        let label = run.label();
        self.whereabouts.enter(format!("in phase `{label}`"));
        self.latency.clear();
        self.meter.read(&mut self.before);
        marker::mark(phase_number(index));
        let began = now_ns();
        let done = self.act(phase);
        let ended = now_ns();
        marker::mark(NO_PHASE);
        self.meter.read(&mut self.after);
        run.bytes = done.map_err(|failure| Failure {
            reason: format!("in phase `{label}`: {}", failure.reason),
            ..failure
        })?;
        run.wall_ns = ended - began;
        account(&mut run, &self.before, &self.after, self.site.disks());
        run.write_latency = self.latency.buckets();
        run.slowest = self.latency.slowest(began);
        Ok(run)
    }

    /// Does a phase; the bytes that it streamed, where it streams.
    fn act(&mut self, phase: &Phase) -> Result<Option<u64>, Failure> {
        match &phase.action {
            Action::Write { file } => self.write(file, phase.round).map(Some),
            Action::Sync => {
                rustix::fs::sync();
                Ok(None)
            }
            other => self.site.act(other),
        }
    }

    fn write(&mut self, file: &str, round: Option<u32>) -> Result<u64, Failure> {
        let Writing { size, block, rewrite } = self.writing;
        let truncate = rewrite == Rewrite::Truncate || round.is_none_or(|r| r <= 1);
        let length = usize::try_from(block).unwrap_or(usize::MAX);
        let block = &self.block[..length];
        let mut bytes = 0;
        for folder in self.site.folders() {
            let path = folder.join(file);
            bytes += stream::write(&path, size, block, truncate, &mut self.latency)?;
        }
        Ok(bytes)
    }
}
