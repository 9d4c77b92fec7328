//! A bisection that was made, in the ways in which `show` shows it.

use std::io::{self, Write};

use model::{Bisection, Found, Trial};
use report::bisection::MailFacts;
use slowpath::arguments::Show;
use store::Archive;

use crate::commands::style;
use crate::exit::{Exit, Failure};

/// Shows a bisection.
pub(crate) fn show(show: &Show, archive: &Archive, bisection: &Bisection) -> Result<Exit, Failure> {
    let mut out = io::stdout().lock();
    if show.mail {
        mail(&mut out, archive, bisection)?;
    } else if show.bisect_log {
        if !report::bisection::git_bisect_log(&mut out, bisection)? {
            return Err(Failure::usage(format!(
                "--bisect-log: {} searched no commits, or searched nothing because of its ends; git has nothing \
                 to replay",
                bisection.id
            )));
        }
    } else if show.recipe {
        write!(out, "{}", report::recipe::recipe(&culprits_trial(archive, bisection)?))?;
    } else if show.json {
        report::bisection::json(&mut out, bisection)?;
    } else {
        report::bisection::write(&mut out, bisection, style())?;
    }
    Ok(Exit::Done)
}

fn mail(out: &mut dyn Write, archive: &Archive, bisection: &Bisection) -> Result<(), Failure> {
    let trial = culprits_trial(archive, bisection).ok();
    let facts = MailFacts {
        fingerprint: trial.as_ref().map(|trial| &trial.fingerprint),
        spec: trial.as_ref().map(|trial| &trial.spec),
        recipe_file: trial.as_ref().map(|_| "recipe.toml".to_owned()),
    };
    report::bisection::mail(out, bisection, &facts).map_err(Failure::usage)
}

/// The first trial of the culprit, or of the bad end where none is named.
fn culprits_trial(archive: &Archive, bisection: &Bisection) -> Result<Trial, Failure> {
    let proof = match &bisection.found {
        Found::Steps(steps) => steps.iter().find_map(|step| step.proof.as_ref()),
        _ => None,
    };
    let side = proof.unwrap_or(&bisection.ends).sides.get(1);
    let sample = side.and_then(|side| side.series.first()?.values.first());
    let sample = sample.ok_or_else(|| {
        Failure::usage(format!(
            "{} measured nothing of which there could be a recipe",
            bisection.id
        ))
    })?;
    Ok(archive.find(&sample.trial)?)
}
