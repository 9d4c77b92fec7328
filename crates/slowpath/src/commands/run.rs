//! `slowpath run`.

use experiment::Plan;
use model::place::is_exact;
use slowpath::arguments::{Arguments, Run};

use crate::commands::plan_run::{bench, report, trials};
use crate::commands::recipe;
use crate::exit::{Exit, Failure};
use crate::variants::{baseline, check, keys};
use crate::{case_source, places, sources};

/// Runs a case or a recipe and reports it.
pub(crate) fn run(arguments: &Arguments, run: &Run) -> Result<Exit, Failure> {
    if let Some(name) = run.case.as_deref().filter(|name| case_source::built_in(name).is_none()) {
        let text = case_source::text(name)?;
        if report::is_recipe(&text) {
            return recipe::run(arguments, run, (name, &text));
        }
    }
    let case = case_source::wanted(run.case.as_deref(), &run.commands)?;
    if run.ffsb && case.ffsb.is_none() {
        return Err(Failure::usage(format!("--ffsb: the case {} has no ffsb profile", case.name)));
    }
    let place = places::whole(&run.running.place)?;
    let mut set = run.set.clone();
    set.extend(sources::settings(&run.sources)?);
    let mut variant = baseline(&case, &set, &place)?;
    check(&case, &variant)?;
    if run.profile && !is_exact(&place) {
        return Err(Failure::usage(
            "--profile counts a guest's instructions: it goes with --on exact",
        ));
    }
    let bench = bench(arguments, run)?;
    for key in keys(&run.set, &[]) {
        bench.places.takes(&place, key)?;
    }
    let sides = std::slice::from_mut(&mut variant);
    sources::resolved(sides, &|text| bench.progress.warn(text))?;
    bench.make_ready(sides)?;
    let limits = run.running.limits();
    let plan = Plan::repeats(&case, &variant.settings, &place, &run.seeds, run.repeat, limits);
    let ran = trials(&bench, run, &plan);
    report(run, &ran)?;
    ran.exit()
}
