//! Trials that measured nothing: why, and what the console said last.

use std::io;

use model::{Broken, BrokenKind, Trial};

use crate::heading;
use crate::page::{Page, Role};

/// Lines of the console that are shown beside other trials.
const LINES: usize = 10;

/// The kind as JSON has it.
pub(crate) fn kind(kind: BrokenKind) -> &'static str {
    match kind {
        BrokenKind::Build => "build",
        BrokenKind::NoBoot => "no-boot",
        BrokenKind::Panic => "panic",
        BrokenKind::Setup => "setup",
        BrokenKind::Workload => "workload",
        BrokenKind::OutOfTime => "out-of-time",
        BrokenKind::Emulator => "emulator",
        BrokenKind::Interrupted => "interrupted",
    }
}

/// Writes the heading, the reason and the console's last lines.
pub(crate) fn write(page: &mut Page<'_>, trial: &Trial, broken: &Broken) -> io::Result<()> {
    heading::write(page, trial, 0)?;
    reason(page, broken)?;
    let from = broken.console.len().saturating_sub(LINES);
    console(page, &broken.console[from..])
}

pub(crate) fn reason(page: &mut Page<'_>, broken: &Broken) -> io::Result<()> {
    let label = format!("  broken ({}): ", kind(broken.kind));
    page.labelled(&label, Role::Bad, &broken.reason)
}

/// Writes lines of the console as they are, but for what a terminal would act upon.
pub(crate) fn console(page: &mut Page<'_>, lines: &[String]) -> io::Result<()> {
    if lines.is_empty() {
        return page.line(&[(Role::Faint, "  the console said nothing")]);
    }
    page.line(&[(Role::Faint, "  the console's last lines:")])?;
    for line in lines {
        page.line(&[(Role::Plain, "    "), (Role::Plain, line)])?;
    }
    Ok(())
}
