//! Running a plan on this machine, for every command that does.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::thread;

use experiment::{Archive, ArchiveError, Cancel, Plan, Runner};
use model::Trial;
use slowpath::arguments::{Arguments, Run};

use crate::clock::SystemClock;
use crate::commands::style;
use crate::exit::{Exit, Failure};
use crate::places;
use crate::progress::Line;

/// The store as `experiment` wants it.
struct Kept<'a>(&'a store::Archive);

impl Archive for Kept<'_> {
    fn keep(&self, trial: &Trial, attachments: &[(String, Vec<u8>)]) -> Result<(), ArchiveError> {
        self.0.add(trial, attachments).map(drop).map_err(|error| ArchiveError(error.to_string()))
    }
}

/// What came of a plan.
pub(crate) struct Ran {
    /// The trials that were kept.
    pub(crate) kept: Vec<Trial>,
    failed: Option<Failure>,
    interrupted: bool,
}

impl Ran {
    /// The program's exit code for it.
    pub(crate) fn exit(self) -> Result<Exit, Failure> {
        match self.failed {
            Some(failure) => Err(failure),
            None if self.interrupted => Ok(Exit::Interrupted),
            None if self.kept.iter().any(|trial| trial.measured().is_none()) => Ok(Exit::Broken),
            None => Ok(Exit::Done),
        }
    }
}

/// Runs a plan in the exact lab of this machine.
pub(crate) fn trials(arguments: &Arguments, run: &Run, plan: &Plan) -> Result<Ran, Failure> {
    let archive = places::archive(arguments)?;
    let place = places::exact(arguments, run.profile)?;
    let cancel = cancelled_by_signals()?;
    let progress = Line::new(plan);
    let runner = Runner {
        place: &place,
        archive: &Kept(&archive),
        clock: &SystemClock::new(),
        progress: &progress,
        cancel: &cancel,
        jobs: run.jobs.map_or_else(cores, usize::from),
    };
    let (kept, error) = experiment::run(&runner, plan);
    progress.finish();
    if cancel.is_set() {
        let (done, all) = (kept.len(), plan.trials.len());
        // Nobody may be left to read it.
        let _ = writeln!(io::stderr(), "slowpath: interrupted; {done} of {all} trials are kept");
    }
    Ok(Ran { kept, failed: error.map(Failure::from), interrupted: cancel.is_set() })
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

/// Writes the report of trials where the user wants it.
pub(crate) fn report(run: &Run, trials: &[Trial]) -> Result<(), Failure> {
    if trials.is_empty() {
        return Ok(());
    }
    let mut out = io::stdout().lock();
    match run.json.as_deref() {
        Some(path) if path == Path::new("-") => report::json::run(&mut out, trials)?,
        Some(path) => {
            report::terminal::run(&mut out, trials, style())?;
            json_file(path, trials).map_err(|error| {
                let path = path.display();
                Failure::missing(format!("cannot write {path}: {error}; the trials are kept"))
            })?;
        }
        None => report::terminal::run(&mut out, trials, style())?,
    }
    Ok(out.flush()?)
}

fn json_file(path: &Path, trials: &[Trial]) -> io::Result<()> {
    let mut file = File::create(path)?;
    report::json::run(&mut file, trials)?;
    file.flush()
}
