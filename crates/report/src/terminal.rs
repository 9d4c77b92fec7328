//! What `run` prints: each trial in a few lines.

use std::io::{self, Write};

use model::place::is_exact;
use model::{Outcome, Trial};

use crate::groups::{Group, repeats};
use crate::page::{Page, Role, Style};
use crate::phase_table::Rows;
use crate::{
    broken, ffsb_result, heading, machine, memory_lists, phase_table, repeats as sameness,
};

/// Writes the trials. Those of one spec and seed are one table, with a line that says whether they
/// measured the same.
///
/// # Errors
/// The writer's.
pub fn run(out: &mut dyn Write, trials: &[Trial], style: Style) -> io::Result<()> {
    let mut page = Page::new(out, style);
    let groups = repeats(trials);
    let mut first = true;
    for trial in trials {
        let group = groups.iter().find(|group| std::ptr::eq(group.first().0, trial));
        if group.is_none() && trial.measured().is_some() {
            continue;
        }
        if !first {
            page.blank()?;
        }
        first = false;
        match (group, &trial.outcome) {
            (Some(group), _) => measured(&mut page, group)?,
            (None, Outcome::Broken(why)) => broken::write(&mut page, trial, why)?,
            (None, Outcome::Measured(_)) => {}
        }
    }
    set(&mut page, trials)?;
    caveat(&mut page, &groups)
}

/// Says by which ID several trials can be compared as one set.
fn set(page: &mut Page<'_>, trials: &[Trial]) -> io::Result<()> {
    let Some(first) = trials.first().filter(|first| trials.len() > 1 && !first.set.is_empty())
    else {
        return Ok(());
    };
    let id = &first.set;
    let text = format!("kept as set {id}: slowpath compare {id} OTHER compares it with another");
    page.line(&[(Role::Faint, &text)])
}

fn measured(page: &mut Page<'_>, group: &Group<'_>) -> io::Result<()> {
    let (trial, measured) = group.first();
    heading::write(page, trial, group.runs.len() - 1)?;
    phase_table::write(page, group, Rows::Some)?;
    ffsb_result::write(page, group)?;
    memory_lists::brief(page, &trial.spec.headline, measured)?;
    machine::write(page, trial)?;
    sameness::write(page, group)
}

fn caveat(page: &mut Page<'_>, groups: &[Group<'_>]) -> io::Result<()> {
    if !groups.iter().any(|group| is_exact(&group.spec().place)) {
        return Ok(());
    }
    page.line(&[(Role::Faint, machine::CAVEAT)])
}
