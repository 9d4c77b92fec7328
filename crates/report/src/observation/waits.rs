//! Where the workload's own tasks waited, phase by phase.

use std::io;

use super::group::Told;
use super::view::{Phase, View};
use super::{group, title};
use crate::page::{Page, Role};
use crate::quantity::{duration, percent};

/// What stands before a call path.
const PLACE: &str = "              ";

/// Places of a phase that are shown.
const PLACES: usize = 3;

/// Writes for each phase the places at which the workload waited longest.
pub(super) fn write<'o>(
    page: &mut Page<'_>,
    view: &View<'o>,
    told: &mut Told<'o>,
) -> io::Result<()> {
    if !view.saw_tasks() {
        title(page, "where the workload waited", "")?;
        return page.labelled("  ", Role::Plain, view.not_available());
    }
    let about =
        "its tasks' times together, and as a share of the phase; S: a signal may end the wait";
    title(page, "where the workload waited", about)?;
    for phase in view.phases.iter().filter(|phase| !phase.seen.waits.is_empty()) {
        one(page, view, phase, told)?;
    }
    let idle = view.phases.iter().filter(|phase| phase.seen.waits.is_empty());
    let idle: Vec<&str> = idle.map(|phase| phase.label.as_str()).collect();
    if idle.is_empty() {
        return Ok(());
    }
    page.labelled("  ", Role::Plain, &format!("no wait was seen in {}", idle.join(", ")))
}

fn one<'o>(
    page: &mut Page<'_>,
    view: &View<'o>,
    phase: &Phase<'o>,
    told: &mut Told<'o>,
) -> io::Result<()> {
    let role = if phase.headline { Role::Strong } else { Role::Plain };
    let took = phase.wall_ns.map(|ns| format!("  {}", duration(ns))).unwrap_or_default();
    page.line(&[(Role::Plain, "  "), (role, &phase.label), (Role::Faint, &took)])?;
    for group in phase.seen.waits.iter().take(PLACES) {
        let share = phase.wall_ns.and_then(|wall| percent(group.ns, wall));
        let share = share.map(|share| format!("{share:>7}  ")).unwrap_or_default();
        let lead = format!("    {:>8}  {share}", duration(group.ns));
        let leads = [lead.as_str(), PLACE];
        group::placed(page, told, leads, &group::who(view, group), &group.frames)?;
    }
    group::rest(page, "    ", &phase.seen.waits[phase.seen.waits.len().min(PLACES)..])
}
