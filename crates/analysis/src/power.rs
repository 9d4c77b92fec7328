//! What a comparison can see: effects for given pairs, pairs for given effects.
//!
//! The spread of paired differences is taken from the length of their own signed-rank interval, not
//! from their standard deviation: a few jumps lengthen the latter far more than they hinder the
//! test, and two modes the other way round. Under the laws of `tests/simulated` the effects claimed
//! by it are found in 6 to 8 of 10 cases; those claimed by the deviation in 4 to 10.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use crate::interval::{Interval, interval};
use crate::looks::least_pairs;

/// The share of comparisons in which an effect shall be found.
const POWER: f64 = 0.8;

/// That in which the ends of an interval shall both stay inside their bounds: 0.9 for each end.
const POWER_OF_EACH_END: f64 = 0.9;

/// The error of the interval from which the spread is taken; it does not matter much.
const SPREAD_ERROR: f64 = 0.05;

/// Numbers of pairs above this are beyond all use.
pub const MOST_PAIRS: u32 = 1000;

/// The smallest effect (a log ratio above 0) that is called worse, or better with the sign turned,
/// in 8 of 10 comparisons of `pairs` pairs that scatter as those of `interval` did: the threshold
/// (a share), half the interval, and the chance of another draw.
///
/// By the normal law the interval's centre varies by half its length over z, z being the quantile
/// of its confidence; 0.84 times that is added, and 1/n for the spread's own uncertainty. Pairs
/// that do not scatter at all give the threshold: any effect beyond it would have shown, if the
/// next pairs scatter as little.
#[must_use]
pub fn smallest_effect(interval: &Interval, pairs: u32, threshold: f64) -> f64 {
    let another_draw = 1.0 + normal(POWER) / normal(two_sided(1.0 - interval.confidence));
    let unsure_spread = 1.0 + 1.0 / f64::from(pairs.max(1));
    threshold.ln_1p() + interval.half_width() * another_draw * unsure_spread
}

/// The pairs with which a comparison that is judged at `error` would probably (8 of 10) be clear if
/// its pairs centre and scatter as `differences` do: worse or better where their `effect` lies
/// beyond the threshold (a share), same where it lies within.
///
/// It is at least one pair more than there are. Without a spread, which 6 pairs bear, it is the
/// least number that bears a verdict at all. `None` where it exceeds [`MOST_PAIRS`], as it does
/// for an effect on the threshold.
#[must_use]
pub fn pairs_for_verdict(
    differences: &[f64],
    effect: f64,
    threshold: f64,
    error: f64,
) -> Option<u32> {
    let Some(spread) = spread(differences) else { return Some(least_pairs(error)) };
    let room = effect.abs() - threshold.ln_1p();
    let power = if room < 0.0 { POWER_OF_EACH_END } else { POWER };
    let pairs = pairs_at(spread, room.abs(), power, error)?;
    let more = u32::try_from(differences.len()).ok()? + 1;
    Some(pairs.max(more)).filter(|pairs| *pairs <= MOST_PAIRS)
}

/// The pairs with which a slowdown by `effect_share` (0.05 is 5 %) would be told from none in 8 of
/// 10 comparisons: the interval of the given confidence would exclude 0, if further pairs scatter
/// as `differences` do. No threshold is set here; a verdict against one needs the pairs of the
/// effect less the threshold.
///
/// `None` where fewer than 6 differences tell no spread, or where it exceeds [`MOST_PAIRS`].
#[must_use]
pub fn pairs_for(differences: &[f64], effect_share: f64, confidence: f64) -> Option<u32> {
    pairs_for_spread(spread(differences)?, effect_share, 1.0 - confidence)
}

/// The standard deviation of that normal law whose differences would have an interval as long as
/// that of `differences`; `None` of fewer than 6.
///
/// By Student's law, which follows the length of exact signed-rank intervals closely even for 6
/// pairs.
pub(crate) fn spread(differences: &[f64]) -> Option<f64> {
    let interval = interval(differences, SPREAD_ERROR)?;
    let n = differences.len() as f64;
    Some(interval.half_width() * n.sqrt() / student(two_sided(1.0 - interval.confidence), n))
}

/// [`pairs_for`] where the spread is known.
pub(crate) fn pairs_for_spread(spread: f64, effect_share: f64, error: f64) -> Option<u32> {
    pairs_at(spread, effect_share.ln_1p(), POWER, error)
}

/// The fewest pairs with which an end of the interval at `error` stays within `room` of the true
/// effect with the probability `power`.
fn pairs_at(spread: f64, room: f64, power: f64, error: f64) -> Option<u32> {
    let another_draw = 1.0 + normal(power) / normal(two_sided(error));
    let reach = |pairs: u32| {
        let n = f64::from(pairs);
        student(two_sided(error), n) * another_draw * spread / n.sqrt()
    };
    (least_pairs(error)..=MOST_PAIRS).find(|pairs| reach(*pairs) < room)
}

/// The quantile at which an interval of this error ends.
fn two_sided(error: f64) -> f64 {
    1.0 - error / 2.0
}

fn normal(quantile: f64) -> f64 {
    Normal::standard().inverse_cdf(quantile)
}

/// Of Student's law for n values.
fn student(quantile: f64, n: f64) -> f64 {
    StudentsT::new(0.0, 1.0, n - 1.0).map_or(f64::INFINITY, |law| law.inverse_cdf(quantile))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Even steps from -1 to 1 times `scale`.
    fn scattered(pairs: u32, scale: f64) -> Vec<f64> {
        let step = 2.0 * scale / f64::from(pairs - 1);
        (0..pairs).map(|at| f64::from(at) * step - scale).collect()
    }

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (found, table) in [
            (normal(0.8), 0.841_621),
            (normal(0.975), 1.959_964),
            (student(0.975, 6.0), 2.570_582),
            (student(0.99, 12.0), 2.718_079),
            (student(0.975, 1000.0), 1.962_341),
        ] {
            assert!((found - table).abs() < 1e-5, "{found} for {table}");
        }
    }

    #[test]
    fn what_does_not_scatter_shows_any_effect_beyond_the_threshold() {
        let point = interval(&[0.0; 12], 0.05).unwrap();
        assert_eq!(smallest_effect(&point, 12, 0.02), 0.02_f64.ln_1p());
        assert_eq!(pairs_for(&[0.01; 12], 0.05, 0.95), Some(6));
        assert_eq!(pairs_for_verdict(&[0.0; 3], 0.0, 0.02, 0.05), Some(6));
    }

    #[test]
    fn without_a_spread_there_is_no_claim() {
        assert_eq!(pairs_for(&[0.01, -0.02, 0.0, 0.03, 0.01], 0.05, 0.95), None);
    }

    #[test]
    fn half_the_effect_needs_four_times_the_pairs() {
        let differences = scattered(30, 0.1);
        let (small, large) =
            (pairs_for(&differences, 0.02, 0.95), pairs_for(&differences, 0.04, 0.95));
        let ratio = f64::from(small.unwrap()) / f64::from(large.unwrap());
        assert!((3.5..4.2).contains(&ratio), "{small:?} {large:?}");
        assert_eq!(pairs_for(&differences, 0.001, 0.95), None);
    }

    #[test]
    fn stricter_looks_need_more_pairs() {
        let differences = scattered(12, 0.1);
        let needed = |error| pairs_for_verdict(&differences, 0.06, 0.02, error).unwrap();
        assert!(needed(0.004) > needed(0.05) + 5, "{} {}", needed(0.004), needed(0.05));
    }

    #[test]
    fn an_effect_on_the_threshold_never_becomes_clear() {
        let differences = scattered(12, 0.1);
        assert_eq!(pairs_for_verdict(&differences, 0.02_f64.ln_1p(), 0.02, 0.05), None);
    }

    #[test]
    fn it_takes_more_pairs_than_there_were() {
        let differences = scattered(40, 0.001);
        assert_eq!(pairs_for_verdict(&differences, 0.5, 0.02, 0.05), Some(41));
    }
}
