//! `slowpath bisect --dry-run`: what would be done, and how long it would take.

use std::io::{self, Write};

use model::place::is_exact;
use model::{Hunt, Trial};
use slowpath::arguments::Arguments;

use crate::commands::bench::Bench;
use crate::exit::{Exit, Failure};
use crate::places;

/// Says what a bisection would take.
pub(crate) fn planned(bench: &Bench, arguments: &Arguments, hunt: &Hunt) -> Result<Exit, Failure> {
    let expected = experiment::expected(hunt);
    let bad = hunt.change(Some(hunt.bad()));
    let mut out = io::stdout().lock();
    writeln!(out, "case        {}, judged by {}", hunt.case, hunt.headline)?;
    writeln!(out, "good        {} {}", hunt.good.short(hunt.kind), hunt.good.title)?;
    writeln!(out, "bad         {} {}", bad.short(hunt.kind), bad.title)?;
    for note in &hunt.notes {
        writeln!(out, "            {note}")?;
    }
    match (expected.candidates, expected.tried) {
        (1, _) => {
            writeln!(out, "candidates  1, the bad end itself: there is nothing to try between")?
        }
        (all, tried) => writeln!(
            out,
            "candidates  {all}, of which about {tried} are tried, more where some are broken"
        )?,
    }
    if expected.builds > 0 {
        writeln!(
            out,
            "kernels     {} to build, but for those that are in the cache",
            expected.builds
        )?;
    }
    writeln!(
        out,
        "trials      about {}, but for those that are in the archive; more where seeds scatter",
        expected.trials
    )?;
    writeln!(out, "time        {}", time(bench, arguments, hunt, &expected)?)?;
    Ok(Exit::Done)
}

/// What it would take here, by what such trials and builds took before.
fn time(
    bench: &Bench,
    arguments: &Arguments,
    hunt: &Hunt,
    expected: &experiment::Expected,
) -> Result<String, Failure> {
    let alike = |trial: &&Trial| {
        trial.spec.case == hunt.case
            && trial.spec.place == hunt.place
            && trial.spec.settings.size == hunt.settings.size
            && trial.measured().is_some()
    };
    let trials = bench.archive.0.list()?.trials;
    let took: Vec<f64> =
        trials.iter().filter(alike).map(|trial| trial.host_ns as f64 / 1e9).collect();
    let builds = places::builds(arguments)?.past_seconds();
    let Some(trial) = median(took) else {
        return Ok(
            "not known: no such trial was run here yet; one tells more: slowpath run".to_owned()
        );
    };
    let at_once = if is_exact(&hunt.place) { bench.jobs() as f64 } else { 1.0 };
    let running = f64::from(expected.trials) * trial / at_once;
    let building = match (expected.builds, median(builds)) {
        (0, _) => 0.0,
        (count, Some(build)) => f64::from(count) * build,
        (_, None) => {
            return Ok(format!(
                "{} for the trials; how long kernels take to build is not known yet",
                minutes(running)
            ));
        }
    };
    Ok(format!(
        "about {}, by what such trials and builds took here; the first kernel of a repository takes minutes more",
        minutes(running + building)
    ))
}

fn minutes(seconds: f64) -> String {
    match (seconds / 60.0).ceil() {
        one if one <= 1.0 => "a minute".to_owned(),
        more => format!("{more} minutes"),
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
