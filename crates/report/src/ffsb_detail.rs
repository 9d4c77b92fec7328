//! What the threads of an ffsb profile did in a phase.

use std::io;

use model::PhaseRun;
use model::ffsb::{CallTimes, Op, Outcome};

use crate::page::{Page, Role};
use crate::quantity::{bytes, duration, rate, thousands};
use crate::table::{Align, Table};

/// Writes the operations, and the times of the system calls where the profile keeps them; nothing
/// for a phase that ran no profile.
pub(crate) fn write(page: &mut Page<'_>, run: &PhaseRun) -> io::Result<()> {
    let Some(outcome) = &run.ffsb else { return Ok(()) };
    let traffic = [("read", outcome.read_bytes), ("written", outcome.written_bytes)]
        .map(|(what, n)| format!("{} {what}{}", bytes(n), speed(n, run.wall_ns)));
    page.labelled("  profile   ", Role::Plain, &traffic.join(", "))?;
    operations(page, outcome, run.wall_ns)?;
    calls(page, &outcome.calls)
}

fn speed(bytes: u64, ns: u64) -> String {
    rate(bytes, ns).filter(|_| bytes > 0).map(|rate| format!(" ({rate})")).unwrap_or_default()
}

fn operations(page: &mut Page<'_>, outcome: &Outcome, wall_ns: u64) -> io::Result<()> {
    let right = Align::Right;
    let mut table = Table::new(&[
        ("operation", Align::Left),
        ("done", right),
        ("transactions", right),
        ("a second", right),
        ("bytes", right),
        ("throughput", right),
    ]);
    for count in &outcome.ops {
        let moves = moves(count.op);
        let cells = [
            Some(count.op.name().to_owned()),
            Some(thousands(count.done)),
            Some(thousands(count.transactions)),
            a_second(count.transactions, wall_ns),
            moves.then(|| bytes(count.bytes)),
            rate(count.bytes, wall_ns).filter(|_| moves),
        ];
        table.row(cells.map(|cell| (Role::Plain, cell)).to_vec());
    }
    if outcome.ops.is_empty() { Ok(()) } else { table.write(page, "  ") }
}

/// Whether the operation reads or writes files' contents.
fn moves(op: Op) -> bool {
    !matches!(op, Op::Delete | Op::Metaop | Op::Createdir | Op::Stat | Op::OpenClose)
}

/// How often that is in a second, in whole numbers; `None` where it took no time.
fn a_second(transactions: u64, wall_ns: u64) -> Option<String> {
    let times = u128::from(transactions) * 1_000_000_000 + u128::from(wall_ns) / 2;
    let rate = times.checked_div(u128::from(wall_ns))?;
    Some(thousands(u64::try_from(rate).unwrap_or(u64::MAX)))
}

fn calls(page: &mut Page<'_>, calls: &[CallTimes]) -> io::Result<()> {
    if calls.is_empty() {
        return Ok(());
    }
    let right = Align::Right;
    let mut table = Table::new(&[
        ("system call", Align::Left),
        ("calls", right),
        ("least", right),
        ("mean", right),
        ("greatest", right),
        ("all together", right),
    ]);
    for times in calls {
        let known = times.count > 0;
        let time = |ns: Option<u64>| ns.filter(|_| known).map(duration);
        let cells = [
            Some(times.call.name().to_owned()),
            Some(thousands(times.count)),
            time(Some(times.least_ns)),
            time(times.total_ns.checked_div(times.count)),
            time(Some(times.greatest_ns)),
            time(Some(times.total_ns)),
        ];
        table.row(cells.map(|cell| (Role::Plain, cell)).to_vec());
    }
    table.write(page, "  ")
}
