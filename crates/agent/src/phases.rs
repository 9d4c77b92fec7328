//! Runs a job's phases in order and measures each.

use model::case::Phase;
use model::settings::Rewrite;
use model::{Action, PhaseRun};
use protocol::marker::{NO_PHASE, phase_number};
use protocol::{Job, PAYLOAD_ROOT};

use crate::clock::now_ns;
use crate::failure::{Failure, While as _};
use crate::latency::Latency;
use crate::mounts::Mounter;
use crate::pages::Pages;
use crate::usage::{Meter, Reading, account};
use crate::whereabouts::Whereabouts;
use crate::{disk_write, disks, exec, fill, kernel_log, marker, mounts, stream};

/// The workload between its phases.
pub(crate) struct Workload<'a> {
    job: &'a Job,
    whereabouts: &'a Whereabouts,
    mounter: Mounter,
    disks: Vec<String>,
    /// What a write writes.
    block: Pages,
    latency: Latency,
    meter: Meter,
    before: Reading,
    after: Reading,
    /// Whether `fill` was done since the filesystems were made.
    filled: bool,
}

impl<'a> Workload<'a> {
    /// Makes ready what all phases need: memory, mount points, open files.
    ///
    /// # Errors
    /// Something of that cannot be had.
    pub(crate) fn new(job: &'a Job, whereabouts: &'a Whereabouts) -> Result<Self, Failure> {
        let block = usize::try_from(job.block).unwrap_or(usize::MAX);
        Ok(Workload {
            job,
            whereabouts,
            mounter: Mounter::new(&job.mount_type, &job.mount_options, job.disks.len())?,
            disks: (0..job.disks.len()).map(disks::name).collect(),
            block: Pages::new(block).in_setup("allocating the block that is written")?,
            latency: Latency::new(),
            meter: Meter::new(),
            before: Reading::new(),
            after: Reading::new(),
            filled: false,
        })
    }

    /// Runs all phases.
    ///
    /// # Errors
    /// The first phase that fails; those behind it do not run.
    pub(crate) fn run(mut self) -> Result<Vec<PhaseRun>, Failure> {
        let job = self.job;
        let mut runs = Vec::with_capacity(job.phases.len());
        for (index, phase) in job.phases.iter().enumerate() {
            runs.push(self.measure(index, phase)?);
            self.follow_up(phase)?;
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
        account(&mut run, &self.before, &self.after, &self.disks);
        run.write_latency = self.latency.buckets();
        run.slowest = self.latency.slowest(began);
        Ok(run)
    }

    /// Does a phase; the bytes that it streamed, where it streams.
    fn act(&mut self, phase: &Phase) -> Result<Option<u64>, Failure> {
        let mut disks = 0..self.disks.len();
        match &phase.action {
            Action::Mkfs => disks.try_for_each(|disk| self.mkfs(disk))?,
            Action::Mount => {
                disks.try_for_each(|disk| self.mounter.mount(disk)).map_err(kernel_log::explain)?
            }
            Action::Write { file } => return self.write(file, phase.round).map(Some),
            Action::Sync => rustix::fs::sync(),
            Action::Umount => disks.try_for_each(mounts::detach)?,
            Action::DiskWrite => {
                let devices: Vec<_> = disks.map(disks::device).collect();
                return disk_write::write_all(&devices, self.job.size, self.job.block).map(Some);
            }
        }
        Ok(None)
    }

    fn mkfs(&self, disk: usize) -> Result<(), Failure> {
        let device = disks::device(disk).display().to_string();
        let mkfs = &self.job.mkfs;
        let program = mkfs.program.strip_prefix(PAYLOAD_ROOT).unwrap_or(&mkfs.program);
        let program = format!("/{}", program.trim_start_matches('/'));
        let mut arguments: Vec<&str> = mkfs.arguments.iter().map(String::as_str).collect();
        arguments.push(&device);
        exec::run(&program, &arguments, self.whereabouts)
    }

    fn write(&mut self, file: &str, round: Option<u32>) -> Result<u64, Failure> {
        let truncate = self.job.rewrite == Rewrite::Truncate || round.is_none_or(|r| r <= 1);
        let length = usize::try_from(self.job.block).unwrap_or(usize::MAX);
        let block = &self.block[..length];
        let mut bytes = 0;
        for disk in 0..self.disks.len() {
            let path = mounts::point(disk).join(file);
            bytes += stream::write(&path, self.job.size, block, truncate, &mut self.latency)?;
        }
        Ok(bytes)
    }

    /// What comes after a phase and is not timed.
    fn follow_up(&mut self, phase: &Phase) -> Result<(), Failure> {
        match (&phase.action, &self.job.fill) {
            (Action::Mkfs, _) => self.filled = false,
            (Action::Mount, Some(wanted)) if !self.filled => {
                self.whereabouts.enter("while filling the filesystems");
                for disk in 0..self.disks.len() {
                    fill::fill(&mounts::point(disk), wanted)?;
                }
                self.filled = true;
            }
            _ => {}
        }
        Ok(())
    }
}
