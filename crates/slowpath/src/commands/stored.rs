//! `slowpath compare SET SET`: trials that were run before, perhaps by two kernels.

use std::time::SystemTime;

use experiment::StoredSide;
use model::{Comparison, Side, Trial};
use slowpath::arguments::{Arguments, Compare};
use store::Archive;

use crate::commands::outcome::{exit, show};
use crate::exit::{Exit, Failure};
use crate::places;

/// Compares two stored sets.
pub(crate) fn compare(
    arguments: &Arguments,
    compare: &Compare,
    here: &str,
    there: &str,
) -> Result<Exit, Failure> {
    refuse_what_runs(compare)?;
    let archive = places::existing_archive(arguments)?
        .ok_or_else(|| Failure::usage("no trial was kept yet: there are no sets to compare"))?;
    let (here, there) = (side(&archive, here)?, side(&archive, there)?);
    let first = |side: &StoredSide| side.trials.first().map(|trial| trial.id.clone());
    if first(&here) == first(&there) {
        return Err(Failure::usage(format!(
            "`{}` and `{}` are the same trials; slowpath trials --json names the set of each trial",
            here.name, there.name
        )));
    }
    let id = store::new_id(SystemTime::now());
    let started = store::rfc3339(SystemTime::now());
    let sure = (compare.judging.threshold.0, compare.judging.confidence.0);
    let headline = compare.judging.headline.as_deref();
    let comparison = experiment::compare_stored(id, started, here, there, headline, sure)
        .map_err(Failure::usage)?;
    let begun = archive.begin(&comparison.question, &comparison.id)?;
    let comparison = Comparison { id: begun.id.clone(), ..comparison };
    archive.finish(&comparison)?;
    show(compare, &archive, &comparison)?;
    Ok(exit(&comparison))
}

fn refuse_what_runs(compare: &Compare) -> Result<(), Failure> {
    let runs = !compare.vary.is_empty()
        || !compare.set.is_empty()
        || compare.seeds.is_some()
        || compare.budget.is_some()
        || compare.twins.is_some();
    if runs {
        return Err(Failure::usage(
            "two stored sets are compared as they are: --vary, --set, --seeds, --budget and --twins go \
             with a case",
        ));
    }
    Ok(())
}

/// The trials that `wanted` names, under the whole ID of their set.
fn side(archive: &Archive, wanted: &str) -> Result<StoredSide, Failure> {
    let (id, nth) = split(wanted)?;
    let (id, variants) = match archive.comparison(id)? {
        Some(comparison) => (comparison.id.clone(), of_comparison(archive, &comparison)?),
        None => {
            let set = archive.set(id).map_err(Failure::usage)?;
            (set.id, set.variants)
        }
    };
    let count = variants.len();
    let nth = match nth {
        None if count > 1 => 0,
        None => 1,
        Some(nth) => nth,
    };
    let chosen = nth.checked_sub(1).and_then(|at| variants.into_iter().nth(at));
    let trials = chosen.ok_or_else(|| {
        Failure::usage(format!(
            "{id} holds {count} variants; name one of them: {id}:1 to {id}:{count}"
        ))
    })?;
    let name = if count > 1 { format!("{id}:{nth}") } else { id };
    Ok(StoredSide { name, trials })
}

/// `ID:K` apart.
fn split(wanted: &str) -> Result<(&str, Option<usize>), Failure> {
    let Some((id, nth)) = wanted.split_once(':') else { return Ok((wanted, None)) };
    let nth = nth.parse().ok().filter(|nth| *nth > 0).ok_or_else(|| {
        Failure::usage(format!("`{wanted}` is no set; write ID, or ID:K with K from 1"))
    })?;
    Ok((id, Some(nth)))
}

/// The trials of a comparison, some of which other commands may have run.
fn of_comparison(archive: &Archive, comparison: &Comparison) -> Result<Vec<Vec<Trial>>, Failure> {
    let trials = |side: &Side| -> Result<Vec<Trial>, Failure> {
        let values = side.series.first().map(|series| series.values.as_slice()).unwrap_or_default();
        values.iter().map(|sample| Ok(archive.find(&sample.trial)?)).collect()
    };
    comparison.sides.iter().map(trials).collect()
}
