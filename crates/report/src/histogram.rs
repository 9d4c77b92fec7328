//! Latencies as bars.

use std::io;

use crate::page::{Page, Role};
use crate::quantity::duration;
use crate::text::width;

/// Rows of a histogram at the most.
pub(crate) const ROWS: usize = 12;

/// Columns of the longest bar.
const BAR: u32 = 30;

/// A row: the greatest bucket bound that it covers, ns, and the calls in it.
pub(crate) type Row = (u64, u64);

/// Joins neighbouring buckets, by ever coarser steps, until there are at most [`ROWS`] rows. A
/// row's bound is that of its last bucket, so that it says no more than what was measured.
pub(crate) fn rows(buckets: &[(u64, u64)]) -> Vec<Row> {
    let mut sorted: Vec<Row> = buckets.to_vec();
    sorted.sort_unstable();
    if sorted.len() <= ROWS {
        return sorted;
    }
    // Steps: 1-2-5 in a decade, a decade, a thousand. The last has 7 rows for all of u64.
    let steps: [fn(u64) -> u32; 3] = [one_two_five, decade, |ns| decade(ns) / 3];
    steps
        .iter()
        .map(|step| joined(&sorted, *step))
        .find(|rows| rows.len() <= ROWS)
        .unwrap_or_default()
}

fn decade(ns: u64) -> u32 {
    ns.max(1).ilog10()
}

fn one_two_five(ns: u64) -> u32 {
    let first = ns.max(1) / 10u64.pow(decade(ns));
    3 * decade(ns) + u32::from(first >= 2) + u32::from(first >= 5)
}

fn joined(sorted: &[Row], step: fn(u64) -> u32) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (bound, calls) in sorted {
        match rows.last_mut() {
            Some(last) if step(last.0) == step(*bound) => {
                *last = (*bound, last.1.saturating_add(*calls));
            }
            _ => rows.push((*bound, *calls)),
        }
    }
    rows
}

/// Writes the bars. Their lengths are logarithmic: a single slow call among 100,000 is what people
/// look for.
pub(crate) fn write(page: &mut Page<'_>, indent: &str, buckets: &[(u64, u64)]) -> io::Result<()> {
    let rows = rows(buckets);
    let most = rows.iter().map(|(_, calls)| *calls).max().unwrap_or(0);
    let bounds: Vec<_> = rows.iter().map(|(ns, _)| page.plain(&duration(*ns))).collect();
    let wide = bounds.iter().map(|bound| width(bound)).max().unwrap_or(0);
    let count_wide = most.to_string().len();
    for ((_, calls), bound) in rows.iter().zip(&bounds) {
        let before = format!("{indent}≤ {bound:>wide$}  {calls:>count_wide$}  ");
        let bar = "█".repeat(length(*calls, most));
        page.line(&[(Role::Plain, &before), (Role::Good, &bar)])?;
    }
    Ok(())
}

/// The bar of `calls` where the most is `most`: nothing for none, at least one for one.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "0 to BAR columns"
)]
fn length(calls: u64, most: u64) -> usize {
    let log = |n: u64| (n as f64 + 1.0).log2();
    match calls {
        0 => 0,
        _ => ((log(calls) / log(most) * f64::from(BAR)).round() as usize).max(1),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn few_buckets_stay_as_they_are() {
        assert_eq!(rows(&[(1_500, 7), (900, 1)]), [(900, 1), (1_500, 7)]);
        assert!(rows(&[]).is_empty());
        assert_eq!((length(0, 9), length(1, u64::MAX), length(9, 9)), (0, 1, 30));
    }

    #[test]
    fn many_are_joined_by_steps() {
        let fine: Vec<_> = (10..100).map(|n| (n * 100, 1)).collect();
        assert_eq!(rows(&fine), [(1_900, 10), (4_900, 30), (9_900, 50)]);
    }

    proptest! {
        #[test]
        fn no_call_is_lost_and_no_row_too_many(
            buckets in prop::collection::vec((any::<u64>(), 0u64..1_000_000), 0..200)
        ) {
            let rows = rows(&buckets);
            let calls = |all: &[(u64, u64)]| all.iter().map(|(_, calls)| calls).sum::<u64>();
            prop_assert!(rows.len() <= ROWS);
            prop_assert_eq!(calls(&rows), calls(&buckets));
            prop_assert!(rows.is_sorted());
        }
    }
}
