//! Looking at every task and disk at every ns.

use model::trace::{Request, TaskState, Trace};

/// What a task does at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    Runs,
    Could,
    /// Since the switch with this index.
    Sleeps(usize),
    NobodyKnows,
}

/// By going through all events.
pub(super) fn does(trace: &Trace, task: u32, now: u64) -> Does {
    let mut switches = trace.switches.iter().enumerate();
    let of_task = |from: u32, to: u32| from == task || to == task;
    let before = trace.switches.partition_point(|switch| switch.at_ns <= now);
    let last = switches.clone().take(before).rev().find(|(_, s)| of_task(s.from, s.to));
    let Some((index, last)) = last else {
        // Who is first seen to leave was there before.
        let first = switches.find(|(_, switch)| of_task(switch.from, switch.to));
        return if first.is_some_and(|(_, s)| s.from == task) {
            Does::Runs
        } else {
            Does::NobodyKnows
        };
    };
    let since = last.at_ns..=now;
    let woken = || trace.wakes.iter().any(|w| w.task == task && since.contains(&w.at_ns));
    match last.state {
        _ if last.to == task => Does::Runs,
        TaskState::Runnable => Does::Could,
        TaskState::Other => Does::NobodyKnows,
        _ if woken() => Does::Could,
        _ => Does::Sleeps(index),
    }
}

/// The workload at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    Running,
    /// The task that has a CPU.
    Behind(Option<u32>),
    /// The switches at which those fell asleep who share this ns.
    Waiting(Vec<usize>),
    Unseen,
}

/// `tasks` are the workload's; the switch of a wait for its own is told by `own`.
pub(super) fn moment(
    trace: &Trace,
    tasks: &[u32],
    cpus: u32,
    own: impl Fn(usize) -> bool,
    now: u64,
) -> Moment {
    let all: Vec<Does> = tasks.iter().map(|task| does(trace, *task, now)).collect();
    if all.contains(&Does::Runs) {
        return Moment::Running;
    }
    if all.contains(&Does::Could) {
        let on = (0..cpus).filter_map(|cpu| on_cpu(trace, cpu, now));
        return Moment::Behind(on.into_iter().find(|task| trace.tasks[*task as usize].pid != 0));
    }
    let sleeps = |does: &Does| if let Does::Sleeps(switch) = does { Some(*switch) } else { None };
    let sleepers: Vec<usize> = all.iter().filter_map(sleeps).collect();
    let others: Vec<usize> = sleepers.iter().copied().filter(|switch| !own(*switch)).collect();
    match (sleepers.is_empty(), others.is_empty()) {
        (true, _) => Moment::Unseen,
        (false, true) => Moment::Waiting(sleepers),
        (false, false) => Moment::Waiting(others),
    }
}

fn on_cpu(trace: &Trace, cpu: u32, now: u64) -> Option<u32> {
    let mut own = trace.switches.iter().filter(|switch| switch.cpu == cpu);
    let last = own.clone().rev().find(|switch| switch.at_ns <= now);
    last.map(|switch| switch.to).or_else(|| own.next().map(|switch| switch.from))
}

/// Requests in flight at one moment, of which no end was seen to the `end`.
pub(super) fn in_flight(trace: &Trace, end: u64, now: u64) -> impl Iterator<Item = &Request> {
    let flies = move |r: &&Request| r.issued_ns <= now && now < r.done_ns.unwrap_or(end);
    trace.requests.iter().filter(flies)
}
