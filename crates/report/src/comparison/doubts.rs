//! What makes the times of a noisy place doubtful, and what to do about it.

use std::io;

use analysis::{Doubt, doubts};
use model::{Comparison, Series, Side};

use super::names::quoted;
use crate::effect::Wording;
use crate::page::{Page, Role};
use model::place::is_exact;

/// Writes the doubts about each side's headline phase; the exact lab gives no cause for any.
pub(super) fn write(page: &mut Page<'_>, comparison: &Comparison) -> io::Result<()> {
    for side in comparison.sides.iter().filter(|side| !is_exact(&side.variant.place)) {
        let Some(series) = headline(side, &comparison.question.headline) else { continue };
        let walls: Vec<f64> = series.values.iter().map(|value| value.wall_ns).collect();
        for doubt in doubts(&walls) {
            let (label, text) = told(doubt, &series.label(), &quoted(&side.variant.name));
            page.led((Role::Warning, label), Role::Plain, &text)?;
        }
    }
    Ok(())
}

fn headline<'c>(side: &'c Side, phase: &str) -> Option<&'c Series> {
    side.series.iter().rfind(|series| series.phase == phase)
}

fn told(doubt: Doubt, label: &str, name: &str) -> (&'static str, String) {
    match doubt {
        Doubt::Outliers { count, of } => (
            "outliers: ",
            format!(
                "{count} of {of} times of `{label}` with {name} lie far from the rest: close other \
                 programs, or make more pairs"
            ),
        ),
        Doubt::Drift { share } => {
            let effect = share.ln_1p();
            let compared = Wording::of(effect, None).compared(effect);
            let text = format!(
                "the last `{label}` with {name} came out {compared} the first: something warms up, \
                 fills up or wears; let it settle, empty the disk, and compare again"
            );
            ("drift: ", text)
        }
    }
}
