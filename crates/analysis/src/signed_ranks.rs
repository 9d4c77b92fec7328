//! Signed ranks and the law of their sum when every sign is a coin's.

/// Magnitudes closer than this share of the smaller one are equal: they differ only by rounding.
const SAME: f64 = 1e-12;

/// A difference that is not zero, with its rank among all magnitudes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SignedRank {
    /// Whether the difference is above zero.
    pub positive: bool,
    /// Twice the midrank, so that ties stay whole numbers.
    pub doubled: usize,
}

/// The signed ranks of `differences` after Pratt: zeros take part in the ranking and are then left
/// out; equal magnitudes share the mean of their ranks.
pub(crate) fn signed_ranks(differences: &[f64]) -> Vec<SignedRank> {
    let mut sorted = differences.to_vec();
    sorted.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let mut ranks = Vec::with_capacity(sorted.len());
    let mut before = 0;
    for tied in sorted.chunk_by(|a, b| b.abs() - a.abs() <= SAME * a.abs()) {
        // Ranks before + 1 to before + len: twice their mean is their first plus their last.
        let doubled = 2 * before + tied.len() + 1;
        before += tied.len();
        let signed = tied.iter().filter(|difference| **difference != 0.0);
        ranks.extend(signed.map(|d| SignedRank { positive: *d > 0.0, doubled }));
    }
    ranks
}

/// The law of the sum of those of `weights` whose coin falls on heads: entry `s` is the probability
/// of the sum `s`, for all sums up to `most`.
///
/// It is counted, not approximated: weight by weight, half of every probability moves up by it.
pub(crate) fn coin_sums(weights: impl Iterator<Item = usize>, most: usize) -> Vec<f64> {
    let mut law = vec![0.0; most + 1];
    law[0] = 1.0;
    let mut reached = 0;
    for weight in weights {
        reached = most.min(reached + weight);
        for sum in (0..=reached).rev() {
            let moved = if sum >= weight { law[sum - weight] } else { 0.0 };
            law[sum] = 0.5 * (law[sum] + moved);
        }
    }
    law
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubled(differences: &[f64]) -> Vec<(bool, usize)> {
        signed_ranks(differences).iter().map(|rank| (rank.positive, rank.doubled)).collect()
    }

    #[test]
    fn ties_share_their_mean_rank_and_zeros_take_theirs_away() {
        assert_eq!(doubled(&[0.3, -0.1, 0.2]), [(false, 2), (true, 4), (true, 6)]);
        // Two zeros hold the ranks 1 and 2, three equal magnitudes share 4.
        assert_eq!(
            doubled(&[0.0, 0.5, -0.5, 0.0, 0.5, 0.9]),
            [(true, 8), (false, 8), (true, 8), (true, 12)]
        );
    }

    #[test]
    fn what_differs_by_rounding_is_tied() {
        assert_eq!(doubled(&[0.1 + 0.2, -0.3]), [(false, 3), (true, 3)]);
        assert_eq!(doubled(&[0.3, -0.300_000_001]), [(true, 2), (false, 4)]);
    }

    #[test]
    fn coins_are_counted() {
        // Sums of subsets of {1, 2, 3}: 0, 1, 2, 3 twice, 4, 5, 6.
        let eighths = [1.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0].map(|count| count / 8.0);
        assert_eq!(coin_sums(1..=3, 6), eighths);
        assert_eq!(coin_sums(1..=3, 3), eighths[..4]);
    }
}
