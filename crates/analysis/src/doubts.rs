//! What makes the values of a noisy place doubtful.

use std::cmp::Ordering;

use statrs::distribution::{ContinuousCDF, Normal};

use crate::interval::median;

/// Something about a series of values that a verdict's reader should know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Doubt {
    /// Single values lie far from all others: something else ran meanwhile, or the phase has
    /// another mode.
    Outliers {
        /// How many.
        count: usize,
        /// Of how many values.
        of: usize,
    },
    /// The values rise or fall over the run: something warms up, fills up or wears.
    Drift {
        /// From the first value to the last along the trend: 0.05 is 5 % slower at the end.
        share: f64,
    },
}

/// Fewer values tell neither.
const LEAST_VALUES: usize = 6;

/// Changes below this share are no matter.
const SMALLEST_SHARE: f64 = 0.02;

/// Standard deviations, as the median absolute deviation estimates them, beyond which a value is an
/// outlier.
const FAR: f64 = 10.0;

/// The same, as the mean absolute deviation estimates them: outliers lengthen it themselves.
const FAR_OF_MEAN: f64 = 3.5;

/// The probability with which values without a trend are said to drift.
const DRIFT_ERROR: f64 = 0.01;

/// The doubts about values above 0 (times) in the order in which they were run; none about fewer
/// than 6.
///
/// Outliers: on a logarithmic scale, further from the median than 10 standard deviations as 1.4826
/// times the median absolute deviation estimates them, and by more than 2 %. (The modified z-score
/// of Iglewicz & Hoaglin 1993. Their limit of 3.5 finds outliers in one of six series of 6 normal
/// values, since of so few the deviation itself is unsure; 10 does in one of 80.) Where half of the
/// values are equal that is 0; then 3.5 times 1.2533 mean absolute deviations, as they advise.
///
/// Drift: Kendall's tau (1938) of the values against their order, two-sided p below 0.01, exact
/// without ties and by the normal law corrected for continuity with ties, and a change of more than
/// 2 % by the median slope (Theil 1950, Sen 1968) of the logarithms.
#[must_use]
pub fn doubts(values: &[f64]) -> Vec<Doubt> {
    if values.len() < LEAST_VALUES {
        return Vec::new();
    }
    let logs: Vec<f64> = values.iter().map(|value| value.max(f64::MIN_POSITIVE).ln()).collect();
    outliers(&logs).into_iter().chain(drift(&logs)).collect()
}

fn outliers(logs: &[f64]) -> Option<Doubt> {
    let middle = median(logs)?;
    let distances: Vec<f64> = logs.iter().map(|log| (log - middle).abs()).collect();
    let of = distances.len();
    let far = match median(&distances)? {
        0.0 => FAR_OF_MEAN * 1.2533 * distances.iter().sum::<f64>() / of as f64,
        deviation => FAR * 1.4826 * deviation,
    };
    let limit = far.max(SMALLEST_SHARE.ln_1p());
    let count = distances.iter().filter(|distance| **distance > limit).count();
    (count > 0).then_some(Doubt::Outliers { count, of })
}

fn drift(logs: &[f64]) -> Option<Doubt> {
    let change = median(&slopes(logs))? * (logs.len() - 1) as f64;
    let matters = change.abs() > SMALLEST_SHARE.ln_1p();
    (matters && trend_p(logs) < DRIFT_ERROR).then(|| Doubt::Drift { share: change.exp_m1() })
}

/// The slope a step of any two values.
fn slopes(values: &[f64]) -> Vec<f64> {
    let steps = |from: usize| (from + 1..values.len()).map(move |to| (from, to));
    let slope = |(from, to): (usize, usize)| (values[to] - values[from]) / (to - from) as f64;
    (0..values.len()).flat_map(steps).map(slope).collect()
}

/// The two-sided p-value of Kendall's tau between the values and their order.
fn trend_p(values: &[f64]) -> f64 {
    let score: i64 = slopes(values)
        .iter()
        .map(|slope| match slope.total_cmp(&0.0) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        })
        .sum();
    let ties = tie_sizes(values);
    let p = if ties.iter().all(|size| *size == 1) {
        exact_p(values.len(), score.unsigned_abs() as usize)
    } else {
        normal_p(values.len(), score.unsigned_abs() as f64, &ties)
    };
    p.min(1.0)
}

fn tie_sizes(values: &[f64]) -> Vec<usize> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.chunk_by(|a, b| a == b).map(<[f64]>::len).collect()
}

/// Twice the share of the n! orders with at most as many inversions as a score of `score` leaves.
fn exact_p(n: usize, score: usize) -> f64 {
    let most = (n * (n - 1) / 2 - score) / 2;
    let mut shares = vec![0.0; most + 1];
    shares[0] = 1.0;
    // The value that comes k-th can overtake 0 to k - 1 of those before it, each as likely.
    for k in 2..=n {
        let before = shares.clone();
        for (inversions, share) in shares.iter_mut().enumerate() {
            let from = inversions.saturating_sub(k - 1);
            *share = before[from..=inversions].iter().sum::<f64>() / k as f64;
        }
    }
    2.0 * shares.iter().sum::<f64>()
}

fn normal_p(n: usize, score: f64, ties: &[usize]) -> f64 {
    let weight = |size: usize| (size * (size - 1) * (2 * size + 5)) as f64;
    let variance = (weight(n) - ties.iter().map(|size| weight(*size)).sum::<f64>()) / 18.0;
    if variance <= 0.0 {
        return 1.0;
    }
    2.0 * Normal::standard().sf((score - 1.0).max(0.0) / variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All orders of `values`.
    fn orders(values: &[f64]) -> Vec<Vec<f64>> {
        if values.len() < 2 {
            return vec![values.to_vec()];
        }
        let without = |at: usize| [&values[..at], &values[at + 1..]].concat();
        let led_by = |at: usize| {
            orders(&without(at)).into_iter().map(move |rest| [&[values[at]], &rest[..]].concat())
        };
        (0..values.len()).flat_map(led_by).collect()
    }

    fn score(values: &[f64]) -> f64 {
        slopes(values).iter().map(|slope| slope.signum()).sum()
    }

    #[test]
    fn the_trend_is_what_counting_all_orders_gives() {
        let all = orders(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(all.len(), 720);
        for values in all.iter().step_by(37) {
            let extreme = all.iter().filter(|o| score(o).abs() >= score(values).abs()).count();
            let counted = extreme as f64 / 720.0;
            assert!((trend_p(values) - counted).abs() < 1e-12, "{values:?}");
        }
        assert!((trend_p(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]) - 2.0 / 720.0).abs() < 1e-15);
    }

    #[test]
    fn ties_are_no_trend() {
        assert_eq!(trend_p(&[1.0; 8]), 1.0);
        // Score 24 of 28; variance (8·7·21 − 4·2·1·9)/18 = 61.33; z = 23/7.83 = 2.937.
        let p = trend_p(&[1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0]);
        assert!((p - 0.003_32).abs() < 1e-4, "{p}");
    }

    #[test]
    fn one_stray_value_is_an_outlier() {
        // A write as it was measured, ms.
        let write = [496.7, 496.6, 496.5, 496.7, 496.7, 496.5, 496.6, 496.7, 496.5, 496.7, 496.6];
        assert_eq!(doubts(&write), []);
        let strayed = [&write[..], &[552.9]].concat();
        assert_eq!(doubts(&strayed), [Doubt::Outliers { count: 1, of: 12 }]);
        // Twice as fast is as far as twice as slow.
        let quick = [&write[..], &[450.0]].concat();
        assert_eq!(doubts(&quick), [Doubt::Outliers { count: 1, of: 12 }]);
    }

    #[test]
    fn equal_values_leave_the_mean_deviation() {
        assert_eq!(doubts(&[5.0; 12]), []);
        let mut values = [5.0; 12];
        values[7] = 5.05;
        assert_eq!(doubts(&values), [], "1 % is no matter");
        values[7] = 6.0;
        assert_eq!(doubts(&values), [Doubt::Outliers { count: 1, of: 12 }]);
        // A second mode as frequent as one in three is none.
        assert_eq!(doubts(&[2.5, 21.2, 2.5, 2.5, 2.5, 21.2, 2.5, 2.5, 21.2, 2.5, 21.2, 2.5]), []);
    }

    #[test]
    fn a_wide_series_has_no_outliers() {
        // A sync as it was measured, ms.
        let sync = [
            2559.5, 2549.5, 2592.4, 2559.1, 2590.0, 2490.1, 2590.1, 2580.1, 2490.1, 2649.4, 2549.4,
            2649.5,
        ];
        assert_eq!(doubts(&sync), []);
    }

    #[test]
    fn a_rising_series_drifts() {
        let rising: Vec<f64> = (0..8).map(|at| 100.0 * 1.01_f64.powi(at)).collect();
        let [Doubt::Drift { share }] = doubts(&rising)[..] else { panic!("{:?}", doubts(&rising)) };
        assert!((share - (1.01_f64.powi(7) - 1.0)).abs() < 1e-12, "{share}");
        let falling: Vec<f64> = rising.iter().rev().copied().collect();
        assert!(matches!(doubts(&falling)[..], [Doubt::Drift { share }] if share < -0.06));
    }

    #[test]
    fn a_small_or_unsure_trend_is_none() {
        let small: Vec<f64> = (0..8).map(|at| 100.0 * 1.001_f64.powi(at)).collect();
        assert_eq!(doubts(&small), []);
        assert_eq!(doubts(&[100.0, 110.0, 105.0, 120.0, 115.0, 101.0, 125.0, 108.0]), []);
        assert_eq!(doubts(&[100.0, 110.0, 120.0, 130.0, 900.0]), [], "five values tell nothing");
    }
}
