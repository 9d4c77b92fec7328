//! Running a plan on this machine, for `run` and recipes.

use experiment::{Clock, Plan};
use model::Trial;
use slowpath::arguments::{Arguments, Run};

use crate::commands::bench::Bench;
use crate::commands::output;
use crate::exit::{Exit, Failure};

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

/// Runs a plan on this machine.
pub(crate) fn trials(bench: &Bench, plan: &Plan) -> Ran {
    let runner = bench.runner(&bench.clock.id(), None);
    let (kept, error) = experiment::run(&runner, plan);
    bench.progress.finish();
    let (done, all) = (kept.len(), plan.trials.len());
    bench.tell_if_interrupted(&format!("{done} of {all} trials are kept"));
    Ran { kept, failed: error.map(Failure::from), interrupted: bench.cancel.is_set() }
}

/// The bench on which `run` runs.
pub(crate) fn bench(arguments: &Arguments, run: &Run) -> Result<Bench, Failure> {
    Bench::new(arguments, &run.running, run.profile)
}

/// Writes the report of trials where the user wants it.
pub(crate) fn report(run: &Run, trials: &[Trial]) -> Result<(), Failure> {
    if trials.is_empty() {
        return Ok(());
    }
    output::write(
        run.running.json.as_deref(),
        |out, style| report::terminal::run(out, trials, style),
        |out| report::json::run(out, trials),
    )
}
