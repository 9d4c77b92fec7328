//! The disks: who had them write what, and how their work lay to the workload's waiting.

use std::collections::BTreeSet;
use std::io;

use model::account::{IssuedBy, Overlap};
use model::trace::RequestKind;

use super::seen::Seen;
use super::words::word;
use super::{section, staircase};
use crate::page::{Page, Role};
use crate::quantity::{bytes, count, duration, milli};
use crate::table::{Align, Table};

/// A page that is narrower has no room for moments in the table.
const WIDE: usize = 72;

/// Writes them side by side.
pub(super) fn write(page: &mut Page<'_>, seen: &[Seen<'_>]) -> io::Result<()> {
    section(
        page,
        "disks",
        "who handed them requests, and when; moments are those after the phase's begin",
    )?;
    for (at, side) in seen.iter().enumerate() {
        if at > 0 {
            page.blank()?;
        }
        side.title(page)?;
        one(page, side)?;
    }
    Ok(())
}

fn one(page: &mut Page<'_>, side: &Seen<'_>) -> io::Result<()> {
    busy(page, side)?;
    match &side.account.overlap {
        Some(overlap) => self::overlap(page, overlap)?,
        None => page.labelled("    waiting  ", Role::Plain, side.not_available())?,
    }
    let issued = &side.account.issued;
    if issued.is_empty() {
        let text = match side.disks {
            Some(disks) if disks.disks.iter().all(|disk| disk.done.is_empty()) => "nobody did",
            _ => side.not_available(),
        };
        return page.labelled("    issued   ", Role::Plain, text);
    }
    table(page, issued)?;
    staircase::write(page, side)
}

fn busy(page: &mut Page<'_>, side: &Seen<'_>) -> io::Result<()> {
    let text = match side.disks {
        None => side.not_available().to_owned(),
        Some(disks) => format!(
            "{} of {} at a time over the whole phase, {} requests in flight",
            milli(disks.busy_milli),
            disks.disks.len(),
            milli(disks.in_flight_milli)
        ),
    };
    page.labelled("    busy     ", Role::Plain, &text)
}

/// What the disks did while the workload waited.
fn overlap(page: &mut Page<'_>, overlap: &Overlap) -> io::Result<()> {
    let time = |ns| word(&duration(ns));
    let text = format!(
        "{}, with {} of {} disks busy at a time; {} with no disk busy; {} with one busy while others \
         still had requests to come; {} on its own requests while no flusher was at work",
        time(overlap.waited_ns),
        milli(overlap.busy_milli),
        overlap.disks,
        time(overlap.no_disk_ns),
        time(overlap.one_disk_ns),
        time(overlap.no_flusher_ns),
    );
    page.labelled("    waiting  ", Role::Plain, &text)
}

/// Requests of one name and kind over all disks.
struct Group<'a> {
    by: &'a IssuedBy,
    requests: u64,
    bytes: u64,
    disks: BTreeSet<u32>,
    first_ns: u64,
    last_ns: u64,
}

/// The groups, the one of the most bytes first.
fn groups(issued: &[IssuedBy]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for one in issued {
        let alike = |group: &&mut Group<'_>| (&group.by.by, group.by.kind) == (&one.by, one.kind);
        match groups.iter_mut().find(alike) {
            Some(group) => group.add(one),
            None => groups.push(Group {
                by: one,
                requests: one.requests,
                bytes: one.bytes,
                disks: BTreeSet::from([one.disk]),
                first_ns: one.first_ns,
                last_ns: one.last_ns,
            }),
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse((group.bytes, group.requests)));
    groups
}

impl Group<'_> {
    fn add(&mut self, one: &IssuedBy) {
        self.requests = self.requests.saturating_add(one.requests);
        self.bytes = self.bytes.saturating_add(one.bytes);
        self.disks.insert(one.disk);
        self.first_ns = self.first_ns.min(one.first_ns);
        self.last_ns = self.last_ns.max(one.last_ns);
    }
}

fn table(page: &mut Page<'_>, issued: &[IssuedBy]) -> io::Result<()> {
    let right = Align::Right;
    let mut table = Table::new(&[
        ("issued by", Align::Cut),
        ("kind", Align::Left),
        ("requests", right),
        ("bytes", right),
        ("disks", right),
        ("first", right),
        ("last", right),
    ]);
    let wide = page.style.width >= WIDE;
    for group in groups(issued) {
        let cells = [
            Some(who(group.by)),
            Some(kind(group.by.kind).to_owned()),
            Some(count(group.requests)),
            Some(bytes(group.bytes)),
            Some(group.disks.len().to_string()),
            wide.then(|| duration(group.first_ns)),
            wide.then(|| duration(group.last_ns)),
        ];
        table.row(cells.map(|cell| (Role::Plain, cell)).to_vec());
    }
    table.write(page, "    ")
}

/// A kernel thread in brackets, as ps(1) shows it.
pub(super) fn who(issued: &IssuedBy) -> String {
    if issued.kernel { format!("[{}]", issued.by) } else { issued.by.clone() }
}

fn kind(kind: RequestKind) -> &'static str {
    match kind {
        RequestKind::Read => "read",
        RequestKind::Write => "write",
        RequestKind::Flush => "flush",
        RequestKind::Other => "other",
    }
}
