//! When tasks were on a CPU, and by what name.

use std::collections::HashMap;

use model::trace::{Frame, Span, TaskState, Trace};

use super::work;
use crate::observation::names;
use crate::observation::stretches::Lasts;
use crate::observation::timeline::{Away, Timeline};

/// A task is on a CPU.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// From its coming to its leaving.
    pub(super) span: Span,
    /// Its name, an index of [`Names`]; `None` of a worker of which is not known yet what it does.
    name: Option<usize>,
}

impl Lasts for Run {
    fn span(&self) -> Span {
        self.span
    }
}

/// Names, each once.
#[derive(Debug, Default)]
pub(super) struct Names {
    names: Vec<String>,
    known: HashMap<String, usize>,
}

impl Names {
    /// The name's index.
    pub(super) fn index(&mut self, name: &str) -> usize {
        if let Some(index) = self.known.get(name) {
            return *index;
        }
        self.names.push(name.to_owned());
        self.known.insert(name.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }

    pub(super) fn get(&self, index: usize) -> &str {
        self.names.get(index).map_or("", String::as_str)
    }
}

/// All tasks' times on a CPU. A kernel worker has another name with each work.
#[derive(Debug)]
pub(super) struct Runs {
    /// By task, in the order of the times.
    runs: Vec<Vec<Run>>,
    /// The task's own name.
    own: Vec<usize>,
    /// By stack: what a worker does there.
    work: Vec<Option<usize>>,
    pub(super) names: Names,
}

impl Runs {
    pub(super) fn of(trace: &Trace, timeline: &Timeline) -> Self {
        let mut names = Names::default();
        let own: Vec<usize> =
            trace.tasks.iter().map(|task| names.index(&names::name(task))).collect();
        let stacks = trace.stacks.iter();
        let work =
            stacks.map(|stack| Some(names.index(&work::done_in(functions(stack))?))).collect();
        let mut runs = Runs { runs: vec![Vec::new(); own.len()], own, work, names };
        runs.collect(timeline);
        runs.name_by_events(trace, timeline);
        runs.name_by_origin(trace, timeline);
        runs
    }

    /// The task's times on a CPU.
    pub(super) fn of_task(&self, task: usize) -> &[Run] {
        self.runs.get(task).map_or(&[], Vec::as_slice)
    }

    /// What the task was called when it was on a CPU at a time, or last before it.
    pub(super) fn name_at(&self, task: usize, at_ns: u64) -> usize {
        let runs = self.of_task(task);
        let later = runs.partition_point(|run| run.span.from_ns <= at_ns);
        self.name(task, later.checked_sub(1).and_then(|last| runs.get(last)))
    }

    /// What it was called when it was on a CPU next after a time.
    pub(super) fn name_after(&self, task: usize, at_ns: u64) -> usize {
        let runs = self.of_task(task);
        let next = runs.partition_point(|run| run.span.from_ns < at_ns);
        self.name(task, runs.get(next))
    }

    /// What it was called when it left its CPU at a time.
    pub(super) fn name_leaving(&self, task: usize, at_ns: u64) -> usize {
        self.name_at(task, at_ns.saturating_sub(1))
    }

    /// What the worker with this call path does.
    pub(super) fn work(&self, stack: u32) -> Option<usize> {
        self.work.get(stack as usize).copied().flatten()
    }

    pub(super) fn name(&self, task: usize, run: Option<&Run>) -> usize {
        let own = self.own.get(task).copied().unwrap_or_default();
        run.and_then(|run| run.name).unwrap_or(own)
    }

    fn is_bare(&self, task: usize) -> bool {
        self.own.get(task).is_some_and(|own| work::is_bare(self.names.get(*own)))
    }

    /// A worker is called by where it left, at first.
    fn collect(&mut self, timeline: &Timeline) {
        for ran in timeline.ran().flatten() {
            let task = ran.task as usize;
            let name = ran.stack.filter(|_| self.is_bare(task)).and_then(|stack| self.work(stack));
            if let Some(runs) = self.runs.get_mut(task) {
                runs.push(Run { span: ran.span, name });
            }
        }
        self.runs.iter_mut().for_each(|runs| runs.sort_by_key(|run| run.span.from_ns));
    }

    /// Else by a path on which it was seen at work.
    fn name_by_events(&mut self, trace: &Trace, timeline: &Timeline) {
        let wakes = trace.wakes.iter().map(|wake| (wake.at_ns, wake.cpu, wake.stack));
        let samples = trace.samples.iter().map(|sample| (sample.at_ns, sample.cpu, sample.stack));
        for (at_ns, cpu, stack) in wakes.chain(samples) {
            let Some(work) = self.work(stack) else { continue };
            let Some(task) = timeline.on_cpu(cpu, at_ns).filter(|task| self.is_bare(*task)) else {
                continue;
            };
            let later = self.runs[task].partition_point(|run| run.span.from_ns <= at_ns);
            if let Some(run) = later.checked_sub(1).map(|last| &mut self.runs[task][last]) {
                run.name = run.name.or(Some(work));
            }
        }
    }

    /// Else by the work in which it had left, or for which it was woken, or that it did before the CPU was taken
    /// from it.
    fn name_by_origin(&mut self, trace: &Trace, timeline: &Timeline) {
        for task in (0..self.runs.len()).filter(|task| self.is_bare(*task)).collect::<Vec<_>>() {
            for away in timeline.away(task) {
                let next =
                    self.runs[task].partition_point(|run| run.span.from_ns < away.span.to_ns);
                if self.runs[task].get(next).is_some_and(|run| run.name.is_none()) {
                    self.runs[task][next].name = self.origin(trace, away, task, next);
                }
            }
        }
    }

    /// What a worker's next run is for, as its absence before it tells.
    fn origin(&mut self, trace: &Trace, away: &Away, task: usize, next: usize) -> Option<usize> {
        if let Some(work) = self.work(away.stack) {
            return Some(work);
        }
        if away.state == TaskState::Runnable {
            return self.runs[task][..next].last()?.name;
        }
        let wake = trace.wakes.get(away.wake?)?;
        let stack = trace.stacks.get(wake.stack as usize)?;
        Some(self.names.index(work::handed_out_in(functions(stack))?))
    }
}

/// A call path as text.
pub(super) fn functions(stack: &[Frame]) -> impl Iterator<Item = &str> {
    stack.iter().map(|frame| frame.0.as_str())
}
