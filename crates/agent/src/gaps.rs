//! Stretches in which the workload completed nothing, over all of its threads.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use model::Gap;

/// Shorter stretches are not kept, ns.
pub(crate) const SHORTEST_NS: u64 = 1_000_000;

/// How many are kept: the longest.
pub(crate) const KEPT: usize = 128;

/// No phase runs.
const NEVER: u64 = u64::MAX;

/// Shared by the threads of a workload; all its memory is there from the start.
///
/// Times are [`crate::clock::now_ns`]'s.
#[derive(Debug)]
pub(crate) struct Gaps {
    last: Completion,
    /// Longest first; they begin by the clock.
    longest: Mutex<Vec<Gap>>,
}

/// The last completion of any thread, ns; alone in its cache lines, since all threads write it.
#[derive(Debug)]
#[repr(align(128))]
struct Completion(AtomicU64);

impl Gaps {
    /// Nothing is kept before [`Gaps::begin`].
    #[must_use]
    pub(crate) fn new() -> Self {
        Gaps {
            last: Completion(AtomicU64::new(NEVER)),
            longest: Mutex::new(Vec::with_capacity(KEPT)),
        }
    }

    /// A phase begins: a stretch is counted from here.
    pub(crate) fn begin(&self, now_ns: u64) {
        self.last.0.store(now_ns, Ordering::Relaxed);
    }

    /// A call completed. Readings of several threads may come in any order.
    #[inline]
    pub(crate) fn completed(&self, now_ns: u64) {
        let before = self.last.0.fetch_max(now_ns, Ordering::Relaxed);
        if now_ns.saturating_sub(before) >= SHORTEST_NS {
            self.keep(Gap { at_ns: before, took_ns: now_ns - before });
        }
    }

    /// A thread ends a pause that it made by choice: what came before it is no stretch.
    pub(crate) fn paused(&self, now_ns: u64) {
        self.last.0.fetch_max(now_ns, Ordering::Relaxed);
    }

    #[cold]
    fn keep(&self, gap: Gap) {
        let mut longest = self.longest.lock().unwrap_or_else(PoisonError::into_inner);
        let at = longest.partition_point(|kept| kept.took_ns >= gap.took_ns);
        if at < KEPT {
            longest.truncate(KEPT - 1);
            longest.insert(at, gap);
        }
    }

    /// How long nothing completed by now, ns; 0 between phases.
    #[must_use]
    pub(crate) fn stretch(&self, now_ns: u64) -> u64 {
        now_ns.saturating_sub(self.last.0.load(Ordering::Relaxed))
    }

    /// Ends a phase that began at `began_ns`: its stretches, longest first. Forgets them.
    pub(crate) fn take(&self, began_ns: u64) -> Vec<Gap> {
        self.last.0.store(NEVER, Ordering::Relaxed);
        let mut longest = self.longest.lock().unwrap_or_else(PoisonError::into_inner);
        let since = |gap: Gap| Gap { at_ns: gap.at_ns.saturating_sub(began_ns), ..gap };
        longest.drain(..).map(since).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MS: u64 = 1_000_000;

    /// Begin and length of each.
    fn taken(gaps: &Gaps, began_ns: u64) -> Vec<(u64, u64)> {
        gaps.take(began_ns).into_iter().map(|gap| (gap.at_ns, gap.took_ns)).collect()
    }

    #[test]
    fn a_stretch_without_a_completion_is_kept() {
        let gaps = Gaps::new();
        gaps.completed(50 * MS);
        gaps.begin(100 * MS);
        for at in [101, 105, 106, 116] {
            gaps.completed(at * MS - 1);
        }
        assert_eq!(
            taken(&gaps, 100 * MS),
            [(6 * MS - 1, 10 * MS), (MS - 1, 4 * MS), (5 * MS - 1, MS)]
        );
        gaps.completed(500 * MS);
        assert_eq!(gaps.stretch(900 * MS), 0);
        assert_eq!(taken(&gaps, 0), []);
    }

    #[test]
    fn a_late_reading_makes_no_stretch_of_what_others_did() {
        let gaps = Gaps::new();
        gaps.begin(0);
        for at in [MS / 2, 5 * MS, MS, 5 * MS + 1] {
            gaps.completed(at);
        }
        assert_eq!(taken(&gaps, 0), [(MS / 2, 5 * MS - MS / 2)]);
    }

    #[test]
    fn a_pause_by_choice_is_none() {
        let gaps = Gaps::new();
        gaps.begin(0);
        assert_eq!(gaps.stretch(29 * MS), 29 * MS);
        gaps.paused(30 * MS);
        gaps.completed(32 * MS);
        assert_eq!(gaps.stretch(33 * MS), MS);
        assert_eq!(taken(&gaps, 0), [(30 * MS, 2 * MS)]);
    }

    proptest! {
        #[test]
        fn the_longest_are_those_of_a_sort(lengths in prop::collection::vec(MS..3 * MS, 0..300)) {
            let gaps = Gaps::new();
            gaps.begin(0);
            let mut now = 0;
            for length in &lengths {
                now += length;
                gaps.completed(now);
            }
            let mut sorted = lengths.clone();
            sorted.sort_unstable_by_key(|length| std::cmp::Reverse(*length));
            sorted.truncate(KEPT);
            let kept: Vec<u64> = taken(&gaps, 0).iter().map(|gap| gap.1).collect();
            prop_assert_eq!(kept, sorted);
        }
    }
}
