//! Why: the reason of a slowdown, in a few lines or in full.
//!
//! The few lines stand in the report of a comparison, of a bisection, and in the mail; the full view has what
//! they rest on. Nothing is worked out here: what explains a difference is `analysis`' to say. What was not
//! seen is said to be so, and is never shown as 0.
//!
//! In comparisons' tables a plus is better. Here all figures are times, so a plus is more time, and each table
//! says so.

mod disks;
mod explained;
mod figures;
mod findings;
mod folded;
mod functions;
mod json;
mod lines;
mod moments;
mod parts;
mod seen;
mod staircase;
mod summary;
mod tasks;
mod trial;
mod waits;
mod words;

use std::io::{self, Write};

use model::{Accounts, Comparison, Explanation, Observation, Trial};

use crate::page::{Page, Role, Style};

pub use folded::{Stacks, folded};
pub use json::{json, json_trial};
pub(crate) use summary::Reason;

/// What a further pass saw of one trial of a comparison's side.
#[derive(Clone, Copy, Debug)]
pub struct SideSeen<'a> {
    /// The side's name: that of its variant.
    pub name: &'a str,
    /// The trial's seed.
    pub seed: u64,
    /// Where its time went.
    pub accounts: &'a Accounts,
    /// What else was seen of it.
    pub observation: Option<&'a Observation>,
}

/// Writes the reason in at most ten lines: what explains the headline's difference, or else its largest parts,
/// how much stays unexplained, and how the rest is had.
///
/// `names` are those of the baseline and of the variant; `id` is the comparison's, or the bisection's.
///
/// # Errors
/// The writer's.
pub fn summary(
    out: &mut dyn Write,
    explanation: &Explanation,
    names: [&str; 2],
    id: &str,
    style: Style,
) -> io::Result<()> {
    Reason { explanation, names, id, headline: None }.write(&mut Page::new(out, style))
}

/// Writes all that is known of why the variants differ from the baseline: each phase's difference in its
/// parts, the findings, the instructions, and what was seen of single trials.
///
/// `sides` are the trials to show beside it: of the baseline and of each variant one, under one seed. Of a
/// phase that is done in rounds the round is shown that took the variant longest.
///
/// # Errors
/// The writer's.
pub fn write(
    out: &mut dyn Write,
    comparison: &Comparison,
    sides: &[SideSeen<'_>],
    style: Style,
) -> io::Result<()> {
    let mut page = Page::new(out, style);
    if comparison.explanations.is_empty() {
        let text = "not available: no trial of this comparison was looked at for a reason";
        return page.led((Role::Strong, "why: "), Role::Plain, text);
    }
    for (at, explanation) in comparison.explanations.iter().enumerate() {
        if at > 0 {
            page.blank()?;
        }
        explained::write(&mut page, comparison, explanation, sides)?;
    }
    Ok(())
}

/// Writes where a trial's time went: each phase that takes a hundredth of the trial or more, with its parts,
/// what was found in it, and what it rests on.
///
/// # Errors
/// The writer's.
pub fn write_trial(
    out: &mut dyn Write,
    trial: &Trial,
    accounts: &Accounts,
    observation: Option<&Observation>,
    style: Style,
) -> io::Result<()> {
    trial::write(&mut Page::new(out, style), trial, accounts, observation)
}

/// Begins a part of a phase, after an empty line; below its name stands what must be known of its figures.
fn section(page: &mut Page<'_>, name: &str, about: &str) -> io::Result<()> {
    page.blank()?;
    page.line(&[(Role::Plain, "  "), (Role::Strong, name)])?;
    page.labelled("    ", Role::Faint, about)
}

/// What is said of something that was not seen.
fn not_available(notes: &[String]) -> &'static str {
    match notes.is_empty() {
        true => "not available: it was not seen",
        false => "not available; the notes below say why",
    }
}

fn notes(page: &mut Page<'_>, notes: &[String]) -> io::Result<()> {
    if !notes.is_empty() {
        page.blank()?;
    }
    for note in notes {
        page.labelled("note: ", Role::Warning, note)?;
    }
    Ok(())
}
