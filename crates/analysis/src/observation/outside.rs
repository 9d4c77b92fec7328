//! What a trace shows.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use model::observation::{DisksView, PhaseView, StackGroup, Stall, WaitedFor};
use model::trace::{MemoryAt, Span, TaskState, Trace, Wake};
use model::{Gap, Measurements, Nanos};

use super::disks::Disks;
use super::frames::{self, Places};
use super::groups::{Stay, fold, waits_for_its_own};
use super::stretches::{cut, touching};
use super::timeline::{Away, Timeline};
use super::waiting::{waiting, waits};
use super::{Seen, limits, memory, names};

/// What `trace` shows of the trial that the timing pass `measured`; stalls are stretches of
/// `stall_limit` or more, where that is set, else of what [`super::judged_limit`] says.
///
/// The workload's tasks are those of a guest that are no kernel threads: nothing else runs there.
/// Of a phase count those that were on a CPU in it, since others did not wait for anything of it.
#[must_use]
pub fn outside(measured: &Measurements, stall_limit: Option<Nanos>, trace: &Trace) -> Seen {
    let limits = limits::limits(measured, stall_limit);
    let stalls = limits::stalled(measured, &limits);
    let outside = Outside::of(trace);
    let phases: Vec<Phase> = trace.phases.iter().map(|span| outside.phase(*span)).collect();
    let labels = measured.phases.iter().map(model::PhaseRun::label);
    let stall = |(index, gap): (usize, Gap)| {
        let label = measured.phases.get(index)?.label();
        Some(outside.stall(label, phases.get(index)?, gap))
    };
    let mut views: Vec<PhaseView> =
        labels.zip(&phases).map(|(label, phase)| outside.view(label, phase)).collect();
    limits::count(measured, &limits, &mut views);
    Seen {
        whole: outside.whole(),
        phases: views,
        stalls: stalls.into_iter().filter_map(stall).collect(),
        limits,
        notes: trace.notes.iter().cloned().chain(unlike(measured, trace)).collect(),
    }
}

pub(crate) fn unlike(measured: &Measurements, trace: &Trace) -> Option<String> {
    let (timed, seen) = (measured.phases.len(), trace.phases.len());
    (timed != seen).then(|| {
        format!(
            "The trial has {timed} phases, but {seen} were seen from outside; the rest is missing."
        )
    })
}

/// A trace, prepared for looking at stretches of it.
struct Outside<'a> {
    trace: &'a Trace,
    timeline: Timeline,
    disks: Option<Disks>,
    places: Places,
    /// Of every stack.
    place_of: Vec<usize>,
    /// Of every task.
    names: Vec<String>,
}

/// One phase of it.
struct Phase {
    span: Span,
    /// The workload's tasks that were on a CPU in it, ascending.
    tasks: Vec<usize>,
    /// The stretches in which they waited, all of them.
    waits: Vec<Span>,
    /// By ns after it began.
    memory: Vec<MemoryAt>,
}

impl<'a> Outside<'a> {
    fn of(trace: &'a Trace) -> Self {
        let mut places = Places::new();
        let stacks = trace.stacks.iter();
        let place_of = stacks
            .map(|stack| places.place(&stack.iter().map(|f| f.0.as_str()).collect::<Vec<_>>()))
            .collect();
        Outside {
            trace,
            timeline: Timeline::of(trace),
            disks: Disks::of(trace),
            places,
            place_of,
            names: trace.tasks.iter().map(names::name).collect(),
        }
    }

    fn whole(&self) -> Option<DisksView> {
        let (first, last) = (self.trace.phases.first()?, self.trace.phases.last()?);
        let span = Span { from_ns: first.from_ns, to_ns: last.to_ns };
        self.disks(&self.phase(span), span)
    }

    fn phase(&self, span: Span) -> Phase {
        let tasks = self.active(span);
        let waits = waiting(&self.timeline, &tasks, span);
        Phase { span, tasks, waits, memory: memory::of_phase(&self.trace.memory, span) }
    }

    /// The workload's tasks that were on a CPU in `span`, ascending.
    fn active(&self, span: Span) -> Vec<usize> {
        let ran = self.timeline.ran().flat_map(|ran| touching(ran, span));
        let tasks: BTreeSet<usize> = ran.map(|ran| ran.task as usize).collect();
        tasks.into_iter().filter(|task| self.is_workload(*task)).collect()
    }

    fn is_workload(&self, task: usize) -> bool {
        self.trace.tasks.get(task).is_some_and(|task| !task.kernel && task.pid != 0)
    }

    fn view(&self, label: String, phase: &Phase) -> PhaseView {
        let tasks = phase.tasks.iter().copied();
        let stays = self.asleep(tasks, phase.span).filter(|(_, away, _)| waits(away));
        let stays = stays.map(|(task, away, span)| self.stay(task, away, span));
        let mut waits = fold(stays, &self.places);
        waits.retain(|group| !waits_for_its_own(group));
        PhaseView {
            phase: label,
            waits,
            disks: self.disks(phase, phase.span),
            memory: memory::thinned(&phase.memory),
            ..PhaseView::default()
        }
    }

    fn disks(&self, phase: &Phase, span: Span) -> Option<DisksView> {
        let seen = !self.trace.switches.is_empty();
        self.disks.as_ref()?.view(span, seen.then_some(phase.waits.as_slice()))
    }

    /// When the `tasks` slept in `span`.
    fn asleep(
        &self,
        tasks: impl Iterator<Item = usize>,
        span: Span,
    ) -> impl Iterator<Item = (usize, &Away, Span)> {
        tasks.flat_map(move |task| {
            let aways = touching(self.timeline.away(task), span).iter();
            aways.filter_map(move |away| Some((task, away, cut(away.asleep()?, span)?)))
        })
    }

    fn stay(&self, task: usize, away: &Away, span: Span) -> Stay<'_> {
        Stay {
            place: self.place(away.stack),
            state: letter(away.state),
            name: self.name(task),
            span,
        }
    }

    fn place(&self, stack: u32) -> usize {
        self.place_of.get(stack as usize).copied().unwrap_or(Places::UNKNOWN)
    }

    fn name(&self, task: usize) -> &str {
        self.names.get(task).map_or("", String::as_str)
    }

    fn stall(&self, label: String, phase: &Phase, gap: Gap) -> Stall {
        let from_ns = phase.span.from_ns.saturating_add(gap.at_ns);
        let whole = Span { from_ns, to_ns: from_ns.saturating_add(gap.took_ns) };
        let span = cut(whole, phase.span).unwrap_or_default();
        let in_phase = Span { from_ns: gap.at_ns, to_ns: gap.at_ns.saturating_add(gap.took_ns) };
        Stall {
            phase: label,
            gap: Some(gap),
            waiting: self.waiting(span),
            running: self.running(span),
            waited_for: self.waited_for(phase, span),
            memory: memory::ends(&phase.memory, in_phase),
            disks: self.disks(phase, span),
        }
    }

    /// Whoever slept uninterruptibly, but for kernel threads that have nothing to do.
    fn waiting(&self, span: Span) -> Vec<StackGroup> {
        let stays = self.asleep(0..self.trace.tasks.len(), span).filter(|(_, away, _)| {
            let place = self.places.frames(self.place(away.stack));
            let is_idle = place.first().is_some_and(|first| frames::is_idle(first));
            away.state == TaskState::Uninterruptible && !is_idle
        });
        fold(stays.map(|(task, away, span)| self.stay(task, away, span)), &self.places)
    }

    /// What ran on the CPUs, by where it left them.
    fn running(&self, span: Span) -> Vec<StackGroup> {
        let ran = self.timeline.ran().flat_map(|ran| touching(ran, span));
        let stays = ran.filter_map(|ran| {
            self.trace.tasks.get(ran.task as usize).filter(|task| task.pid != 0)?;
            let place = ran.stack.map_or(Places::UNKNOWN, |stack| self.place(stack));
            let name = self.name(ran.task as usize);
            Some(Stay { place, state: 'R', name, span: cut(ran.span, span)? })
        });
        fold(stays, &self.places)
    }

    /// Who woke the workload at the end of its longest wait in `span`; uninterruptible waits go
    /// before others, which may be pauses of its own choice. A wait that lasts beyond `span` did not
    /// end the stall: that of a main thread for its helpers is one.
    fn waited_for(&self, phase: &Phase, span: Span) -> Option<WaitedFor> {
        let ended = self
            .asleep(phase.tasks.iter().copied(), span)
            .filter(|(_, away, _)| waits(away) && away.until_ns <= span.to_ns);
        let woken = ended.filter_map(|(_, away, span)| Some((away.state, span, away.wake?)));
        let (_, _, wake) = woken.max_by_key(|(state, span, wake)| {
            (*state == TaskState::Uninterruptible, span.length(), Reverse(*wake))
        })?;
        self.trace.wakes.get(wake).map(|wake| self.waker(wake))
    }

    fn waker(&self, wake: &Wake) -> WaitedFor {
        let on_cpu = self.timeline.on_cpu(wake.cpu, wake.at_ns);
        let stack = self.trace.stacks.get(wake.stack as usize).map_or(&[][..], Vec::as_slice);
        let idle = on_cpu.and_then(|task| self.trace.tasks.get(task)).is_some_and(|t| t.pid == 0);
        WaitedFor {
            task: on_cpu.map_or(String::new(), |task| self.name(task).to_owned()),
            interrupt: idle || frames::is_interrupt(stack.iter().map(|frame| frame.0.as_str())),
            frames: self.places.frames(self.place(wake.stack)).to_vec(),
        }
    }
}

/// As ps(1) shows it.
pub(crate) fn letter(state: TaskState) -> char {
    match state {
        TaskState::Runnable => 'R',
        TaskState::Interruptible => 'S',
        TaskState::Uninterruptible => 'D',
        TaskState::Idle => 'I',
        TaskState::Other => 'X',
    }
}

#[cfg(test)]
mod tests;
