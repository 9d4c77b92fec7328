//! From a trace.

use model::account::{Account, Accounts, ReadyBehind, SeenFrom, WorkloadTime};
use model::trace::{Span, Trace};
use model::{FORMAT, FunctionCount, Measurements, PhaseRun};

use super::blocks::{Blocks, Words};
use super::split::{Split, split};
use super::watched::Watched;
use super::{issued, machine, meanwhile, overlap, running, tasks};
use crate::observation::disks::Disks;
use crate::observation::outside::unlike;

/// Who had the CPU, where it was no task.
const NO_TASK: &str = "interrupts and idle";

/// Where the time went in the trial that the timing pass `measured`, as `trace` shows it. Times are those of the
/// trace's clock, on which a phase may be some millionths longer or shorter than on the workload's.
///
/// The workload's tasks are those of a guest that are no kernel threads: nothing else runs there. Of a phase
/// count those that were on a CPU in it. Findings, and whether times are the same, are left to the caller.
#[must_use]
pub fn outside(measured: &Measurements, trace: &Trace) -> Accounts {
    let watched = Watched::of(trace);
    let disks = Disks::of(trace);
    let runs = measured.phases.iter().zip(&trace.phases).enumerate();
    let account = |(index, (run, span)): (usize, (&PhaseRun, &Span))| {
        Phase::of(&watched, index, *span).account(run, disks.as_ref())
    };
    Accounts {
        format: FORMAT,
        seen_from: SeenFrom::Outside,
        same_times: false,
        sampled_every: trace.sampled_every,
        phases: runs.map(account).collect(),
        findings: Vec::new(),
        notes: trace.notes.iter().cloned().chain(unlike(measured, trace)).collect(),
    }
}

/// One phase of a trace.
struct Phase<'a> {
    watched: &'a Watched<'a>,
    index: usize,
    span: Span,
    /// The workload's time; `None` where its tasks were not seen.
    split: Option<Split>,
}

impl<'a> Phase<'a> {
    fn of(watched: &'a Watched<'a>, index: usize, span: Span) -> Self {
        let workload = watched.workload(span);
        let split = (!workload.is_empty()).then(|| split(watched, &workload, span));
        Phase { watched, index, span, split }
    }

    fn account(&self, run: &PhaseRun, disks: Option<&Disks>) -> Account {
        let waits = self.split.as_ref().map(|split| split.blocked.as_slice());
        Account {
            phase: run.name.clone(),
            round: run.round,
            timed_ns: run.wall_ns,
            wall_ns: self.span.length(),
            machine: machine::machine(self.watched.trace, self.index),
            functions: self.functions(),
            workload: self.split.as_ref().map(|split| self.workload(split)),
            tasks: tasks::tasks(self.watched, self.span),
            disks: disks.and_then(|disks| disks.view(self.span, waits)),
            issued: issued::issued(self.watched, self.span),
            overlap: waits.and_then(|waits| overlap::overlap(self.watched, self.span, waits)),
            written_bytes: written(run),
        }
    }

    fn functions(&self) -> Vec<FunctionCount> {
        let profile = self.watched.trace.profile.get(self.index);
        profile.map_or(Vec::new(), |profile| profile.functions.clone())
    }

    fn workload(&self, split: &Split) -> WorkloadTime {
        let mut blocked = Blocks::default();
        for ((task, away), ns) in &split.shares {
            let away = &self.watched.timeline.away(*task)[*away];
            meanwhile::count(self.watched, &mut blocked, away, self.span, *ns, 0);
        }
        let words = Words {
            places: &self.watched.places,
            names: &self.watched.runs.names,
            from_ns: self.span.from_ns,
        };
        WorkloadTime {
            running: running::by_path(self.watched, self.span, split.running_ns),
            ready: self.ready(split),
            blocked: blocked.told(&words),
            unseen_ns: split.unseen_ns,
        }
    }

    fn ready(&self, split: &Split) -> Vec<ReadyBehind> {
        let behind = |(name, ns): (&Option<usize>, &u64)| ReadyBehind {
            holder: name.map_or(NO_TASK, |name| self.watched.runs.names.get(name)).to_owned(),
            ns: *ns,
        };
        let mut ready: Vec<ReadyBehind> = split.ready.iter().map(behind).collect();
        ready.sort_by(|a, b| b.ns.cmp(&a.ns).then_with(|| a.holder.cmp(&b.holder)));
        ready
    }
}

/// Bytes that the workload wrote.
pub(super) fn written(run: &PhaseRun) -> Option<u64> {
    run.bytes.or_else(|| run.ffsb.as_ref().map(|outcome| outcome.written_bytes))
}
