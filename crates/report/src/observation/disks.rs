//! What the disks did meanwhile.

use std::io;

use model::observation::{DiskDone, DiskView, DisksView};
use model::trace::RequestKind;

use super::title;
use super::view::View;
use crate::page::{Page, Role};
use crate::quantity::{bytes, duration, milli};
use crate::table::{Align, Cell, Table};

/// Writes a row for each phase.
pub(super) fn write(page: &mut Page<'_>, view: &View<'_>) -> io::Result<()> {
    if view.phases.iter().all(|phase| phase.seen.disks.is_none()) {
        title(page, "disks", "")?;
        return page.labelled("  ", Role::Plain, view.not_available());
    }
    let seen = view.phases.iter().filter_map(|phase| phase.seen.disks.as_ref());
    let about = format!(
        "busy: disks with a request in flight, of {}; queue: requests in flight; both at a time; idle \
         wait: the workload waited though no disk was busy",
        seen.map(|disks| disks.disks.len()).max().unwrap_or(0)
    );
    title(page, "disks", &about)?;
    let right = Align::Right;
    let mut table = Table::new(&[
        ("phase", Align::Cut),
        ("busy", right),
        ("queue", right),
        ("idle wait", right),
        ("written", right),
        ("read", right),
    ]);
    for phase in &view.phases {
        let role = if phase.headline { Role::Strong } else { Role::Plain };
        table.row(row((role, Some(phase.label.clone())), phase.seen.disks.as_ref()));
    }
    if let Some(whole) = &view.seen.whole {
        table.row(row((Role::Plain, Some("the whole".to_owned())), Some(whole)));
    }
    table.write(page, "  ")
}

fn row(name: Cell, seen: Option<&DisksView>) -> Vec<Cell> {
    let done = |kind| seen.map(|view| bytes(moved(view, kind)));
    vec![
        name,
        (Role::Plain, seen.map(|view| milli(view.busy_milli))),
        (Role::Plain, seen.map(|view| milli(view.in_flight_milli))),
        (Role::Plain, seen.and_then(|view| view.idle_wait_ns).map(duration)),
        (Role::Plain, done(RequestKind::Write)),
        (Role::Plain, done(RequestKind::Read)),
    ]
}

fn moved(view: &DisksView, kind: RequestKind) -> u64 {
    let done = view.disks.iter().flat_map(|disk: &DiskView| &disk.done);
    let of_kind = done.filter(|done: &&DiskDone| done.kind == kind);
    of_kind.map(|done| done.bytes).fold(0, u64::saturating_add)
}

/// The same of a stall.
pub(super) fn sentence(view: &DisksView) -> String {
    let waited = match view.idle_wait_ns {
        Some(ns) => format!("{} waited with none busy", duration(ns)),
        None => "waiting with none busy not available".to_owned(),
    };
    format!(
        "{} of {} busy, {} requests in flight, {waited}",
        milli(view.busy_milli),
        view.disks.len(),
        milli(view.in_flight_milli)
    )
}
