//! A trace, prepared for accounts.

use std::collections::BTreeSet;

use model::trace::{Span, Trace};

use super::runs::{Runs, functions};
use crate::observation::frames::Places;
use crate::observation::groups::agent_waits_for_its_own;
use crate::observation::stretches::touching;
use crate::observation::timeline::{Away, Timeline};

/// A trace by tasks, CPUs and places.
pub(super) struct Watched<'a> {
    pub(super) trace: &'a Trace,
    pub(super) timeline: Timeline,
    pub(super) runs: Runs,
    pub(super) places: Places,
    /// Where a task that left, or a waker, stood: by stack.
    left_at: Vec<usize>,
    /// What was executed: by stack.
    ran_at: Vec<usize>,
    /// When requests were done, ascending.
    pub(super) done: Vec<u64>,
}

impl<'a> Watched<'a> {
    pub(super) fn of(trace: &'a Trace) -> Self {
        let timeline = Timeline::of(trace);
        let runs = Runs::of(trace, &timeline);
        let mut places = Places::new();
        let switches = trace.switches.iter().map(|switch| switch.stack);
        let left = switches.chain(trace.wakes.iter().map(|wake| wake.stack));
        let left_at = numbers(trace, left, |frames| places.place(frames));
        let ran = trace.samples.iter().map(|sample| sample.stack);
        let ran_at = numbers(trace, ran, |frames| places.ran(frames));
        let mut done: Vec<u64> = trace.requests.iter().filter_map(|r| r.done_ns).collect();
        done.sort_unstable();
        Watched { trace, timeline, runs, places, left_at, ran_at, done }
    }

    /// The workload's tasks that were on a CPU in `span`, ascending.
    pub(super) fn workload(&self, span: Span) -> Vec<usize> {
        self.on_a_cpu(span).into_iter().filter(|task| self.is_workload(*task)).collect()
    }

    /// All tasks that were on a CPU in `span`, but idle ones.
    pub(super) fn on_a_cpu(&self, span: Span) -> BTreeSet<usize> {
        let ran = self.timeline.ran().flat_map(|ran| touching(ran, span));
        ran.map(|ran| ran.task as usize).filter(|task| !self.is_idle_task(*task)).collect()
    }

    /// Whether it is one of a guest's tasks that are no kernel threads: nothing else runs there.
    pub(super) fn is_workload(&self, task: usize) -> bool {
        self.trace.tasks.get(task).is_some_and(|task| !task.kernel && task.pid != 0)
    }

    /// Whether it is a CPU's idle task.
    pub(super) fn is_idle_task(&self, task: usize) -> bool {
        self.trace.tasks.get(task).is_some_and(|task| task.pid == 0)
    }

    /// Where it stood that left there, or woke somebody.
    pub(super) fn left_at(&self, stack: u32) -> usize {
        self.left_at.get(stack as usize).copied().unwrap_or(Places::UNKNOWN)
    }

    /// What was executed.
    pub(super) fn ran_at(&self, stack: u32) -> usize {
        self.ran_at.get(stack as usize).copied().unwrap_or(Places::UNKNOWN)
    }

    /// Whether a task waits for a program or thread that it started itself: what those do is the workload.
    pub(super) fn waits_for_its_own(&self, task: usize, away: &Away) -> bool {
        let name = self.trace.tasks.get(task).map_or("", |task| task.name.as_str());
        let frames = self.places.frames(self.left_at(away.stack));
        is_for_its_own(name, letter(away.state), frames)
    }
}

/// Whether a wait is for what the task started itself: of any program by wait4(2).
pub(super) fn is_for_its_own(name: &str, state: char, frames: &[String]) -> bool {
    let state = if state == 'S' { "S" } else { "" };
    agent_waits_for_its_own(name, state, frames)
        || (state == "S" && frames.iter().any(|frame| frame == "do_wait"))
}

/// As ps(1) shows it.
pub(super) use crate::observation::outside::letter;

/// A number for each stack in use; the others have none.
fn numbers(
    trace: &Trace,
    used: impl Iterator<Item = u32>,
    mut number: impl FnMut(&[&str]) -> usize,
) -> Vec<usize> {
    let mut numbers = vec![Places::UNKNOWN; trace.stacks.len()];
    let used: BTreeSet<usize> = used.map(|stack| stack as usize).collect();
    for stack in used {
        if let Some(frames) = trace.stacks.get(stack) {
            numbers[stack] = number(&functions(frames).collect::<Vec<_>>());
        }
    }
    numbers
}
