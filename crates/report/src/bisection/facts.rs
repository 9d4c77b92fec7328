//! What is known of a step of the slowdown besides the verdict, a line each.

use std::io;

use model::bisection::Step;
use model::{Bisection, CommitFacts, Standing};

use super::proof::{effect_of, revert_of};
use super::words::{called_at, only, percent, share_of_whole, worse};
use crate::page::{Page, Role};

/// Files of a commit, and suspects of a range, that are named.
const NAMED: usize = 10;

/// Writes what is known of a step.
pub(super) fn write(page: &mut Page<'_>, bisection: &Bisection, step: &Step) -> io::Result<()> {
    if let Some(commit) = &step.commit {
        page.labelled("  author     ", Role::Plain, &commit.author)?;
        page.labelled("  date       ", Role::Plain, &date(commit))?;
        page.labelled("  files      ", Role::Plain, &files(commit))?;
    }
    match only(step) {
        Some(culprit) => of_culprit(page, bisection, step, culprit),
        None => suspects(page, bisection, step),
    }
}

fn of_culprit(
    page: &mut Page<'_>,
    bisection: &Bisection,
    step: &Step,
    culprit: usize,
) -> io::Result<()> {
    let parent = called_at(&bisection.hunt, step.parent);
    page.labelled("  stands on  ", Role::Plain, &parent)?;
    let judged = step.proof.as_ref().and_then(worse);
    if let Some(share) = judged.and_then(|judged| share_of_whole(bisection, judged.effect)) {
        let text = format!("{} of the slowdown from good to bad", percent(share));
        page.labelled("  share      ", Role::Plain, &text)?;
    }
    match revert_of(bisection, culprit) {
        Some(remedy) => page.labelled("  revert     ", Role::Plain, &effect_of(bisection, remedy)),
        None => Ok(()),
    }
}

/// Names the suspects of a range, and why the others could not be told.
fn suspects(page: &mut Page<'_>, bisection: &Bisection, step: &Step) -> io::Result<()> {
    for at in step.among.iter().take(NAMED) {
        let text = called_at(&bisection.hunt, Some(*at));
        let untold = untold(bisection, *at).map(|why| format!("; {why}")).unwrap_or_default();
        page.labelled("  - ", Role::Plain, &format!("{text}{untold}"))?;
    }
    match step.among.len().saturating_sub(NAMED) {
        0 => Ok(()),
        more => page.labelled("  ", Role::Plain, &format!("and {more} more")),
    }
}

/// Why a candidate could not be told from the ends.
fn untold(bisection: &Bisection, candidate: usize) -> Option<String> {
    let tried = bisection.tried.iter().rfind(|tried| tried.candidate == candidate)?;
    match tried.standing {
        Standing::Broken => Some("broken".to_owned()),
        Standing::CannotTell => Some("cannot tell".to_owned()),
        _ => None,
    }
}

/// When a commit was written, as `2026-01-12 16:43:51+02:00`.
pub(super) fn date(commit: &CommitFacts) -> String {
    commit.date.replacen('T', " ", 1)
}

/// The files of a commit, the first of them.
pub(super) fn files(commit: &CommitFacts) -> String {
    let named: Vec<&str> = commit.files.iter().take(NAMED).map(String::as_str).collect();
    match commit.files.len().saturating_sub(NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}
