//! Whole nanoseconds shared out so that the shares add up.

use std::cmp::Reverse;

/// `whole` in proportion to `weights`, by the largest remainders (Hamilton's method), the first ones among
/// equal ones; it adds up to `whole`, unless no weight is above 0.
pub(super) fn in_proportion(whole: u64, weights: &[u64]) -> Vec<u64> {
    let sum: u128 = weights.iter().map(|weight| u128::from(*weight)).sum();
    if sum == u128::from(whole) || sum == 0 {
        return weights.to_vec();
    }
    let product = |weight: &u64| u128::from(whole) * u128::from(*weight);
    let mut shares: Vec<u64> = weights
        .iter()
        .map(|weight| u64::try_from(product(weight) / sum).unwrap_or(whole))
        .collect();
    let rest = whole - shares.iter().sum::<u64>();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|at| (Reverse(product(&weights[*at]) % sum), *at));
    order.iter().take(usize::try_from(rest).unwrap_or(0)).for_each(|at| shares[*at] += 1);
    shares
}

/// `whole` in `count` equal shares; the first ones have what remains.
pub(super) fn equal(whole: u64, count: usize) -> impl Iterator<Item = u64> {
    let count = count as u64;
    let (share, rest) =
        (whole.checked_div(count).unwrap_or(0), whole.checked_rem(count).unwrap_or(0));
    (0..count).map(move |at| share + u64::from(at < rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_largest_remainders_have_the_rest() {
        assert_eq!(in_proportion(10, &[1, 1, 1]), [4, 3, 3]);
        assert_eq!(in_proportion(10, &[5, 3, 1]), [6, 3, 1]);
        assert_eq!(in_proportion(7, &[0, 2]), [0, 7]);
        assert_eq!(in_proportion(7, &[0, 0]), [0, 0]);
        assert_eq!(
            in_proportion(u64::MAX, &[u64::MAX, u64::MAX]),
            [u64::MAX / 2 + 1, u64::MAX / 2]
        );
        assert_eq!(equal(8, 3).collect::<Vec<_>>(), [3, 3, 2]);
        assert_eq!(equal(8, 0).count(), 0);
    }

    proptest! {
        #[test]
        fn shares_add_up_and_are_off_by_less_than_one(
            whole in 0_u64..1_000_000,
            weights in proptest::collection::vec(0_u64..1000, 1..30),
        ) {
            let sum: u64 = weights.iter().sum();
            prop_assume!(sum > 0);
            let shares = in_proportion(whole, &weights);
            prop_assert_eq!(shares.iter().sum::<u64>(), whole);
            for (share, weight) in shares.iter().zip(&weights) {
                prop_assert!((share * sum).abs_diff(whole * weight) < sum);
            }
            let equal: Vec<u64> = equal(whole, weights.len()).collect();
            prop_assert_eq!(equal.iter().sum::<u64>(), whole);
            prop_assert!(equal.is_sorted_by(|one, next| one >= next && one - next <= 1));
        }
    }
}
