//! What each task did over a phase.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use model::account::TaskTime;
use model::trace::{Span, TaskState};

use super::split::aways;
use super::watched::Watched;
use crate::observation::frames::is_idle;
use crate::observation::stretches::{cut, touching};
use crate::observation::timeline::Away;

/// The tasks that were on a CPU in `phase`, those of one name folded, the longest running first. A worker's times
/// are told by what it worked for; its waiting for work by what it did last.
pub(super) fn tasks(watched: &Watched<'_>, phase: Span) -> Vec<TaskTime> {
    let mut folded: BTreeMap<(usize, bool), TaskTime> = BTreeMap::new();
    for task in watched.on_a_cpu(phase) {
        let kernel = !watched.is_workload(task);
        for (name, times) in by_name(watched, task, phase) {
            let sum = folded.entry((name, kernel)).or_default();
            sum.tasks += 1;
            sum.running_ns += times.running_ns;
            sum.ready_ns += times.ready_ns;
            sum.blocked_ns += times.blocked_ns;
            sum.idle_ns += times.idle_ns;
        }
    }
    let named = |((name, kernel), times): ((usize, bool), TaskTime)| TaskTime {
        name: watched.runs.names.get(name).to_owned(),
        kernel,
        ..times
    };
    let mut tasks: Vec<TaskTime> = folded.into_iter().map(named).collect();
    tasks.sort_by(|a, b| (Reverse(a.running_ns), &a.name).cmp(&(Reverse(b.running_ns), &b.name)));
    tasks
}

/// One task's times by the names that it had.
fn by_name(watched: &Watched<'_>, task: usize, phase: Span) -> BTreeMap<usize, TaskTime> {
    let mut times: BTreeMap<usize, TaskTime> = BTreeMap::new();
    let within =
        |part: Option<Span>| part.and_then(|part| cut(part, phase)).map_or(0, Span::length);
    for run in touching(watched.runs.of_task(task), phase) {
        let name = watched.runs.name(task, Some(run));
        times.entry(name).or_default().running_ns += within(Some(run.span));
    }
    for (_, away) in aways(watched, task, phase) {
        let absence = absence(watched, task, away);
        let (asleep, ready) = (within(away.asleep()), within(away.ready()));
        if ready > 0 {
            times.entry(absence.comes_back_as).or_default().ready_ns += ready;
        }
        if asleep > 0 {
            let left = times.entry(absence.left_as).or_default();
            let part = if absence.idle { &mut left.idle_ns } else { &mut left.blocked_ns };
            *part += asleep;
        }
    }
    times
}

/// A task's absence, as its names tell it.
pub(super) struct Absence {
    /// The task is a kernel thread that waits for work.
    pub(super) idle: bool,
    /// The name under which it left.
    pub(super) left_as: usize,
    /// That under which it comes back: a worker that waited for work does another one then.
    pub(super) comes_back_as: usize,
}

/// Looks into an absence of a task.
pub(super) fn absence(watched: &Watched<'_>, task: usize, away: &Away) -> Absence {
    let idle = !watched.is_workload(task) && waits_for_work(watched, away);
    let left_as = watched.runs.name_leaving(task, away.span.from_ns);
    let comes_back_as = if idle { watched.runs.name_after(task, away.span.to_ns) } else { left_as };
    Absence { idle, left_as, comes_back_as }
}

fn waits_for_work(watched: &Watched<'_>, away: &Away) -> bool {
    let frames = watched.places.frames(watched.left_at(away.stack));
    match away.state {
        TaskState::Idle => true,
        TaskState::Interruptible | TaskState::Uninterruptible => {
            frames.first().is_some_and(|first| is_idle(first))
        }
        TaskState::Runnable | TaskState::Other => false,
    }
}
