//! Instructions by function.

use std::io::{self, Write};

use model::{PhaseProfile, Profile};

use crate::page::{Page, Role, Style};
use crate::quantity::{count, percent};
use crate::table::{Align, Table};

/// Functions of a phase that are shown.
const FUNCTIONS: usize = 10;

/// Writes, for each phase, the functions with the most instructions and their shares.
///
/// # Errors
/// The writer's.
pub fn write(out: &mut dyn Write, profile: &Profile, style: Style) -> io::Result<()> {
    let mut page = Page::new(out, style);
    for (at, phase) in profile.phases.iter().enumerate() {
        if at > 0 {
            page.blank()?;
        }
        write_phase(&mut page, phase)?;
    }
    Ok(())
}

fn write_phase(page: &mut Page<'_>, phase: &PhaseProfile) -> io::Result<()> {
    let counts = || phase.functions.iter().map(|function| function.instructions);
    let total = counts().fold(0u64, u64::saturating_add);
    let text = format!("{} instructions by function", count(total));
    page.line(&[(Role::Strong, &phase.phase), (Role::Plain, "  "), (Role::Faint, &text)])?;
    if total == 0 {
        return Ok(());
    }
    let mut table = Table::new(&[
        ("share", Align::Right),
        ("instructions", Align::Right),
        ("function", Align::Cut),
    ]);
    let mut row = |instructions: u64, name: String| {
        table.row(vec![
            (Role::Plain, percent(instructions, total)),
            (Role::Plain, Some(count(instructions))),
            (Role::Plain, Some(name)),
        ]);
    };
    for function in phase.functions.iter().take(FUNCTIONS) {
        row(function.instructions, function.name.clone());
    }
    if phase.functions.len() > FUNCTIONS {
        let rest = counts().skip(FUNCTIONS).fold(0u64, u64::saturating_add);
        row(rest, format!("{} others", phase.functions.len() - FUNCTIONS));
    }
    table.write(page, "  ")
}
