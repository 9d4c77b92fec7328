//! The phases of a comparison with all their sides.

use std::io;

use model::{Comparison, Contrast, Judgement, Sample, Series, Side};

use super::names::Names;
use super::tables::Tables;
use crate::machine::is_exact;
use crate::page::{Page, Role};
use crate::probability::share;
use crate::text::GLUE;

/// A phase of all sides that have measured anything.
pub(super) struct Phase<'c> {
    pub(super) label: String,
    pub(super) is_headline: bool,
    pub(super) sides: Vec<SidePhase<'c>>,
}

/// A phase of one side.
pub(super) struct SidePhase<'c> {
    /// The side's place among the sides.
    pub(super) side: usize,
    pub(super) values: &'c [Sample],
    pub(super) standing: Standing<'c>,
}

/// How a side stands to the baseline.
#[derive(Clone, Copy)]
pub(super) enum Standing<'c> {
    Baseline,
    Judged(&'c Judgement),
    NotComparable,
    /// It has no pair, or was not judged.
    Unpaired,
}

/// Writes what the figures mean, and then each phase after an empty line.
pub(super) fn write(page: &mut Page<'_>, comparison: &Comparison, names: &Names) -> io::Result<()> {
    let phases = phases(comparison);
    if phases.is_empty() {
        return Ok(());
    }
    page.blank()?;
    legend(page, comparison)?;
    names.legend(page)?;
    let tables = Tables::of(page, names, &phases);
    for phase in &phases {
        page.blank()?;
        tables.write(page, phase)?;
    }
    Ok(())
}

fn legend(page: &mut Page<'_>, comparison: &Comparison) -> io::Result<()> {
    let judged = comparison.contrasts.iter().flat_map(|contrast| match contrast {
        Contrast::Judged(all) => all.as_slice(),
        Contrast::NotComparable(_) => &[],
    });
    let intervals = judged.filter(|judged| judged.interval.is_some());
    let least = intervals.map(|judged| judged.confidence).reduce(f64::min);
    let sure = least.map(|least| format!("; its interval is {} sure", share(least, 1)));
    let change = format!(
        "median of the pairs: time saved (+{GLUE}is better) or lost (-100{GLUE}% is twice the time){}; \
         under {} does not matter",
        sure.unwrap_or_default(),
        share(comparison.question.threshold, 2)
    );
    page.labelled("change  ", Role::Faint, &change)?;
    let exact = comparison.sides.iter().any(|side| is_exact(&side.variant.place));
    let run = if exact { "seed" } else { "run" };
    let times = format!(
        "means of the {run}s; one dot a {run} (:{GLUE}two, ⁝{GLUE}three, +{GLUE}over{GLUE}nine); the \
         phase with * decides"
    );
    page.labelled("times   ", Role::Faint, &times)
}

/// The phases of all sides: in the baseline's order, then those that only others have.
fn phases(comparison: &Comparison) -> Vec<Phase<'_>> {
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
