//! The stretches in which the workload completed nothing.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;

use model::measurement::MOST_GAPS;
use model::observation::{Observation, StallLimit};

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
    let all: usize = by_phase(view.seen).iter().map(|stalled| stalled.count).sum();
    let more = all.max(view.seen.stalls.len()).saturating_sub(SHOWN);
    if more == 0 {
        return Ok(());
    }
    page.blank()?;
    let text = format!("{more} more stalls; slowpath show {} --json has the longest", view.id);
    page.labelled("  ", Role::Faint, &text)
}

fn legend(page: &mut Page<'_>, view: &View<'_>) -> io::Result<()> {
    let text = "times of waits are all tasks' together; D: nothing but what it waits for ends the wait; \
                R: ran, and left the CPU there; innermost function first";
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
    let phases = by_phase(view.seen);
    for Stalled { phase, count, took } in phases.iter().take(PHASES) {
        // A phase keeps so many of its stretches, the longest.
        let least = if *count >= MOST_GAPS { "at least " } else { "" };
        let text = format!(
            "{least}{} in {phase}, {} in all{}",
            number(*count),
            duration(*took),
            limit_of(view, phase)
        );
        page.labelled("  ", Role::Bad, &text)?;
    }
    let rest = phases.iter().skip(PHASES).map(|stalled| stalled.count);
    match rest.clone().count() {
        0 => Ok(()),
        more => {
            let text = format!("{} in {more} more phases", number(rest.sum()));
            page.labelled("  ", Role::Bad, &text)
        }
    }
}

/// The stalls of a phase, with those that are too many to be looked at.
struct Stalled<'o> {
    phase: &'o str,
    count: usize,
    took: u64,
}

/// The phases that had stalls, the costliest first.
fn by_phase(seen: &Observation) -> Vec<Stalled<'_>> {
    let mut phases: Vec<Stalled<'_>> = Vec::new();
    for view in &seen.phases {
        let own = seen.stalls.iter().filter(|stall| stall.phase == view.phase);
        let took = own.clone().filter_map(|stall| stall.gap).map(|gap| gap.took_ns);
        let (count, all) = (view.stalls, view.stalled_ns);
        let count = usize::try_from(count).unwrap_or(usize::MAX).max(own.count());
        let took = all.max(took.fold(0, u64::saturating_add));
        if count > 0 {
            phases.push(Stalled { phase: &view.phase, count, took });
        }
    }
    phases.sort_by_key(|stalled| Reverse(stalled.took));
    phases
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

/// `no stall: no stretch without a completed call was longer than 20.00 ms (write)`: the phases that
/// had none, a line a limit.
fn without(page: &mut Page<'_>, view: &View<'_>) -> io::Result<()> {
    let seen = view.seen;
    let stalled = by_phase(seen);
    let none =
        |limit: &&StallLimit| !stalled.iter().any(|phase| is_named(phase.phase, &limit.phase));
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
