//! The verdict on a phase.

use model::{Judgement, Verdict};

use crate::interval::{Interval, interval, median};
use crate::power::{pairs_for_verdict, smallest_effect};
use crate::sign_flip::p_value;

/// What the paired log ratios `differences` (finite, at least one) of a phase say at a look of the
/// given error.
///
/// `threshold` is a share: 0.02 is 2 %. In logarithms it lies at ±ln(1 + threshold), symmetric, so
/// that swapping the sides swaps worse and better: a phase is better if it takes less than
/// 1/(1 + threshold) of the baseline's time. The verdict rests on the interval, which is exact; the
/// p-value, which asks only whether there is any effect, stands beside it.
///
/// The verdict is false with a probability of at most `error`; worse or better where the truth lies
/// on the threshold with at most half of it. Of `needed` see [`pairs_for_verdict`]: it assumes that
/// the further pairs are judged at the same error as these.
#[must_use]
pub fn judge(
    phase: &str,
    rounds: Option<(u32, u32)>,
    differences: &[f64],
    threshold: f64,
    error: f64,
) -> Judgement {
    let pairs = u32::try_from(differences.len()).unwrap_or(u32::MAX);
    let effect = median(differences).unwrap_or(0.0);
    let interval = interval(differences, error);
    let verdict = verdict(interval.as_ref(), threshold);
    let unclear = verdict == Verdict::CannotTell;
    let needed = || pairs_for_verdict(differences, effect, threshold, error);
    Judgement {
        phase: phase.to_owned(),
        rounds,
        verdict,
        pairs,
        effect,
        interval: interval.map(|interval| (interval.low, interval.high)),
        confidence: interval.map_or(1.0 - error, |interval| interval.confidence),
        p: p_value(differences),
        smallest: interval.map(|interval| smallest_effect(&interval, pairs, threshold)),
        needed: unclear.then(needed).flatten(),
    }
}

/// What the interval of an effect means against the threshold (a share).
#[must_use]
pub fn verdict(interval: Option<&Interval>, threshold: f64) -> Verdict {
    let bound = threshold.ln_1p();
    match interval {
        Some(interval) if interval.low > bound => Verdict::Worse,
        Some(interval) if interval.high < -bound => Verdict::Better,
        Some(interval) if interval.low >= -bound && interval.high <= bound => Verdict::Same,
        _ => Verdict::CannotTell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict_of(low: f64, high: f64) -> Verdict {
        verdict(Some(&Interval { low, high, confidence: 0.95 }), 0.02)
    }

    #[test]
    fn verdicts() {
        let bound = 0.02_f64.ln_1p();
        for (low, high, expected) in [
            (0.03, 0.05, Verdict::Worse),
            (bound, 0.05, Verdict::CannotTell),
            (0.01, 0.05, Verdict::CannotTell),
            (0.0, bound, Verdict::Same),
            (-bound, bound, Verdict::Same),
            (0.0, 0.0, Verdict::Same),
            (-0.05, 0.01, Verdict::CannotTell),
            (-0.05, 0.05, Verdict::CannotTell),
            (-0.05, -bound, Verdict::CannotTell),
            (-0.05, -0.03, Verdict::Better),
        ] {
            assert_eq!(verdict_of(low, high), expected, "{low} to {high}");
        }
        assert_eq!(verdict(None, 0.02), Verdict::CannotTell);
    }

    #[test]
    fn five_pairs_tell_nothing_however_far_apart() {
        let judgement = judge("sync", Some((2, 4)), &[1.0; 5], 0.02, 0.05);
        assert_eq!(judgement.verdict, Verdict::CannotTell);
        assert_eq!((judgement.interval, judgement.smallest), (None, None));
        assert_eq!(judgement.needed, Some(6));
        assert_eq!((judgement.pairs, judgement.effect, judgement.p), (5, 1.0, 0.0625));
        assert_eq!(judgement.label(), "sync 2-4");
    }

    #[test]
    fn six_alike_tell_a_large_effect() {
        let six = [0.9, 1.1, 1.0, 0.8, 1.2, 0.95];
        let judgement = judge("sync", None, &six, 0.02, 2.0 / 64.0);
        assert_eq!(judgement.verdict, Verdict::Worse);
        assert_eq!(judgement.interval, Some((0.8, 1.2)));
        assert_eq!((judgement.confidence, judgement.p), (1.0 - 2.0 / 64.0, 2.0 / 64.0));
        assert_eq!(judgement.needed, None);
        let turned = judge("sync", None, &six.map(|d: f64| -d), 0.02, 2.0 / 64.0);
        assert_eq!(turned.verdict, Verdict::Better);
        assert_eq!(turned.smallest, judgement.smallest);
    }

    /// The second round's sync of two neutral twins as it was measured: mostly nothing, with jumps
    /// by a factor of eight to either side.
    #[test]
    fn two_modes_cannot_be_told() {
        let measured = [
            2.144_99, 0.0, -0.001_14, -0.001_11, 0.000_01, -0.001_13, -0.000_01, -0.002_82,
            -2.146_12, -0.002_84, -2.149_06, 0.000_11,
        ];
        let judgement = judge("sync", Some((2, 2)), &measured, 0.02, 0.05);
        assert_eq!(judgement.verdict, Verdict::CannotTell);
        assert!(judgement.smallest.is_some_and(|effect| effect > 0.5), "{judgement:?}");
        assert_eq!(judgement.needed, None, "no number of pairs is of use");
    }

    #[test]
    fn no_error_left_leaves_no_verdict() {
        let judgement = judge("sync", None, &[0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1], 0.02, 0.0);
        assert_eq!(judgement.verdict, Verdict::CannotTell);
        assert_eq!((judgement.interval, judgement.confidence), (None, 1.0));
        assert_eq!((judgement.smallest, judgement.needed), (None, None));
    }

    #[test]
    fn what_never_moves_is_the_same() {
        let judgement = judge("mkfs", None, &[0.0; 6], 0.02, 2.0 / 64.0);
        assert_eq!(judgement.verdict, Verdict::Same);
        assert_eq!((judgement.effect, judgement.p), (0.0, 1.0));
        assert_eq!(judgement.smallest, Some(0.02_f64.ln_1p()));
    }
}
