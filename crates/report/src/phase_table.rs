//! The phases of a trial, or of several runs of one spec, a row a phase.

use std::io;

use model::PhaseRun;

use crate::groups::Group;
use crate::page::{Page, Role};
use crate::quantity::{count, duration, rate};
use crate::statistics::median;
use crate::table::{Align, Cell, Table};
use crate::values::labels;

/// A longer table shows this many rows of its beginning and of its end.
const ENDS: usize = 20;

/// Whether all rows are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rows {
    All,
    Some,
}

/// Writes the table. Of several runs that differ, a time is the median, and the least and the
/// greatest stand beside it.
pub(crate) fn write(page: &mut Page<'_>, group: &Group<'_>, rows: Rows) -> io::Result<()> {
    let spread = !group.is_identical();
    let wall = if spread { "wall (median)" } else { "wall" };
    let right = Align::Right;
    let mut table = Table::new(&[
        ("phase", Align::Left),
        (wall, right),
        ("least", right),
        ("greatest", right),
        ("user", right),
        ("system", right),
        ("rate", right),
        ("slowest write", right),
        ("instructions", right),
    ]);
    let labels = labels(group.first().1);
    let hidden = match rows {
        Rows::Some if labels.len() > 2 * ENDS + 1 => ENDS..labels.len() - ENDS,
        _ => 0..0,
    };
    for (at, label) in labels.iter().enumerate() {
        if !hidden.contains(&at) {
            table.row(row(group, at, label, spread));
        }
    }
    table.write(page, "  ")?;
    if hidden.is_empty() {
        return Ok(());
    }
    let more = format!("  {} more phases in the middle; `show` has them all", hidden.len());
    page.line(&[(Role::Faint, &more)])
}

fn row(group: &Group<'_>, at: usize, label: &str, spread: bool) -> Vec<Cell> {
    let runs: Vec<&PhaseRun> = group.runs.iter().filter_map(|(_, m)| m.phases.get(at)).collect();
    let all = |value: fn(&PhaseRun) -> u64| runs.iter().map(|run| value(run)).collect::<Vec<_>>();
    let walls = all(|run| run.wall_ns);
    let wall = median(&walls);
    let headline = runs.iter().any(|run| run.name == group.spec().headline);
    let role = if headline { Role::Strong } else { Role::Plain };
    let plain = |text: Option<String>| (Role::Plain, text);
    let if_spread = |value: Option<&u64>| value.filter(|_| spread).copied().map(duration);
    vec![
        (role, Some(label.to_owned())),
        (role, Some(duration(wall))),
        plain(if_spread(walls.iter().min())),
        plain(if_spread(walls.iter().max())),
        plain(Some(duration(median(&all(|run| run.user_ns))))),
        plain(Some(duration(median(&all(|run| run.system_ns))))),
        (role, runs[0].bytes.and_then(|bytes| rate(bytes, wall))),
        plain(slowest(&runs).map(duration)),
        plain(instructions(&runs).map(count)),
    ]
}

/// The slowest call of all runs, ns.
fn slowest(runs: &[&PhaseRun]) -> Option<u64> {
    let calls = runs.iter().flat_map(|run| &run.slowest);
    calls.map(|call| call.took_ns).max()
}

/// The median over the runs that counted.
fn instructions(runs: &[&PhaseRun]) -> Option<u64> {
    let counts: Vec<u64> = runs.iter().filter_map(|run| run.instructions).collect();
    (!counts.is_empty()).then(|| median(&counts))
}
