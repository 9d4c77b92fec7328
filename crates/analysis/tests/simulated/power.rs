//! Claimed effects and pairs are what it takes.

use analysis::interval::interval;
use analysis::judge::verdict;
use analysis::power::{pairs_for, pairs_for_verdict, smallest_effect};
use fastrand::Rng;
use model::Verdict;

use crate::laws::{LAWS, Law, tame};

const THRESHOLD: f64 = 0.02;
const CLAIMS: u32 = 150;
const TRIES: u32 = 8;

/// What "8 of 10" may turn out to be.
const HELD: std::ops::RangeInclusive<f64> = 0.6..=0.95;

/// The share of further comparisons, over many claims, in which the claimed effect is called worse.
fn found_at_claimed_effect(law: Law, pairs: u32, error: f64) -> f64 {
    let mut rng = Rng::with_seed(5);
    let mut found = 0;
    for _ in 0..CLAIMS {
        let seen = interval(&law.differences(&mut rng, pairs, 0.0), error).expect("enough pairs");
        let effect = smallest_effect(&seen, pairs, THRESHOLD);
        found += times(
            &mut rng,
            |rng| judged(&law.differences(rng, pairs, effect), error),
            Verdict::Worse,
        );
    }
    f64::from(found) / f64::from(CLAIMS * TRIES)
}

fn judged(differences: &[f64], error: f64) -> Verdict {
    verdict(interval(differences, error).as_ref(), THRESHOLD)
}

fn times(rng: &mut Rng, compare: impl Fn(&mut Rng) -> Verdict, expected: Verdict) -> u32 {
    (0..TRIES).filter(|_| compare(rng) == expected).count() as u32
}

#[test]
fn the_smallest_effect_is_found_in_about_8_of_10() {
    for law in tame() {
        for (pairs, error) in [(6, 2.0 / 64.0), (12, 0.05), (20, 0.05), (15, 0.003_75)] {
            let found = found_at_claimed_effect(law, pairs, error);
            println!("{}: {pairs} pairs at {error}: {found:.2} found", law.name);
            assert!(HELD.contains(&found), "{}: {pairs} pairs at {error}: {found}", law.name);
        }
    }
}

#[test]
fn wild_laws_keep_the_claim_less_closely() {
    for law in &LAWS[3..] {
        for pairs in [12, 20] {
            let found = found_at_claimed_effect(*law, pairs, 0.05);
            println!("{}: {pairs} pairs: {found:.2} found", law.name);
            assert!((0.5..=0.95).contains(&found), "{}: {pairs} pairs: {found}", law.name);
        }
    }
}

#[test]
fn half_the_claimed_effect_is_seldom_found() {
    // So that the claim is not simply too large.
    let mut rng = Rng::with_seed(6);
    let mut found = 0;
    for _ in 0..CLAIMS {
        let seen = interval(&LAWS[0].differences(&mut rng, 12, 0.0), 0.05).unwrap();
        let beyond = smallest_effect(&seen, 12, THRESHOLD) - THRESHOLD.ln_1p();
        let effect = THRESHOLD.ln_1p() + beyond / 2.0;
        found += times(
            &mut rng,
            |rng| judged(&LAWS[0].differences(rng, 12, effect), 0.05),
            Verdict::Worse,
        );
    }
    assert!(f64::from(found) / f64::from(CLAIMS * TRIES) < 0.4, "{found}");
}

#[test]
fn the_pairs_for_an_effect_are_what_it_takes() {
    for law in tame() {
        for effect in [0.01, 0.02] {
            let mut rng = Rng::with_seed(7);
            let (mut found, mut claims, mut pairs_claimed) = (0, 0, 0);
            for _ in 0..CLAIMS {
                let seen = law.differences(&mut rng, 12, 0.0);
                let Some(pairs) = pairs_for(&seen, effect, 0.95) else { continue };
                claims += 1;
                pairs_claimed += pairs;
                let excludes_none = |rng: &mut Rng| {
                    let further = law.differences(rng, pairs, f64::ln_1p(effect));
                    verdict(interval(&further, 0.05).as_ref(), 0.0)
                };
                found += times(&mut rng, excludes_none, Verdict::Worse);
            }
            let rate = f64::from(found) / f64::from(claims * TRIES);
            println!("{}: {effect}: {} pairs, {rate:.2} found", law.name, pairs_claimed / claims);
            assert!(HELD.contains(&rate), "{}: {effect}: {rate}", law.name);
        }
    }
}

#[test]
fn the_pairs_for_a_verdict_are_what_it_takes() {
    for (law, effect, expected) in [
        (LAWS[0], 0.04, Verdict::Worse),
        (LAWS[0], 0.0, Verdict::Same),
        (LAWS[1], 0.04, Verdict::Worse),
        (LAWS[1], 0.0, Verdict::Same),
    ] {
        let mut rng = Rng::with_seed(8);
        let (mut found, mut claims, mut pairs_claimed) = (0, 0, 0);
        for _ in 0..CLAIMS {
            // What 8 pairs show: their spread; the effect is given.
            let seen = law.differences(&mut rng, 8, effect);
            let Some(pairs) = pairs_for_verdict(&seen, effect, THRESHOLD, 0.05) else { continue };
            claims += 1;
            pairs_claimed += pairs;
            let further = |rng: &mut Rng| judged(&law.differences(rng, pairs, effect), 0.05);
            found += times(&mut rng, further, expected);
        }
        let rate = f64::from(found) / f64::from(claims * TRIES);
        println!("{} {effect}: {} pairs, {expected} {rate:.2}", law.name, pairs_claimed / claims);
        assert!(HELD.contains(&rate), "{} {effect}: {rate}", law.name);
    }
}
