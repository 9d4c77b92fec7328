//! The guest's disks as a place for phases.

use std::path::{Path, PathBuf};

use model::Action;
use protocol::{Job, PAYLOAD_ROOT, Writing};

use crate::exec::{Home, Programs};
use crate::failure::Failure;
use crate::mounts::Mounter;
use crate::phases::Site;
use crate::whereabouts::Whereabouts;
use crate::{disk_write, disks, exec, fill, kernel_log, mounts};

/// The disks of a job.
pub(crate) struct GuestDisks<'a> {
    job: &'a Job,
    whereabouts: &'a Whereabouts,
    mounter: Mounter,
    points: Vec<PathBuf>,
    names: Vec<String>,
    /// Whether `fill` was done since the filesystems were made.
    filled: bool,
}

impl<'a> GuestDisks<'a> {
    /// Makes the mount points.
    ///
    /// # Errors
    /// One cannot be made, or the mount options make no sense.
    pub(crate) fn new(job: &'a Job, whereabouts: &'a Whereabouts) -> Result<Self, Failure> {
        let count = job.disks.len();
        Ok(GuestDisks {
            job,
            whereabouts,
            mounter: Mounter::new(&job.mount_type, &job.mount_options, count)?,
            points: (0..count).map(mounts::point).collect(),
            names: (0..count).map(disks::name).collect(),
            filled: false,
        })
    }

    fn mkfs(&self, disk: usize) -> Result<(), Failure> {
        let device = disks::device(disk).display().to_string();
        let mkfs = &self.job.mkfs;
        let program = mkfs.program.strip_prefix(PAYLOAD_ROOT).unwrap_or(&mkfs.program);
        let mut command = vec![format!("/{}", program.trim_start_matches('/'))];
        command.extend(mkfs.arguments.iter().cloned());
        command.push(device.clone());
        let home = Home::Payload(self.job.perturbation.environment_bytes);
        let programs =
            Programs { home, folder: None, variables: Vec::new(), subject: Some(device) };
        programs.run(&command, self.whereabouts)
    }

    /// The mount points as programs of the payload see them.
    fn folders_below(&self) -> Vec<PathBuf> {
        let root = Path::new(PAYLOAD_ROOT);
        let below =
            |point: &PathBuf| Path::new("/").join(point.strip_prefix(root).unwrap_or(point));
        self.points.iter().map(below).collect()
    }
}

impl Site for GuestDisks<'_> {
    fn folders(&self) -> &[PathBuf] {
        &self.points
    }

    fn disks(&self) -> &[String] {
        &self.names
    }

    fn programs(&self) -> Programs<'_> {
        let points = self.folders_below();
        let devices: Vec<String> = self.names.iter().map(|name| format!("/dev/{name}")).collect();
        let mut variables = exec::folders(&points);
        variables.push(("SLOWPATH_DEVICES", devices.join(":").into()));
        variables.push(("HOME", "/tmp".into()));
        let home = Home::Payload(self.job.perturbation.environment_bytes);
        Programs { home, folder: points.into_iter().next(), variables, subject: None }
    }

    fn act(&mut self, action: &Action) -> Result<Option<u64>, Failure> {
        let mut disks = 0..self.names.len();
        match action {
            Action::Mkfs => disks.try_for_each(|disk| self.mkfs(disk))?,
            Action::Mount => {
                disks.try_for_each(|disk| self.mounter.mount(disk)).map_err(kernel_log::explain)?;
            }
            Action::Umount => disks.try_for_each(mounts::detach)?,
            Action::DiskWrite => {
                let devices: Vec<_> = disks.map(disks::device).collect();
                let Writing { size, block, .. } = self.job.workload.writing;
                return disk_write::write_all(&devices, size, block).map(Some);
            }
            // The workload's own, which never come here.
            Action::Write { .. }
            | Action::Sync
            | Action::Age
            | Action::FfsbBuild
            | Action::FfsbRun
            | Action::Command { .. } => {}
        }
        Ok(None)
    }

    fn follow_up(&mut self, action: &Action) -> Result<(), Failure> {
        match (action, &self.job.fill) {
            (Action::Mkfs, _) => self.filled = false,
            (Action::Mount, Some(wanted)) if !self.filled => {
                self.whereabouts.enter("while filling the filesystems");
                for point in &self.points {
                    fill::fill(point, wanted)?;
                }
                self.filled = true;
            }
            _ => {}
        }
        Ok(())
    }
}
