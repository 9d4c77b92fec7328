//! Values over time in one line of text.

/// From the least to the greatest; what is nothing has a bar, too, since a gap would look like
/// something that was not seen.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A bar for each value, whose full height is `full`; digits from 0 to 9 where there is only ASCII.
pub(crate) fn bars(values: &[u64], full: u64, unicode: bool) -> String {
    let top: u64 = if unicode { 7 } else { 9 };
    let bar = |value: &u64| {
        let level = level(*value, full, top);
        match unicode {
            true => BARS.get(level).copied().unwrap_or('█'),
            false => char::from_digit(u32::try_from(level).unwrap_or(9), 10).unwrap_or('9'),
        }
    };
    values.iter().map(bar).collect()
}

/// The value on a scale from 0 to `top`, rounded; but 0 for nothing alone.
fn level(value: u64, full: u64, top: u64) -> usize {
    let (value, full, top) = (u128::from(value), u128::from(full), u128::from(top));
    let level = (2 * value * top + full).checked_div(2 * full).unwrap_or(0);
    let least = u128::from(value > 0);
    usize::try_from(level.clamp(least, top)).unwrap_or(0)
}

/// Means of `values`, which stand for equal stretches of time, over `columns` equal stretches.
pub(crate) fn means(values: &[u64], columns: usize) -> Vec<u64> {
    let (count, columns) = (values.len(), columns.max(1));
    if values.is_empty() {
        return Vec::new();
    }
    // In parts of which a value has `columns` and a column has `count`.
    let mean = |column: usize| {
        let (from, to) = (column * count, (column + 1) * count);
        let sum: u128 = (from / columns..to.div_ceil(columns))
            .map(|at| {
                let parts = to.min((at + 1) * columns) - from.max(at * columns);
                u128::from(values[at]) * parts as u128
            })
            .sum();
        u64::try_from((sum + count as u128 / 2) / count as u128).unwrap_or(u64::MAX)
    };
    (0..columns).map(mean).collect()
}

/// The greatest of the values that were seen in each of `columns` equal stretches of `length_ns`; where
/// none was seen it is still what it was before. The points are in the order of their times.
pub(crate) fn over(points: &[(u64, u64)], length_ns: u64, columns: usize) -> Vec<u64> {
    let Some((_, mut last)) = points.first().copied() else { return Vec::new() };
    let end = |column: usize| u128::from(length_ns) * (column as u128 + 1) / columns as u128;
    let mut rest = points;
    (0..columns)
        .map(|column| {
            let within = match column + 1 == columns {
                true => rest.len(),
                false => rest.partition_point(|(at, _)| u128::from(*at) < end(column)),
            };
            let (seen, later) = rest.split_at(within);
            rest = later;
            let greatest = seen.iter().map(|(_, value)| *value).max().unwrap_or(last);
            last = seen.last().map_or(last, |(_, value)| *value);
            greatest
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn bars_reach_from_nothing_to_the_full_height() {
        assert_eq!(bars(&[0, 1, 500, 1000, 12_000], 12_000, true), "▁▂▂▂█");
        assert_eq!(bars(&[0, 1, 6000, 11_999, 12_000], 12_000, false), "01599");
        assert_eq!(bars(&[0, 0], 0, false), "00");
        assert_eq!(bars(&[u64::MAX], u64::MAX, true), "█");
        assert_eq!(bars(&[7], 3, false), "9");
    }

    #[test]
    fn means_are_over_equal_stretches() {
        assert_eq!(means(&[10, 20, 30, 40], 2), [15, 35]);
        assert_eq!(means(&[10, 20], 4), [10, 10, 20, 20]);
        assert_eq!(means(&[10, 20, 30], 2), [13, 27]);
        assert!(means(&[], 3).is_empty());
    }

    #[test]
    fn a_value_lasts_until_the_next() {
        let points = [(0, 5), (25, 9), (29, 1), (80, 3), (100, 4)];
        assert_eq!(over(&points, 100, 5), [5, 9, 1, 1, 4]);
        assert_eq!(over(&points[1..3], 100, 4), [9, 9, 1, 1]);
        assert!(over(&[], 100, 4).is_empty());
    }

    proptest! {
        #[test]
        fn a_mean_lies_among_its_values_and_the_whole_mean_stays(
            values in prop::collection::vec(0_u64..1000, 1..70), columns in 1_usize..70,
        ) {
            let means = means(&values, columns);
            prop_assert_eq!(means.len(), columns);
            let (least, most) = (values.iter().min(), values.iter().max());
            prop_assert!(means.iter().min() >= least && means.iter().max() <= most);
            let whole = |all: &[u64]| all.iter().sum::<u64>() as f64 / all.len() as f64;
            prop_assert!((whole(&means) - whole(&values)).abs() <= 0.5001);
        }

        #[test]
        fn the_greatest_value_is_never_lost(
            values in prop::collection::vec(0_u64..1000, 1..70), columns in 1_usize..70,
        ) {
            let points: Vec<_> = (0..).zip(values.iter().copied()).collect();
            let shown = over(&points, values.len() as u64, columns);
            prop_assert_eq!(shown.iter().max(), values.iter().max());
        }
    }
}
