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

/// Bars that are shorter have no room for a long title.
const LONG: usize = 16;

/// Columns that the quantity, the least and the greatest value take, with the white space before each
/// and before the bars.
const OTHERS: usize = 11 + 11 + 11 + 2;

/// A stretch of time and what was seen over it.
pub(crate) struct Lane<'o> {
    /// What it is called.
    pub(crate) label: String,
    pub(crate) headline: bool,
    /// How long it is; `None` where it ends with the last moment.
    pub(crate) wall_ns: Option<u64>,
    pub(crate) disks: Option<&'o DisksView>,
    /// In ns after it began.
    pub(crate) memory: &'o [MemoryAt],
}

impl<'o> Lane<'o> {
    fn of(phase: &Phase<'o>) -> Lane<'o> {
        Lane {
            label: phase.label.clone(),
            headline: phase.headline,
            wall_ns: phase.wall_ns,
            disks: phase.seen.disks.as_ref(),
            memory: &phase.seen.memory,
        }
    }
}

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

/// What the bars mean.
pub(crate) const ABOUT: &str = "each row over the phase's whole time; a full bar is all disks, or the most that any \
                                phase here had dirty or in writeback";

/// Writes the rows of each phase below each other, on one axis of time.
pub(super) fn write(page: &mut Page<'_>, view: &View<'_>) -> io::Result<()> {
    let lanes: Vec<Lane<'_>> = view.phases.iter().map(Lane::of).collect();
    let columns = columns(page, &lanes, INDENT);
    let mut rows: Vec<Row> = lanes.iter().flat_map(|lane| of_lane(lane, columns)).collect();
    let remembered = view.seen.phases.iter().any(|phase| !phase.memory.is_empty());
    if !remembered {
        rows.extend(view.seen.inside.iter().flat_map(|inside| of_trial(inside, columns)));
    }
    title(page, "disks and memory over time", if rows.is_empty() { "" } else { ABOUT })?;
    let remembered = rows.iter().any(|row| row.what != DISKS);
    table(page, "phase", &lanes, rows, INDENT)?;
    match remembered {
        true => Ok(()),
        false => page.labelled("  memory  ", Role::Plain, view.not_available()),
    }
}

/// Writes the rows of each lane below each other, all at one scale; nothing where nothing was seen.
pub(crate) fn lanes(
    page: &mut Page<'_>,
    title: &str,
    lanes: &[Lane<'_>],
    indent: &str,
) -> io::Result<()> {
    // There may be a least value of more columns than its title has.
    let columns = columns(page, lanes, indent).saturating_sub(1).max(LEAST);
    let rows = lanes.iter().flat_map(|lane| of_lane(lane, columns)).collect();
    table(page, title, lanes, rows, indent)
}

const INDENT: &str = "  ";

const DISKS: &str = "disks busy";

/// Gives rows of one kind one scale.
fn scale_alike(rows: &mut [Row]) {
    for what in ["dirty", "writeback"] {
        let alike = || rows.iter().filter(|row| row.what == what);
        let full = alike().flat_map(|row| &row.values).copied().max().unwrap_or(0);
        rows.iter_mut().filter(|row| row.what == what).for_each(|row| row.full = full);
    }
}

fn table(
    page: &mut Page<'_>,
    title: &str,
    lanes: &[Lane<'_>],
    mut rows: Vec<Row>,
    indent: &str,
) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    scale_alike(&mut rows);
    let bars_title = if rows[0].values.len() < LONG { "over time" } else { "from begin to end" };
    let mut table = Table::new(&[
        (title, Align::Left),
        ("", Align::Left),
        ("least", Align::Right),
        ("greatest", Align::Right),
        (bars_title, Align::Left),
    ]);
    let mut last = "";
    for row in &rows {
        let again = row.phase == last;
        let headline = lanes.iter().any(|lane| lane.headline && lane.label == row.phase);
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
    table.write(page, indent)
}

fn columns(page: &Page<'_>, lanes: &[Lane<'_>], indent: &str) -> usize {
    let names = lanes.iter().map(|lane| width(&page.plain(&lane.label)));
    let taken = width(indent) + names.max().unwrap_or(0).max(5) + OTHERS;
    page.style.width.saturating_sub(taken).clamp(LEAST, MOST)
}

fn of_lane(lane: &Lane<'_>, columns: usize) -> Vec<Row> {
    let disks = lane.disks.iter().filter_map(|view| disks(&lane.label, view, columns));
    let dirty = memory(lane, "dirty", columns, |moment| moment.dirty);
    let writeback = memory(lane, "writeback", columns, |moment| moment.writeback);
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
    lane: &Lane<'_>,
    what: &'static str,
    columns: usize,
    value: fn(&MemoryAt) -> Option<u64>,
) -> Option<Row> {
    let moments = lane.memory.iter();
    let points: Vec<_> = moments.filter_map(|at| Some((at.at_ns, value(at)?))).collect();
    let last = points.last()?.0;
    let length = lane.wall_ns.unwrap_or(last).max(last);
    bytes_row(&lane.label, what, &points, length, columns)
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
