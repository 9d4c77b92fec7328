//! How far a candidate is on the way from the older end to the newer.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::Point;
use crate::interval::median;
use crate::signed_ranks::coin_sums;

/// The error of the interval.
const ERROR: f64 = 0.05;

/// A candidate is measured against the mean of two ends, the ends against each other. With noise of
/// the variance v on each of the three that is 3/2 v and 2 v.
const OF_ENDS: f64 = 0.75;

/// How much wider than a mean a median of many scatters by the normal law, √(π/2); of two they are
/// the same.
const MEDIAN: f64 = 1.253_314;

/// A position, all in shares of the effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Position {
    /// The median.
    pub(super) at: f64,
    /// Where the truth lies.
    pub(super) interval: (f64, f64),
    /// The standard deviation of a single seed's.
    pub(super) deviation: f64,
}

impl Position {
    /// That of `points` where the ends differ by `ends`, in the median by `effect` (not 0); all are
    /// finite. `None` of fewer than two points, and where the effect is so small that shares of it
    /// are not finite.
    pub(super) fn of(ends: &[f64], points: &[Point], effect: f64) -> Option<Position> {
        if points.len() < 2 {
            return None;
        }
        let share = |point: &Point| 0.5 + (point.older - point.newer) / (2.0 * effect);
        let shares: Vec<f64> = points.iter().map(share).collect();
        let at = median(&shares)?;
        let ends = ends.iter().map(|end| end / effect - 1.0);
        let squares = OF_ENDS * sum_of_squares(ends.clone())
            + sum_of_squares(shares.iter().map(|share| share - at));
        let freedom = (ends.len() + shares.len()).saturating_sub(2) as f64;
        let deviation = (squares / freedom.max(1.0)).sqrt();
        let half = student(freedom) * deviation * spread_of_median(shares.len());
        let interval = common((at - half, at + half), of_order(&shares));
        (at.is_finite() && half.is_finite()).then_some(Position { at, interval, deviation })
    }
}

fn sum_of_squares(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|value| value * value).sum()
}

/// The deviation of a median of so many values whose own is 1.
fn spread_of_median(values: usize) -> f64 {
    let wider = if values > 2 { MEDIAN } else { 1.0 };
    wider / (values as f64).sqrt()
}

/// Student's quantile for the interval.
fn student(freedom: f64) -> f64 {
    let law = StudentsT::new(0.0, 1.0, freedom);
    law.map_or(f64::INFINITY, |law| law.inverse_cdf(1.0 - ERROR / 2.0))
}

/// The exact interval of the median under any law, between the k-th smallest and the k-th largest
/// (sign test; Thompson 1936): the narrowest whose error does not exceed [`ERROR`]. `None` of fewer than
/// six.
fn of_order(shares: &[f64]) -> Option<(f64, f64)> {
    let mut sorted = shares.to_vec();
    sorted.sort_by(f64::total_cmp);
    let coins = coin_sums(std::iter::repeat_n(1, sorted.len()), sorted.len() / 2);
    let mut error = 0.0;
    let within = coins.into_iter().take_while(|probability| {
        error += 2.0 * probability;
        error <= ERROR
    });
    let cut = within.count().checked_sub(1)?;
    Some((sorted[cut], sorted[sorted.len() - 1 - cut]))
}

fn common(one: (f64, f64), other: Option<(f64, f64)>) -> (f64, f64) {
    other.map_or(one, |other| (one.0.max(other.0), one.1.min(other.1)))
}
