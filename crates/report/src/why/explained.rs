//! Why a variant differs from the baseline, in full.

use std::io;

use model::account::{Account, SeenFrom};
use model::{Comparison, Explanation, PhaseExplained};

use super::seen::Seen;
use super::summary::names;
use super::words::{seeds, signed, word};
use super::{SideSeen, disks, findings, functions, moments, notes, parts, tasks, waits};
use crate::comparison::names::quoted;
use crate::page::{Page, Role};
use crate::quantity::{duration, nanoseconds};

/// Writes it phase by phase.
pub(super) fn write(
    page: &mut Page<'_>,
    comparison: &Comparison,
    explanation: &Explanation,
    sides: &[SideSeen<'_>],
) -> io::Result<()> {
    let names = names(comparison, explanation);
    heading(page, explanation, names)?;
    let sides = names.map(|name| sides.iter().find(|side| side.name == name));
    for phase in &explanation.phases {
        page.blank()?;
        self::phase(page, phase, names)?;
        let seen = of_phase(phase, sides);
        let cost = seen.iter().find_map(|side| functions::cost_ns(side.account));
        parts::of_difference(page, phase, not_available(explanation))?;
        findings::write(page, &phase.findings, "of the difference", findings::NONE)?;
        unexplained(page, phase)?;
        functions::of_difference(page, phase, cost, not_available(explanation))?;
        if !seen.is_empty() {
            of_trials(page, &seen)?;
        }
    }
    if explanation.phases.is_empty() {
        page.labelled("  ", Role::Plain, "no phase's difference could be taken apart")?;
    }
    let of_sides = sides.iter().flatten().flat_map(|side| &side.accounts.notes);
    let all = explanation.notes.iter().chain(of_sides);
    let mut said: Vec<String> = Vec::new();
    for note in all {
        if !said.contains(note) {
            said.push(note.clone());
        }
    }
    notes(page, &said)
}

/// What single trials show: the parts that no mean has.
fn of_trials(page: &mut Page<'_>, seen: &[Seen<'_>]) -> io::Result<()> {
    waits::write(page, seen)?;
    tasks::write(page, seen)?;
    disks::write(page, seen)?;
    moments::write(page, seen)
}

fn not_available(explanation: &Explanation) -> &'static str {
    super::not_available(&explanation.notes)
}

fn heading(
    page: &mut Page<'_>,
    explanation: &Explanation,
    [baseline, variant]: [&str; 2],
) -> io::Result<()> {
    let text = format!("{} against {}", word(&quoted(variant)), word(&quoted(baseline)));
    page.led((Role::Strong, "why: "), Role::Strong, &text)?;
    let from = match explanation.seen_from {
        SeenFrom::Outside => "from outside",
        SeenFrom::Inside => "from inside, in samples",
    };
    let text = format!("{from}, in the trials of {}", seeds(&explanation.seeds));
    page.labelled("  seen    ", Role::Plain, &text)?;
    for (baseline, variant) in &explanation.trials {
        page.labelled("          ", Role::Faint, &format!("{baseline} and {variant}"))?;
    }
    let (role, text) = match explanation.same_times {
        true => (Role::Good, "those passes measured the trials' own nanoseconds"),
        false => (
            Role::Warning,
            "warning: those passes measured other times than the trials, so they explain these only \
             roughly",
        ),
    };
    page.labelled("  times   ", role, text)
}

fn phase(
    page: &mut Page<'_>,
    phase: &PhaseExplained,
    [baseline, variant]: [&str; 2],
) -> io::Result<()> {
    let label = phase.label();
    let difference = phase.difference();
    let role = if difference > 0.0 { Role::Bad } else { Role::Good };
    page.line(&[(Role::Strong, &label), (Role::Plain, "  "), (role, &signed(difference))])?;
    let round =
        if phase.rounds.is_some_and(|(first, last)| first < last) { " a round" } else { "" };
    for (what, name, ns) in
        [("  baseline  ", baseline, phase.baseline_ns), ("  variant   ", variant, phase.variant_ns)]
    {
        let text = format!("{}{round}, {}", word(&nanoseconds(ns)), word(&quoted(name)));
        page.labelled(what, Role::Plain, &text)?;
    }
    Ok(())
}

fn unexplained(page: &mut Page<'_>, phase: &PhaseExplained) -> io::Result<()> {
    let milli = phase.unexplained_milli;
    let role = if milli < 50 { Role::Plain } else { Role::Warning };
    let text = format!("{}.{} % of the difference stays unexplained", milli / 10, milli % 10);
    page.labelled("    ", role, &text)
}

/// The phase in the trial of each side; of several rounds the one that took the variant longest.
fn of_phase<'a>(phase: &PhaseExplained, sides: [Option<&'a SideSeen<'a>>; 2]) -> Vec<Seen<'a>> {
    let within = |account: &&Account| {
        account.phase == phase.phase
            && match (phase.rounds, account.round) {
                (Some((first, last)), Some(round)) => (first..=last).contains(&round),
                (None, None) => true,
                _ => false,
            }
    };
    let mut last = sides.iter().rev().flatten();
    let longest = last.find_map(|side| {
        side.accounts.phases.iter().filter(within).max_by_key(|account| account.wall_ns)
    });
    let Some(longest) = longest else { return Vec::new() };
    let seen = sides.into_iter().zip(["baseline", "variant"]).filter_map(|(side, which)| {
        let side = side?;
        let account =
            side.accounts.phases.iter().find(|account| account.label() == longest.label())?;
        let took = duration(account.wall_ns);
        let name = format!("{which}, {} of seed {}: {took}", account.label(), side.seed);
        Some(Seen::new((which, Some(name)), account, side.accounts, side.observation))
    });
    seen.collect()
}
