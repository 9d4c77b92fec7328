//! How the workload's waiting and the disks' work lay to each other.

use model::account::Overlap;
use model::trace::{Request, Span, TaskState};

use super::split::aways;
use super::tasks::absence;
use super::watched::Watched;
use super::work::is_flusher;
use crate::observation::disks::end;
use crate::observation::stretches::{cut, milli, touching};

/// What of the stretches `waits` of `phase` had which disks busy, and with whose requests. `None` where no disk
/// was seen.
pub(super) fn overlap(watched: &Watched<'_>, phase: Span, waits: &[Span]) -> Option<Overlap> {
    let count = watched.trace.disks.len();
    if count == 0 {
        return None;
    }
    let end_ns = end(watched.trace);
    let requests: Vec<(&Request, Span)> = watched
        .trace
        .requests
        .iter()
        .take_while(|request| request.issued_ns < phase.to_ns)
        .map(|request| (request, lasting(request, end_ns)))
        .filter(|(request, span)| span.to_ns > phase.from_ns || request.issued_ns >= phase.from_ns)
        .collect();
    let mut sweep =
        Sweep { in_flight: vec![0; count], last_issue: vec![None; count], ..Sweep::default() };
    requests.iter().for_each(|(request, _)| sweep.expect(request, phase));
    let mut edges = wait_edges(waits);
    edges.extend(requests.iter().flat_map(|request| request_edges(watched, request, phase)));
    edges.extend(flusher_edges(watched, phase));
    Some(sweep.through(edges))
}

/// A request of which no end was seen lasts to the trace's end.
fn lasting(request: &Request, end_ns: u64) -> Span {
    let to_ns = request.done_ns.unwrap_or(end_ns).max(request.issued_ns);
    Span { from_ns: request.issued_ns, to_ns }
}

/// So many more, or fewer, of them.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// The workload waits.
    Waiting(i64),
    /// Requests of a disk are in flight; of the workload, and of flushers, among them.
    InFlight { disk: usize, all: i64, own: i64, flushers: i64 },
    /// Flushers work.
    Flushing(i64),
}

type Edge = (u64, Change);

fn wait_edges(waits: &[Span]) -> Vec<Edge> {
    let edges =
        |wait: &Span| [(wait.from_ns, Change::Waiting(1)), (wait.to_ns, Change::Waiting(-1))];
    waits.iter().flat_map(edges).collect()
}

fn request_edges(
    watched: &Watched<'_>,
    (request, span): &(&Request, Span),
    phase: Span,
) -> impl Iterator<Item = Edge> {
    let task = request.by.map(|task| task as usize);
    let own = task.is_some_and(|task| watched.is_workload(task));
    let name = task.filter(|_| !own).map(|task| watched.runs.name_at(task, request.issued_ns));
    let flusher = name.is_some_and(|name| is_flusher(watched.runs.names.get(name)));
    let change = move |by: i64| Change::InFlight {
        disk: request.disk as usize,
        all: by,
        own: if own { by } else { 0 },
        flushers: if flusher { by } else { 0 },
    };
    // What is to come changes with each request, even with one that takes no time.
    let issued = (request.issued_ns.max(phase.from_ns), change(0));
    let flies = cut(*span, phase).into_iter();
    let flies = flies.flat_map(move |span| [(span.from_ns, change(1)), (span.to_ns, change(-1))]);
    std::iter::once(issued).chain(flies)
}

/// When a flusher ran, could run, or waited in the midst of its work: its requests may be on their way through
/// other hands then.
fn flusher_edges(watched: &Watched<'_>, phase: Span) -> Vec<Edge> {
    let mut edges = Vec::new();
    for task in watched.on_a_cpu(phase).into_iter().filter(|task| !watched.is_workload(*task)) {
        let flushes = |name: usize| is_flusher(watched.runs.names.get(name));
        let mut add = |span: Option<Span>| {
            let span = span.and_then(|span| cut(span, phase));
            edges.extend(span.into_iter().flat_map(|span| {
                [(span.from_ns, Change::Flushing(1)), (span.to_ns, Change::Flushing(-1))]
            }));
        };
        for run in touching(watched.runs.of_task(task), phase) {
            add(Some(run.span).filter(|_| flushes(watched.runs.name(task, Some(run)))));
        }
        for (_, away) in aways(watched, task, phase) {
            let absence = absence(watched, task, away);
            add(away.ready().filter(|_| flushes(absence.comes_back_as)));
            let midst = !absence.idle && away.state == TaskState::Uninterruptible;
            add(away.asleep().filter(|_| midst && flushes(absence.left_as)));
        }
    }
    edges
}

/// The state between two moments, and what came together so far.
#[derive(Default)]
struct Sweep {
    waiting: i64,
    /// By disk.
    in_flight: Vec<i64>,
    own: i64,
    flushers: i64,
    flushing: i64,
    /// When the last request of the phase is issued, by disk.
    last_issue: Vec<Option<u64>>,
    /// Disks that had a request.
    had: Vec<bool>,
    busy_ns: u128,
    overlap: Overlap,
}

impl Sweep {
    /// Knows of a request that touches the phase.
    fn expect(&mut self, request: &Request, phase: Span) {
        let disk = request.disk as usize;
        self.had.resize(self.in_flight.len(), false);
        if let Some(had) = self.had.get_mut(disk) {
            *had = true;
        }
        if let Some(last) =
            self.last_issue.get_mut(disk).filter(|_| request.issued_ns >= phase.from_ns)
        {
            *last = (*last).max(Some(request.issued_ns));
        }
    }

    fn through(mut self, mut edges: Vec<Edge>) -> Overlap {
        edges.sort_by_key(|(at_ns, _)| *at_ns);
        for (index, (at_ns, change)) in edges.iter().enumerate() {
            self.take(*change);
            let next = edges.get(index + 1).map_or(*at_ns, |(next, _)| *next);
            if self.waiting > 0 && next > *at_ns {
                self.pass(*at_ns, next - at_ns);
            }
        }
        Overlap {
            disks: u32::try_from(self.had.iter().filter(|had| **had).count()).unwrap_or(u32::MAX),
            busy_milli: milli(self.busy_ns, self.overlap.waited_ns).unwrap_or(0),
            ..self.overlap
        }
    }

    fn take(&mut self, change: Change) {
        match change {
            Change::Waiting(more) => self.waiting += more,
            Change::Flushing(more) => self.flushing += more,
            Change::InFlight { disk, all, own, flushers } => {
                if let Some(in_flight) = self.in_flight.get_mut(disk) {
                    *in_flight += all;
                    self.own += own;
                    self.flushers += flushers;
                }
            }
        }
    }

    /// The workload waits, and time goes by.
    fn pass(&mut self, from_ns: u64, ns: u64) {
        let busy = self.in_flight.iter().filter(|requests| **requests > 0).count();
        self.busy_ns += u128::from(ns) * busy as u128;
        let counts = [
            (&mut self.overlap.waited_ns, true),
            (&mut self.overlap.no_disk_ns, busy == 0),
            (
                &mut self.overlap.no_flusher_ns,
                self.own > 0 && self.flushers == 0 && self.flushing == 0,
            ),
        ];
        counts.into_iter().filter(|(_, holds)| *holds).for_each(|(sum, _)| *sum += ns);
        if busy == 1 && self.another_is_to_come(from_ns) {
            self.overlap.one_disk_ns += ns;
        }
    }

    /// Whether a disk that is not busy has a request to come.
    fn another_is_to_come(&self, now: u64) -> bool {
        let disks = self.in_flight.iter().zip(&self.last_issue);
        disks
            .into_iter()
            .any(|(in_flight, last)| *in_flight == 0 && last.is_some_and(|last| last > now))
    }
}
