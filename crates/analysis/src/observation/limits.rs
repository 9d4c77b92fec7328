//! From what length on a stretch without a completed call is a stall, and which stretches are.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use model::observation::{PhaseView, StallLimit};
use model::{Gap, Measurements, Nanos, PhaseRun};

/// The most stalls that an observation keeps, the longest.
pub const MOST_STALLS: usize = 64;

/// No shorter stretch is judged a stall: the exact place's disks hand out their bandwidth every
/// 20 ms, so that waiting for one such turn is a disk's ordinary pace.
const SHORTEST: Nanos = Nanos(25_000_000);

/// How many typical calls fit into the shortest stall.
const TYPICAL_CALLS: u64 = 1000;

/// The limit that follows from a phase's own calls, given as their latencies' histogram (upper
/// bounds in ns, ascending, and calls): 1000 times the median call, at least 25 ms.
///
/// The median, since it does not know of stalls: they are few calls among many, while a mean would
/// grow with them and hide them. A thousand calls, since a buffered write takes some µs and nothing
/// done for some ms is odd already, while calls of some ms each wait for a disk every time, and
/// only seconds without one of them are odd. Without latencies 25 ms stand.
#[must_use]
pub fn judged_limit(latencies: &[(u64, u64)]) -> Nanos {
    let calls: u64 = latencies.iter().map(|(_, calls)| calls).sum();
    let mut until = 0;
    let median = latencies.iter().find(|(_, calls_here)| {
        until += calls_here;
        until >= calls.div_ceil(2)
    });
    let typical = median.map_or(0, |(bound, _)| bound.saturating_mul(TYPICAL_CALLS));
    SHORTEST.max(Nanos(typical))
}

/// The limits of all phases, by name, in the order in which they first ran: `set` for all where it
/// is, else judged, rounds together, for those that complete calls.
pub(super) fn limits(measured: &Measurements, set: Option<Nanos>) -> Vec<StallLimit> {
    let mut limits: Vec<StallLimit> = Vec::new();
    for run in &measured.phases {
        if limits.iter().any(|known| known.phase == run.name) {
            continue;
        }
        let limit = set.or_else(|| judged(measured, &run.name));
        limits.extend(limit.map(|limit| StallLimit { phase: run.name.clone(), limit }));
    }
    limits
}

fn judged(measured: &Measurements, name: &str) -> Option<Nanos> {
    let runs = measured.phases.iter().filter(|run| run.name == name);
    let mut completing = runs.filter(|run| completes_calls(run)).peekable();
    completing.peek()?;
    let mut latencies: BTreeMap<u64, u64> = BTreeMap::new();
    for (bound, calls) in completing.flat_map(|run| &run.write_latency) {
        *latencies.entry(*bound).or_default() += calls;
    }
    Some(judged_limit(&latencies.into_iter().collect::<Vec<_>>()))
}

/// Whether the phase is more than a single call.
fn completes_calls(run: &PhaseRun) -> bool {
    !run.write_latency.is_empty() || run.ffsb.is_some()
}

/// Notes with each phase how many of its stretches are stalls, and how long they were.
pub(super) fn count(measured: &Measurements, limits: &[StallLimit], views: &mut [PhaseView]) {
    for (run, view) in measured.phases.iter().zip(views) {
        for gap in stalls_of(run, limits) {
            view.stalls += 1;
            view.stalled_ns = view.stalled_ns.saturating_add(gap.took_ns);
        }
    }
}

/// The stretches that are stalls, with the index of their phase: the [`MOST_STALLS`] longest,
/// longest first.
pub(super) fn stalled(measured: &Measurements, limits: &[StallLimit]) -> Vec<(usize, Gap)> {
    let phases = measured.phases.iter().enumerate();
    let mut stalled: Vec<(usize, Gap)> = phases
        .flat_map(|(phase, run)| stalls_of(run, limits).map(move |gap| (phase, gap)))
        .collect();
    stalled.sort_by_key(|(phase, gap)| (Reverse(gap.took_ns), *phase, gap.at_ns));
    stalled.truncate(MOST_STALLS);
    stalled
}

/// Those of one phase. A phase that is a single call is one stretch.
fn stalls_of(run: &PhaseRun, limits: &[StallLimit]) -> impl Iterator<Item = Gap> {
    let limit = limits.iter().find(|limit| limit.phase == run.name).map(|limit| limit.limit.0);
    let single = run.gaps.is_empty() && !completes_calls(run);
    let whole = single.then_some(Gap { at_ns: 0, took_ns: run.wall_ns });
    let gaps = run.gaps.iter().copied().chain(whole);
    gaps.filter(move |gap| limit.is_some_and(|limit| gap.took_ns >= limit))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn run(name: &str, latency: &[(u64, u64)], gaps: &[(u64, u64)], wall_ns: u64) -> PhaseRun {
        PhaseRun {
            name: name.to_owned(),
            wall_ns,
            write_latency: latency.to_vec(),
            gaps: gaps.iter().map(|(at_ns, took_ns)| gap(*at_ns, *took_ns)).collect(),
            ..PhaseRun::default()
        }
    }

    fn gap(at_ns: u64, took_ns: u64) -> Gap {
        Gap { at_ns, took_ns }
    }

    fn measured(phases: Vec<PhaseRun>) -> Measurements {
        Measurements { phases, ..Measurements::default() }
    }

    #[test]
    fn a_limit_is_a_thousand_median_calls_and_25_ms_at_least() {
        for (latencies, limit) in [
            (vec![], 25 * MS),
            (vec![(3_000, 1000), (900 * MS, 3)], 25 * MS),
            (vec![(3_000, 5), (80_000, 5)], 25 * MS),
            (vec![(3_000, 5), (80_000, 6)], 80 * MS),
            (vec![(4 * MS, 9), (u64::MAX, 1)], 4000 * MS),
            (vec![(u64::MAX, 1)], u64::MAX),
        ] {
            assert_eq!(judged_limit(&latencies), Nanos(limit), "{latencies:?}");
        }
    }

    #[test]
    fn rounds_are_judged_together_and_single_calls_not_at_all() {
        let seen = measured(vec![
            run("mkfs", &[], &[], 500 * MS),
            run("write", &[(3_000, 4)], &[], 500 * MS),
            run("sync", &[], &[], 500 * MS),
            run("write", &[(3_000, 1), (80_000, 6)], &[], 500 * MS),
        ]);
        let write = |limit| StallLimit { phase: "write".to_owned(), limit };
        assert_eq!(limits(&seen, None), [write(Nanos(80 * MS))]);
        let set = limits(&seen, Some(Nanos(9 * MS)));
        assert_eq!(set.len(), 3);
        assert_eq!(set[1], write(Nanos(9 * MS)));
    }

    #[test]
    fn an_ffsb_phase_completes_calls() {
        let mut ffsb = run("ffsb", &[], &[], MS);
        ffsb.ffsb = Some(model::ffsb::Outcome::default());
        let limits = limits(&measured(vec![ffsb]), None);
        assert_eq!(limits.iter().map(|limit| limit.limit).collect::<Vec<_>>(), [Nanos(25 * MS)]);
    }

    #[test]
    fn stalls_are_stretches_of_at_least_the_limit() {
        let seen = measured(vec![
            run("write", &[(3_000, 9)], &[(5, 60 * MS), (90, 25 * MS), (70, 24 * MS)], 500 * MS),
            run("sync", &[], &[], 55 * MS),
        ]);
        let judged = stalled(&seen, &limits(&seen, None));
        assert_eq!(judged, [(0, gap(5, 60 * MS)), (0, gap(90, 25 * MS))]);
        let set = stalled(&seen, &limits(&seen, Some(Nanos(55 * MS))));
        assert_eq!(set, [(0, gap(5, 60 * MS)), (1, gap(0, 55 * MS))]);
    }

    #[test]
    fn of_very_many_the_longest_are_looked_at_and_all_are_counted() {
        let many: Vec<(u64, u64)> = (0..70).map(|at| (at * 100 * MS, (50 + at) * MS)).collect();
        let seen = measured(vec![run("write", &[(3_000, 9)], &many, 7000 * MS)]);
        let limits = limits(&seen, None);
        let stalls = stalled(&seen, &limits);
        assert_eq!((stalls.len(), stalls[0].1.took_ns), (MOST_STALLS, 119 * MS));
        let mut views = [PhaseView::default()];
        count(&seen, &limits, &mut views);
        let took: u64 = many.iter().map(|(_, took)| took).sum();
        assert_eq!((views[0].stalls, views[0].stalled_ns), (70, took));
    }
}
