//! The interval covers the truth as often as it says.

use analysis::interval::{Interval, interval};
use fastrand::Rng;

use crate::laws::{LAWS, Law, exponential};
use crate::tolerable;

const RUNS: u32 = 3000;

/// Pairs and errors: the first look's, the usual one, a later look's.
const LOOKS: [(u32, f64); 4] = [(6, 2.0 / 64.0), (12, 0.05), (20, 0.05), (15, 0.003_75)];

/// How many of `RUNS` intervals that `bear` makes leave out the centre, 0.
fn misses(law: Law, pairs: u32, bear: impl Fn(&[f64]) -> Interval) -> u32 {
    let mut rng = Rng::with_seed(1);
    let intervals = (0..RUNS).map(|_| bear(&law.differences(&mut rng, pairs, 0.0)));
    intervals.filter(|interval| !interval.contains(0.0)).count() as u32
}

#[test]
fn symmetric_laws_are_covered_as_claimed() {
    for law in LAWS {
        for (pairs, error) in LOOKS {
            let claimed = interval(&vec![0.0; pairs as usize], error).unwrap().confidence;
            let missed = misses(law, pairs, |pairs| interval(pairs, error).unwrap());
            let rate = 100.0 * (1.0 - f64::from(missed) / f64::from(RUNS));
            println!(
                "{}: {pairs} pairs: {rate:.2} % covered, {:.2} % claimed",
                law.name,
                100.0 * claimed
            );
            assert!(
                missed <= tolerable(RUNS, 1.0 - claimed),
                "{}: {missed} of {RUNS} missed by {pairs} pairs at {claimed}",
                law.name
            );
        }
    }
}

#[test]
fn a_narrower_interval_is_seen_to_miss() {
    for law in &LAWS[..2] {
        for (pairs, error) in LOOKS {
            let too_narrow = |pairs: &[f64]| {
                let Interval { low, high, confidence } = interval(pairs, error).unwrap();
                let (middle, part) = (f64::midpoint(low, high), 0.4 * (high - low));
                Interval { low: middle - part, high: middle + part, confidence }
            };
            let missed = misses(*law, pairs, too_narrow);
            assert!(missed > tolerable(RUNS, error), "{}: {pairs} pairs: {missed}", law.name);
        }
    }
}

#[test]
fn continuous_laws_are_missed_as_often_as_claimed() {
    // So that the interval is not simply too wide: within 4 deviations below, too.
    let (pairs, error) = (12, 0.05);
    let exact = 1.0 - interval(&[0.0; 12], error).unwrap().confidence;
    let expected = f64::from(RUNS) * exact;
    let missed = misses(LAWS[0], pairs, |pairs| interval(pairs, error).unwrap());
    assert!(f64::from(missed) > expected - 4.0 * expected.sqrt(), "{missed}, not {expected}");
}

/// The exponential law is as skewed as they come. Its pseudo-median, half the median 1.6783 of the
/// sum of two, is covered about as claimed; its median, ln 2, is not, the less the more pairs.
#[test]
fn of_a_skewed_law_the_pseudo_median_is_covered_about_as_claimed() {
    for (pairs, of_median) in [(12, 0.96), (48, 0.85)] {
        let mut rng = Rng::with_seed(2);
        let draw =
            |_| interval(&(0..pairs).map(|_| exponential(&mut rng)).collect::<Vec<_>>(), 0.05);
        let intervals: Vec<Interval> = (0..1500).filter_map(draw).collect();
        let covered = |truth: f64| {
            let held = intervals.iter().filter(|interval| interval.contains(truth)).count();
            held as f64 / intervals.len() as f64
        };
        let (pseudo_median, median) = (covered(1.6783 / 2.0), covered(2.0_f64.ln()));
        println!("exponential: {pairs} pairs: {pseudo_median:.3} and {median:.3} covered");
        assert!(pseudo_median > 0.93, "{pairs} pairs: {pseudo_median}");
        assert!(median < of_median, "{pairs} pairs: {median}");
    }
}
