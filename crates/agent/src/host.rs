//! The order of a trial on a host, where the agent is a program: phases in folders that are there.

use std::fs::{self, File};
use std::io::{self, Read, Write as _};
use std::os::fd::AsFd as _;
use std::path::PathBuf;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use model::{Action, FORMAT, Measurements};
use protocol::{AgentReport, HostJob};

use crate::exec::{self, Home, Programs};
use crate::failure::{Failure, While as _};
use crate::phases::{Site, Workload};
use crate::watch::Watcher;
use crate::whereabouts::Whereabouts;
use crate::{boot, children, watch, watchdog};

/// Reads a job, does it, prints what came of it and ends the program.
pub(crate) fn run(input: impl Read) -> ! {
    let answer = Arc::new(Answer::default());
    let report = match trial(input, &answer) {
        Ok(measurements) => AgentReport::Measured(measurements),
        Err(failure) => failure.report(),
    };
    answer.give(&report)
}

/// The one report, from the trial or its watchdog, whoever is first.
#[derive(Debug, Default)]
struct Answer(AtomicBool);

impl Answer {
    fn give(&self, report: &AgentReport) -> ! {
        if self.0.swap(true, Ordering::SeqCst) {
            loop {
                std::thread::park();
            }
        }
        children::end();
        let written = serde_json::to_vec(report)
            .map_err(io::Error::from)
            .and_then(|text| io::stdout().write_all(&text));
        process::exit(i32::from(written.is_err()))
    }
}

fn trial(input: impl Read, answer: &Arc<Answer>) -> Result<Measurements, Failure> {
    let job = read_job(input)?;
    children::adopt();
    let whereabouts = Arc::new(Whereabouts::default());
    let giver = Arc::clone(answer);
    let end = move |failure: Failure| giver.give(&failure.report());
    watchdog::start(job.limit_ns, "the host's time", Arc::clone(&whereabouts), end)?;
    let log = File::from(io::stderr().as_fd().try_clone_to_owned().in_setup("opening the log")?);
    let workload = Workload::new(Folders::new(&job, &log), &job.workload, &whereabouts)?;
    // What others left dirty, an earlier trial above all, must not become this one's work.
    whereabouts.enter("in the sync before the first phase");
    rustix::fs::sync();
    let watcher = job.watch.as_ref().map(|watch| Watcher::start(watch, workload.seen()));
    let watcher = watcher.transpose()?;
    let phases = workload.run(&job.phases)?;
    if let (Some(watcher), Some(file)) = (watcher, &job.samples) {
        fs::write(file, watcher.stop()).in_setup(format!("writing what was seen to {file}"))?;
        if let (Some(file), Some(folder)) = (&job.environment, job.folders.first()) {
            let environment = watch::environment(PathBuf::from(folder));
            fs::write(file, environment).in_setup(format!("writing the environment to {file}"))?;
        }
    }
    // No witness: nothing here is the same twice.
    Ok(Measurements { phases, witness: String::new(), clock: boot::clock_source() })
}

fn read_job(mut input: impl Read) -> Result<HostJob, Failure> {
    let mut text = Vec::new();
    input.read_to_end(&mut text).in_setup("reading the job")?;
    let unclear =
        |error| Failure::setup(format!("the job on standard input cannot be understood: {error}"));
    let value: serde_json::Value = serde_json::from_slice(&text).map_err(unclear)?;
    if value["format"] != FORMAT {
        return Err(Failure::setup(format!(
            "the job has format {}, and this agent reads {FORMAT}: program and agent are of \
             different versions",
            value["format"]
        )));
    }
    let job: HostJob = serde_json::from_value(value).map_err(unclear)?;
    job.phases.iter().try_for_each(|phase| fits(&phase.action))?;
    Ok(job)
}

/// Refuses, before anything is written, what needs a disk of its own.
fn fits(action: &Action) -> Result<(), Failure> {
    match action {
        Action::Write { .. }
        | Action::Sync
        | Action::FfsbBuild
        | Action::FfsbRun
        | Action::Command { .. } => Ok(()),
        other => Err(Failure::setup(format!("{other:?} is not done on a host"))),
    }
}

/// Folders as a place for phases.
struct Folders<'a> {
    folders: Vec<PathBuf>,
    disks: Vec<String>,
    /// What programs print goes here.
    log: &'a File,
}

impl<'a> Folders<'a> {
    fn new(job: &HostJob, log: &'a File) -> Self {
        let folders = job.folders.iter().map(PathBuf::from).collect();
        Folders { folders, disks: job.disks.clone(), log }
    }
}

impl Site for Folders<'_> {
    fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    fn disks(&self) -> &[String] {
        &self.disks
    }

    fn programs(&self) -> Programs<'_> {
        Programs {
            home: Home::Machine(self.log),
            folder: self.folders.first().cloned(),
            variables: exec::folders(&self.folders),
            subject: None,
        }
    }

    fn act(&mut self, action: &Action) -> Result<Option<u64>, Failure> {
        fits(action).map(|()| None)
    }

    fn follow_up(&mut self, _: &Action) -> Result<(), Failure> {
        Ok(())
    }
}
