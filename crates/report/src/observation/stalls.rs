//! The stretches in which the workload completed nothing.

use std::collections::BTreeMap;
use std::io;

use model::observation::{Stall, StallLimit};

use super::group::Told;
use super::view::{View, is_named};
use super::{stall, title};
use crate::page::{Page, Role};
use crate::quantity::duration;

/// Stalls that are shown.
const SHOWN: usize = 5;

/// Phases whose stalls are counted in lines of their own.
const PHASES: usize = 8;

/// Writes how many stalls there were and what each of the longest showed. Of phases that complete no
/// calls nothing is said.
pub(super) fn write<'o>(
    page: &mut Page<'_>,
    view: &View<'o>,
    told: &mut Told<'o>,
) -> io::Result<()> {
    let seen = view.seen;
    if seen.limits.is_empty() && seen.stalls.is_empty() {
        return Ok(());
    }
    title(page, "stalls", "")?;
    counts(page, view)?;
    without(page, view)?;
    if seen.stalls.is_empty() {
        return Ok(());
    }
    legend(page, view)?;
    for (at, one) in seen.stalls.iter().take(SHOWN).enumerate() {
        page.blank()?;
        stall::write(page, view, at + 1, one, told)?;
    }
    more(page, view)
}

fn more(page: &mut Page<'_>, view: &View<'_>) -> io::Result<()> {
    let more = view.seen.stalls.len().saturating_sub(SHOWN);
    if more == 0 {
        return Ok(());
    }
    page.blank()?;
    let text = format!("{more} more stalls; slowpath show {} --json has them", view.id);
    page.labelled("  ", Role::Faint, &text)
}

fn legend(page: &mut Page<'_>, view: &View<'_>) -> io::Result<()> {
    let text = "times of waits are all tasks' together; D: nothing but what it waits for ends the wait; \
                R: ran; innermost function first";
    page.labelled("  ", Role::Faint, text)?;
    match view.sampled() {
        Some(_) => page.labelled(
            "  ",
            Role::Faint,
            "who ended a wait is not available: only the view from outside shows that",
        ),
        None => Ok(()),
    }
}

/// `3 stalls in write 2, 4.510 s in all (no completed call for over 20.00 ms)`.
fn counts(page: &mut Page<'_>, view: &View<'_>) -> io::Result<()> {
    let phases = by_phase(&view.seen.stalls);
    for (phase, stalls) in phases.iter().take(PHASES) {
        let (count, took) = all(view, phase, stalls);
        let text = format!(
            "{} in {phase}, {} in all{}",
            number(count),
            duration(took),
            limit_of(view, phase)
        );
        page.labelled("  ", Role::Bad, &text)?;
    }
    let rest = phases.iter().skip(PHASES).map(|(_, stalls)| stalls.len());
    match rest.clone().count() {
        0 => Ok(()),
        more => {
            let text = format!("{} in {more} more phases", number(rest.sum()));
            page.labelled("  ", Role::Bad, &text)
        }
    }
}

/// How many stalls a phase had and how long they were, with those that are too many to be looked at.
fn all(view: &View<'_>, phase: &str, stalls: &[&Stall]) -> (usize, u64) {
    let took = stalls.iter().filter_map(|stall| stall.gap).map(|gap| gap.took_ns);
    let took = took.fold(0, u64::saturating_add);
    let counted = view.seen.phases.iter().find(|view| view.phase == phase);
    let counted = counted.map_or((0, 0), |view| (view.stalls, view.stalled_ns));
    let count = usize::try_from(counted.0).unwrap_or(usize::MAX);
    (stalls.len().max(count), took.max(counted.1))
}

fn number(stalls: usize) -> String {
    format!("{stalls} stall{}", if stalls == 1 { "" } else { "s" })
}

fn limit_of(view: &View<'_>, phase: &str) -> String {
    let limit = view.seen.limits.iter().find(|limit| is_named(phase, &limit.phase));
    let text =
        |limit: &StallLimit| format!(" (no completed call for over {})", duration(limit.limit.0));
    limit.map(text).unwrap_or_default()
}

/// The stalls by phase, in the order in which the phases come in them: the costliest first.
fn by_phase(stalls: &[Stall]) -> Vec<(&str, Vec<&Stall>)> {
    let mut phases: Vec<(&str, Vec<&Stall>)> = Vec::new();
    for stall in stalls {
        match phases.iter_mut().find(|(phase, _)| *phase == stall.phase) {
            Some((_, all)) => all.push(stall),
            None => phases.push((&stall.phase, vec![stall])),
        }
    }
    phases
}

/// `no stall: no stretch without a completed call was longer than 20.00 ms (write)`: the phases that
/// had none, a line a limit.
fn without(page: &mut Page<'_>, view: &View<'_>) -> io::Result<()> {
    let seen = view.seen;
    let none = |limit: &&StallLimit| !seen.stalls.iter().any(|s| is_named(&s.phase, &limit.phase));
    let mut names: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    for limit in seen.limits.iter().filter(none) {
        names.entry(limit.limit.0).or_default().push(&limit.phase);
    }
    for (limit, names) in names {
        let text = format!(
            "no stall: no stretch without a completed call was longer than {} ({})",
            duration(limit),
            names.join(", ")
        );
        page.labelled("  ", Role::Good, &text)?;
    }
    Ok(())
}
