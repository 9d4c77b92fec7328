//! What a comparison ends in: its report and its exit code.

use model::{Comparison, Contrast, TrialSpec, Verdict};
use slowpath::arguments::Compare;
use store::Archive;

use crate::commands::output;
use crate::exit::{Exit, Failure};

/// Writes the report where the user wants it.
pub(crate) fn show(
    compare: &Compare,
    archive: &Archive,
    comparison: &Comparison,
) -> Result<(), Failure> {
    let specs = specs(archive, comparison);
    output::write(
        compare.running.json.as_deref(),
        |out, style| report::comparison::write_of(out, comparison, &specs, style),
        |out| report::comparison::json(out, comparison),
    )
}

/// The spec of a trial of each side that has one; they tell what the comparison does not.
pub(crate) fn specs(archive: &Archive, comparison: &Comparison) -> Vec<TrialSpec> {
    let sides = comparison.sides.iter();
    let trials = sides.filter_map(|side| side.series.first()?.values.first());
    // One that is gone, or damaged, tells nothing, and the comparison stands without it.
    trials.filter_map(|sample| archive.find(&sample.trial).ok()).map(|trial| trial.spec).collect()
}

/// The exit code for a comparison: the worst that is said of any variant.
pub(crate) fn exit(comparison: &Comparison) -> Exit {
    let code = |contrast: &Contrast| {
        let headline = contrast.headline(&comparison.question.headline);
        match (contrast, headline.map(|judged| judged.verdict)) {
            (Contrast::NotComparable(_), _) => Exit::Broken,
            (_, None | Some(Verdict::CannotTell)) => Exit::CannotTell,
            (_, Some(Verdict::Worse)) => Exit::Worse,
            (_, Some(Verdict::Same | Verdict::Better)) => Exit::Done,
        }
    };
    let codes: Vec<Exit> = comparison.contrasts.iter().map(code).collect();
    let order = [Exit::Broken, Exit::Worse, Exit::CannotTell];
    order.into_iter().find(|exit| codes.contains(exit)).unwrap_or(Exit::Done)
}
