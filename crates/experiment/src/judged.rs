//! From trials to sides and contrasts.

use analysis::contrast_error;
use model::comparison::BrokenSide;
use model::{Contrast, Outcome, Question, Side, Trial, Variant};

/// What each variant's trials say.
pub(crate) fn sides(question: &Question, trials: &[Vec<Trial>]) -> Vec<Side> {
    question.variants.iter().zip(trials).map(|(variant, trials)| side(variant, trials)).collect()
}

fn side(variant: &Variant, trials: &[Trial]) -> Side {
    let measured: Vec<&Trial> = trials.iter().filter(|t| t.measured().is_some()).collect();
    let release = |trial: &Trial| trial.fingerprint.get("kernel.release").map(str::to_owned);
    Side {
        variant: variant.clone(),
        kernel: trials.iter().find_map(release),
        series: analysis::series(&measured),
        broken: trials.iter().find_map(broken),
    }
}

fn broken(trial: &Trial) -> Option<BrokenSide> {
    let Outcome::Broken(broken) = &trial.outcome else { return None };
    Some(BrokenSide { trial: trial.id.clone(), reason: broken.reason.clone() })
}

/// Every side but the first against the first.
pub(crate) fn contrasts(question: &Question, sides: &[Side], error: f64) -> Vec<Contrast> {
    let Some((baseline, others)) = sides.split_first() else { return Vec::new() };
    let judged = |side| analysis::contrast(baseline, side, question.threshold, error);
    others.iter().map(judged).collect()
}

/// The error that each contrast may make, so that all of them together keep the confidence.
pub(crate) fn error_each(question: &Question) -> f64 {
    contrast_error(question.confidence, question.variants.len().saturating_sub(1))
}
