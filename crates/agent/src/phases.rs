//! Runs phases in order and measures each, in a guest and on a host alike.

use std::path::PathBuf;
use std::sync::Arc;

use model::case::Phase;
use model::{Action, MemoryLists, PhaseRun};
use protocol::marker::{NO_PHASE, phase_number};
use protocol::{Ffsb, PAYLOAD_ROOT};

use crate::ageing::{self, Aged};
use crate::clock::now_ns;
use crate::exec::Programs;
use crate::failure::Failure;
use crate::ffsb::Filesets;
use crate::gaps::Gaps;
use crate::marker;
use crate::usage::{Meter, Reading, account};
use crate::watch::Stage;
use crate::whereabouts::Whereabouts;
use crate::writers::Writers;

/// Where phases run, and what can be done there alone.
pub(crate) trait Site {
    /// The folders that a write writes into, one after the other.
    fn folders(&self) -> &[PathBuf];

    /// The disks below them by their names in `/proc/diskstats`.
    fn disks(&self) -> &[String];

    /// How commands are run here.
    fn programs(&self) -> Programs<'_>;

    /// Does what needs a disk of its own; the bytes that it streamed, where it streams.
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

/// The workload between its phases.
pub(crate) struct Workload<'a, S> {
    site: S,
    wanted: &'a protocol::Workload,
    whereabouts: &'a Whereabouts,
    writers: Writers,
    gaps: Arc<Gaps>,
    stage: Arc<Stage>,
    filesets: Option<Filesets>,
    /// Holds the memory in its condition.
    aged: Option<Aged>,
    meter: Meter,
    before: Reading,
    after: Reading,
}

/// What an action brought besides its time.
#[derive(Default)]
struct Done {
    bytes: Option<u64>,
    ffsb: Option<model::ffsb::Outcome>,
}

impl<'a, S: Site> Workload<'a, S> {
    /// Makes ready what all phases need: memory and open files.
    ///
    /// # Errors
    /// Something of that cannot be had.
    pub(crate) fn new(
        site: S,
        wanted: &'a protocol::Workload,
        whereabouts: &'a Whereabouts,
    ) -> Result<Self, Failure> {
        let meter = Meter::new();
        Ok(Workload {
            site,
            wanted,
            whereabouts,
            writers: Writers::new(wanted.writing)?,
            gaps: Arc::new(Gaps::new()),
            stage: Arc::default(),
            filesets: None,
            aged: None,
            before: meter.room(),
            after: meter.room(),
            meter,
        })
    }

    /// What a watcher can see of the workload.
    pub(crate) fn seen(&self) -> (Arc<Stage>, Arc<Gaps>) {
        (Arc::clone(&self.stage), Arc::clone(&self.gaps))
    }

    /// Runs all phases.
    ///
    /// # Errors
    /// The first phase that fails; those behind it do not run.
    pub(crate) fn run(mut self, phases: &[Phase]) -> Result<Vec<PhaseRun>, Failure> {
        let mut runs = Vec::with_capacity(phases.len());
        for (index, phase) in phases.iter().enumerate() {
            let before = self.memory()?;
            let mut run = self.measure(index, phase)?;
            if let Some(before) = before {
                let after = ageing::read_state()?;
                run.memory = Some(MemoryLists { before, after });
            }
            runs.push(run);
            if phase.action == Action::Age {
                ageing::verify(&self.wanted.age, &ageing::read_state()?)?;
            }
            self.site.follow_up(&phase.action)?;
        }
        Ok(runs)
    }

    /// The memory's free lists, once it was aged.
    fn memory(&self) -> Result<Option<model::MemoryState>, Failure> {
        self.aged.as_ref().map(|_| ageing::read_state()).transpose()
    }

    fn measure(&mut self, index: usize, phase: &Phase) -> Result<PhaseRun, Failure> {
        let mut run =
            PhaseRun { name: phase.name.clone(), round: phase.round, ..PhaseRun::default() };
        let label = run.label();
        self.whereabouts.enter(format!("in phase `{label}`"));
        self.writers.clear();
        self.meter.read(&mut self.before);
        self.stage.enter(Some(index));
        marker::mark(phase_number(index));
        let began = now_ns();
        self.gaps.begin(began);
        let done = self.act(phase);
        let ended = now_ns();
        marker::mark(NO_PHASE);
        self.stage.enter(None);
        self.meter.read(&mut self.after);
        let done = done.map_err(|failure| Failure {
            // Paths as the workload's programs see them.
            reason: format!("in phase `{label}`: {}", failure.reason.replace(PAYLOAD_ROOT, "")),
            ..failure
        })?;
        run.began_ns = Some(began);
        run.wall_ns = ended - began;
        account(&mut run, &self.before, &self.after, self.site.disks());
        (run.bytes, run.ffsb) = (done.bytes, done.ffsb);
        let latency = self.writers.latency();
        run.write_latency = latency.buckets();
        run.slowest = latency.slowest(began);
        run.gaps = self.gaps.take(began);
        Ok(run)
    }

    fn act(&mut self, phase: &Phase) -> Result<Done, Failure> {
        let mut done = Done::default();
        match &phase.action {
            Action::Write { file } => {
                let first = phase.round.is_none_or(|round| round <= 1);
                let folders = self.site.folders();
                done.bytes = Some(self.writers.write(folders, file, first, &self.gaps)?);
            }
            Action::Sync => rustix::fs::sync(),
            Action::Age => self.aged = Some(Aged::bring(&self.wanted.age)?),
            Action::FfsbBuild => self.filesets = Some(self.build()?),
            Action::FfsbRun => {
                let outcome = self.run_ffsb()?;
                done.bytes = Some(outcome.written_bytes);
                done.ffsb = Some(outcome);
            }
            Action::Command { command } => self.site.programs().run(command, self.whereabouts)?,
            other => done.bytes = self.site.act(other)?,
        }
        Ok(done)
    }

    fn profile(&self) -> Result<&'a Ffsb, Failure> {
        let wanted = self.wanted;
        wanted.ffsb.as_ref().ok_or_else(|| Failure::setup("the job has no ffsb profile"))
    }

    fn build(&self) -> Result<Filesets, Failure> {
        let Ffsb { profile, seed, .. } = self.profile()?;
        let built = Filesets::build(profile, self.site.folders(), *seed);
        built.map_err(|failure| Failure::workload(failure.reason))
    }

    fn run_ffsb(&mut self) -> Result<model::ffsb::Outcome, Failure> {
        let Ffsb { profile, time_ns, .. } = self.profile()?;
        let filesets = self
            .filesets
            .as_mut()
            .ok_or_else(|| Failure::setup("no fileset was built; a step ffsb-build comes first"))?;
        filesets.run(profile, *time_ns, &self.gaps)
    }
}
