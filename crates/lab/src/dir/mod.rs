//! A directory of the running machine as a place.
//!
//! The case's writes and syncs are done by `slowpath-agent`, a program of its own, in a fresh folder
//! `PATH/.slowpath-XXXXXX` (`fresh`), which is removed again, also after failures; what a killed
//! program leaves is swept at the next trial in that directory (`sweep`). Nothing else is written and
//! nothing else removed. No root is needed, and nothing is dropped from caches.
//!
//! A sync is sync(2), in which the kernel writes back every filesystem of the machine. So each trial
//! begins with one that is not timed, and what else the machine writes meanwhile is in the times.

mod agent;
mod disk;
mod fresh;
mod ground;
mod machine_facts;
mod marker;
mod mountinfo;
mod notes;
mod sweep;
mod takes;
mod tree;
mod wanted;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use experiment::{Cancel, InsidePass, Passes, Place, PlaceError, Seen, TrialEvent, TrialOutput};
use model::{Broken, BrokenKind, Fingerprint, Nanos, Outcome, TrialSpec, Variant};
use protocol::{AgentReport, HostJob};

use self::agent::{Ended, Left};
use self::fresh::Fresh;
use self::ground::Ground;
use self::wanted::Wanted;
use crate::hash::sha256;
use crate::job;

/// A directory of the running machine.
#[derive(Clone, Debug)]
pub struct Dir {
    path: PathBuf,
    agent: PathBuf,
}

/// Where the machine tells of itself.
const ROOT: &str = "/";

impl Dir {
    /// The directory `path`, written by the agent's program. Nothing is looked at until a trial is
    /// checked or run.
    #[must_use]
    pub fn new(path: &Path, agent: &Path) -> Dir {
        Dir { path: path.to_owned(), agent: agent.to_owned() }
    }

    fn fingerprint(&self, ground: &Ground) -> Result<Fingerprint, PlaceError> {
        let agent = fs::read(&self.agent).map_err(|error| {
            let agent = self.agent.display();
            PlaceError::Missing(format!(
                "the agent {agent} cannot be read ({error}); build it: make build"
            ))
        })?;
        let mut fingerprint = Fingerprint::default();
        fingerprint.set("agent.sha256", sha256(&agent));
        ground.describe(&mut fingerprint);
        machine_facts::describe(&mut fingerprint, Path::new(ROOT));
        Ok(fingerprint)
    }

    /// Refuses a directory in which no folder can be made, or that has no room.
    fn try_out(&self, ground: &Ground, wanted: &Wanted) -> Result<(), PlaceError> {
        Fresh::make(ground, wanted.folders, &wanted.contents)
            .and_then(Fresh::remove)
            .map_err(|error| PlaceError::Refused(self.unwritable(&error)))?;
        let (needed, free) = (wanted.space(), ground.free());
        match free.filter(|free| *free < needed) {
            None => Ok(()),
            Some(free) => Err(PlaceError::Refused(format!(
                "{} has {} MiB free, and the trial needs {} MiB: make room, or write less (size, \
                 disks)",
                self.path.display(),
                free >> 20,
                needed.div_ceil(1 << 20),
            ))),
        }
    }

    fn unwritable(&self, error: &io::Error) -> String {
        let path = self.path.display();
        match error.kind() {
            io::ErrorKind::ReadOnlyFilesystem => {
                format!("{path} is on a filesystem that is mounted read-only")
            }
            io::ErrorKind::StorageFull => format!("{path} is full: {error}; make room there"),
            _ => format!("no folder can be made and removed in {path}: {error}"),
        }
    }

    fn conduct(
        &self,
        job: HostJob,
        ground: &Ground,
        fresh: &Fresh,
        cancel: &Cancel,
    ) -> Result<Left, PlaceError> {
        let folders: Option<Vec<String>> =
            fresh.folders().map(|path| path.to_str().map(str::to_owned)).collect();
        let folders = folders.ok_or_else(|| {
            PlaceError::Refused(format!("{}: the path is no UTF-8", self.path.display()))
        })?;
        let disks = ground.disk().map(str::to_owned).into_iter().collect();
        agent::run(&self.agent, HostJob { folders, disks, ..job }, fresh, cancel).map_err(|error| {
            PlaceError::Host(format!("{} cannot be run: {error}", self.agent.display()))
        })
    }
}

impl Place for Dir {
    fn takes(&self, key: &str) -> Result<(), String> {
        takes::takes(key, &self.path.display().to_string())
    }

    fn is_exact(&self, _: &TrialSpec) -> bool {
        false
    }

    fn make_ready(
        &self,
        _: &Variant,
        _: &(dyn Fn(&str) + Sync),
        _: &Cancel,
    ) -> Result<(), PlaceError> {
        Ok(())
    }

    fn check(&self, spec: &TrialSpec) -> Result<Option<Fingerprint>, PlaceError> {
        let wanted = Wanted::by(spec).map_err(PlaceError::Refused)?;
        let ground = Ground::open(&self.path, Path::new(ROOT))?;
        let fingerprint = self.fingerprint(&ground)?;
        // What is left of killed trials takes room; what stays is told by the trial.
        sweep::sweep(&ground);
        self.try_out(&ground, &wanted)?;
        Ok(Some(fingerprint))
    }

    fn run(
        &self,
        spec: &TrialSpec,
        events: &(dyn Fn(TrialEvent) + Sync),
        cancel: &Cancel,
    ) -> Result<TrialOutput, PlaceError> {
        let wanted = Wanted::by(spec).map_err(PlaceError::Refused)?;
        let ground = Ground::open(&self.path, Path::new(ROOT))?;
        let fingerprint = self.fingerprint(&ground)?;
        let mut notes = told(&ground, &wanted);
        notes.extend(sweep::sweep(&ground));
        let fresh = Fresh::make(&ground, wanted.folders, &wanted.contents)
            .map_err(|error| PlaceError::Host(self.unwritable(&error)))?;
        events(TrialEvent::Started);
        let limit = Nanos(wanted.job.limit_ns);
        let Left { ended, log, .. } = self.conduct(wanted.job, &ground, &fresh, cancel)?;
        let outcome = outcome(ended, &log, limit);
        notes.extend(removed(fresh, matches!(outcome, Outcome::Broken(_))));
        Ok(TrialOutput { fingerprint, notes, outcome, attachments: attachments(log) })
    }

    fn observe(
        &self,
        spec: &TrialSpec,
        _: Passes,
        events: &(dyn Fn(TrialEvent) + Sync),
        cancel: &Cancel,
    ) -> Result<Seen, PlaceError> {
        let mut wanted = Wanted::by(spec).map_err(PlaceError::Refused)?;
        wanted.job.watch = Some(job::watch(&spec.settings));
        let ground = Ground::open(&self.path, Path::new(ROOT))?;
        let fresh = Fresh::make(&ground, wanted.folders, &wanted.contents)
            .map_err(|error| PlaceError::Host(self.unwritable(&error)))?;
        events(TrialEvent::Observing);
        let limit = Nanos(wanted.job.limit_ns);
        let left = self.conduct(wanted.job, &ground, &fresh, cancel)?;
        let mut seen = seen(left, limit);
        seen.notes.extend(removed(fresh, false));
        Ok(seen)
    }
}

/// What a pass from inside saw.
fn seen(left: Left, limit: Nanos) -> Seen {
    let Left { ended, log, samples, environment } = left;
    match outcome(ended, &log, limit) {
        Outcome::Broken(broken) => Seen {
            notes: vec![format!(
                "nothing was seen from inside: that pass broke: {}",
                broken.reason
            )],
            ..Seen::default()
        },
        Outcome::Measured(measurements) => Seen {
            inside: Some(InsidePass { measurements, samples }),
            attachments: vec![("environment.txt".to_owned(), environment.into_bytes())],
            ..Seen::default()
        },
    }
}

/// What a reader of the trial should know.
fn told(ground: &Ground, wanted: &Wanted) -> Vec<String> {
    let below = ground.filesystem().and_then(|name| notes::on(name, ground.options()));
    let left_out = (!wanted.left_out.is_empty()).then(|| {
        format!("left out, since a directory is past them: {}", wanted.left_out.join(", "))
    });
    below.into_iter().chain(left_out).collect()
}

/// Removes the trial's folder; a sentence where it stays, or the trial broke.
fn removed(fresh: Fresh, broke: bool) -> Option<String> {
    let path = fresh.path().display().to_string();
    match fresh.remove() {
        Err(error) => Some(format!("{path} cannot be removed: {error}; remove it yourself")),
        Ok(()) => broke.then(|| {
            "what the trial had written is removed, and nothing else in the directory was touched"
                .to_owned()
        }),
    }
}

fn outcome(ended: Ended, log: &str, limit: Nanos) -> Outcome {
    let (kind, reason) = match ended {
        Ended::Reported(AgentReport::Measured(measured)) => return Outcome::Measured(measured),
        Ended::Reported(AgentReport::Broken { kind, reason }) => (kind, reason),
        Ended::Silent(how) => {
            (BrokenKind::Workload, format!("the agent ended without a report ({how})"))
        }
        Ended::Late => (
            BrokenKind::OutOfTime,
            format!("over its limit of {limit}, and its agent no longer answered"),
        ),
        Ended::Cancelled => (BrokenKind::Interrupted, "interrupted".to_owned()),
    };
    Outcome::Broken(Broken { kind, reason, console: log.lines().map(str::to_owned).collect() })
}

fn attachments(log: String) -> Vec<(String, Vec<u8>)> {
    match log.is_empty() {
        true => Vec::new(),
        false => vec![("agent.log".to_owned(), log.into_bytes())],
    }
}
