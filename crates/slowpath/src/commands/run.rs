//! `slowpath run`.

use experiment::Plan;
use model::{Case, Limits, Settings};
use slowpath::arguments::{Arguments, Run};

use crate::case_source;
use crate::commands::plan_run::{report, trials};
use crate::commands::recipe;
use crate::exit::{Exit, Failure};

/// The only place so far.
const EXACT: &str = "exact";

/// Runs a case or a recipe and reports it.
pub(crate) fn run(arguments: &Arguments, run: &Run) -> Result<Exit, Failure> {
    if run.place != EXACT {
        return Err(Failure::usage(format!(
            "there is no place `{}`; trials run in the exact lab: --on exact",
            run.place
        )));
    }
    if case_source::built_in(&run.case).is_none() {
        let text = case_source::text(&run.case)?;
        if report::is_recipe(&text) {
            return recipe::run(arguments, run, &text);
        }
    }
    let case = case_source::find(&run.case)?;
    let settings = settings(&case, run)?;
    let limits = Limits { guest: run.guest_limit, wall: run.wall_limit };
    let plan = Plan::repeats(&case, &settings, EXACT, &run.seeds, run.repeat, limits);
    let trials = trials(arguments, run, &plan)?;
    report(run, &trials.kept)?;
    trials.exit()
}

fn settings(case: &Case, run: &Run) -> Result<Settings, Failure> {
    let mut settings = case.settings.clone();
    for pair in &run.set {
        settings.set_pair(pair).map_err(Failure::usage)?;
    }
    settings.check().map_err(Failure::usage)?;
    Ok(settings)
}
