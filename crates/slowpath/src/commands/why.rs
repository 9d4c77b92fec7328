//! Why: what further passes said of a trial, a comparison or a bisection, in the ways in which `show` shows it.

use std::io::{self, Write};

use model::{Accounts, Bisection, Comparison, Found, Observation, Trial};
use report::why::{SideSeen, Stacks};
use serde::de::DeserializeOwned;
use slowpath::arguments::Folded;
use store::Archive;

use crate::commands::style;
use crate::exit::{Exit, Failure};

/// Shows where a trial's time went.
pub(crate) fn of_trial(archive: &Archive, trial: &Trial, json: bool) -> Result<Exit, Failure> {
    let accounts = accounts(archive, trial)?;
    let observation: Option<Observation> = kept(archive, &trial.id, experiment::OBSERVATION)?;
    let out = &mut io::stdout().lock();
    match json {
        true => report::why::json_trial(out, trial, &accounts, observation.as_ref())?,
        false => report::why::write_trial(out, trial, &accounts, observation.as_ref(), style())?,
    }
    Ok(Exit::Done)
}

/// Prints a trial's call paths for flame graphs.
pub(crate) fn folded(archive: &Archive, trial: &Trial, which: Folded) -> Result<Exit, Failure> {
    let stacks = match which {
        Folded::Running => Stacks::Running,
        Folded::Blocked => Stacks::Blocked,
    };
    report::why::folded(&mut io::stdout().lock(), &accounts(archive, trial)?, stacks)?;
    Ok(Exit::Done)
}

/// Shows what makes a comparison's difference.
pub(crate) fn of_comparison(
    archive: &Archive,
    comparison: &Comparison,
    json: bool,
) -> Result<Exit, Failure> {
    if comparison.explanations.is_empty() {
        return Err(Failure::usage(format!(
            "{} holds no reason: `slowpath compare` looks for one where it runs a case and a verdict is worse or \
             better, or with --why always (what is measured already is taken again), and not between stored sets; \
             slowpath observe TRIAL looks at a single trial",
            comparison.id
        )));
    }
    let seen = seen(archive, comparison)?;
    let sides: Vec<SideSeen<'_>> = seen.iter().map(Seen::side).collect();
    let out = &mut io::stdout().lock();
    match json {
        true => report::why::json(out, comparison, &sides)?,
        false => report::why::write(out, comparison, &sides, style())?,
    }
    Ok(Exit::Done)
}

/// Shows what makes a culprit slow: its proof.
pub(crate) fn of_bisection(
    archive: &Archive,
    bisection: &Bisection,
    json: bool,
) -> Result<Exit, Failure> {
    let steps = match &bisection.found {
        Found::Steps(steps) => steps.as_slice(),
        _ => &[],
    };
    let mut proofs = steps.iter().filter_map(|step| step.proof.as_ref());
    match proofs.find(|proof| !proof.explanations.is_empty()) {
        Some(proof) => of_comparison(archive, proof, json),
        None => Err(Failure::usage(format!(
            "{} has no culprit that was looked at for a reason; the same `slowpath bisect` with --why always looks",
            bisection.id
        ))),
    }
}

/// A side of a comparison under the first seed that was looked at.
struct Seen {
    name: String,
    seed: u64,
    accounts: Accounts,
    observation: Option<Observation>,
}

impl Seen {
    fn side(&self) -> SideSeen<'_> {
        SideSeen {
            name: &self.name,
            seed: self.seed,
            accounts: &self.accounts,
            observation: self.observation.as_ref(),
        }
    }
}

/// The baseline and each variant that was looked at; a trial that is gone is left out.
fn seen(archive: &Archive, comparison: &Comparison) -> Result<Vec<Seen>, Failure> {
    let mut wanted: Vec<(usize, u64, &str)> = Vec::new();
    for explanation in &comparison.explanations {
        let first = explanation.seeds.first().zip(explanation.trials.first());
        if let Some((seed, (baseline, variant))) = first {
            wanted.push((0, *seed, baseline));
            wanted.push((explanation.variant, *seed, variant));
        }
    }
    wanted.dedup();
    wanted.sort_unstable();
    wanted.dedup_by_key(|(side, ..)| *side);
    let mut seen = Vec::new();
    for (side, seed, trial) in wanted {
        let Some(variant) = comparison.question.variants.get(side) else { continue };
        let both = kept(archive, trial, experiment::ACCOUNTS)
            .and_then(|accounts| Ok((accounts, kept(archive, trial, experiment::OBSERVATION)?)));
        let both = both.or_else(|failure| {
            // The reason itself stands in the comparison.
            writeln!(io::stderr(), "slowpath: {}", failure.message).map(|()| (None, None))
        });
        if let (Some(accounts), observation) = both? {
            seen.push(Seen { name: variant.name.clone(), seed, accounts, observation });
        }
    }
    Ok(seen)
}

fn accounts(archive: &Archive, trial: &Trial) -> Result<Accounts, Failure> {
    kept(archive, &trial.id, experiment::ACCOUNTS)?.ok_or_else(|| {
        let id = &trial.id;
        match trial.measured() {
            Some(_) => Failure::usage(format!(
                "nobody looked yet at where the time of {id} went; slowpath observe {id} does"
            )),
            None => Failure::usage(format!(
                "the trial {id} is broken: its time went nowhere; slowpath show {id} says why it broke"
            )),
        }
    })
}

/// What is kept beside a trial under that name; nothing where the trial itself is gone.
fn kept<T: DeserializeOwned>(
    archive: &Archive,
    trial: &str,
    name: &str,
) -> Result<Option<T>, Failure> {
    let damaged = |why: &dyn std::fmt::Display| {
        Failure::missing(format!("{why}; slowpath observe {trial} makes {name} anew"))
    };
    let bytes = archive.attachment(trial, name).map_err(|error| damaged(&error))?;
    let read = bytes.map(|bytes| serde_json::from_slice(&bytes)).transpose();
    read.map_err(|error| damaged(&format!("{name} of the trial {trial} cannot be read: {error}")))
}
