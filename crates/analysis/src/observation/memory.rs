//! The kernel's counts of memory: fewer moments, and those at the ends of a stretch.

use model::observation::MOST_MOMENTS;
use model::trace::{MemoryAt, Span};

/// Those of `moments`, in the order of their times, that lie in `phase` or on its ends, by ns after
/// it began.
pub(super) fn of_phase(moments: &[MemoryAt], phase: Span) -> Vec<MemoryAt> {
    let first = moments.partition_point(|moment| moment.at_ns < phase.from_ns);
    let rest = &moments[first..];
    let inside = &rest[..rest.partition_point(|moment| moment.at_ns <= phase.to_ns)];
    let shifted = |m: &MemoryAt| MemoryAt { at_ns: m.at_ns - phase.from_ns, ..*m };
    inside.iter().map(shifted).collect()
}

/// At most [`MOST_MOMENTS`] of `moments`, evenly thinned, with the first and the last.
pub(super) fn thinned(moments: &[MemoryAt]) -> Vec<MemoryAt> {
    if moments.len() <= MOST_MOMENTS {
        return moments.to_vec();
    }
    let last = moments.len() - 1;
    (0..MOST_MOMENTS).map(|at| moments[at * last / (MOST_MOMENTS - 1)]).collect()
}

/// The moments of `moments` nearest to the two ends of `span`; one where that is the same, none
/// where there are none.
pub(super) fn ends(moments: &[MemoryAt], span: Span) -> Vec<MemoryAt> {
    let mut ends: Vec<MemoryAt> =
        [span.from_ns, span.to_ns].into_iter().filter_map(|end| nearest(moments, end)).collect();
    ends.dedup();
    ends
}

fn nearest(moments: &[MemoryAt], at_ns: u64) -> Option<MemoryAt> {
    let after = moments.partition_point(|moment| moment.at_ns < at_ns);
    let around = &moments[after.saturating_sub(1)..moments.len().min(after + 1)];
    around.iter().min_by_key(|moment| moment.at_ns.abs_diff(at_ns)).copied()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn moments(times: impl IntoIterator<Item = u64>) -> Vec<MemoryAt> {
        let moment = |at_ns| MemoryAt { at_ns, dirty: Some(at_ns * 7), ..MemoryAt::default() };
        times.into_iter().map(moment).collect()
    }

    fn times(moments: &[MemoryAt]) -> Vec<u64> {
        moments.iter().map(|moment| moment.at_ns).collect()
    }

    #[test]
    fn a_phase_has_the_moments_of_its_own_time() {
        let all = moments([5, 10, 15, 20, 25]);
        let own = of_phase(&all, Span { from_ns: 10, to_ns: 20 });
        assert_eq!(times(&own), [0, 5, 10]);
        assert_eq!(own[1].dirty, Some(15 * 7));
    }

    #[test]
    fn the_nearest_moments_stand_at_the_ends() {
        let all = moments([0, 10, 20, 30]);
        assert_eq!(times(&ends(&all, Span { from_ns: 9, to_ns: 27 })), [10, 30]);
        assert_eq!(times(&ends(&all, Span { from_ns: 9, to_ns: 12 })), [10]);
        assert_eq!(times(&ends(&all, Span { from_ns: 28, to_ns: 99 })), [30]);
        assert!(ends(&[], Span { from_ns: 0, to_ns: 9 }).is_empty());
    }

    proptest! {
        #[test]
        fn thinning_keeps_the_ends_and_the_order(count in 0_u64..1000) {
            let all = moments((0..count).map(|at| at * 3));
            let few = thinned(&all);
            prop_assert_eq!(few.len(), all.len().min(MOST_MOMENTS));
            prop_assert_eq!(few.first(), all.first());
            prop_assert_eq!(few.last(), all.last());
            prop_assert!(few.windows(2).all(|two| two[0].at_ns < two[1].at_ns));
        }
    }
}
