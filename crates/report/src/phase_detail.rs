//! All that was measured of one phase.

use std::io;

use model::{DiskUse, Gap, PhaseRun};

use crate::page::{Page, Role};
use crate::quantity::{bytes, count, duration, percent};
use crate::table::{Align, Table};
use crate::{ffsb_detail, histogram, memory_lists};

/// Stretches without a completed call that are shown.
const GAPS: usize = 5;

pub(crate) fn write(page: &mut Page<'_>, label: &str, run: &PhaseRun) -> io::Result<()> {
    page.line(&[
        (Role::Strong, label),
        (Role::Plain, "  "),
        (Role::Plain, &duration(run.wall_ns)),
        (Role::Faint, &format!(" ({} ns)", run.wall_ns)),
    ])?;
    let text = format!("{} minor, {} major", run.minor_faults, run.major_faults);
    page.labelled("  faults    ", Role::Plain, &text)?;
    let switches = (run.voluntary_switches, run.involuntary_switches);
    let text = format!("{} to wait, {} taken from it", switches.0, switches.1);
    page.labelled("  switches  ", Role::Plain, &text)?;
    page.labelled("  bytes     ", Role::Plain, &traffic(run))?;
    page.labelled("  machine   ", Role::Plain, &instructions(run))?;
    disks(page, &run.disks)?;
    latencies(page, run)?;
    slowest(page, run)?;
    gaps(page, &run.gaps)?;
    ffsb_detail::write(page, run)?;
    match &run.memory {
        Some(lists) => memory_lists::write(page, lists),
        None => Ok(()),
    }
}

/// What went through write(2), and from and to the disks on the workload's behalf.
fn traffic(run: &PhaseRun) -> String {
    let parts = [
        ("handed to write", run.bytes),
        ("read from disks", run.read_bytes),
        ("sent to disks", run.write_bytes),
    ];
    let known = parts.into_iter().filter_map(|(what, n)| Some(format!("{} {what}", bytes(n?))));
    known.collect::<Vec<_>>().join(", ")
}

fn instructions(run: &PhaseRun) -> String {
    let Some(all) = run.instructions else {
        return String::new();
    };
    let kernel = run.kernel_instructions.and_then(|kernel| percent(kernel, all));
    let share = kernel.map(|share| format!(", {share} of them in the kernel"));
    format!("{} instructions{}", count(all), share.unwrap_or_default())
}

fn disks(page: &mut Page<'_>, disks: &[DiskUse]) -> io::Result<()> {
    if disks.is_empty() {
        return Ok(());
    }
    let right = Align::Right;
    let mut table = Table::new(&[
        ("disk", Align::Left),
        ("writes", right),
        ("written", right),
        ("reads", right),
        ("read", right),
        ("flushes", right),
        ("busy", right),
    ]);
    for disk in disks {
        let cells = [
            Some(disk.name.clone()),
            Some(disk.writes.to_string()),
            Some(bytes(disk.written_bytes)),
            Some(disk.reads.to_string()),
            Some(bytes(disk.read_bytes)),
            disk.flushes.map(|flushes| flushes.to_string()),
            Some(format!("{} ms", disk.busy_ms)),
        ];
        table.row(cells.map(|cell| (Role::Plain, cell)).to_vec());
    }
    table.write(page, "  ")
}

fn latencies(page: &mut Page<'_>, run: &PhaseRun) -> io::Result<()> {
    if run.write_latency.is_empty() {
        return Ok(());
    }
    let calls = run.write_latency.iter().fold(0u64, |sum, (_, n)| sum.saturating_add(*n));
    let title = format!("  {calls} writes by their latency (bars are logarithmic)");
    page.line(&[(Role::Faint, &title)])?;
    histogram::write(page, "    ", &run.write_latency)
}

fn slowest(page: &mut Page<'_>, run: &PhaseRun) -> io::Result<()> {
    if run.slowest.is_empty() {
        return Ok(());
    }
    let right = Align::Right;
    let mut table =
        Table::new(&[("slowest writes", right), ("began after", right), ("at offset", right)]);
    for call in &run.slowest {
        let cells = [duration(call.took_ns), duration(call.at_ns), bytes(call.offset)];
        table.row(cells.map(|cell| (Role::Plain, Some(cell))).to_vec());
    }
    table.write(page, "  ")
}

fn gaps(page: &mut Page<'_>, gaps: &[Gap]) -> io::Result<()> {
    if gaps.is_empty() {
        return Ok(());
    }
    let right = Align::Right;
    let mut table = Table::new(&[
        ("longest stretches without a completed call", right),
        ("began after", right),
    ]);
    for gap in gaps.iter().take(GAPS) {
        let cells = [duration(gap.took_ns), duration(gap.at_ns)];
        table.row(cells.map(|cell| (Role::Plain, Some(cell))).to_vec());
    }
    table.write(page, "  ")
}
