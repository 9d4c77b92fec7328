//! Whether a candidate is like the older end, like the newer, or apart from both.
//!
//! # The method
//!
//! A pair under one seed tells how far the candidate lies from either end. ½, and half of the difference
//! of the two over the effect (the median of the ends' own pairs), is its **position**: 0 at the
//! older end, 1 at the newer, in logarithms of the time. So it is measured from the middle of both
//! ends, and the noise of either counts half.
//!
//! Two seeds tell nothing of noise. What does are the ends' pairs, of which there are six or more,
//! and they scatter for the same reasons: any two builds do. So the deviation is pooled from theirs
//! and the candidate's, and the position's interval is Student's at 95 %. From six seeds on it is what
//! this has in common with the exact interval of the median, also at 95 %: jumps lengthen the
//! former, yet the latter does not follow them (`position.rs`).
//!
//! A candidate is **old** where the interval lies below 0.4, **new** where it lies above 0.6. While it
//! reaches into what is between, more seeds are asked for. The margin makes up for the many looks
//! and for either interval's error: a false word takes an estimate that is wrong by more than
//! half of the effect, and by more than its interval.
//!
//! It is **neither** where it is apart from both ends: the slowdown comes in steps. To tell this takes six
//! seeds, and that the position's interval and the exact intervals of both distances
//! ([`mod@crate::interval`], at 99 % where the pairs bear it) all lie beyond a **gap**. A harmless
//! change brings a small shift of its own, the same under all seeds, that no number of seeds
//! removes. So the gap is the larger of the threshold and a tenth of the effect, and a tenth of the
//! deviation on top: what scatters more is shifted more. What seems to be apart before the sixth
//! seed waits for it.
//!
//! # What is assumed, and how it is checked
//!
//! That seeds are independent, and that a candidate scatters as the ends do. The law need not be
//! normal: `tests/simulated` holds false standings under 1 % and false steps under 0.5 % for normal
//! noise, tails, ties, and jumps as large as the effect, and on measured neutral twins. A step
//! halfway is found where the noise allows, else mostly untold. One at a third is called old as often as not
//! where single seeds scatter by a tenth of the effect or more: whoever names a culprit compares
//! what it stands on with the older end.

mod position;
#[cfg(test)]
mod tests;

use model::Standing;

use crate::interval::{LEAST_PAIRS, interval, median};
use position::Position;

/// Below this share of the way a candidate is old; as far from the other end it is new.
const OLD: f64 = 0.4;

/// The share of the effect, at least, by which a candidate must be apart from an end.
const APART: f64 = 0.1;

/// The share of the deviation that comes on top.
const SHIFT: f64 = 0.1;

/// The error of the exact intervals, where there are seeds enough for it.
const ERROR: f64 = 0.01;

/// Seeds at which a candidate is looked at; beyond them half as many more.
const LOOKS: [u32; 7] = [2, 3, 4, 6, 9, 13, 20];

/// What a candidate is judged by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Between<'a> {
    /// ln(newer/older) of the headline's times, under each seed at which both ends were measured;
    /// the more, the better the noise is known. At least 6 where they were found to differ.
    pub ends: &'a [f64],
    /// The candidate against the ends, under each seed at which it was measured.
    pub points: &'a [Point],
    /// The least change that matters, as a share: 0.02 is 2 %.
    pub threshold: f64,
    /// Seeds at most.
    pub most: u32,
}

/// A candidate against both ends under one seed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The seed.
    pub seed: u64,
    /// ln(candidate/older).
    pub older: f64,
    /// ln(newer/candidate).
    pub newer: f64,
}

/// What a candidate was judged to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// What it is like; `None` where more seeds are wanted.
    pub standing: Option<Standing>,
    /// The share of the way from the older end (0) to the newer (1), in logarithms of the time; `None`
    /// where there is no way, or fewer than two seeds.
    pub position: Option<f64>,
    /// The position's interval.
    pub interval: Option<(f64, f64)>,
    /// The seeds that it took, or that are wanted next, in all.
    pub seeds: u32,
}

/// Judges a candidate between two ends that were found to differ.
///
/// What is not finite is left out. Ends that do not differ leave it untold ([`Standing::CannotTell`]).
#[must_use]
pub fn standing(between: &Between<'_>) -> Judged {
    let seeds = u32::try_from(between.points.len()).unwrap_or(u32::MAX);
    let finite = |point: &&Point| point.older.is_finite() && point.newer.is_finite();
    let points: Vec<Point> = between.points.iter().filter(finite).copied().collect();
    let ends: Vec<f64> = between.ends.iter().copied().filter(|end| end.is_finite()).collect();
    let Some(effect) = median(&ends).filter(|effect| *effect != 0.0) else {
        let untold = Some(Standing::CannotTell);
        return Judged { standing: untold, position: None, interval: None, seeds };
    };
    let position = Position::of(&ends, &points, effect);
    let told = position.and_then(|position| told(&position, &points, effect, between.threshold));
    let over = seeds >= between.most;
    let standing = told.or(over.then_some(Standing::CannotTell));
    Judged {
        standing,
        position: position.map(|position| position.at),
        interval: position.map(|position| position.interval),
        seeds: if standing.is_some() { seeds } else { more(seeds).min(between.most) },
    }
}

/// What the position tells, if anything.
fn told(position: &Position, points: &[Point], effect: f64, threshold: f64) -> Option<Standing> {
    let (low, high) = position.interval;
    let gap = APART.max(threshold.ln_1p() / effect.abs()) + SHIFT * position.deviation;
    let apart = low > gap && high < 1.0 - gap;
    let enough = points.len() >= LEAST_PAIRS;
    match (apart, enough) {
        (true, false) => None,
        (true, true) if both_beyond(points, effect, gap) => Some(Standing::Neither),
        _ if high < OLD => Some(Standing::Old),
        _ if low > 1.0 - OLD => Some(Standing::New),
        _ => None,
    }
}

/// Whether the exact intervals of both distances lie beyond `gap`, a share of the effect.
fn both_beyond(points: &[Point], effect: f64, gap: f64) -> bool {
    let beyond = |distance: fn(&Point) -> f64| {
        let shares: Vec<f64> = points.iter().map(|point| distance(point) / effect).collect();
        interval(&shares, error(shares.len())).is_some_and(|interval| interval.low > gap)
    };
    beyond(|point| point.older) && beyond(|point| point.newer)
}

/// The error of an exact interval of so many pairs: [`ERROR`], or the least that they can bear.
fn error(pairs: usize) -> f64 {
    let all_on_one_side = 2.0 * 0.5_f64.powf(pairs as f64);
    ERROR.max(all_on_one_side)
}

/// How many seeds to look at after `seeds`.
fn more(seeds: u32) -> u32 {
    let next = LOOKS.into_iter().find(|look| *look > seeds);
    next.unwrap_or(seeds.saturating_add(seeds / 2))
}
