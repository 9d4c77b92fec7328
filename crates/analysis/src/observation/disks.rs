//! What the disks did over a stretch of time, from every request.

use std::collections::BTreeMap;

use model::observation::{DiskDone, DiskView, DisksView, MOST_MOMENTS};
use model::trace::{Request, RequestKind, Span, Trace};

use super::stretches::{cut, equal, milli, touching};

/// A trace's disks.
#[derive(Debug)]
pub(crate) struct Disks {
    disks: Vec<Disk>,
    /// Requests to any of them.
    any: Load,
}

/// One disk.
#[derive(Debug)]
struct Disk {
    name: String,
    load: Load,
    /// When a request was done, its kind and its bytes, in the order of the times.
    done: Vec<(u64, RequestKind, u64)>,
}

impl Disks {
    /// `None` where no disk was seen. A request of which no end was seen lasts to the trace's end.
    pub(crate) fn of(trace: &Trace) -> Option<Self> {
        let end_ns = end(trace);
        let mut requests: Vec<Vec<&Request>> = vec![Vec::new(); trace.disks.len()];
        for request in &trace.requests {
            if let Some(disk) = requests.get_mut(request.disk as usize) {
                disk.push(request);
            }
        }
        let all = requests.iter().flatten().copied();
        let any = Load::of(all, end_ns);
        let disks = trace.disks.iter().zip(&requests);
        let disks: Vec<Disk> = disks.map(|(name, own)| Disk::of(name, own, end_ns)).collect();
        (!disks.is_empty()).then_some(Disks { disks, any })
    }

    /// What they did in `span`; `waits` are the stretches, in order, in which the workload waited,
    /// where that was seen. `None` of an empty stretch.
    pub(crate) fn view(&self, span: Span, waits: Option<&[Span]>) -> Option<DisksView> {
        Some(DisksView {
            busy_milli: milli(self.busy(span), span.length())?,
            in_flight_milli: milli(self.any.in_flight(span), span.length())?,
            idle_wait_ns: waits.map(|waits| self.idle(waits, span)),
            disks: self.disks.iter().filter_map(|disk| disk.view(span)).collect(),
            busy_over_time: equal(span, MOST_MOMENTS)
                .filter_map(|part| milli(self.busy(part), part.length()))
                .collect(),
        })
    }

    /// Time with a request in flight, the disks' times added up, ns.
    fn busy(&self, span: Span) -> u128 {
        self.disks.iter().map(|disk| u128::from(disk.load.busy(span))).sum()
    }

    /// Time of `waits` in `span` in which no disk was busy, ns.
    fn idle(&self, waits: &[Span], span: Span) -> u64 {
        let waits = touching(waits, span).iter().filter_map(|wait| cut(*wait, span));
        waits.map(|wait| wait.length() - self.any.busy(wait)).sum()
    }
}

impl Disk {
    fn of(name: &str, requests: &[&Request], end_ns: u64) -> Self {
        let done = requests.iter().filter_map(|r| Some((r.done_ns?, r.kind, r.bytes)));
        let mut done: Vec<_> = done.collect();
        done.sort_unstable();
        Disk { name: name.to_owned(), load: Load::of(requests.iter().copied(), end_ns), done }
    }

    fn view(&self, span: Span) -> Option<DiskView> {
        Some(DiskView {
            name: self.name.clone(),
            busy_ns: self.load.busy(span),
            in_flight_milli: milli(self.load.in_flight(span), span.length())?,
            done: self.done(span),
        })
    }

    /// Kinds of which none was done are left out.
    fn done(&self, span: Span) -> Vec<DiskDone> {
        let first = self.done.partition_point(|(at_ns, ..)| *at_ns < span.from_ns);
        let done = self.done[first..].iter().take_while(|(at_ns, ..)| *at_ns < span.to_ns);
        let mut kinds: BTreeMap<RequestKind, DiskDone> = BTreeMap::new();
        for (_, kind, bytes) in done {
            let none = DiskDone { kind: *kind, requests: 0, bytes: 0 };
            let sum = kinds.entry(*kind).or_insert(none);
            sum.requests += 1;
            sum.bytes += bytes;
        }
        kinds.into_values().collect()
    }
}

/// The last moment of which the trace tells.
pub(crate) fn end(trace: &Trace) -> u64 {
    let phases = trace.phases.iter().map(|phase| phase.to_ns);
    let switches = trace.switches.last().map(|switch| switch.at_ns);
    let requests = trace.requests.iter().map(|r| r.done_ns.unwrap_or(r.issued_ns));
    phases.chain(switches).chain(requests).max().unwrap_or(0)
}

/// Requests in flight over time.
#[derive(Debug)]
struct Load {
    /// Moments at which their number changes, in order; it is 0 before the first.
    steps: Vec<LoadStep>,
}

/// From a moment on.
#[derive(Clone, Copy, Debug, Default)]
struct LoadStep {
    at_ns: u64,
    /// So many requests are in flight.
    in_flight: u64,
    /// Time with a request in flight until then, ns.
    busy_ns: u64,
    /// Times of all requests in flight until then, ns.
    request_ns: u128,
}

impl LoadStep {
    /// What stands at a later moment, if nothing happens in between.
    fn later(self, at_ns: u64) -> Self {
        let passed = at_ns - self.at_ns;
        LoadStep {
            at_ns,
            in_flight: self.in_flight,
            busy_ns: self.busy_ns + if self.in_flight > 0 { passed } else { 0 },
            request_ns: self.request_ns + u128::from(passed) * u128::from(self.in_flight),
        }
    }
}

impl Load {
    fn of<'a>(requests: impl Iterator<Item = &'a Request>, end_ns: u64) -> Self {
        let mut edges: Vec<(u64, bool)> = Vec::new();
        for request in requests {
            let done_ns = request.done_ns.unwrap_or(end_ns).max(request.issued_ns);
            edges.extend([(request.issued_ns, true), (done_ns, false)]);
        }
        edges.sort_unstable_by_key(|(at_ns, begins)| (*at_ns, !begins));
        let steps = edges.into_iter().scan(LoadStep::default(), |now, (at_ns, begins)| {
            *now = now.later(at_ns);
            now.in_flight = if begins { now.in_flight + 1 } else { now.in_flight - 1 };
            Some(*now)
        });
        Load { steps: steps.collect() }
    }

    /// Time with a request in flight, ns.
    fn busy(&self, span: Span) -> u64 {
        self.at(span.to_ns).busy_ns - self.at(span.from_ns).busy_ns
    }

    /// Times of all requests in flight, ns.
    fn in_flight(&self, span: Span) -> u128 {
        self.at(span.to_ns).request_ns - self.at(span.from_ns).request_ns
    }

    fn at(&self, at_ns: u64) -> LoadStep {
        let later = self.steps.partition_point(|step| step.at_ns <= at_ns);
        let step = later.checked_sub(1).map(|last| self.steps[last]);
        step.unwrap_or_default().later(at_ns)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::testing::Scene;
    use super::*;

    fn span(from_ns: u64, to_ns: u64) -> Span {
        Span { from_ns, to_ns }
    }

    #[test]
    fn disks_overlap() {
        let mut scene = Scene::new(0..100);
        let (a, b) = (scene.disk("nullb0"), scene.disk("nullb1"));
        scene.write(a, 4096, 10, Some(30));
        scene.write(a, 8192, 20, Some(40));
        scene.write(b, 512, 30, Some(60));
        scene.write(b, 512, 90, None);
        let disks = Disks::of(&scene.trace).unwrap();
        let view = disks.view(span(0, 100), Some(&[span(0, 15), span(35, 95)])).unwrap();
        // Busy 10–40, and 30–60 and 90–100; in flight 40 and 40 ns.
        assert_eq!((view.busy_milli, view.in_flight_milli), (700, 800));
        assert_eq!(view.idle_wait_ns, Some(10 + 30));
        assert_eq!(view.disks.iter().map(|disk| disk.busy_ns).collect::<Vec<_>>(), [30, 40]);
        let done = |requests, bytes| DiskDone { kind: RequestKind::Write, requests, bytes };
        assert_eq!(view.disks[0].done, [done(2, 12288)]);
        assert_eq!(view.disks[1].done, [done(1, 512)]);
        let part = disks.view(span(30, 34), None).unwrap();
        assert_eq!((part.busy_milli, part.idle_wait_ns), (2000, None));
        assert_eq!(part.busy_over_time, [2000; 4]);
        assert_eq!(part.disks[0].done, [done(1, 4096)]);
        assert_eq!(part.disks[1].done, []);
        assert_eq!(disks.view(span(30, 30), None), None);
    }

    #[test]
    fn without_disks_there_is_no_view() {
        assert!(Disks::of(&Scene::new(0..100).trace).is_none());
    }

    proptest! {
        /// Against counting at every ns.
        #[test]
        fn busy_is_what_counting_every_moment_gives(
            requests in proptest::collection::vec(
                (0_u32..3, 0_u64..120, 0_u64..40, any::<bool>()), 0..40),
            waits in proptest::collection::vec((0_u64..5, 1_u64..30), 0..6),
            (from, length) in (0_u64..100, 1_u64..60),
        ) {
            let mut scene = Scene::new(0..200);
            for name in ["nullb0", "nullb1", "nullb2"] {
                scene.disk(name);
            }
            for (disk, issued, took, seen) in requests {
                scene.write(disk, 512, issued, seen.then_some(issued + took));
            }
            let waits: Vec<Span> = waits.iter().scan(0, |now, (pause, length)| {
                let from_ns = *now + pause;
                *now = from_ns + length;
                Some(span(from_ns, *now))
            }).collect();
            let whole = span(from, from + length);
            let view = Disks::of(&scene.trace).unwrap().view(whole, Some(&waits)).unwrap();

            let in_flight = |disk: u32, now: u64| scene.trace.requests.iter().filter(|r| {
                r.disk == disk && r.issued_ns <= now && now < r.done_ns.unwrap_or(200)
            }).count() as u64;
            let busy = |now| (0..3).filter(|disk| in_flight(*disk, now) > 0).count() as u64;
            let all: Vec<u64> = (from..from + length).collect();
            let mean = |sum: u64| sum * 1000 / length;
            prop_assert_eq!(view.busy_milli, mean(all.iter().map(|now| busy(*now)).sum()));
            let flying = all.iter().map(|now| (0..3).map(|d| in_flight(d, *now)).sum::<u64>());
            prop_assert_eq!(view.in_flight_milli, mean(flying.sum()));
            let waited = |now: u64| waits.iter().any(|w| w.from_ns <= now && now < w.to_ns);
            let idle = all.iter().filter(|now| waited(**now) && busy(**now) == 0).count() as u64;
            prop_assert_eq!(view.idle_wait_ns, Some(idle));
            prop_assert!(view.busy_milli <= 3000);
            prop_assert!(view.busy_over_time.iter().all(|busy| *busy <= 3000));
            if length <= MOST_MOMENTS as u64 {
                let each: Vec<u64> = all.iter().map(|now| busy(*now) * 1000).collect();
                prop_assert_eq!(view.busy_over_time, each);
            }
        }
    }
}
