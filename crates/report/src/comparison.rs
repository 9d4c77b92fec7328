//! What `compare` shows of a comparison: the verdict in words, then what it rests on.
//!
//! The verdict comes first, for those who read no further. A phase has a table of times as kernel
//! people know it from each other's mails, and one dot a seed, since phases have modes and outliers
//! that no mean shows. Nothing here judges: the verdicts are the model's.

mod context;
mod doubts;
mod json;
pub(crate) mod names;
pub(crate) mod phase;
pub(crate) mod phases;
pub(crate) mod tables;
pub(crate) mod verdict;

use std::io::{self, Write};

use model::{Comparison, Contrast, TrialSpec, Verdict};

use crate::page::{Page, Role, Style};
use crate::why::Reason;
use names::Names;

pub(crate) use json::entries;
pub use json::json;

/// Writes the verdict on every variant, each phase with its figures and dots, and what must be known
/// beside them.
///
/// # Errors
/// The writer's.
pub fn write(out: &mut dyn Write, comparison: &Comparison, style: Style) -> io::Result<()> {
    write_of(out, comparison, &[], style)
}

/// The same, with what a comparison does not hold and the specs of some of its trials do: the scale of
/// an ffsb profile. One spec a variant is enough.
///
/// # Errors
/// The writer's.
pub fn write_of(
    out: &mut dyn Write,
    comparison: &Comparison,
    specs: &[TrialSpec],
    style: Style,
) -> io::Result<()> {
    let mut page = Page::new(out, style);
    let names = Names::of(comparison, &page);
    verdict::write(&mut page, comparison)?;
    let any = |contrast: &Contrast| matches!(contrast, Contrast::Judged(_));
    // What the baseline alone measured is no comparison.
    if comparison.contrasts.iter().any(any) {
        phases::write(&mut page, comparison, &names)?;
    }
    page.blank()?;
    context::write(&mut page, comparison, specs, &names)?;
    reasons(&mut page, comparison)
}

/// Writes why each variant differs that was looked at.
fn reasons(page: &mut Page<'_>, comparison: &Comparison) -> io::Result<()> {
    for reason in Reason::all(comparison) {
        page.blank()?;
        reason.write(page)?;
    }
    Ok(())
}

/// The colour of a verdict.
pub(crate) fn role(verdict: Verdict) -> Role {
    match verdict {
        Verdict::Worse => Role::Bad,
        Verdict::Better | Verdict::Same => Role::Good,
        Verdict::CannotTell => Role::Warning,
    }
}
