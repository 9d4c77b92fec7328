//! A trace by tasks and by CPUs: who was away from the CPUs when, and what ran on them.

use std::collections::BTreeMap;

use model::trace::{Span, Switch, TaskState, Trace};

use super::stretches::Lasts;

/// A task is away from the CPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Away {
    /// From its leaving to its coming back; to the end of time where it was not seen to come back.
    pub(crate) span: Span,
    /// When it was woken; from then on it only waits for a CPU. Not after its coming back.
    pub(crate) until_ns: u64,
    /// What woke it, as an index of [`Trace::wakes`].
    pub(crate) wake: Option<usize>,
    /// What it was when it left.
    pub(crate) state: TaskState,
    /// Where it left.
    pub(crate) stack: u32,
}

impl Lasts for Away {
    fn span(&self) -> Span {
        self.span
    }
}

impl Away {
    /// While it slept, which is as long as it waits for something; `None` where it could go on all
    /// the time, or was at its end.
    pub(crate) fn asleep(&self) -> Option<Span> {
        let asleep = matches!(
            self.state,
            TaskState::Interruptible | TaskState::Uninterruptible | TaskState::Idle
        );
        asleep.then_some(Span { from_ns: self.span.from_ns, to_ns: self.until_ns })
    }

    /// While it could have run, had there been a CPU.
    pub(crate) fn ready(&self) -> Option<Span> {
        match self.state {
            TaskState::Runnable => Some(self.span),
            TaskState::Other => None,
            _ => Some(Span { from_ns: self.until_ns, to_ns: self.span.to_ns }),
        }
    }
}

/// A task is on a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    /// Which task.
    pub(crate) task: u32,
    /// From its coming to its leaving; to the end of time where it was not seen to leave.
    pub(crate) span: Span,
    /// Where it left.
    pub(crate) stack: Option<u32>,
}

impl Lasts for Ran {
    fn span(&self) -> Span {
        self.span
    }
}

/// All of a trace's tasks and CPUs, each with what follows in time.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    /// By the tasks' indices. The CPUs' idle tasks have none.
    away: Vec<Vec<Away>>,
    /// By CPU.
    ran: BTreeMap<u32, Vec<Ran>>,
}

impl Timeline {
    pub(crate) fn of(trace: &Trace) -> Self {
        let wakes = wakes_by_task(trace);
        let mut away = vec![Vec::new(); trace.tasks.len()];
        for switch in &trace.switches {
            come(away.get_mut(switch.to as usize), switch.at_ns);
            come(away.get_mut(switch.from as usize), switch.at_ns);
            if trace.tasks.get(switch.from as usize).is_some_and(|task| task.pid != 0) {
                away[switch.from as usize].push(leave(switch));
            }
        }
        for (task, wakes) in away.iter_mut().zip(&wakes) {
            task.iter_mut().for_each(|away| wake(away, wakes));
        }
        Timeline { away, ran: ran(&trace.switches) }
    }

    /// When the task was away.
    pub(crate) fn away(&self, task: usize) -> &[Away] {
        self.away.get(task).map_or(&[], Vec::as_slice)
    }

    /// What ran, for each CPU.
    pub(crate) fn ran(&self) -> impl Iterator<Item = &[Ran]> {
        self.ran.values().map(Vec::as_slice)
    }

    /// The same, by CPU.
    pub(crate) fn cpus(&self) -> impl Iterator<Item = (u32, &[Ran])> {
        self.ran.iter().map(|(cpu, ran)| (*cpu, ran.as_slice()))
    }

    /// The task on a CPU at a time; `None` where nothing was seen of that CPU.
    pub(crate) fn on_cpu(&self, cpu: u32, at_ns: u64) -> Option<usize> {
        let ran = self.ran.get(&cpu)?;
        let at = ran.partition_point(|ran| ran.span.to_ns <= at_ns);
        ran.get(at).map(|ran| ran.task as usize)
    }
}

/// Times and indices of the wakes of each task.
fn wakes_by_task(trace: &Trace) -> Vec<Vec<(u64, usize)>> {
    let mut wakes = vec![Vec::new(); trace.tasks.len()];
    for (index, wake) in trace.wakes.iter().enumerate() {
        if let Some(task) = wakes.get_mut(wake.task as usize) {
            task.push((wake.at_ns, index));
        }
    }
    wakes
}

fn come(task: Option<&mut Vec<Away>>, at_ns: u64) {
    if let Some(open) = task.and_then(|away| away.last_mut()) {
        open.span.to_ns = open.span.to_ns.min(at_ns);
        open.until_ns = open.span.to_ns;
    }
}

fn leave(switch: &Switch) -> Away {
    Away {
        span: Span { from_ns: switch.at_ns, to_ns: u64::MAX },
        until_ns: u64::MAX,
        wake: None,
        state: switch.state,
        stack: switch.stack,
    }
}

/// The first of a task's wakes from its leaving to its coming back ends its sleep.
fn wake(away: &mut Away, wakes: &[(u64, usize)]) {
    let first = wakes.partition_point(|(at_ns, _)| *at_ns < away.span.from_ns);
    if let Some((at_ns, index)) = wakes.get(first).filter(|(at_ns, _)| *at_ns <= away.span.to_ns) {
        away.until_ns = *at_ns;
        away.wake = Some(*index);
    }
}

/// What was on a CPU before its first switch was there from the begin of time.
fn ran(switches: &[Switch]) -> BTreeMap<u32, Vec<Ran>> {
    let mut cpus: BTreeMap<u32, Vec<Ran>> = BTreeMap::new();
    for switch in switches {
        let ran = cpus.entry(switch.cpu).or_default();
        let from_ns = ran.pop().map_or(0, |open| open.span.from_ns);
        let left = Span { from_ns, to_ns: switch.at_ns };
        ran.push(Ran { task: switch.from, span: left, stack: Some(switch.stack) });
        let open = Span { from_ns: switch.at_ns, to_ns: u64::MAX };
        ran.push(Ran { task: switch.to, span: open, stack: None });
    }
    cpus
}

#[cfg(test)]
mod tests {
    use super::super::testing::Scene;
    use super::*;

    #[test]
    fn a_wait_ends_with_the_wake_not_with_the_coming_back() {
        let mut scene = Scene::new(0..100);
        let (dd, other) = (scene.program("dd"), scene.program("other"));
        scene.switch(10, 0, dd, 'D', "down_write", other);
        scene.wake(30, 0, dd, "up_write");
        scene.wake(35, 0, dd, "try_again");
        scene.switch(40, 0, other, 'R', "copy", dd);
        scene.wake(50, 0, dd, "late");
        let timeline = Timeline::of(&scene.trace);
        let away = timeline.away(dd as usize)[0];
        assert_eq!(away.asleep(), Some(Span { from_ns: 10, to_ns: 30 }));
        assert_eq!(away.ready(), Some(Span { from_ns: 30, to_ns: 40 }));
        assert_eq!(away.wake, Some(0));
        let other = timeline.away(other as usize)[0];
        assert_eq!(other.asleep(), None);
        assert_eq!(other.ready(), Some(Span { from_ns: 40, to_ns: u64::MAX }));
    }

    #[test]
    fn cpus_run_their_own_tasks() {
        let mut scene = Scene::new(0..100);
        let (a, b) = (scene.program("a"), scene.program("b"));
        let idle = scene.idle();
        scene.switch(10, 0, a, 'S', "poll", idle);
        scene.switch(20, 1, idle, 'R', "", b);
        scene.switch(30, 0, idle, 'R', "", a);
        let timeline = Timeline::of(&scene.trace);
        let on = |cpu, at_ns| timeline.on_cpu(cpu, at_ns).map(|task| task as u32);
        assert_eq!([on(0, 0), on(0, 9), on(0, 10), on(0, 30)], [a, a, idle, a].map(Some));
        assert_eq!([on(1, 19), on(1, 20)], [idle, b].map(Some));
        assert_eq!(on(2, 5), None);
        assert!(timeline.away(idle as usize).is_empty());
    }
}
