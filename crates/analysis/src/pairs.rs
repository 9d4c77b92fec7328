//! Pairs: two sides under the same seed.

use std::collections::BTreeMap;

use model::Series;

/// The natural logarithm of `other` / `baseline`, both in ns; a time below 1 ns counts as 1 ns.
///
/// Computed from the difference of the two, so that swapped sides give exactly the negative value
/// and tiny differences keep all their digits: ties stay ties.
#[must_use]
pub fn log_ratio(baseline: f64, other: f64) -> f64 {
    let (baseline, other) = (baseline.max(1.0), other.max(1.0));
    if other < baseline {
        return -log_ratio(other, baseline);
    }
    ((other - baseline) / baseline).ln_1p()
}

/// The log ratios of elapsed times, `other` against `baseline`, for each seed that both have, in
/// the order of the seeds.
#[must_use]
pub fn differences(baseline: &Series, other: &Series) -> Vec<f64> {
    let by_seed = |series: &Series| -> BTreeMap<u64, f64> {
        series.values.iter().map(|sample| (sample.seed, sample.wall_ns)).collect()
    };
    let others = by_seed(other);
    let pair = |(seed, wall)| others.get(&seed).map(|other| log_ratio(wall, *other));
    by_seed(baseline).into_iter().filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::series;

    #[test]
    fn ratios_in_logarithms() {
        assert_eq!(log_ratio(1e9, 1e9), 0.0);
        assert!((log_ratio(1e9, 2e9) - 2.0_f64.ln()).abs() < 1e-15);
        assert_eq!(log_ratio(0.0, 1.0), 0.0);
        assert!(log_ratio(0.0, 1e6).is_finite());
    }

    #[test]
    fn only_common_seeds_make_pairs_in_their_order() {
        let baseline = series("sync", None, &[(3, 100.0), (1, 100.0), (7, 100.0)]);
        let other = series("sync", None, &[(1, 200.0), (2, 900.0), (3, 50.0)]);
        let found = differences(&baseline, &other);
        assert_eq!(found, [log_ratio(100.0, 200.0), log_ratio(100.0, 50.0)]);
        assert_eq!(found[0], -found[1]);
    }

    proptest! {
        #[test]
        fn swapped_sides_turn_the_sign(a in 1_u32.., b in 1_u32..) {
            let (a, b) = (f64::from(a), f64::from(b));
            prop_assert_eq!(log_ratio(a, b), -log_ratio(b, a));
            prop_assert!((log_ratio(a, b) - (b / a).ln()).abs() < 1e-12);
        }
    }
}
