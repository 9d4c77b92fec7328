//! A phase with all its sides, and how each stands to the baseline.

use model::{Comparison, Contrast, Judgement, Sample, Series, Side};

/// A phase of all sides that have measured anything.
pub(crate) struct Phase<'c> {
    pub(super) label: String,
    pub(crate) is_headline: bool,
    pub(crate) sides: Vec<SidePhase<'c>>,
}

/// A phase of one side.
pub(crate) struct SidePhase<'c> {
    /// The side's place among the sides.
    pub(crate) side: usize,
    pub(crate) values: &'c [Sample],
    pub(super) standing: Standing<'c>,
}

/// How a side stands to the baseline.
#[derive(Clone, Copy)]
pub(crate) enum Standing<'c> {
    Baseline,
    Judged(&'c Judgement),
    NotComparable,
    /// It has no pair, or was not judged.
    Unpaired,
}

/// The phases of all sides: in the baseline's order, then those that only others have.
pub(crate) fn phases(comparison: &Comparison) -> Vec<Phase<'_>> {
    let mut all: Vec<&Series> = Vec::new();
    for series in comparison.sides.iter().flat_map(|side| &side.series) {
        if !all.iter().any(|known| known.label() == series.label()) {
            all.push(series);
        }
    }
    let headline = all.iter().rposition(|series| series.phase == comparison.question.headline);
    let phase = |(at, series): (usize, &&Series)| Phase {
        label: series.label(),
        is_headline: headline == Some(at),
        sides: sides(comparison, &series.label()),
    };
    all.iter().enumerate().map(phase).collect()
}

fn sides<'c>(comparison: &'c Comparison, label: &str) -> Vec<SidePhase<'c>> {
    let measured = |(_, side): &(usize, &Side)| !side.series.is_empty();
    let phase = |(at, side): (usize, &'c Side)| {
        let series = side.series.iter().find(|series| series.label() == label);
        SidePhase {
            side: at,
            values: series.map_or(&[], |series| &series.values),
            standing: standing(comparison, at, label),
        }
    };
    comparison.sides.iter().enumerate().filter(measured).map(phase).collect()
}

fn standing<'c>(comparison: &'c Comparison, side: usize, label: &str) -> Standing<'c> {
    let Some(contrast) = side.checked_sub(1).map(|at| comparison.contrasts.get(at)) else {
        return Standing::Baseline;
    };
    match contrast {
        Some(Contrast::NotComparable(_)) => Standing::NotComparable,
        Some(Contrast::Judged(all)) => {
            let judged = all.iter().find(|judged| judged.label() == label);
            judged.map_or(Standing::Unpaired, Standing::Judged)
        }
        None => Standing::Unpaired,
    }
}
