//! What was seen of a trial: its stalls, where it waited, what disks and memory did meanwhile.
//!
//! The reader wants to know first how far what follows can be trusted, then what held the workload
//! up, and only then what else was there. Nothing is worked out here: who waited where is
//! `analysis`' to say. What was not seen is said to be so, and is never shown as 0 or left empty.

mod disks;
mod group;
mod header;
pub(crate) mod over_time;
pub(crate) mod path;
mod stall;
mod stalls;
mod view;
mod waits;

use std::io::{self, Write};

use model::{Observation, Trial};

use crate::page::{Page, Role, Style};
use group::Told;
use view::View;

/// Writes what was seen of the trial.
///
/// The trial is asked for its phases' times and its headline; of more than a few phases only the
/// headline's and the longest are shown, JSON has all.
///
/// # Errors
/// The writer's.
pub fn write(
    out: &mut dyn Write,
    trial: &Trial,
    seen: &Observation,
    style: Style,
) -> io::Result<()> {
    let mut page = Page::new(out, style);
    let view = View::of(trial, seen);
    header::write(&mut page, &view)?;
    let mut told = Told::default();
    stalls::write(&mut page, &view, &mut told)?;
    waits::write(&mut page, &view, &mut told)?;
    disks::write(&mut page, &view)?;
    over_time::write(&mut page, &view)?;
    hidden(&mut page, &view)?;
    page.blank()?;
    let text = format!("where the time went, and why: slowpath show {} --why", view.id);
    page.labelled("", Role::Faint, &text)?;
    notes(&mut page, seen)
}

fn hidden(page: &mut Page<'_>, view: &View<'_>) -> io::Result<()> {
    if view.hidden == 0 {
        return Ok(());
    }
    page.blank()?;
    let text = format!(
        "{} more phases are not shown here; slowpath show {} --json has them all",
        view.hidden, view.id
    );
    page.labelled("", Role::Faint, &text)
}

fn notes(page: &mut Page<'_>, seen: &Observation) -> io::Result<()> {
    if seen.notes.is_empty() {
        return Ok(());
    }
    page.blank()?;
    for note in &seen.notes {
        page.labelled("note: ", Role::Warning, note)?;
    }
    Ok(())
}

/// Begins a part after an empty line; below its name stands what must be known of its figures.
fn title(page: &mut Page<'_>, name: &str, about: &str) -> io::Result<()> {
    page.blank()?;
    page.line(&[(Role::Strong, name)])?;
    page.labelled("  ", Role::Faint, about)
}
