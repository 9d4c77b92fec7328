//! Comparing trials that were run before, at different times or by different kernels.

use model::place::is_exact;
use model::{Comparison, Ended, Extent, FORMAT, Question, Trial, Variant};

use crate::judged;
use crate::notes::notes;

/// A set of trials of one variant.
pub struct StoredSide {
    /// How the user named it.
    pub name: String,
    /// Its trials, in the order of running.
    pub trials: Vec<Trial>,
}

/// Compares two sets, the first being the baseline. In a place that is not exact, where a seed means
/// nothing, the n-th trial of one set is paired with the n-th of the other.
///
/// They are judged by `headline`, or else as their case is.
///
/// # Errors
/// A set without trials, sets of different cases, or no phase of that name.
pub fn compare_stored(
    id: String,
    started: String,
    here: StoredSide,
    there: StoredSide,
    headline: Option<&str>,
    (threshold, confidence): (f64, f64),
) -> Result<Comparison, String> {
    let (Some(first), Some(other)) = (here.trials.first(), there.trials.first()) else {
        return Err(format!("`{}` or `{}` holds no trial", here.name, there.name));
    };
    if first.spec.case != other.spec.case {
        return Err(format!(
            "`{}` ran the case {} and `{}` ran {}: there is nothing to compare",
            here.name, first.spec.case, there.name, other.spec.case
        ));
    }
    let case = first.spec.case.clone();
    let headline = headline.unwrap_or(&first.spec.headline).to_owned();
    let sides = [here, there].map(numbered);
    let pairs = sides.iter().map(|side| side.trials.len()).min().unwrap_or_default();
    let question = Question {
        case,
        headline,
        variants: sides.iter().map(variant).collect(),
        threshold,
        confidence,
        extent: Extent::Stored(u32::try_from(pairs).unwrap_or(u32::MAX)),
    };
    let trials = sides.map(|side| side.trials);
    let sides = judged::sides(&question, &trials);
    let contrasts = judged::contrasts(&question, &sides, judged::error_each(&question));
    let names: Vec<&str> = sides[0].series.iter().map(|series| series.phase.as_str()).collect();
    if !names.is_empty() && !names.contains(&question.headline.as_str()) {
        return Err(format!(
            "no phase is named `{}`; there are {}",
            question.headline,
            names.join(", ")
        ));
    }
    let mut notes = notes(&question, &trials);
    notes.extend(caveat(&trials));
    Ok(Comparison {
        format: FORMAT,
        id,
        started,
        question,
        ended: Ended::Enough,
        sides,
        contrasts,
        explanations: Vec::new(),
        notes,
    })
}

/// What sets are worth that were not made pair by pair; nothing of them changes in an exact place.
fn caveat(trials: &[Vec<Trial>]) -> Option<String> {
    let noisy = trials.iter().flatten().any(|trial| !is_exact(&trial.spec.place));
    noisy.then(|| {
        "the sets were made one after the other, so whatever else changed meanwhile is in the \
         difference; the n-th trial of one is paired with the n-th of the other"
            .to_owned()
    })
}

/// What a set ran, under the name that the user gave it.
fn variant(side: &StoredSide) -> Variant {
    let spec = &side.trials[0].spec;
    Variant { name: side.name.clone(), place: spec.place.clone(), settings: spec.settings.clone() }
}

/// In a place that is not exact each trial gets its number for a seed.
fn numbered(mut side: StoredSide) -> StoredSide {
    if side.trials.iter().all(|trial| !is_exact(&trial.spec.place)) {
        for (seed, trial) in (1..).zip(&mut side.trials) {
            trial.spec.seed = seed;
        }
    }
    side
}
