//! Runs the agent as a program of the machine.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use experiment::Cancel;
use protocol::{AgentReport, HostJob};

use super::fresh::Fresh;
use crate::child::{Guarded, Inherited};
use crate::memfile;

/// How often it is looked whether the agent has ended.
const GLANCE: Duration = Duration::from_millis(20);

/// How long after its limit the agent may take to say so itself.
const GRACE: Duration = Duration::from_secs(2);

/// How the agent ended.
pub(crate) enum Ended {
    /// It reported.
    Reported(AgentReport),
    /// It ended without a report; how.
    Silent(String),
    /// It was killed after its limit, since it did not end by itself.
    Late,
    /// It was killed, since the run was cancelled.
    Cancelled,
}

/// What the agent left.
pub(crate) struct Left {
    /// How it ended.
    pub(crate) ended: Ended,
    /// What it and the programs that it ran said besides.
    pub(crate) log: String,
    /// What it saw in a pass that looks from inside.
    pub(crate) samples: Vec<u8>,
    /// The machine's environment, as text, from such a pass.
    pub(crate) environment: String,
}

/// Has `program` do `job` in `fresh`.
///
/// # Errors
/// It cannot be started.
pub(crate) fn run(
    program: &Path,
    mut job: HostJob,
    fresh: &Fresh,
    cancel: &Cancel,
) -> io::Result<Left> {
    let (answer, log) = (memfile::empty("report")?, memfile::empty("agent-log")?);
    let (samples, environment) = (memfile::empty("samples")?, memfile::empty("environment")?);
    let mut inherited = Inherited::default();
    if job.watch.is_some() {
        job.samples = Some(inherited.add_path(samples.try_clone()?));
        job.environment = Some(inherited.add_path(environment.try_clone()?));
    }
    let mut command = Command::new(program);
    command.arg("phases").stdin(memfile::holding("job", &serde_json::to_vec(&job)?)?);
    command.stdout(Stdio::from(answer.try_clone()?)).stderr(Stdio::from(log.try_clone()?));
    if let Some(lock) = fresh.lock()? {
        inherited.add(lock);
    }
    let mut child = Guarded::start(command, inherited)?;
    let ended = wait(&mut child, Duration::from_nanos(job.limit_ns) + GRACE, cancel);
    // Killed at the latest now, so that nobody writes any more.
    drop(child);
    let said = memfile::text(&answer);
    let ended = match ended {
        Wait::Over(how) => report(&said, how),
        // It may have told where it stood, and then waited in the kernel for the write to end.
        Wait::Late => serde_json::from_str(&said).map_or(Ended::Late, Ended::Reported),
        Wait::Cancelled => Ended::Cancelled,
    };
    let log = memfile::text(&log);
    let environment = memfile::text(&environment);
    Ok(Left { ended, log, samples: memfile::bytes(&samples), environment })
}

enum Wait {
    Over(String),
    Late,
    Cancelled,
}

fn wait(child: &mut Guarded, longest: Duration, cancel: &Cancel) -> Wait {
    let began = Instant::now();
    loop {
        if let Some(how) = child.ended() {
            return Wait::Over(how);
        }
        if cancel.is_set() {
            return Wait::Cancelled;
        }
        if began.elapsed() > longest {
            return Wait::Late;
        }
        thread::sleep(GLANCE);
    }
}

fn report(text: &str, how: String) -> Ended {
    match serde_json::from_str(text) {
        Ok(report) => Ended::Reported(report),
        Err(_) if text.trim().is_empty() => Ended::Silent(how),
        Err(error) => Ended::Silent(format!("{how}; what it printed is no report: {error}")),
    }
}
