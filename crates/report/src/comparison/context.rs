//! What must be known beside the figures: where they come from, and what speaks against them.

use std::collections::BTreeSet;
use std::io;

use model::place::is_exact;
use model::{Comparison, TrialSpec};

use super::doubts;
use super::names::Names;
use crate::machine::CAVEAT;
use crate::page::{Page, Role};
use crate::scale::scale_line;

/// Writes the place, the kernels, doubts, notes, and the ID.
pub(super) fn write(
    page: &mut Page<'_>,
    comparison: &Comparison,
    specs: &[TrialSpec],
    names: &Names,
) -> io::Result<()> {
    let sides = &comparison.sides;
    let places = sides.iter().map(|side| Some(side.variant.place.as_str()));
    let kernels = sides.iter().map(|side| side.kernel.as_deref());
    page.labelled("case    ", Role::Plain, &comparison.question.case)?;
    for line in specs.iter().filter_map(scale_line).collect::<BTreeSet<_>>() {
        page.labelled("        ", Role::Plain, &line)?;
    }
    page.labelled("place   ", Role::Plain, &each(names, &places.collect::<Vec<_>>()))?;
    page.labelled("kernel  ", Role::Plain, &each(names, &kernels.collect::<Vec<_>>()))?;
    doubts::write(page, comparison)?;
    for note in &comparison.notes {
        page.labelled("note: ", Role::Warning, note)?;
    }
    let id = &comparison.id;
    page.labelled("", Role::Plain, &format!("kept as {id}; slowpath show {id}"))?;
    if sides.iter().any(|side| is_exact(&side.variant.place)) {
        page.labelled("", Role::Faint, CAVEAT)?;
    }
    Ok(())
}

/// What all sides have, or what each of them has.
fn each(names: &Names, values: &[Option<&str>]) -> String {
    if let Some((first, others)) = values.split_first()
        && others.iter().all(|other| other == first)
    {
        return first.unwrap_or_default().to_owned();
    }
    let told = values.iter().enumerate();
    let told =
        told.map(|(at, value)| format!("{} {}", names.short(at), value.unwrap_or("unknown")));
    told.collect::<Vec<_>>().join(", ")
}
