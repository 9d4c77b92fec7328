//! Making a comparison of variants, for every command that does.

use experiment::{Clock, Compared, Request, Why};
use model::place::is_exact;
use model::{Case, Ended, Extent, Fingerprint, Question, Settings, Variant};
use slowpath::arguments::{self, Compare};

use crate::commands::bench::Bench;
use crate::exit::Failure;
use crate::places;
use crate::variants::the_same;

/// What is asked of these variants.
pub(crate) fn question(
    compare: &Compare,
    case: &Case,
    variants: Vec<Variant>,
    extent: Extent,
) -> Question {
    Question {
        case: case.name.clone(),
        headline: case.headline.clone(),
        variants,
        threshold: compare.judging.threshold.0,
        confidence: compare.judging.confidence.0,
        extent,
    }
}

/// Makes a comparison, or goes on with one that was not finished, and keeps it.
///
/// # Errors
/// A trial could not be run or kept; or it was interrupted.
pub(crate) fn made(
    bench: &Bench,
    compare: &Compare,
    case: &Case,
    question: &Question,
) -> Result<Compared, Failure> {
    made_of(bench, compare, case, question, when(compare.judging.why))
}

/// The same, and the variants are looked at for the reason when `why` says so.
///
/// # Errors
/// As [`made`].
pub(crate) fn made_of(
    bench: &Bench,
    compare: &Compare,
    case: &Case,
    question: &Question,
    why: Why,
) -> Result<Compared, Failure> {
    bench.make_ready(&question.variants)?;
    let limits = compare.running.limits();
    let fingerprints = experiment::check(&bench.places, case, question, limits)?;
    refuse_the_same(&question.variants, &fingerprints)?;
    let begun = bench.archive.0.begin(question, &bench.clock.id())?;
    let runner = bench.runner(&begun.id, compare.budget);
    let request = Request {
        case,
        question,
        limits,
        started: begun.trials.first().map_or_else(|| bench.clock.now(), |t| t.started.clone()),
        earlier: begun.trials.clone(),
        after: 0,
    };
    let mut compared = experiment::compare(&runner, request);
    if compared.error.is_none() && compared.comparison.ended != Ended::Early {
        let explained = experiment::explain(&runner, &compared.comparison, &compared.trials, why);
        // Half a look is none: the verdict stands, and the same command looks again.
        compared.comparison.explanations =
            if bench.cancel.is_set() { Vec::new() } else { explained };
    }
    bench.progress.finish();
    if let Some(error) = compared.error.take() {
        return Err(error.into());
    }
    if compared.comparison.ended == Ended::Early {
        let kept = "the trials that were finished are kept: the same command goes on from there";
        return Err(Failure::interrupted(format!("interrupted; {kept}")));
    }
    if compared.reused > 0 {
        bench.progress.tell(&format!("{} trials were in the archive already", compared.reused));
    }
    bench.archive.0.finish(&compared.comparison)?;
    Ok(compared)
}

/// When sides are looked at for the reason.
pub(crate) fn when(why: arguments::Why) -> Why {
    match why {
        arguments::Why::Never => Why::Never,
        arguments::Why::Auto => Why::Auto,
        arguments::Why::Always => Why::Always,
    }
}

/// The variants with their places as they are kept.
pub(crate) fn with_whole_places(variants: Vec<Variant>) -> Result<Vec<Variant>, Failure> {
    let whole = |variant: Variant| Ok(Variant { place: places::whole(&variant.place)?, ..variant });
    variants.into_iter().map(whole).collect()
}

/// Refuses variants in an exact place that are the same, whatever they are called: kernels are told
/// by their bytes.
fn refuse_the_same(
    variants: &[Variant],
    fingerprints: &[Option<Fingerprint>],
) -> Result<(), Failure> {
    let sides: Vec<_> = variants.iter().zip(fingerprints).collect();
    for (at, (variant, fingerprint)) in sides.iter().enumerate() {
        let same = |(other, its): &&(&Variant, &Option<Fingerprint>)| {
            fingerprint.is_some()
                && fingerprint == its
                && without_kernel(&variant.settings) == without_kernel(&other.settings)
        };
        let exact = is_exact(&variant.place);
        if let Some((other, _)) = sides[..at].iter().find(same).filter(|_| exact) {
            return Err(the_same(&other.name, &variant.name));
        }
    }
    Ok(())
}

fn without_kernel(settings: &Settings) -> Settings {
    Settings { kernel: None, kernel_modules: None, ..settings.clone() }
}
