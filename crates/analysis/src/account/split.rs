//! The workload's time, split at every moment: one of its tasks runs, or one could, or all wait.

use std::collections::BTreeMap;

use model::trace::Span;

use super::shares;
use super::watched::Watched;
use crate::observation::stretches::{cut, touching};
use crate::observation::timeline::Away;

/// A sleep: the task, and the index of its being away.
pub(super) type Sleep = (usize, usize);

/// A phase, split.
#[derive(Debug, Default)]
pub(super) struct Split {
    /// At least one of the workload's tasks was on a CPU, ns.
    pub(super) running_ns: u64,
    /// One could have been, by whose name the CPU was; `None`: nobody's, ns.
    pub(super) ready: BTreeMap<Option<usize>, u64>,
    /// All waited: each sleep's share, ns, where it has one.
    pub(super) shares: Vec<(Sleep, u64)>,
    /// The stretches of that, in order.
    pub(super) blocked: Vec<Span>,
    /// None of the workload was seen, ns.
    pub(super) unseen_ns: u64,
}

/// Splits `phase` for the workload's `tasks`. Where all wait, the time is split equally among those that
/// sleep; those that only wait for their own have a share where nobody else sleeps.
pub(super) fn split(watched: &Watched<'_>, tasks: &[usize], phase: Span) -> Split {
    let mut sweep = Sweep::default();
    for (from_ns, to_ns, edges) in moments(&edges(watched, tasks, phase)) {
        edges.iter().for_each(|edge| sweep.take(edge));
        sweep.pass(watched, Span { from_ns, to_ns });
    }
    sweep.end()
}

/// What changes at a moment.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// So many more run.
    Running(i64),
    /// So many more could.
    Ready(i64),
    /// One falls asleep, waiting for its own or not.
    Asleep(Sleep, bool),
    /// One's sleep is over.
    Awake(Sleep, bool),
    /// Somebody else has a CPU.
    Nothing,
}

type Edge = (u64, Change);

/// All edges in the order of their times, with the phase's own.
fn edges(watched: &Watched<'_>, tasks: &[usize], phase: Span) -> Vec<Edge> {
    let mut edges = vec![(phase.from_ns, Change::Nothing), (phase.to_ns, Change::Nothing)];
    let mut add = |span: Span, begin: Change, end: Change| {
        if let Some(span) = cut(span, phase) {
            edges.extend([(span.from_ns, begin), (span.to_ns, end)]);
        }
    };
    for task in tasks {
        for run in touching(watched.runs.of_task(*task), phase) {
            add(run.span, Change::Running(1), Change::Running(-1));
        }
        for (index, away) in aways(watched, *task, phase) {
            if let Some(ready) = away.ready() {
                add(ready, Change::Ready(1), Change::Ready(-1));
            }
            if let Some(asleep) = away.asleep() {
                let (sleep, own) = ((*task, index), watched.waits_for_its_own(*task, away));
                add(asleep, Change::Asleep(sleep, own), Change::Awake(sleep, own));
            }
        }
    }
    for ran in watched.timeline.ran().flat_map(|ran| touching(ran, phase)) {
        add(ran.span, Change::Nothing, Change::Nothing);
    }
    edges.sort_by_key(|(at_ns, _)| *at_ns);
    edges
}

/// The task's absences that touch `span`, with their indices.
pub(super) fn aways<'a>(
    watched: &'a Watched<'_>,
    task: usize,
    span: Span,
) -> impl Iterator<Item = (usize, &'a Away)> {
    let all = watched.timeline.away(task);
    let first = all.partition_point(|away| away.span.to_ns <= span.from_ns);
    (first..).zip(touching(all, span))
}

/// From each moment to the next, with the edges at the first.
fn moments(edges: &[Edge]) -> impl Iterator<Item = (u64, u64, &[Edge])> {
    let mut groups = edges.chunk_by(|one, next| one.0 == next.0).peekable();
    std::iter::from_fn(move || {
        let group = groups.next()?;
        let next = groups.peek()?;
        Some((group[0].0, next[0].0, group))
    })
}

/// The state between two moments, and what came together so far.
#[derive(Default)]
struct Sweep {
    running: i64,
    ready: i64,
    /// Who sleeps, and each one's share so far; of those that wait for their own apart.
    asleep: BTreeMap<Sleep, u64>,
    own: BTreeMap<Sleep, u64>,
    split: Split,
}

impl Sweep {
    fn take(&mut self, (_, change): &Edge) {
        match change {
            Change::Running(more) => self.running += more,
            Change::Ready(more) => self.ready += more,
            Change::Asleep(sleep, own) => {
                self.sleepers(*own).insert(*sleep, 0);
            }
            Change::Awake(sleep, own) => {
                let share = self.sleepers(*own).remove(sleep).filter(|share| *share > 0);
                self.split.shares.extend(share.map(|share| (*sleep, share)));
            }
            Change::Nothing => {}
        }
    }

    fn sleepers(&mut self, own: bool) -> &mut BTreeMap<Sleep, u64> {
        if own { &mut self.own } else { &mut self.asleep }
    }

    /// Time goes by.
    fn pass(&mut self, watched: &Watched<'_>, span: Span) {
        let ns = span.length();
        if self.running > 0 {
            self.split.running_ns += ns;
        } else if self.ready > 0 {
            *self.split.ready.entry(holder(watched, span.from_ns)).or_default() += ns;
        } else if self.asleep.is_empty() && self.own.is_empty() {
            self.split.unseen_ns += ns;
        } else {
            self.wait(span);
        }
    }

    fn wait(&mut self, span: Span) {
        let sleepers = if self.asleep.is_empty() { &mut self.own } else { &mut self.asleep };
        let shares = shares::equal(span.length(), sleepers.len());
        sleepers.values_mut().zip(shares).for_each(|(sum, share)| *sum += share);
        match self.split.blocked.last_mut() {
            Some(last) if last.to_ns == span.from_ns => last.to_ns = span.to_ns,
            _ => self.split.blocked.push(span),
        }
    }

    fn end(mut self) -> Split {
        let asleep = std::mem::take(&mut self.asleep);
        let all = asleep.into_iter().chain(std::mem::take(&mut self.own));
        self.split.shares.extend(all.filter(|(_, share)| *share > 0));
        self.split.shares.sort_unstable();
        self.split
    }
}

/// The name of the task that has a CPU; that of the first CPU which is not idle.
fn holder(watched: &Watched<'_>, at_ns: u64) -> Option<usize> {
    let on = watched.timeline.cpus().filter_map(|(cpu, _)| watched.timeline.on_cpu(cpu, at_ns));
    let task = on.into_iter().find(|task| !watched.is_idle_task(*task))?;
    Some(watched.runs.name_at(task, at_ns))
}
