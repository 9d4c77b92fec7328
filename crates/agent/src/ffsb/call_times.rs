//! How long system calls took, by kind.

use model::ffsb::{Call, CallTimes, Stats};

/// The times of one thread, or of several together.
#[derive(Clone, Debug)]
pub(super) struct CallTable {
    /// By the call's place in [`Call::ALL`]; `None` for those that are left out.
    rows: Vec<Option<CallTimes>>,
    /// Microseconds.
    ranges: Vec<(u64, u64)>,
}

impl CallTable {
    /// `None` where no times are kept.
    pub(super) fn new(stats: &Stats) -> Option<Self> {
        let ranges = if stats.ranges_enabled { stats.ranges.clone() } else { Vec::new() };
        let row = |call| CallTimes {
            call,
            count: 0,
            least_ns: u64::MAX,
            total_ns: 0,
            greatest_ns: 0,
            in_ranges: vec![0; ranges.len()],
        };
        let kept = |call: Call| (!stats.ignore.contains(&call)).then(|| row(call));
        let rows = Call::ALL.into_iter().map(kept).collect();
        stats.enabled.then_some(CallTable { rows, ranges })
    }

    /// Counts a call. As in the original a range has both its ends, in whole microseconds, and of
    /// several that fit the first counts.
    #[inline]
    pub(super) fn note(&mut self, call: Call, took_ns: u64) {
        let Some(row) = &mut self.rows[call as usize] else {
            return;
        };
        row.count += 1;
        row.total_ns += took_ns;
        row.least_ns = row.least_ns.min(took_ns);
        row.greatest_ns = row.greatest_ns.max(took_ns);
        let fits = |(from, to): &(u64, u64)| (*from..=*to).contains(&(took_ns / 1000));
        if let Some(range) = self.ranges.iter().position(fits) {
            row.in_ranges[range] += 1;
        }
    }

    /// Adds what another thread kept.
    pub(super) fn add(&mut self, other: &CallTable) {
        for (row, other) in self.rows.iter_mut().flatten().zip(other.rows.iter().flatten()) {
            row.count += other.count;
            row.total_ns += other.total_ns;
            row.least_ns = row.least_ns.min(other.least_ns);
            row.greatest_ns = row.greatest_ns.max(other.greatest_ns);
            row.in_ranges.iter_mut().zip(&other.in_ranges).for_each(|(all, one)| *all += one);
        }
    }

    /// The calls that there were, in [`Call::ALL`]'s order.
    pub(super) fn into_times(self) -> Vec<CallTimes> {
        self.rows.into_iter().flatten().filter(|row| row.count > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_summed_up_by_call_and_range() {
        let stats = Stats {
            enabled: true,
            ranges_enabled: true,
            ignore: vec![Call::Stat],
            ranges: vec![(0, 10), (5, 100)],
        };
        let (mut one, mut two) = (CallTable::new(&stats).unwrap(), CallTable::new(&stats).unwrap());
        one.note(Call::Write, 10_999);
        one.note(Call::Write, 11_000);
        two.note(Call::Write, 101_000);
        two.note(Call::Stat, 5);
        two.note(Call::Open, 7);
        one.add(&two);
        let write = CallTimes {
            call: Call::Write,
            count: 3,
            least_ns: 10_999,
            total_ns: 122_999,
            greatest_ns: 101_000,
            in_ranges: vec![1, 1],
        };
        let times = one.into_times();
        assert_eq!(
            times.iter().map(|times| times.call).collect::<Vec<_>>(),
            [Call::Open, Call::Write]
        );
        assert_eq!(times[1], write);
        assert!(CallTable::new(&Stats::default()).is_none());
    }

    #[test]
    fn a_row_stands_where_its_call_points() {
        for (index, call) in Call::ALL.into_iter().enumerate() {
            assert_eq!(call as usize, index);
        }
    }
}
