//! `slowpath observe`.

use experiment::{Clock, Plan};
use model::Trial;
use slowpath::arguments::{Arguments, Observe};

use crate::commands::bench::Bench;
use crate::commands::output;
use crate::exit::{Exit, Failure};
use crate::places::{self, Looks};

/// Looks at a stored trial in further passes, and keeps what was seen beside it.
pub(crate) fn observe(arguments: &Arguments, observe: &Observe) -> Result<Exit, Failure> {
    let archive = places::existing_archive(arguments)?
        .ok_or_else(|| Failure::usage("nothing was kept yet; begin with: slowpath run dd-sync"))?;
    let trial = archive.find(&observe.id).map_err(Failure::usage)?;
    if trial.measured().is_none() {
        return Err(Failure::usage(format!(
            "the trial {} is broken, and there is nothing to look at; slowpath show {} says why",
            trial.id, trial.id
        )));
    }
    let trial = looked_at(trial, observe)?;
    let running = slowpath::arguments::Running::for_one(observe.json.clone());
    let looks = Looks { profile: false, observe: true };
    let bench = Bench::new(arguments, &running, looks)?;
    let runner = bench.runner(&bench.clock.id(), None);
    runner.progress.begins(&Plan { trials: vec![trial.spec.clone()] });
    let seen = experiment::observe(&runner, 0, &trial);
    bench.progress.finish();
    let Some(seen) = seen? else { return Ok(Exit::Interrupted) };
    output::write(
        observe.json.as_deref(),
        |out, style| report::observation::write(out, &trial, &seen, style),
        |out| report::json::trial_observed(out, &trial, Some(&seen)),
    )?;
    Ok(Exit::Done)
}

/// The trial with the settings of further passes as they are wanted now; they moved no number of it.
fn looked_at(mut trial: Trial, observe: &Observe) -> Result<Trial, Failure> {
    let wanted = [("sample.every", observe.every), ("stall.limit", observe.stall_limit)];
    for (key, value) in wanted {
        if let Some(value) = value {
            trial.spec.settings.set(key, &value.to_string()).map_err(Failure::usage)?;
        }
    }
    Ok(trial)
}
