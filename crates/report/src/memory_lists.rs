//! The memory's free lists before and after a phase.

use std::io;

use model::memory::{ListLength, MemoryLists, MemoryState, TypeLists, ZoneLists};
use model::{Measurements, PhaseRun};

use crate::page::{Page, Role};
use crate::quantity::{bytes, thousands};
use crate::table::{Align, Cell, Table};
use crate::text::GLUE;
use crate::values::memory::length;

/// The migrate types that are shown even where their lists are empty.
const KINDS: [&str; 3] = ["Unmovable", "Movable", "Reclaimable"];

/// The type whose lists make the allocations of the kernel itself slow when they are long.
const UNMOVABLE: &str = "Unmovable";

/// Writes the sums and a table for each zone: an order a row, before → after.
pub(crate) fn write(page: &mut Page<'_>, lists: &MemoryLists) -> io::Result<()> {
    page.labelled("  memory    ", Role::Plain, &sums(lists))?;
    if lists.before.zones.is_empty() && lists.after.zones.is_empty() {
        let text = "not available: the kernel's lists of free memory were not read";
        return page.labelled("  free      ", Role::Plain, text);
    }
    for (before, after) in zones(lists) {
        zone(page, before, after)?;
    }
    Ok(())
}

fn sums(lists: &MemoryLists) -> String {
    let MemoryLists { before, after } = lists;
    let parts = [
        ("page cache", before.cache, after.cache),
        ("anonymous", before.anon, after.anon),
        ("the kernel's objects", before.slab, after.slab),
    ];
    let told = parts.map(|(what, before, after)| format!("{what} {}", ends(before, after)));
    told.join(", ")
}

/// `12.00 MiB → 40.00 MiB`, which is never broken; a single value where nothing changed.
pub(crate) fn ends(before: Option<u64>, after: Option<u64>) -> String {
    let told = |value: Option<u64>| value.map_or("not available".to_owned(), bytes);
    let text = match before == after {
        true => told(before),
        false => format!("{} → {}", told(before), told(after)),
    };
    text.replace(' ', &GLUE.to_string())
}

type Ends<'m, T> = (Option<&'m T>, Option<&'m T>);

/// The zones of both moments: those of the first, then those that only the second has.
fn zones(lists: &MemoryLists) -> Vec<Ends<'_, ZoneLists>> {
    let same = |a: &ZoneLists, b: &ZoneLists| (a.node, &a.zone) == (b.node, &b.zone);
    paired(&lists.before.zones, &lists.after.zones, same)
}

fn paired<'m, T>(
    before: &'m [T],
    after: &'m [T],
    same: impl Fn(&T, &T) -> bool,
) -> Vec<Ends<'m, T>> {
    let first = before.iter().map(|one| (Some(one), after.iter().find(|two| same(one, two))));
    let rest = after.iter().filter(|two| !before.iter().any(|one| same(one, two)));
    first.chain(rest.map(|two| (None, Some(two)))).collect()
}

fn zone(
    page: &mut Page<'_>,
    before: Option<&ZoneLists>,
    after: Option<&ZoneLists>,
) -> io::Result<()> {
    let Some(any) = before.or(after) else { return Ok(()) };
    let title = format!("  free blocks in zone {} of node {}, before → after", any.zone, any.node);
    page.line(&[(Role::Faint, &title)])?;
    let types = types(before, after);
    let kind = |(before, after): &Ends<'_, TypeLists>| {
        before.or(*after).map(|lists| page.plain(&lists.kind)).unwrap_or_default()
    };
    let kinds: Vec<String> = types.iter().map(kind).collect();
    let mut columns = vec![("order", Align::Right), ("all", Align::Right)];
    columns.extend(kinds.iter().map(|kind| (kind.as_str(), Align::Right)));
    let mut table = Table::new(&columns);
    for order in 0..orders(before, after) {
        let all = |lists: Option<&ZoneLists>| lists?.free.get(order).map(u64::to_string);
        let of = |lists: Option<&TypeLists>| lists?.free.get(order).map(|list| length(*list));
        let mut row: Vec<Cell> = vec![(Role::Plain, Some(order.to_string()))];
        row.push((Role::Plain, cell(all(before), all(after))));
        row.extend(types.iter().map(|(one, two)| (Role::Plain, cell(of(*one), of(*two)))));
        table.row(row);
    }
    table.write(page, "    ")?;
    if !types.is_empty() {
        return Ok(());
    }
    page.labelled("    ", Role::Plain, "by migrate type: not available, the kernel does not tell")
}

fn cell(before: Option<String>, after: Option<String>) -> Option<String> {
    if before.is_none() && after.is_none() {
        return None;
    }
    let told = |value: Option<String>| value.unwrap_or("-".to_owned());
    Some(format!("{} → {}", told(before), told(after)))
}

fn orders(before: Option<&ZoneLists>, after: Option<&ZoneLists>) -> usize {
    let lengths = before.into_iter().chain(after).flat_map(|lists| {
        let types = lists.by_type.iter().map(|lists| lists.free.len());
        types.chain(std::iter::once(lists.free.len()))
    });
    lengths.max().unwrap_or(0)
}

/// The types of both moments, without those that are of no interest and have nothing.
fn types<'m>(
    before: Option<&'m ZoneLists>,
    after: Option<&'m ZoneLists>,
) -> Vec<Ends<'m, TypeLists>> {
    let of = |lists: Option<&'m ZoneLists>| lists.map_or(&[][..], |lists| &lists.by_type);
    let mut types = paired(of(before), of(after), |a, b| a.kind == b.kind);
    types.retain(|(one, two)| {
        let mut lists = one.iter().chain(two);
        lists.any(|lists| {
            KINDS.contains(&lists.kind.as_str())
                || lists.free.iter().any(|length| length.at_least() > 0)
        })
    });
    types
}

/// Writes in two or three lines what `run` shows of aged memory: the headline phase's, or else that of
/// the first phase that has it. Nothing where none has.
pub(crate) fn brief(
    page: &mut Page<'_>,
    headline: &str,
    measured: &Measurements,
) -> io::Result<()> {
    let aged = || measured.phases.iter().filter(|run| run.memory.is_some());
    let Some(run) = aged().find(|run| run.name == headline).or(aged().next()) else {
        return Ok(());
    };
    let Some(lists) = &run.memory else { return Ok(()) };
    page.labelled("  memory   ", Role::Plain, &unmovable(run, lists))?;
    let [before, after] = [&lists.before, &lists.after].map(row);
    let (orders, blank) = (before.len().max(after.len()), " ".repeat(11));
    if orders == 0 {
        return page.labelled(&blank, Role::Plain, "free blocks by order: not available");
    }
    let title = format!("free blocks of order 0 to {}", orders - 1);
    page.labelled(&blank, Role::Plain, &format!("{title}  before  {}", shown(&before)))?;
    let wide = " ".repeat(11 + title.len());
    page.labelled(&wide, Role::Plain, &format!("after   {}", shown(&after)))
}

fn unmovable(run: &PhaseRun, lists: &MemoryLists) -> String {
    let told = |state: &MemoryState| {
        pages(state).map_or("not available".to_owned(), |pages| format!("{pages} pages"))
    };
    format!(
        "unmovable order 0: {} before {}, {} after",
        told(&lists.before),
        run.label(),
        told(&lists.after)
    )
}

/// The unmovable pages of order 0 in all zones; `over` some where the kernel stopped counting.
fn pages(state: &MemoryState) -> Option<String> {
    let least = state.order_0(UNMOVABLE)?;
    let lists = state.zones.iter().flat_map(|zone| &zone.by_type);
    let mut lengths = lists.filter(|list| list.kind == UNMOVABLE).filter_map(|l| l.free.first());
    let open = lengths.any(|length| matches!(length, ListLength::MoreThan(_)));
    Some(match open {
        true => format!("over {}", thousands(least.saturating_sub(1))),
        false => thousands(least),
    })
}

/// Free blocks of each order in all zones.
fn row(state: &MemoryState) -> Vec<u64> {
    let orders = state.zones.iter().map(|zone| zone.free.len()).max().unwrap_or(0);
    let blocks = |order| state.zones.iter().filter_map(move |zone| zone.free.get(order));
    (0..orders).map(|order| blocks(order).fold(0, |sum: u64, n| sum.saturating_add(*n))).collect()
}

fn shown(row: &[u64]) -> String {
    match row {
        [] => "not available".to_owned(),
        row => row.iter().map(u64::to_string).collect::<Vec<_>>().join(" "),
    }
}
