//! When the workload as a whole waited.

use model::trace::{Span, TaskState};

use super::stretches::{cut, touching};
use super::timeline::{Away, Timeline};

/// The stretches of `phase`, in order, in which at least one of `tasks` slept, waiting for something,
/// and none was on a CPU or ready for one.
pub(super) fn waiting(timeline: &Timeline, tasks: &[usize], phase: Span) -> Vec<Span> {
    let mut steps: Vec<(u64, Step)> = Vec::new();
    let aways = || tasks.iter().flat_map(|task| touching(timeline.away(*task), phase));
    let ran = timeline.ran().flat_map(|ran| touching(ran, phase));
    let ran = ran.filter(|ran| tasks.binary_search(&(ran.task as usize)).is_ok());
    let active = aways().filter_map(Away::ready).chain(ran.map(|ran| ran.span));
    add(&mut steps, active, phase, Step { active: 1, asleep: 0 });
    let asleep = aways().filter(|away| waits(away)).filter_map(Away::asleep);
    add(&mut steps, asleep, phase, Step { active: 0, asleep: 1 });
    steps.sort_unstable_by_key(|(at_ns, _)| *at_ns);
    stretches(&steps)
}

/// Whether the task waits for something when it is asleep.
pub(super) fn waits(away: &Away) -> bool {
    matches!(away.state, TaskState::Uninterruptible | TaskState::Interruptible)
}

/// How the numbers of tasks that are active and asleep change.
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    active: i64,
    asleep: i64,
}

fn add(steps: &mut Vec<(u64, Step)>, spans: impl Iterator<Item = Span>, phase: Span, begin: Step) {
    let end = Step { active: -begin.active, asleep: -begin.asleep };
    for span in spans.filter_map(|span| cut(span, phase)) {
        steps.extend([(span.from_ns, begin), (span.to_ns, end)]);
    }
}

fn stretches(steps: &[(u64, Step)]) -> Vec<Span> {
    let mut now = Step::default();
    let mut found = Vec::new();
    for (index, (from_ns, step)) in steps.iter().enumerate() {
        now.active += step.active;
        now.asleep += step.asleep;
        let next = steps.get(index + 1).map(|(to_ns, _)| Span { from_ns: *from_ns, to_ns: *to_ns });
        let waits = now.active == 0 && now.asleep > 0;
        found.extend(next.filter(|next| waits && next.length() > 0));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::testing::Scene;
    use super::*;

    fn span(from_ns: u64, to_ns: u64) -> Span {
        Span { from_ns, to_ns }
    }

    #[test]
    fn one_that_could_run_is_no_waiting() {
        let mut scene = Scene::new(0..100);
        let (a, b, worker) =
            (scene.program("a"), scene.program("b"), scene.kernel_thread("kworker/0:1"));
        scene.switch(10, 0, a, 'D', "wait", b);
        scene.switch(20, 0, b, 'D', "wait", worker);
        scene.wake(50, 0, b, "up");
        scene.switch(70, 0, worker, 'I', "worker_thread", b);
        scene.switch(80, 0, b, 'Z', "do_exit", worker);
        let timeline = Timeline::of(&scene.trace);
        assert_eq!(waiting(&timeline, &[0, 1], span(0, 100)), [span(20, 50), span(80, 100)]);
        assert_eq!(waiting(&timeline, &[0, 1], span(30, 90)), [span(30, 50), span(80, 90)]);
        assert_eq!(waiting(&timeline, &[1], span(0, 100)), [span(20, 50)]);
    }

    #[test]
    fn another_cpu_may_run_the_workload() {
        let mut scene = Scene::new(0..100);
        let (a, b, idle) = (scene.program("a"), scene.program("b"), scene.idle());
        scene.switch(10, 0, a, 'S', "poll", idle);
        scene.switch(40, 1, b, 'S', "poll", idle);
        scene.wake(60, 0, a, "timer");
        scene.switch(61, 0, idle, 'R', "", a);
        let timeline = Timeline::of(&scene.trace);
        assert_eq!(waiting(&timeline, &[0, 1], span(0, 100)), [span(40, 60)]);
    }
}
