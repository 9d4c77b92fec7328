//! The tasks that were at work.

use std::io;

use model::account::TaskTime;

use super::section;
use super::seen::Seen;
use crate::page::{Page, Role};
use crate::quantity::duration;
use crate::table::{Align, Table};

/// Tasks of a side that are shown.
const SHOWN: usize = 12;

/// Writes the tasks of each side, the longest running first.
pub(super) fn write(page: &mut Page<'_>, seen: &[Seen<'_>]) -> io::Result<()> {
    let about = "those of one name together; [ ]: the kernel's own, by what they work for; ready: a CPU \
                 was lacking; idle: without work";
    section(page, "tasks", about)?;
    for side in seen {
        side.title(page)?;
        match side.account.tasks.as_slice() {
            [] => page.labelled("    ", Role::Plain, side.not_available())?,
            tasks => table(page, tasks)?,
        }
    }
    Ok(())
}

fn table(page: &mut Page<'_>, tasks: &[TaskTime]) -> io::Result<()> {
    let right = Align::Right;
    let mut table = Table::new(&[
        ("task", Align::Cut),
        ("running", right),
        ("ready", right),
        ("blocked", right),
        ("idle", right),
    ]);
    let (shown, more) = tasks.split_at(tasks.len().min(SHOWN));
    for task in shown {
        table.row(row(name(task), std::slice::from_ref(task)));
    }
    if !more.is_empty() {
        table.row(row(format!("{} more names", more.len()), more));
    }
    table.write(page, "    ")
}

fn row(name: String, tasks: &[TaskTime]) -> Vec<crate::table::Cell> {
    let sum = |value: fn(&TaskTime) -> u64| {
        (Role::Plain, Some(duration(tasks.iter().map(value).fold(0, u64::saturating_add))))
    };
    vec![
        (Role::Plain, Some(name)),
        sum(|task| task.running_ns),
        sum(|task| task.ready_ns),
        sum(|task| task.blocked_ns),
        sum(|task| task.idle_ns),
    ]
}

/// `3 × [kworker/flush]`.
fn name(task: &TaskTime) -> String {
    let name = if task.kernel { format!("[{}]", task.name) } else { task.name.clone() };
    if task.tasks > 1 { format!("{} × {name}", task.tasks) } else { name }
}
