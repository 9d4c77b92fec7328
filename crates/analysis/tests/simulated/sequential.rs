//! Looking several times costs no more than the total error.

use analysis::interval::{Interval, interval};
use analysis::judge::verdict;
use analysis::looks::Looks;
use fastrand::Rng;
use model::Verdict;

use crate::laws::{LAWS, Law, normal};
use crate::tolerable;

const ERROR: f64 = 0.05;
const THRESHOLD: f64 = 0.02;
const MOST: u32 = 48;

/// Where a comparison ended.
struct End {
    verdict: Verdict,
    pairs: u32,
    interval: Interval,
}

/// A comparison until clear, whose true effect is `effect`.
fn compare(rng: &mut Rng, law: Law, effect: f64, looks: &Looks) -> End {
    let differences = law.differences(rng, MOST, effect);
    let look = |look: &analysis::looks::Look| {
        let interval = interval(&differences[..look.pairs as usize], look.error);
        let interval = interval.expect("a planned look bears an interval");
        End { verdict: verdict(Some(&interval), THRESHOLD), pairs: look.pairs, interval }
    };
    let mut ends = looks.as_slice().iter().map(look);
    let clear = ends.by_ref().find(|end| end.verdict != Verdict::CannotTell);
    clear.unwrap_or_else(|| look(looks.as_slice().last().expect("at least one look")))
}

fn comparisons(law: Law, effect: f64, runs: u32) -> Vec<End> {
    let looks = Looks::until_clear(MOST, ERROR);
    let mut rng = Rng::with_seed(3);
    (0..runs).map(|_| compare(&mut rng, law, effect, &looks)).collect()
}

fn share(ends: &[End], holds: impl Fn(&End) -> bool) -> f64 {
    ends.iter().filter(|end| holds(end)).count() as f64 / ends.len() as f64
}

#[test]
fn verdicts_are_false_no_more_often_than_the_error() {
    for (law, runs) in LAWS.into_iter().zip([1500, 800, 800, 800, 800, 800, 800]) {
        for effect in [0.0, THRESHOLD.ln_1p()] {
            let ends = comparisons(law, effect, runs);
            let count =
                |holds: &dyn Fn(&End) -> bool| ends.iter().filter(|end| holds(end)).count() as u32;
            let wrong = count(&|end| matches!(end.verdict, Verdict::Worse | Verdict::Better));
            let missed = count(&|end| !end.interval.contains(effect));
            println!(
                "{} at {effect:.3}: {:.2} % false, {:.2} % missed at the end, same {:.2}",
                law.name,
                100.0 * f64::from(wrong) / f64::from(runs),
                100.0 * f64::from(missed) / f64::from(runs),
                share(&ends, |end| end.verdict == Verdict::Same),
            );
            // One side alone can be false here, which gets half of the error.
            assert!(wrong <= tolerable(runs, ERROR / 2.0), "{}: {wrong} of {runs}", law.name);
            assert!(missed <= tolerable(runs, ERROR), "{}: {missed} of {runs}", law.name);
        }
    }
}

/// Where time is over after a look or two, the last look takes what they left.
#[test]
fn an_unplanned_last_look_keeps_to_the_total() {
    let looks = Looks::until_clear(MOST, ERROR);
    let mut rng = Rng::with_seed(12);
    let runs = 2000;
    let any_misses = |_: &u32| {
        let differences = LAWS[0].differences(&mut rng, MOST, 0.0);
        let taken = rng.usize(0..3);
        let next = looks.as_slice()[taken].pairs;
        let last = (next + rng.u32(0..4), looks.unspent(taken));
        let planned = looks.as_slice()[..taken].iter().map(|look| (look.pairs, look.error));
        planned.chain([last]).any(|(pairs, error)| {
            !interval(&differences[..pairs as usize], error).unwrap().contains(0.0)
        })
    };
    let missed = (0..runs).filter(any_misses).count() as u32;
    println!("{missed} of {runs} missed with an unplanned last look");
    assert!(missed <= tolerable(runs, ERROR), "{missed} of {runs}");
    assert!(f64::from(missed) > 0.5 * ERROR * f64::from(runs), "the error is used: {missed}");
}

/// What the division of the error prevents: with the whole error at each look, the truth is missed
/// more often than that.
#[test]
fn the_whole_error_at_each_look_is_seen_to_be_too_much() {
    let planned = Looks::until_clear(MOST, ERROR);
    let mut rng = Rng::with_seed(4);
    let runs = 800;
    let any_misses = |_: &u32| {
        let differences = LAWS[0].differences(&mut rng, MOST, 0.0);
        planned.as_slice().iter().any(|look| {
            let interval = interval(&differences[..look.pairs as usize], ERROR).unwrap();
            !interval.contains(0.0)
        })
    };
    let missed = (0..runs).filter(any_misses).count() as u32;
    assert!(missed > tolerable(runs, ERROR), "{missed} of {runs}");
}

/// The pairs that effects take, and that large ones are found at the first look.
#[test]
fn large_effects_end_early() {
    let narrow = Law { name: "2 %", draw: |rng| 0.02 * normal(rng) };
    let wide = Law { name: "10 %", draw: |rng| 0.1 * normal(rng) };
    for (law, effect, most_pairs, least_found) in [
        (narrow, 0.0, 25.0, 0.0),
        (narrow, 0.03, 48.0, 0.3),
        (narrow, 0.1, 7.0, 0.99),
        (narrow, 0.5, 6.0, 1.0),
        (wide, 0.03, 48.0, 0.0),
        (wide, 0.1, 48.0, 0.7),
        (wide, 0.5, 7.0, 0.99),
    ] {
        let ends = comparisons(law, f64::ln_1p(effect), 200);
        let pairs = ends.iter().map(|end| f64::from(end.pairs)).sum::<f64>() / ends.len() as f64;
        let found = share(&ends, |end| end.verdict == Verdict::Worse);
        let same = share(&ends, |end| end.verdict == Verdict::Same);
        println!("{effect} under {}: {pairs:.1} pairs, worse {found:.2}, same {same:.2}", law.name);
        assert!(pairs <= most_pairs, "{effect} under {}: {pairs}", law.name);
        assert!(found >= least_found, "{effect} under {}: {found}", law.name);
    }
}
