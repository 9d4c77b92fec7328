//! How long calls took: all of them in a histogram, the slowest one by one.

use hdrhistogram::Histogram;
use model::SlowCall;

/// How many slow calls are kept.
pub(crate) const SLOWEST: usize = 10;

const DIGITS: u8 = 2;
const LONGEST_NS: u64 = 3_600_000_000_000;

/// Latencies of a phase's calls. All its memory is there from the start.
#[derive(Clone, Debug)]
pub(crate) struct Latency {
    histogram: Histogram<u64>,
    slowest: [Slow; SLOWEST],
}

#[derive(Clone, Copy, Debug, Default)]
struct Slow {
    began_ns: u64,
    took_ns: u64,
    offset: u64,
}

impl Latency {
    /// Nothing recorded yet.
    #[must_use]
    pub(crate) fn new() -> Self {
        let histogram = Histogram::new_with_bounds(1, LONGEST_NS, DIGITS)
            .unwrap_or_else(|_| unreachable!("constant bounds that are tested to be valid"));
        let mut latency = Latency { histogram, slowest: [Slow::default(); SLOWEST] };
        latency.clear();
        latency
    }

    /// Forgets all calls; writes to all memory, so that no page of it is missing later.
    pub(crate) fn clear(&mut self) {
        self.histogram.reset();
        self.slowest = [Slow::default(); SLOWEST];
    }

    /// Notes a call.
    #[inline]
    pub(crate) fn note(&mut self, began_ns: u64, took_ns: u64, offset: u64) {
        self.histogram.saturating_record(took_ns);
        if took_ns > self.slowest[SLOWEST - 1].took_ns {
            self.insert(Slow { began_ns, took_ns, offset });
        }
    }

    /// Takes the calls of another thread in.
    pub(crate) fn add(&mut self, other: &Latency) {
        // Of the same bounds, so nothing can be out of them.
        let _ = self.histogram.add(&other.histogram);
        for slow in other.slowest.iter().filter(|slow| slow.took_ns > 0) {
            if slow.took_ns > self.slowest[SLOWEST - 1].took_ns {
                self.insert(*slow);
            }
        }
    }

    #[cold]
    fn insert(&mut self, slow: Slow) {
        let at = self.slowest.partition_point(|s| s.took_ns >= slow.took_ns);
        self.slowest[at..].rotate_right(1);
        self.slowest[at] = slow;
    }

    /// The upper bound of each used bucket, ns, with the calls in it.
    #[must_use]
    pub(crate) fn buckets(&self) -> Vec<(u64, u64)> {
        let bucket = |v: hdrhistogram::iterators::IterationValue<u64>| {
            let bound = self.histogram.highest_equivalent(v.value_iterated_to());
            (bound, v.count_at_value())
        };
        self.histogram.iter_recorded().map(bucket).collect()
    }

    /// The slowest calls, slowest first, by a phase that began at `start_ns`.
    #[must_use]
    pub(crate) fn slowest(&self, start_ns: u64) -> Vec<SlowCall> {
        let used = self.slowest.iter().filter(|slow| slow.took_ns > 0);
        used.map(|slow| SlowCall {
            at_ns: slow.began_ns - start_ns,
            took_ns: slow.took_ns,
            offset: slow.offset,
        })
        .collect()
    }
}

impl Default for Latency {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn buckets_hold_two_digits_and_every_call() {
        let mut latency = Latency::new();
        for took in [0, 100, 101, 1_000_000, 1_000_001, u64::MAX] {
            latency.note(0, took, 0);
        }
        let buckets = latency.buckets();
        assert_eq!(buckets.iter().map(|(_, calls)| calls).sum::<u64>(), 6);
        let near = |ns: u64| move |(bound, _): &&(u64, u64)| *bound >= ns && *bound < ns + ns / 64;
        assert_eq!(buckets.iter().find(near(1_000_000)).map(|b| b.1), Some(2));
    }

    #[test]
    fn calls_of_several_threads_are_put_together() {
        let (mut one, mut other) = (Latency::new(), Latency::new());
        (1..=15).for_each(|took| one.note(100 + took, took, 0));
        other.note(200, 12, 4096);
        one.add(&other);
        assert_eq!(one.buckets().iter().map(|(_, calls)| calls).sum::<u64>(), 16);
        let slowest: Vec<_> = one.slowest(0).iter().map(|s| s.took_ns).collect();
        assert_eq!(slowest, [15, 14, 13, 12, 12, 11, 10, 9, 8, 7]);
    }

    proptest! {
        #[test]
        fn the_slowest_are_those_of_a_sort(times in prop::collection::vec(1u64..50, 0..60)) {
            let mut latency = Latency::new();
            for (at, took) in (7u64..).zip(&times) {
                latency.note(at, *took, 1024 * at);
            }
            // Of equally slow calls the earlier ones stand first.
            let mut all: Vec<(u64, u64)> = times.iter().copied().zip(0..).collect();
            all.sort_by_key(|(took, at)| (std::cmp::Reverse(*took), *at));
            let kept: Vec<_> = latency.slowest(7).iter().map(|s| (s.took_ns, s.at_ns)).collect();
            prop_assert_eq!(kept, &all[..all.len().min(SLOWEST)]);
        }
    }
}
