//! What `bisect` shows of a bisection: the verdict first, then the culprit and its proof, then how it
//! was found and how it is had again; and the mail that reports it.
//!
//! Nothing here judges or searches: standings and verdicts are the model's. What a figure rests on
//! stands beside it, and what is not known is left out.

mod again;
mod context;
mod facts;
mod json;
mod log;
mod mail;
mod proof;
mod rows;
mod shell;
mod tried;
mod verdict;
mod words;

use std::io::{self, Write};

use model::{Bisection, Found};

use crate::page::{Page, Style};
use crate::why::Reason;

pub use json::json;
pub use log::git_bisect_log;
pub use mail::{MailError, MailFacts, mail};

/// Writes the verdict, the culprits with their proof, the table of the ends and remedies, the candidates that
/// were tried, and what must be known beside them.
///
/// # Errors
/// The writer's.
pub fn write(out: &mut dyn Write, bisection: &Bisection, style: Style) -> io::Result<()> {
    let mut page = Page::new(out, style);
    verdict::write(&mut page, bisection)?;
    reasons(&mut page, bisection)?;
    rows::write(&mut page, bisection)?;
    tried::write(&mut page, bisection)?;
    page.blank()?;
    context::write(&mut page, bisection)
}

/// Writes why each step makes it slower whose proof was looked at.
fn reasons(page: &mut Page<'_>, bisection: &Bisection) -> io::Result<()> {
    let Found::Steps(steps) = &bisection.found else { return Ok(()) };
    for reason in steps.iter().filter_map(|step| step.proof.as_ref()).flat_map(Reason::all) {
        page.blank()?;
        reason.write(page)?;
    }
    Ok(())
}
