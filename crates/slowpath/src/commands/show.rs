//! `slowpath show`.

use std::io::{self, Write};

use model::{Comparison, Observation, Profile, Trial};
use slowpath::arguments::{Arguments, Show};
use store::{Archive, Set};

use crate::commands::bisected;
use crate::commands::outcome::specs;
use crate::commands::plan_run::closing_blocks;
use crate::commands::{style, why};
use crate::exit::{Exit, Failure};
use crate::places;

/// The newest trial; where only a bisection can be meant, the newest of these.
const LAST: &str = "last";

/// Shows one trial, comparison or bisection.
pub(crate) fn show(arguments: &Arguments, show: &Show) -> Result<Exit, Failure> {
    let archive = places::existing_archive(arguments)?
        .ok_or_else(|| Failure::usage("nothing was kept yet; begin with: slowpath run dd-sync"))?;
    let newest = show.id == LAST && (show.mail || show.bisect_log);
    let bisection = match newest {
        true => archive.bisections()?.ended.pop(),
        false => archive.bisection(&show.id)?,
    };
    if let Some(bisection) = bisection {
        refuse_folding(show)?;
        return match show.why {
            true => why::of_bisection(&archive, &bisection, show.json),
            false => bisected::show(show, &archive, &bisection),
        };
    }
    if show.mail || show.bisect_log {
        return Err(Failure::usage(format!(
            "--mail and --bisect-log are of a bisection, and `{}` is none (slowpath bisections lists them)",
            show.id
        )));
    }
    if let Some(comparison) = archive.comparison(&show.id)? {
        refuse_folding(show)?;
        return match show.why {
            true => why::of_comparison(&archive, &comparison, show.json),
            false => compared(show, &archive, &comparison),
        };
    }
    let trial = match archive.find(&show.id) {
        Ok(trial) => trial,
        Err(error) => match archive.set(&show.id) {
            Ok(set) if !show.recipe => return of_set(show, &show.id, set),
            _ => return Err(Failure::usage(error)),
        },
    };
    if show.why {
        return why::of_trial(&archive, &trial, show.json);
    }
    if let Some(which) = show.folded {
        return why::folded(&archive, &trial, which);
    }
    let mut out = io::stdout().lock();
    if show.ffsb {
        if report::ffsb_of(&trial).is_empty() {
            let id = &trial.id;
            return Err(Failure::usage(format!("--ffsb: the trial {id} measured no ffsb profile")));
        }
        closing_blocks(&mut out, &trial)?;
    } else if show.recipe {
        write!(out, "{}", report::recipe::recipe(&trial))?;
    } else if show.json {
        let seen = observation(&archive, &trial)?;
        report::json::trial_observed(&mut out, &trial, seen.as_ref())?;
    } else {
        let profile = profile(&archive, &trial)?;
        report::show::show(&mut out, &trial, style())?;
        if let Some(observation) = observation(&archive, &trial)? {
            writeln!(out)?;
            report::observation::write(&mut out, &trial, &observation, style())?;
        }
        if let Some(profile) = &profile {
            report::profile::write(&mut out, profile, style())?;
        }
        writeln!(out, "kept in {}", archive.folder(&trial.id).display())?;
    }
    Ok(Exit::Done)
}

/// Shows the trials of a set as `run` did.
fn of_set(show: &Show, id: &str, set: Set) -> Result<Exit, Failure> {
    if show.why || show.folded.is_some() {
        return Err(Failure::usage(format!(
            "--why and --folded are of one trial, and {id} is a set of several; slowpath trials lists them"
        )));
    }
    let trials: Vec<Trial> = set.variants.into_iter().flatten().collect();
    let mut out = io::stdout().lock();
    match show.json {
        true => report::json::run(&mut out, &trials)?,
        false => report::terminal::run(&mut out, &trials, style())?,
    }
    Ok(Exit::Done)
}

/// Call paths are those of one trial.
fn refuse_folding(show: &Show) -> Result<(), Failure> {
    match show.folded {
        None => Ok(()),
        Some(_) => Err(Failure::usage(format!(
            "--folded is of one trial; slowpath show {} --why names those that were looked at",
            show.id
        ))),
    }
}

/// Shows a comparison.
fn compared(show: &Show, archive: &Archive, comparison: &Comparison) -> Result<Exit, Failure> {
    if show.recipe {
        return Err(Failure::usage(
            "a recipe is of one trial; slowpath show ID --json names the comparison's trials",
        ));
    }
    let mut out = io::stdout().lock();
    match show.json {
        true => report::comparison::json(&mut out, comparison)?,
        false => {
            let specs = specs(archive, comparison);
            report::comparison::write_of(&mut out, comparison, &specs, style())?;
        }
    }
    Ok(Exit::Done)
}

fn observation(archive: &Archive, trial: &Trial) -> Result<Option<Observation>, Failure> {
    let bytes = archive.attachment(&trial.id, experiment::OBSERVATION)?;
    bytes
        .map(|bytes| serde_json::from_slice(&bytes))
        .transpose()
        .map_err(|error| Failure::missing(format!("the trial's observation is damaged: {error}")))
}

fn profile(archive: &Archive, trial: &Trial) -> Result<Option<Profile>, Failure> {
    let bytes = archive.attachment(&trial.id, "profile.json")?;
    bytes
        .map(|bytes| serde_json::from_slice(&bytes))
        .transpose()
        .map_err(|error| Failure::missing(format!("the trial's profile is damaged: {error}")))
}
