//! `slowpath compare --twins`: how often variants that differ in nothing that matters are told apart.

use analysis::twins::TwinPhase;
use experiment::{Compared, Why};
use model::place::is_exact;
use model::{Case, Comparison, Explanation, Extent, Series, Variant};
use report::twins::{FalseReasons, Twins};
use slowpath::arguments::{Arguments, Compare};

use crate::commands::bench::Bench;
use crate::commands::made::{made_of, question, when, with_whole_places};
use crate::commands::output;
use crate::exit::{Exit, Failure};
use crate::places::Looks;
use crate::variants::{baseline, check, keys, variants};

/// Pairs of each comparison of twins, unless told: the fewest that bear a verdict.
const PAIRS: u32 = 6;

/// The confidence of the rate at which reasons are named where there are none.
const RATE_CONFIDENCE: f64 = 0.95;

/// Measures the rate of false verdicts on `count` twins.
pub(crate) fn twins(
    arguments: &Arguments,
    compare: &Compare,
    case: &Case,
    count: u32,
) -> Result<Exit, Failure> {
    let others = keys(&[], &compare.vary).find(|key| !key.starts_with("kernel"));
    if let Some(key) = others {
        return Err(Failure::usage(format!(
            "variants of `{key}` are no neutral twins; with --twins only kernels can be named that \
             differ in nothing that matters: --vary kernel=A,B,C"
        )));
    }
    let pairs = compare.seeds.unwrap_or(PAIRS);
    if pairs < PAIRS {
        return Err(Failure::usage(format!("fewer than {PAIRS} pairs give no verdict; --seeds 6")));
    }
    let variants = with_whole_places(siblings(compare, case, count)?)?;
    let bench = Bench::new(arguments, &compare.running, Looks::default())?;
    for variant in &variants {
        for key in keys(&compare.set, &compare.vary) {
            bench.places.takes(&variant.place, key)?;
        }
    }
    let question = question(compare, case, variants, Extent::Pairs(pairs));
    let compared = made_of(&bench, compare, case, &question, Why::Never)?;
    let error = 1.0 - question.confidence;
    let phases = phases(&compared.comparison, question.threshold, error);
    let sides = compared.comparison.sides.iter().filter(|side| side.broken.is_none());
    let twins = Twins {
        case: &question.case,
        headline: &question.headline,
        twins: sides.count(),
        seeds: pairs,
        threshold: question.threshold,
        confidence: question.confidence,
        phases: &phases,
        reasons: false_reasons(&bench, compare, &compared),
    };
    output::write(
        compare.running.json.as_deref(),
        |out, style| report::twins::write(out, &twins, style),
        |out| report::twins::json(out, &twins),
    )?;
    if let Some(path) = &compare.markdown {
        output::file(path, |out| report::twins::markdown(out, &heading(compare, case), &twins))?;
    }
    Ok(exit(&compared.comparison, &phases, error))
}

/// In how many pairs of twins a mechanism is named though nothing that matters differs; `None` where nobody looks.
fn false_reasons(bench: &Bench, compare: &Compare, compared: &Compared) -> Option<FalseReasons> {
    let why = Some(when(compare.judging.why)).filter(|why| *why != Why::Never)?;
    let runner = bench.runner(&compared.comparison.id, None);
    let pairs = experiment::explain_twins(&runner, &compared.comparison, &compared.trials, why);
    bench.progress.finish();
    let found = pairs.iter().filter(|explanation| has_findings(explanation)).count();
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let (found, pairs) = (count(found), count(pairs.len()));
    let rate = analysis::proportion::interval(found, pairs, RATE_CONFIDENCE);
    Some(FalseReasons { pairs, found, rate })
}

fn has_findings(explanation: &Option<Explanation>) -> bool {
    let phases = explanation.iter().flat_map(|explanation| &explanation.phases);
    phases.into_iter().any(|phase| !phase.findings.is_empty())
}

/// What a table of twins is of: `dd-sync, disks=12 size=8M`.
fn heading(compare: &Compare, case: &Case) -> String {
    [std::slice::from_ref(&case.name), compare.set.as_slice()].concat().join(", ")
}

/// The variants that `--vary` names, all of which are taken for twins of the first, and twins of
/// the first by padding until there are `count`.
fn siblings(compare: &Compare, case: &Case, count: u32) -> Result<Vec<Variant>, Failure> {
    let place = &compare.running.place;
    let mut siblings = match compare.vary.is_empty() {
        true => vec![Variant { name: "twin=0".to_owned(), ..baseline(case, &compare.set, place)? }],
        false => variants(case, &compare.set, &compare.vary, place)?,
    };
    let first = siblings[0].clone();
    check(case, &first)?;
    let missing = (count as usize).saturating_sub(siblings.len());
    siblings.extend((1..=missing).map(|number| padded(&first, number)));
    Ok(siblings)
}

/// A twin by padding in the exact lab; in a directory the variant once more, for there no two
/// trials are alike anyway.
fn padded(first: &Variant, number: usize) -> Variant {
    let mut twin = first.clone();
    let varied = first.name.strip_prefix("twin=0").unwrap_or(&first.name);
    twin.name = format!("{varied} twin={number}").trim_start().to_owned();
    if is_exact(&first.place) {
        twin.settings.twin = u32::try_from(number).unwrap_or(u32::MAX);
    }
    twin
}

/// The summary of each phase that all twins have.
fn phases(comparison: &Comparison, threshold: f64, error: f64) -> Vec<TwinPhase> {
    let sides = comparison.sides.iter().filter(|side| side.broken.is_none());
    let twins: Vec<Vec<Series>> = sides.map(|side| side.series.clone()).collect();
    analysis::twins::twins(&twins, threshold, error)
}

/// Worse where the rate of false verdicts on the headline is surely above what was promised.
fn exit(comparison: &Comparison, phases: &[TwinPhase], promised: f64) -> Exit {
    if comparison.sides.iter().any(|side| side.broken.is_some()) {
        return Exit::Broken;
    }
    let headline = phases.iter().rfind(|phase| phase.phase == comparison.question.headline);
    match headline.is_some_and(|phase| phase.rate.0 > promised) {
        true => Exit::Worse,
        false => Exit::Done,
    }
}
