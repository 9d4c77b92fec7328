//! Each disk's work over the phase, drawn below each other: disks that are written one after the other make
//! a staircase.

use std::cmp::Reverse;
use std::io;

use model::account::IssuedBy;

use super::disks::who;
use super::seen::Seen;
use crate::page::{Page, Role};
use crate::quantity::{bytes, duration};
use crate::table::{Align, Table};

/// Disks that are drawn.
const SHOWN: usize = 16;

/// A page that is narrower has no room for moments beside the bars.
const WIDE: usize = 90;

/// Columns of the bars at the most, and at the least.
const MOST: usize = 40;
const LEAST: usize = 12;

/// Columns that the others take: all but the moments, and the moments.
const OTHERS: usize = 4 + 8 + 10 + 16 + 8;
const MOMENTS: usize = 20;

/// What one disk had to do.
struct Work<'a> {
    disk: u32,
    issued: Vec<&'a IssuedBy>,
}

impl Work<'_> {
    fn bytes(&self) -> u64 {
        self.issued.iter().map(|issued| issued.bytes).fold(0, u64::saturating_add)
    }

    fn first_ns(&self) -> u64 {
        self.issued.iter().map(|issued| issued.first_ns).min().unwrap_or(0)
    }

    fn last_ns(&self) -> u64 {
        self.issued.iter().map(|issued| issued.last_ns).max().unwrap_or(0)
    }

    /// Those for whom it worked, the one of the most bytes first.
    fn by(&self) -> String {
        let mut issued = self.issued.clone();
        issued.sort_by_key(|issued| Reverse(issued.bytes));
        let mut names: Vec<String> = Vec::new();
        for name in issued.into_iter().map(who) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.join(", ")
    }
}

/// Writes a row for each disk, in the order in which they began.
pub(super) fn write(page: &mut Page<'_>, side: &Seen<'_>) -> io::Result<()> {
    let works = works(&side.account.issued);
    let wide = page.style.width >= WIDE;
    let taken = OTHERS + if wide { MOMENTS } else { 0 };
    let columns = page.style.width.saturating_sub(taken).clamp(LEAST, MOST);
    let right = Align::Right;
    let mut table = Table::new(&[
        ("disk", Align::Left),
        ("bytes", right),
        ("by", Align::Cut),
        ("first", right),
        ("last", right),
        ("from begin to end", Align::Left),
    ]);
    for work in works.iter().take(SHOWN) {
        let moment = |ns| wide.then(|| duration(ns));
        table.row(vec![
            (Role::Plain, Some(name(side, work.disk))),
            (Role::Plain, Some(bytes(work.bytes()))),
            (Role::Plain, Some(work.by())),
            (Role::Plain, moment(work.first_ns())),
            (Role::Plain, moment(work.last_ns())),
            (Role::Good, Some(bar(work, side.account.wall_ns, columns))),
        ]);
    }
    table.write(page, "    ")?;
    match works.len().saturating_sub(SHOWN) {
        0 => Ok(()),
        more => page.labelled("    ", Role::Faint, &format!("and {more} more disks")),
    }
}

fn works(issued: &[IssuedBy]) -> Vec<Work<'_>> {
    let mut works: Vec<Work<'_>> = Vec::new();
    for one in issued {
        match works.iter_mut().find(|work| work.disk == one.disk) {
            Some(work) => work.issued.push(one),
            None => works.push(Work { disk: one.disk, issued: vec![one] }),
        }
    }
    works.sort_by_key(|work| (work.first_ns(), work.disk));
    works
}

fn name(side: &Seen<'_>, disk: u32) -> String {
    let known = usize::try_from(disk).ok().and_then(|at| side.disks?.disks.get(at));
    known.map_or_else(|| format!("disk {disk}"), |known| known.name.clone())
}

/// A bar from the first request to the end of the last, of each of those for whom the disk worked.
fn bar(work: &Work<'_>, wall_ns: u64, columns: usize) -> String {
    let edge = |column: usize| u128::from(wall_ns) * column as u128 / columns as u128;
    let within = |column: usize| {
        let (from, to) = (edge(column), edge(column + 1));
        work.issued.iter().any(|issued| {
            u128::from(issued.first_ns) < to
                && u128::from(issued.last_ns.max(issued.first_ns + 1)) > from
        })
    };
    (0..columns).map(|column| if within(column) { '█' } else { '·' }).collect()
}

#[cfg(test)]
mod tests {
    use model::trace::RequestKind;

    use super::*;

    fn issued(disk: u32, first_ns: u64, last_ns: u64) -> IssuedBy {
        let by = "sync".to_owned();
        IssuedBy {
            disk,
            by,
            kernel: false,
            kind: RequestKind::Write,
            requests: 1,
            bytes: 1,
            first_ns,
            last_ns,
        }
    }

    #[test]
    fn disks_one_after_the_other_make_a_staircase() {
        let all = [issued(1, 50, 100), issued(0, 0, 50), issued(2, 100, 100), issued(0, 90, 95)];
        let drawn: Vec<String> = works(&all).iter().map(|work| bar(work, 100, 4)).collect();
        assert_eq!(drawn, ["██·█", "··██", "····"]);
        let last = [issued(2, 99, 99)];
        assert_eq!(bar(&works(&last)[0], 100, 4), "···█");
    }
}
