//! What must be known beside the figures, and how they are had again.

use std::io;

use model::bisection::Step;
use model::place::is_exact;
use model::{Bisection, Found};

use super::again::{self, Names};
use super::shell::lines;
use super::tried::skipped;
use super::words::{changes, counted, only};
use crate::machine::CAVEAT;
use crate::page::{Page, Role};

/// Writes the case, the place, the search in figures, the commands, the notes and the ID.
pub(super) fn write(page: &mut Page<'_>, bisection: &Bisection) -> io::Result<()> {
    let hunt = &bisection.hunt;
    let case = format!("{}, judged by `{}`", hunt.case, hunt.headline);
    page.labelled("case    ", Role::Plain, &case)?;
    page.labelled("place   ", Role::Plain, &hunt.place)?;
    page.labelled("search  ", Role::Plain, &search(bisection))?;
    again(page, bisection)?;
    for note in notes(bisection) {
        page.labelled("note: ", Role::Warning, note)?;
    }
    if bisection.found != Found::Unfinished {
        let id = &bisection.id;
        let kept = format!("kept as {id}; slowpath show {id} --mail writes the report of it");
        let kept =
            if has_mail(bisection) { kept } else { format!("kept as {id}; slowpath show {id}") };
        page.labelled("", Role::Plain, &kept)?;
    }
    if is_exact(&hunt.place) {
        page.labelled("", Role::Faint, CAVEAT)?;
    }
    Ok(())
}

/// All notes, each once.
pub(super) fn notes(bisection: &Bisection) -> Vec<&String> {
    let all = bisection.hunt.notes.iter().chain(&bisection.ends.notes).chain(&bisection.notes);
    let mut told: Vec<&String> = Vec::new();
    for note in all {
        if !told.contains(&note) {
            told.push(note);
        }
    }
    told
}

fn has_mail(bisection: &Bisection) -> bool {
    super::mail::reportable(bisection).is_ok()
}

/// `Bisected over 40 commits in 8 steps, 2 skipped`.
pub(super) fn search(bisection: &Bisection) -> String {
    let hunt = &bisection.hunt;
    let over = changes(hunt.kind, hunt.candidates.len());
    let under = match hunt.paths.as_slice() {
        [] => String::new(),
        paths => format!(" that touch {}", paths.join(", ")),
    };
    if bisection.tried.is_empty() {
        return format!("{over}{under} up to bad, none of them tried");
    }
    let skipped = match skipped(bisection) {
        0 => String::new(),
        count => format!(", {count} skipped"),
    };
    let steps = counted(bisection.tried.len(), "step");
    format!("Bisected over {over}{under} in {steps}{skipped}")
}

/// Writes the commands that make the bisection and its proofs again.
fn again(page: &mut Page<'_>, bisection: &Bisection) -> io::Result<()> {
    let hunt = &bisection.hunt;
    if bisection.found == Found::Unfinished {
        return Ok(());
    }
    let mut commands = vec![again::bisect(hunt, None, Names::Whole)];
    if let Found::Steps(steps) = &bisection.found {
        let proof =
            |step: &Step| again::compare(hunt, None, (step.parent, only(step)?), Names::Whole);
        commands.extend(steps.iter().filter_map(proof));
    }
    for (at, words) in commands.iter().enumerate() {
        command(page, if at == 0 { "again   " } else { "        " }, words)?;
    }
    Ok(())
}

/// Writes a command behind a label, so that it can be copied.
pub(super) fn command(page: &mut Page<'_>, label: &str, words: &[String]) -> io::Result<()> {
    let blank = " ".repeat(label.len());
    let columns = page.style.width.saturating_sub(label.len());
    for (at, line) in lines(words, columns).iter().enumerate() {
        let label = if at == 0 { label } else { &blank };
        page.line(&[(Role::Faint, label), (Role::Plain, line)])?;
    }
    Ok(())
}
