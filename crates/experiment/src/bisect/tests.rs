//! Whole bisections in a place that only pretends.

use model::bisection::{self, Step};
use model::{Candidate, Change, ChangeKind, Found, Hunt, Limits, Settings, Standing, Trial};

use super::*;
use crate::explain::Why;
use crate::scripted::{Stage, case};

/// The candidates are `disks` of 2 and more, the good end is 1; noise of up to 1 % hangs on the seed.
fn noise(settings: &Settings, seed: u64) -> f64 {
    let mut random = fastrand::Rng::with_seed(seed * 1000 + u64::from(settings.disks));
    1.0 + 0.01 * (random.f64() - 0.5)
}

/// What the write takes where it is `factor` times as long as at the good end.
fn times(settings: &Settings, seed: u64, factor: f64) -> u64 {
    (1e9 * factor * noise(settings, seed)) as u64
}

/// A slowdown to twice the time, half of whose history stands at `middle`.
fn stepwise(disks: u32, middle: f64) -> f64 {
    match disks {
        ..=9 => 1.0,
        10..=29 => middle,
        _ => 2.0,
    }
}

fn change(disks: u32) -> Change {
    Change {
        name: format!("disks={disks}"),
        title: String::new(),
        set: vec![("disks".to_owned(), disks.to_string())],
    }
}

/// Changes on one another: `disks` of 2 to `bad`, but 13, which the place refuses.
fn chain(bad: u32) -> Hunt {
    let disks = (2..=bad).filter(|disks| *disks != 13);
    hunt(bisection::chain(disks.map(change)))
}

fn hunt(candidates: Vec<Candidate>) -> Hunt {
    Hunt {
        case: "case".to_owned(),
        headline: "write".to_owned(),
        place: "exact".to_owned(),
        settings: Settings::default(),
        kind: ChangeKind::Setting,
        good: change(1),
        candidates,
        paths: Vec::new(),
        fixes: Vec::new(),
        threshold: 0.02,
        confidence: 0.95,
        seeds: 2,
        most: 24,
        notes: Vec::new(),
    }
}

fn found(stage: &Stage, hunt: &Hunt, earlier: Vec<Trial>) -> Bisection {
    let request = BisectRequest {
        case: &case(),
        hunt,
        limits: Limits::default(),
        started: String::new(),
        earlier,
        why: Why::Auto,
    };
    let bisected = bisect(&stage.runner(1), request);
    assert!(bisected.error.is_none(), "{:?}", bisected.error);
    bisected.bisection
}

fn steps(bisection: &Bisection) -> &[Step] {
    match &bisection.found {
        Found::Steps(steps) => steps,
        other => panic!("{other:?}"),
    }
}

/// The culprits by their `disks`.
fn culprits(bisection: &Bisection) -> Vec<String> {
    let name = |step: &Step| match step.culprit() {
        Some(culprit) => bisection.hunt.change(Some(culprit)).name.clone(),
        None => format!("one of {}", step.among.len()),
    };
    steps(bisection).iter().map(name).collect()
}

#[test]
fn the_culprit_is_named_and_proved_in_few_trials() {
    let stage = Stage::new(|s, seed| times(s, seed, if s.disks >= 23 { 1.5 } else { 1.0 }));
    let hunt = chain(41);
    let bisection = found(&stage, &hunt, Vec::new());
    assert_eq!(culprits(&bisection), ["disks=23"]);
    assert!(bisection.tried.len() <= 6, "{} candidates", bisection.tried.len());
    let step = &steps(&bisection)[0];
    assert_eq!(hunt.change(step.parent).name, "disks=22");
    let proof = step.proof.as_ref().unwrap();
    assert_eq!(verdict(proof, &proof.contrasts[0]), Some(Verdict::Worse));
    // Both ends, two seeds a candidate, and the proof under seeds of its own; what the culprit's parent
    // hides is asked of it and the good end under the ends' six.
    let ran = stage.place.ran().len();
    assert!(ran <= 12 + 2 * 6 + 12 + 8, "{:?}", stage.place.ran());
    let exact = bisection.tried.iter().all(|tried| tried.seeds == 2 && tried.trials.len() == 2);
    assert!(exact, "{:?}", bisection.tried);
}

#[test]
fn without_a_difference_nothing_is_searched() {
    let stage = Stage::new(|s, seed| times(s, seed, 1.0));
    let bisection = found(&stage, &chain(41), Vec::new());
    assert_eq!(bisection.found, Found::NoDifference);
    assert!(bisection.tried.is_empty());
    let faster = Stage::new(|s, seed| times(s, seed, if s.disks >= 23 { 0.5 } else { 1.0 }));
    assert_eq!(found(&faster, &chain(41), Vec::new()).found, Found::NoDifference);
}

#[test]
fn an_end_that_breaks_ends_it() {
    let stage = Stage::new(|s, seed| times(s, seed, 1.0));
    let bisection = found(&stage, &chain(60), Vec::new());
    assert!(matches!(&bisection.found, Found::BrokenEnd(why) if why.contains("scripted")));
}

#[test]
fn a_broken_candidate_is_skipped_and_a_neighbour_tried() {
    // 60 disks never boot, and stand in the middle.
    let stage = Stage::new(|s, seed| times(s, seed, if s.disks >= 55 { 1.5 } else { 1.0 }));
    let disks = [50, 51, 52, 53, 60, 54, 55, 56];
    let hunt = hunt(bisection::chain(disks.map(change)));
    let bisection = found(&stage, &hunt, Vec::new());
    assert_eq!(culprits(&bisection), ["disks=55"]);
    let broken = bisection.tried.iter().find(|tried| tried.standing == Standing::Broken);
    assert!(broken.is_none_or(|tried| tried.reason.as_deref() == Some("scripted")));
}

#[test]
fn a_culprit_that_hides_among_broken_ones_leaves_a_range() {
    let stage = Stage::new(|s, seed| times(s, seed, if s.disks >= 54 { 1.5 } else { 1.0 }));
    let disks = [50, 51, 60, 54, 55];
    let hunt = hunt(bisection::chain(disks.map(change)));
    let bisection = found(&stage, &hunt, Vec::new());
    assert_eq!(culprits(&bisection), ["one of 2"]);
    assert_eq!(steps(&bisection)[0].among, [2, 3]);
    assert!(steps(&bisection)[0].proof.is_none());
}

#[test]
fn a_slowdown_in_two_steps_has_two_culprits() {
    let stage = Stage::new(|s, seed| times(s, seed, stepwise(s.disks, 1.4)));
    let bisection = found(&stage, &chain(41), Vec::new());
    assert_eq!(culprits(&bisection), ["disks=10", "disks=30"]);
    for step in steps(&bisection) {
        assert!(step.proof.is_some());
    }
}

#[test]
fn a_small_first_step_is_found_behind_the_large_one() {
    let stage = Stage::new(|s, seed| times(s, seed, stepwise(s.disks, 1.2)));
    let bisection = found(&stage, &chain(41), Vec::new());
    assert_eq!(culprits(&bisection), ["disks=10", "disks=30"]);
}

#[test]
fn what_chance_did_under_the_seeds_of_the_search_is_not_proved() {
    // Nothing differs, but for bad luck under the first seeds.
    let stage = Stage::new(|s, seed| {
        let unlucky = s.disks >= 23 && seed <= 24;
        times(s, seed, if unlucky { 1.3 } else { 1.0 })
    });
    let bisection = found(&stage, &chain(41), Vec::new());
    let [step] = steps(&bisection) else { panic!("{:?}", bisection.found) };
    assert_eq!((step.among.as_slice(), step.culprit()), (&[21 - 1][..], None));
    assert!(!step.is_proved() && step.proof.is_some());
    assert!(bisection.remedies.is_empty(), "nothing is reverted");
}

#[test]
fn a_merged_side_branch_holds_the_culprit() {
    // 0-1-2-------6-7, and 3-4-5 on the side, from 0 to the merge 6.
    let parents: [&[usize]; 8] = [&[], &[0], &[1], &[0], &[3], &[4], &[2, 5], &[6]];
    let candidates = parents.iter().enumerate().map(|(at, parents)| Candidate {
        change: change(at as u32 + 2),
        parents: parents.to_vec(),
    });
    // The culprit is 4, so that 4, 5, 6 and 7 have it.
    let stage = Stage::new(|s, seed| times(s, seed, if s.disks >= 6 { 1.5 } else { 1.0 }));
    let bisection = found(&stage, &hunt(candidates.collect()), Vec::new());
    assert_eq!(culprits(&bisection), ["disks=6"]);
    assert_eq!(bisection.hunt.change(steps(&bisection)[0].parent).name, "disks=5");
}

#[test]
fn a_fix_is_measured_on_the_bad_end() {
    let stage = Stage::new(|s, seed| {
        times(s, seed, if s.disks >= 23 && s.rounds == 1 { 1.5 } else { 1.0 })
    });
    let fix = Change {
        name: "fix.patch".to_owned(),
        title: String::new(),
        set: vec![("rounds".to_owned(), "2".to_owned())],
    };
    let hunt = Hunt { fixes: vec![fix], ..chain(41) };
    let bisection = found(&stage, &hunt, Vec::new());
    let [remedy] = &bisection.remedies[..] else { panic!("{:?}", bisection.remedies) };
    let comparison = remedy.comparison.as_ref().unwrap();
    assert_eq!(verdict(comparison, &comparison.contrasts[0]), Some(Verdict::Better));
    assert_eq!(comparison.sides[1].variant.name, "bad with fix.patch");
}

#[test]
fn begun_again_it_runs_nothing_that_is_there() {
    let stage = Stage::new(|s, seed| times(s, seed, if s.disks >= 23 { 1.5 } else { 1.0 }));
    let first = found(&stage, &chain(41), Vec::new());
    let ran = stage.place.ran().len();
    let earlier = stage.shelf.trials.lock().unwrap().clone();
    let again = found(&stage, &chain(41), earlier);
    assert_eq!((culprits(&first), stage.place.ran().len()), (culprits(&again), ran));
}

#[test]
fn a_noisy_place_measures_the_ends_beside_each_candidate() {
    let mut stage = Stage::new(|s, seed| times(s, seed, if s.disks >= 23 { 1.5 } else { 1.0 }));
    stage.place.exact = false;
    let bisection = found(&stage, &chain(41), Vec::new());
    assert_eq!(culprits(&bisection), ["disks=23"]);
    let ends = stage.place.ran().iter().filter(|(disks, _)| *disks == 1).count();
    assert!(ends >= 6 + 2 * bisection.tried.len(), "{ends}");
    let earlier = stage.shelf.trials.lock().unwrap().clone();
    let mut second = Stage::new(|s, seed| times(s, seed, 1.0));
    second.place.exact = false;
    assert_eq!(culprits(&found(&second, &chain(41), earlier)), ["disks=23"]);
    assert!(second.place.ran().is_empty(), "all trials were at hand");
}

#[test]
fn with_jobs_to_spare_what_may_come_next_is_made_ready_meanwhile() {
    let made_ready = |jobs| {
        let stage = Stage::new(|s, seed| times(s, seed, if s.disks >= 23 { 1.5 } else { 1.0 }));
        let request = BisectRequest {
            case: &case(),
            hunt: &chain(41),
            limits: Limits::default(),
            started: String::new(),
            earlier: Vec::new(),
            why: Why::Auto,
        };
        let bisection = bisect(&stage.runner(jobs), request).bisection;
        assert_eq!(culprits(&bisection), ["disks=23"]);
        let mut disks = stage.place.made_ready.lock().unwrap().clone();
        disks.sort_unstable();
        disks.dedup();
        disks
    };
    let (one, many) = (made_ready(1), made_ready(4));
    assert!(one.iter().all(|disks| many.contains(disks)) && many.len() > one.len(), "{many:?}");
}

#[test]
fn a_candidate_that_hangs_is_broken_and_not_waited_for_long() {
    // Trials of a second are no measure of a boot's hiccups: nobody waits less than two minutes.
    assert_eq!(patience(1_000_000_000), LEAST_PATIENCE_NS.next_power_of_two());
    assert!(patience(60_000_000_000) >= 20 * 60_000_000_000);
    assert_eq!(patience(u64::MAX), u64::MAX);
}

#[test]
fn what_it_will_take_is_told_beforehand() {
    let plan = expected(&chain(41));
    assert_eq!((plan.candidates, plan.tried, plan.builds), (39, 6, 0));
    let commits = Hunt { kind: ChangeKind::Commit, ..chain(41) };
    assert_eq!(expected(&commits).builds, 2 + 6 + 1);
}
