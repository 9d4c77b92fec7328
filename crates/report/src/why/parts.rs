//! The parts of the workload's time.

use std::io;

use model::account::{Account, WorkloadTime};
use model::{Part, PhaseExplained};

use super::figures::Figures;
use super::words::{innermost, part, share, signed, waited, word};
use super::{not_available, section, words};
use crate::page::{Page, Role};
use crate::quantity::{duration, nanoseconds, percent};

/// Parts that are shown by themselves.
const SHOWN: usize = 16;

/// Writes a difference's parts, and that they make it up.
pub(super) fn of_difference(
    page: &mut Page<'_>,
    phase: &PhaseExplained,
    not_available: &str,
) -> io::Result<()> {
    if phase.parts.is_empty() {
        section(page, "where the difference is", "")?;
        return page.labelled("    ", Role::Plain, not_available);
    }
    let about = "the workload's time on both sides; in `difference` a + means more time with the variant; \
                 shares are of the phase's difference; seeds alone: seeds move it as much by themselves";
    section(page, "where the difference is", about)?;
    let mut table = Figures::new(&["difference", "share", "baseline", "variant"]);
    for part in phase.parts.iter().take(SHOWN) {
        let (role, chance) = match part.by_chance {
            true => (Role::Faint, " (seeds alone)"),
            false => (Role::Plain, ""),
        };
        row(&mut table, role, phase, &[part], format!("{}{chance}", self::part(part)));
    }
    let (_, more) = phase.parts.split_at(phase.parts.len().min(SHOWN));
    if !more.is_empty() {
        let more: Vec<&Part> = more.iter().collect();
        row(&mut table, Role::Faint, phase, &more, format!("{} more parts", more.len()));
    }
    rest(&mut table, phase);
    table.write(page, 4)
}

/// A row of one part, or of several together.
fn row(table: &mut Figures, role: Role, phase: &PhaseExplained, parts: &[&Part], text: String) {
    let difference: f64 = parts.iter().map(|part| part.difference()).sum();
    let cells = [
        Some(signed(difference)),
        share(difference, phase.difference()),
        Some(nanoseconds(parts.iter().map(|part| part.baseline_ns).sum())),
        Some(nanoseconds(parts.iter().map(|part| part.variant_ns).sum())),
    ];
    table.row(role, cells, text);
}

/// What is in no part, and the sum, which is added up here so that it shows what is above it.
fn rest(table: &mut Figures, phase: &PhaseExplained) {
    let whole = phase.difference();
    let cells = [Some(signed(phase.rest_ns)), share(phase.rest_ns, whole), None, None];
    table.row(Role::Plain, cells, "rest: not seen, and small parts all together".to_owned());
    let sum: f64 = phase.parts.iter().map(Part::difference).sum::<f64>() + phase.rest_ns;
    let cells = [
        Some(signed(sum)),
        share(sum, whole),
        Some(nanoseconds(phase.baseline_ns)),
        Some(nanoseconds(phase.variant_ns)),
    ];
    table.row(Role::Strong, cells, "sum: the phase".to_owned());
}

/// Writes the parts of the workload's time in one trial's phase.
pub(super) fn of_account(
    page: &mut Page<'_>,
    account: &Account,
    notes: &[String],
) -> io::Result<()> {
    let Some(time) = &account.workload else {
        section(page, "the workload's time", "")?;
        return page.labelled("    ", Role::Plain, not_available(notes));
    };
    section(page, "the workload's time", &kinds(time, account.wall_ns))?;
    let mut parts = folded(time);
    parts.sort_by_key(|(_, ns)| std::cmp::Reverse(*ns));
    let mut table = Figures::new(&["time", "share"]);
    let mut row = |role, ns, text| {
        table.row(role, [Some(duration(ns)), percent(ns, account.wall_ns)], text);
    };
    let more = parts.split_off(parts.len().min(SHOWN));
    for (text, ns) in parts {
        row(Role::Plain, ns, text);
    }
    if !more.is_empty() {
        let together = more.iter().map(|(_, ns)| *ns).fold(0, u64::saturating_add);
        row(Role::Faint, together, format!("{} more parts", more.len()));
    }
    if time.unseen_ns > 0 {
        row(Role::Warning, time.unseen_ns, "not seen".to_owned());
    }
    let sum = [time.running_ns(), time.ready_ns(), time.blocked_ns(), time.unseen_ns];
    row(Role::Strong, sum.into_iter().fold(0, u64::saturating_add), "sum: the phase".to_owned());
    table.write(page, 4)
}

/// `ran 400.0 ms (19.7 %), had no CPU 0 s (0.0 %), waited 1.620 s (80.3 %)`.
fn kinds(time: &WorkloadTime, wall_ns: u64) -> String {
    let told = [
        ("ran", time.running_ns()),
        ("had no CPU", time.ready_ns()),
        ("waited", time.blocked_ns()),
    ]
    .map(|(what, ns)| {
        let share = percent(ns, wall_ns).unwrap_or_else(|| "of nothing".to_owned());
        format!("{what} {} ({})", word(&duration(ns)), word(&share))
    });
    told.join(", ")
}

/// The parts by what is said of them: paths that differ further out are one.
fn folded(time: &WorkloadTime) -> Vec<(String, u64)> {
    let ran = time.running.iter().map(|ran| (format!("ran in {}", innermost(&ran.frames)), ran.ns));
    let ready = time.ready.iter();
    let ready = ready.map(|ready| (words::ready(&ready.holder), ready.ns));
    let waits = time.blocked.iter();
    let waits = waits.map(|wait| (format!("waited in {}", waited(&wait.frames)), wait.ns));
    let mut parts: Vec<(String, u64)> = Vec::new();
    for (text, ns) in ran.chain(ready).chain(waits) {
        match parts.iter_mut().find(|(known, _)| *known == text) {
            Some((_, sum)) => *sum = sum.saturating_add(ns),
            None => parts.push((text, ns)),
        }
    }
    parts
}
