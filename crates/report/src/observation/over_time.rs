//! Disks and memory over the time of each phase, so that what happened together stands together.

use std::io;

use model::observation::{DisksView, Inside};
use model::trace::MemoryAt;

use super::title;
use super::view::{Phase, View};
use crate::page::{Page, Role};
use crate::quantity::{bytes, milli};
use crate::sparkline::{bars, means, over};
use crate::table::{Align, Table};
use crate::text::width;

/// Columns of the bars at the most, and at the least.
const MOST: usize = 48;
const LEAST: usize = 12;

/// Columns that the quantity, the least and the greatest value take, with the white space before each
/// and before the bars.
const OTHERS: usize = 11 + 11 + 11 + 2;

/// Values over time, under a phase's name.
struct Row {
    phase: String,
    what: &'static str,
    least: String,
    greatest: String,
    values: Vec<u64>,
    /// What a bar of full height stands for: of disks all of them, else the quantity's greatest value.
    full: u64,
}

/// Writes the rows of each phase below each other, on one axis of time.
pub(super) fn write(page: &mut Page<'_>, view: &View<'_>) -> io::Result<()> {
    let columns = columns(page, view);
    let mut rows: Vec<Row> =
        view.phases.iter().flat_map(|phase| of_phase(phase, columns)).collect();
    let remembered = view.seen.phases.iter().any(|phase| !phase.memory.is_empty());
    if !remembered {
        rows.extend(view.seen.inside.iter().flat_map(|inside| of_trial(inside, columns)));
    }
    for what in ["dirty", "writeback"] {
        let alike = || rows.iter().filter(|row| row.what == what);
        let full = alike().flat_map(|row| &row.values).copied().max().unwrap_or(0);
        rows.iter_mut().filter(|row| row.what == what).for_each(|row| row.full = full);
    }
    let about = "each row over the phase's whole time; a full bar is all disks, or the most that any \
                 phase here had dirty or in writeback";
    title(page, "disks and memory over time", if rows.is_empty() { "" } else { about })?;
    if !rows.is_empty() {
        table(page, view, &rows)?;
    }
    match rows.iter().any(|row| row.what != DISKS) {
        true => Ok(()),
        false => page.labelled("  memory  ", Role::Plain, view.not_available()),
    }
}

const DISKS: &str = "disks busy";

fn table(page: &mut Page<'_>, view: &View<'_>, rows: &[Row]) -> io::Result<()> {
    let mut table = Table::new(&[
        ("phase", Align::Left),
        ("", Align::Left),
        ("least", Align::Right),
        ("greatest", Align::Right),
        ("from begin to end", Align::Left),
    ]);
    let mut last = "";
    for row in rows {
        let again = row.phase == last;
        let headline = view.phases.iter().any(|phase| phase.headline && phase.label == row.phase);
        let role = if headline { Role::Strong } else { Role::Plain };
        last = &row.phase;
        table.row(vec![
            (role, Some(if again { String::new() } else { row.phase.clone() })),
            (Role::Plain, Some(row.what.to_owned())),
            (Role::Plain, Some(row.least.clone())),
            (Role::Plain, Some(row.greatest.clone())),
            (Role::Good, Some(bars(&row.values, row.full, page.style.unicode))),
        ]);
    }
    table.write(page, "  ")
}

fn columns(page: &Page<'_>, view: &View<'_>) -> usize {
    let names = view.phases.iter().map(|phase| width(&page.plain(&phase.label)));
    let taken = 2 + names.max().unwrap_or(0).max(5) + OTHERS;
    page.style.width.saturating_sub(taken).clamp(LEAST, MOST)
}

fn of_phase(phase: &Phase<'_>, columns: usize) -> Vec<Row> {
    let disks = phase.seen.disks.iter().filter_map(|view| disks(&phase.label, view, columns));
    let dirty = memory(phase, "dirty", columns, |moment| moment.dirty);
    let writeback = memory(phase, "writeback", columns, |moment| moment.writeback);
    disks.chain(dirty).chain(writeback).collect()
}

fn disks(phase: &str, view: &DisksView, columns: usize) -> Option<Row> {
    let seen = &view.busy_over_time;
    Some(Row {
        phase: phase.to_owned(),
        what: DISKS,
        least: milli(*seen.iter().min()?),
        greatest: milli(*seen.iter().max()?),
        values: means(seen, columns),
        full: 1000 * view.disks.len() as u64,
    })
}

fn memory(
    phase: &Phase<'_>,
    what: &'static str,
    columns: usize,
    value: fn(&MemoryAt) -> Option<u64>,
) -> Option<Row> {
    let moments = phase.seen.memory.iter();
    let points: Vec<_> = moments.filter_map(|at| Some((at.at_ns, value(at)?))).collect();
    let last = points.last()?.0;
    let length = phase.wall_ns.unwrap_or(last).max(last);
    bytes_row(&phase.label, what, &points, length, columns)
}

fn bytes_row(
    phase: &str,
    what: &'static str,
    points: &[(u64, u64)],
    length: u64,
    columns: usize,
) -> Option<Row> {
    let values = || points.iter().map(|(_, value)| *value);
    Some(Row {
        phase: phase.to_owned(),
        what,
        least: bytes(values().min()?),
        greatest: bytes(values().max()?),
        values: over(points, length, columns),
        full: 0,
    })
}

/// Rows of the whole trial, from what the pass from inside sampled: its moments do not tell in which
/// phase they lie.
fn of_trial(inside: &Inside, columns: usize) -> Vec<Row> {
    let row = |what: &'static str| {
        let series = inside.series.iter().find(|series| series.name == what)?;
        let from = series.points.first()?.0;
        let since = |at: i64| u64::try_from(at.saturating_sub(from)).unwrap_or(0);
        let points: Vec<_> = series.points.iter().map(|(at, value)| (since(*at), *value)).collect();
        bytes_row("all", what, &points, points.last()?.0, columns)
    };
    ["dirty", "writeback"].into_iter().filter_map(row).collect()
}
