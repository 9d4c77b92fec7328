//! How far what was seen can be trusted.

use std::io;

use model::observation::{Inside, Shift};

use super::view::View;
use crate::page::{Page, Role};
use crate::quantity::{change, duration};
use crate::table::{Align, Table};

/// A largest shift below which the phases' times are not worth a table, in thousandths.
const SMALL: u64 = 10;

pub(super) fn write(page: &mut Page<'_>, view: &View<'_>) -> io::Result<()> {
    page.line(&[(Role::Strong, "seen meanwhile")])?;
    let (role, text) = outside(view);
    page.labelled("  from outside  ", role, text)?;
    let Some(inside) = &view.seen.inside else {
        return page.labelled("  from inside   ", Role::Plain, view.not_available());
    };
    page.labelled("  from inside   ", Role::Plain, &sentence(view, inside))?;
    if inside.largest_shift_milli < SMALL { Ok(()) } else { shifts(page, view, inside) }
}

fn outside(view: &View<'_>) -> (Role, &'static str) {
    match view.seen.same_times {
        Some(true) => {
            (Role::Good, "at no cost in guest time: it measured the trial's own nanoseconds")
        }
        Some(false) => (
            Role::Warning,
            "warning: this pass measured other times than the trial, so it explains the trial only \
             roughly",
        ),
        None if view.sampled().is_some() => {
            (Role::Plain, "not available; what follows is what samples from inside show")
        }
        None => (Role::Plain, view.not_available()),
    }
}

fn sentence(view: &View<'_>, inside: &Inside) -> String {
    let tenths = inside.largest_shift_milli;
    let largest = format!("{}.{} %", tenths / 10, tenths % 10);
    let counted = match view.sampled() {
        Some(_) => "; a time of a wait is that of the samples that saw it",
        None => "",
    };
    format!(
        "{}, one every {}, in a run of its own, whose phases took up to {largest} longer or \
         shorter than the trial's: a finding from it explains only what is larger{counted}",
        plural(inside.samples, "sample"),
        duration(inside.every.0),
    )
}

/// The times of the phases that are shown, and of the one that was shifted most.
fn shifts(page: &mut Page<'_>, view: &View<'_>, inside: &Inside) -> io::Result<()> {
    let far = |shift: &Shift| {
        let away = u128::from(shift.timed_ns.abs_diff(shift.observed_ns)) * 1000;
        away.checked_div(u128::from(shift.timed_ns)).unwrap_or(0)
    };
    let most = inside.shifts.iter().map(far).max();
    let wanted = |shift: &&Shift| {
        let shown = view.phases.iter().any(|phase| phase.seen.phase == shift.phase);
        shown || Some(far(shift)) == most
    };
    let right = Align::Right;
    let mut table =
        Table::new(&[("phase", Align::Cut), ("trial", right), ("inside", right), ("shift", right)]);
    for shift in inside.shifts.iter().filter(wanted) {
        let cells = [
            Some(shift.phase.clone()),
            Some(duration(shift.timed_ns)),
            Some(duration(shift.observed_ns)),
            change(shift.timed_ns, shift.observed_ns),
        ];
        table.row(cells.map(|cell| (Role::Plain, cell)).to_vec());
    }
    table.write(page, "    ")
}

/// `1 sample`, `12 samples`.
fn plural(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
