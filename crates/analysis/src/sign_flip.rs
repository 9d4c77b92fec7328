//! The exact two-sided sign-flip test of "no effect" on paired differences.

use crate::signed_ranks::{coin_sums, signed_ranks};

/// The probability that differences whose signs are coins would lean at least as far to one side as
/// `differences` (finite) do: the p-value of the sign-flip test with Wilcoxon's statistic (1945),
/// the sum of the ranks of the positive differences.
///
/// Given the magnitudes, 2ⁿ sign vectors are equally likely when nothing but the seed's chance
/// tells the sides apart; all are counted, with midranks for ties and zeros ranked but signless
/// (Pratt 1959). So the p-value is exact for any number of pairs and any law. It is at least 2/2ⁿ
/// with n differences that are not 0, and never 0; without any such difference it is 1.
///
/// It takes time and memory in proportion to n³ and n².
#[must_use]
pub fn p_value(differences: &[f64]) -> f64 {
    let ranks = signed_ranks(differences);
    let sum = |positive| ranks.iter().filter(|r| r.positive == positive).map(|r| r.doubled).sum();
    let smaller: usize = usize::min(sum(true), sum(false));
    let tail: f64 = coin_sums(ranks.iter().map(|rank| rank.doubled), smaller).iter().sum();
    (2.0 * tail).clamp(f64::MIN_POSITIVE, 1.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The p-value by its definition: over all sign vectors of the non-zero differences, the share
    /// whose signed-rank sum is at least as far from 0.
    fn by_brute_force(differences: &[f64]) -> f64 {
        let rank = |of: f64| {
            let count = |holds: &dyn Fn(f64) -> bool| {
                differences.iter().filter(|d| holds(d.abs())).count() as f64
            };
            count(&|d| d < of.abs()) + (count(&|d| d == of.abs()) + 1.0) / 2.0
        };
        let ranks: Vec<f64> =
            differences.iter().filter(|d| **d != 0.0).map(|d| d.signum() * rank(*d)).collect();
        let observed = ranks.iter().sum::<f64>().abs();
        let flips = 1_u32 << ranks.len();
        let sum = |flip: u32| {
            let sign = |at: usize| if flip >> at & 1 == 1 { -1.0 } else { 1.0 };
            ranks.iter().enumerate().map(|(at, rank)| sign(at) * rank).sum::<f64>()
        };
        let extreme = (0..flips).filter(|flip| sum(*flip).abs() >= observed).count();
        extreme as f64 / f64::from(flips)
    }

    #[test]
    fn known_values() {
        let six = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert_eq!(p_value(&six), 2.0 / 64.0);
        assert_eq!(p_value(&six.map(|d| -d)), 2.0 / 64.0);
        // Darwin's maize (1876), heights of crossed less self-fertilised plants: rank sum 24 of
        // 120.
        let maize = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48].map(f64::from);
        assert!((p_value(&maize) - 0.041_26).abs() < 1e-5, "{}", p_value(&maize));
    }

    #[test]
    fn without_any_difference_nothing_is_found() {
        assert_eq!(p_value(&[]), 1.0);
        assert_eq!(p_value(&[0.0; 12]), 1.0);
        assert_eq!(p_value(&[0.0, 0.01]), 1.0);
    }

    #[test]
    fn it_is_never_zero() {
        let many: Vec<f64> = (1..=60).map(f64::from).collect();
        assert_eq!(p_value(&many), 2.0_f64.powi(-59));
        let more: Vec<f64> = (1..=1100).map(f64::from).collect();
        assert_eq!(p_value(&more), f64::MIN_POSITIVE);
    }

    #[test]
    fn one_jump_does_not_throw_it() {
        let mut shifted = [0.030, 0.031, 0.029, 0.033, 0.028, 0.032, 0.027, 0.034];
        let before = p_value(&shifted);
        shifted[3] = 5.0;
        assert_eq!(p_value(&shifted), before);
        shifted[3] = -5.0;
        assert!(p_value(&shifted) > 0.1);
    }

    proptest! {
        #[test]
        fn it_is_what_brute_force_counts(
            // Few distinct values: zeros and ties in most cases.
            steps in prop::collection::vec(-4_i8..=4, 0..=10),
        ) {
            let differences: Vec<f64> = steps.iter().map(|step| f64::from(*step) * 0.02).collect();
            let (fast, slow) = (p_value(&differences), by_brute_force(&differences));
            prop_assert!((fast - slow).abs() < 1e-12, "{fast} against {slow}");
        }

        #[test]
        fn it_does_not_know_the_sides(
            differences in prop::collection::vec(-1.0..1.0_f64, 1..=40),
        ) {
            let flipped: Vec<f64> = differences.iter().map(|d| -d).collect();
            prop_assert_eq!(p_value(&differences), p_value(&flipped));
        }
    }
}
