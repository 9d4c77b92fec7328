//! One stall: who waited where, what ran, who ended it, and what memory and disks did.

use std::io;

use model::observation::{Stall, WaitedFor};
use model::trace::MemoryAt;

use super::group::Told;
use super::view::View;
use super::{disks, group};
use crate::memory_lists::ends;
use crate::page::{Page, Role};
use crate::quantity::duration;

/// What stands before a call path.
const PLACE: &str = "                 ";

/// Groups of waiting tasks that are shown.
const WAITING: usize = 3;

/// Groups of running tasks that are shown.
const RUNNING: usize = 2;

/// What begins the names of functions that tell of a disk's request that is done.
const DISK: [&str; 8] = ["blk_", "bio_", "end_bio", "nvme_", "virtblk_", "scsi_", "null_", "dm_"];

/// The same for timers.
const TIMER: [&str; 4] = ["hrtimer_", "process_timeout", "call_timer_fn", "run_timer"];

pub(super) fn write<'o>(
    page: &mut Page<'_>,
    view: &View<'o>,
    number: usize,
    stall: &'o Stall,
    told: &mut Told<'o>,
) -> io::Result<()> {
    heading(page, number, stall)?;
    tasks(page, view, stall, told)?;
    waited_for(page, view, stall.waited_for.as_ref(), told)?;
    page.labelled(&label("memory"), Role::Plain, &memory(&stall.memory))?;
    let text = stall.disks.as_ref().map(disks::sentence);
    page.labelled(&label("disks"), Role::Plain, text.as_deref().unwrap_or("not available"))
}

fn label(name: &str) -> String {
    format!("     {name:<10}")
}

fn heading(page: &mut Page<'_>, number: usize, stall: &Stall) -> io::Result<()> {
    let (took, from) = match stall.gap {
        Some(gap) => (duration(gap.took_ns), format!("from {} on", duration(gap.at_ns))),
        None => ("length not available".to_owned(), String::new()),
    };
    let number = format!("  {number}  ");
    let phase = format!(" in {}", stall.phase);
    let comma = if from.is_empty() { "" } else { ", " };
    page.line(&[
        (Role::Faint, &number),
        (Role::Strong, &took),
        (Role::Plain, &phase),
        (Role::Plain, comma),
        (Role::Plain, &from),
    ])
}

fn tasks<'o>(
    page: &mut Page<'_>,
    view: &View<'o>,
    stall: &'o Stall,
    told: &mut Told<'o>,
) -> io::Result<()> {
    let parts = [
        ("waited", &stall.waiting, WAITING, "nobody uninterruptibly"),
        ("ran", &stall.running, RUNNING, "nothing: the CPUs were idle"),
    ];
    if stall.waiting.is_empty() && stall.running.is_empty() && !view.saw_all() {
        return page.labelled(&label("waited"), Role::Plain, &unseen(view, stall));
    }
    for (part, groups, most, none) in parts {
        if groups.is_empty() {
            let none = if view.saw_all() { none } else { "nobody was seen" };
            page.labelled(&label(part), Role::Plain, none)?;
        }
        for (at, group) in groups.iter().take(most).enumerate() {
            let lead = label(if at == 0 { part } else { "" });
            let lead = format!("{lead}{:>8}  ", duration(group.ns));
            let leads = [lead.as_str(), PLACE];
            group::placed(page, told, leads, &group::who(view, group), &group.frames)?;
        }
        group::rest(page, &label(""), &groups[groups.len().min(most)..])?;
    }
    Ok(())
}

/// Why nothing is said of a stall's tasks.
fn unseen(view: &View<'_>, stall: &Stall) -> String {
    let took = stall.gap.map_or(0, |gap| gap.took_ns);
    match view.sampled() {
        Some(every) if took > 0 && took <= every.0 => {
            format!(
                "not available: no sample fell into it, there is one every {}",
                duration(every.0)
            )
        }
        _ => view.not_available().to_owned(),
    }
}

fn waited_for<'o>(
    page: &mut Page<'_>,
    view: &View<'o>,
    waited_for: Option<&'o WaitedFor>,
    told: &mut Told<'o>,
) -> io::Result<()> {
    let label = label("ended by");
    match waited_for {
        Some(waker) => group::placed(page, told, [&label, PLACE], &who(waker), &waker.frames),
        None if view.sampled().is_some() => Ok(()),
        None => page.labelled(&label, Role::Plain, "not available: no wait was seen to end in it"),
    }
}

/// `jbd2`, or `an interrupt (a disk's completion) while dd ran`.
fn who(waker: &WaitedFor) -> String {
    let name = if waker.task.is_empty() { "a task that is not known" } else { &waker.task };
    if !waker.interrupt {
        return name.to_owned();
    }
    let begins = |starts: &[&str]| {
        waker.frames.iter().any(|frame| starts.iter().any(|start| frame.starts_with(start)))
    };
    // A disk's completion may come by a timer, as null_blk's do.
    let kind = match (begins(&DISK), begins(&TIMER)) {
        (true, _) => " (a disk's completion)",
        (false, true) => " (a timer)",
        (false, false) => "",
    };
    // The idle task's name, as in `init_idle` of `kernel/sched/core.c`.
    match name.starts_with("swapper") {
        true => format!("an interrupt{kind} while the CPU was idle"),
        false => format!("an interrupt{kind} while {name} ran"),
    }
}

/// Memory at the stall's two ends.
fn memory(moments: &[MemoryAt]) -> String {
    let (Some(first), Some(last)) = (moments.first(), moments.last()) else {
        return "not available".to_owned();
    };
    [
        ("dirty", first.dirty, last.dirty),
        ("writeback", first.writeback, last.writeback),
        ("free", first.free, last.free),
    ]
    .map(|(what, first, last)| format!("{what} {}", ends(first, last)))
    .join(", ")
}
