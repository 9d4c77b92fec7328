//! The phases of a comparison with all their sides.

use std::io;

use model::{Comparison, Contrast};

use super::names::Names;
use super::phase::phases;
use super::tables::Tables;
use crate::page::{Page, Role};
use crate::probability::share;
use crate::text::GLUE;
use model::place::is_exact;

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

/// Writes what the figures mean.
pub(crate) fn legend(page: &mut Page<'_>, comparison: &Comparison) -> io::Result<()> {
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
