//! Running a plan on this machine, for `run` and recipes.

use std::io;

use experiment::{Clock, Plan};
use model::{Observation, Trial};
use slowpath::arguments::{Arguments, Run};

use crate::commands::bench::Bench;
use crate::commands::output;
use crate::exit::{Exit, Failure};
use crate::places::Looks;

/// What came of a plan.
pub(crate) struct Ran {
    /// The trials that were kept.
    pub(crate) kept: Vec<Trial>,
    /// What further passes saw of each.
    observations: Vec<Option<Observation>>,
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

/// Runs a plan on this machine, and looks at its trials where that is wanted.
pub(crate) fn trials(bench: &Bench, run: &Run, plan: &Plan) -> Ran {
    let runner = bench.runner(&bench.clock.id(), None);
    let (kept, error) = experiment::run(&runner, plan);
    let mut ran = Ran {
        observations: vec![None; kept.len()],
        kept,
        failed: error.map(Failure::from),
        interrupted: false,
    };
    if run.observe && ran.failed.is_none() {
        ran.failed = observe(&runner, &ran.kept, &mut ran.observations).err().map(Failure::from);
    }
    bench.progress.finish();
    ran.interrupted = bench.cancel.is_set();
    let (done, all) = (ran.kept.len(), plan.trials.len());
    bench.tell_if_interrupted(&format!("{done} of {all} trials are kept"));
    ran
}

/// Looks at each trial, but once at those of one spec in an exact place, which are the same.
fn observe(
    runner: &experiment::Runner<'_>,
    trials: &[Trial],
    observations: &mut [Option<Observation>],
) -> Result<(), experiment::RunError> {
    for (index, trial) in trials.iter().enumerate() {
        let exact = runner.place.is_exact(&trial.spec);
        let known = exact && trials[..index].iter().any(|earlier| earlier.spec == trial.spec);
        if runner.cancel.is_set() {
            return Ok(());
        }
        if !known {
            observations[index] = experiment::observe(runner, index, trial)?;
        }
    }
    Ok(())
}

/// The bench on which `run` runs.
pub(crate) fn bench(arguments: &Arguments, run: &Run) -> Result<Bench, Failure> {
    let looks = Looks { profile: run.profile, observe: run.observe };
    Bench::new(arguments, &run.running, looks)
}

/// Writes the report of trials where the user wants it.
pub(crate) fn report(run: &Run, ran: &Ran) -> Result<(), Failure> {
    let Ran { kept, observations, .. } = ran;
    if kept.is_empty() {
        return Ok(());
    }
    output::write(
        run.running.json.as_deref(),
        |out, style| match run.ffsb {
            true => kept.iter().try_for_each(|trial| closing_blocks(out, trial)),
            false => {
                report::terminal::run(out, kept, style)?;
                for (trial, seen) in kept.iter().zip(observations) {
                    if let Some(seen) = seen {
                        writeln!(out)?;
                        report::observation::write(out, trial, seen, style)?;
                    }
                }
                Ok(())
            }
        },
        |out| report::json::run_observed(out, kept, observations),
    )
}

/// The closing blocks of a trial's runs of an ffsb profile.
pub(crate) fn closing_blocks(out: &mut dyn io::Write, trial: &Trial) -> io::Result<()> {
    for run in report::ffsb_of(trial) {
        report::ffsb::closing_block(out, &run.closing_block())?;
        if let Some(scale) = report::scale_line(&trial.spec) {
            writeln!(out, "{scale}")?;
        }
    }
    Ok(())
}
