//! Candidates are called what they are.

use std::fmt;

use analysis::standing::{Between, Point, standing};
use fastrand::Rng;
use model::Standing;

use crate::laws::normal;
use crate::scenes::{Ends, SCENES, Scene, THRESHOLD};

/// How often builds were called what, in per cent, and the mean of the seeds that it took.
struct Called {
    old: f64,
    new: f64,
    neither: f64,
    untold: f64,
    seeds: f64,
}

/// Judges `runs` builds, each between ends of its own.
fn called(scene: &Scene, position: f64, runs: u32) -> Called {
    let mut rng = Rng::with_seed(21);
    let one = |_| {
        let mut ends = Ends::found_worse(&mut rng, scene)?;
        Some(ends.judge(&mut rng, position))
    };
    let judged: Vec<_> = (0..runs).filter_map(one).collect();
    assert!(judged.len() as u32 > runs / 2, "{}: ends are not found to differ", scene.name);
    let share = |standing| {
        let count = judged.iter().filter(|judged| judged.standing == Some(standing)).count();
        100.0 * count as f64 / judged.len() as f64
    };
    let seeds: u32 = judged.iter().map(|judged| judged.seeds).sum();
    Called {
        old: share(Standing::Old),
        new: share(Standing::New),
        neither: share(Standing::Neither),
        untold: share(Standing::CannotTell),
        seeds: f64::from(seeds) / judged.len() as f64,
    }
}

impl fmt::Display for Called {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Called { old, new, neither, untold, seeds } = self;
        write!(f, "old {old:.2}, new {new:.2}, neither {neither:.2}, untold {untold:.2} %, ")?;
        write!(f, "{seeds:.1} seeds")
    }
}

#[test]
fn ends_are_seldom_called_falsely() {
    for scene in &SCENES {
        let (old, new) = (called(scene, 0.0, 3000), called(scene, 1.0, 3000));
        println!("{}: old: {old}; new: {new}", scene.name);
        assert!(old.new < 1.0 && new.old < 1.0, "{}: one for the other", scene.name);
        assert!(old.neither < 0.5 && new.neither < 0.5, "{}: steps", scene.name);
        assert!(old.untold < 1.0 && new.untold < 1.0, "{}: untold", scene.name);
    }
}

#[test]
fn two_seeds_are_mostly_enough() {
    for (scene, most) in
        SCENES.iter().zip([2.1, 2.1, 3.0, 2.1, 2.2, 2.2, 2.8, 4.0, 6.5, 4.0, 4.5, 7.0])
    {
        let called = called(scene, 0.0, 300);
        assert!(called.seeds < most, "{}: {} seeds", scene.name, called.seeds);
    }
}

#[test]
fn steps_halfway_are_found_where_noise_allows() {
    let least = [90.0, 99.0, 0.0, 99.0, 98.0, 99.0, 97.0, 95.0, 70.0, 90.0, 85.0, 40.0];
    for (scene, least) in SCENES.iter().zip(least) {
        let called = called(scene, 0.5, 600);
        println!("{}: halfway: {called}", scene.name);
        assert!(called.neither >= least, "{}: {} %", scene.name, called.neither);
        assert!(called.old + called.new < 6.0, "{}: lost", scene.name);
    }
}

#[test]
fn a_third_of_the_way_is_never_new() {
    for scene in &SCENES {
        let called = called(scene, 0.3, 300);
        println!("{}: at a third: {called}", scene.name);
        assert!(called.new < 1.0, "{}", scene.name);
    }
}

#[test]
fn the_position_is_covered() {
    for seeds in [2, 3, 6, 9, 20] {
        let mut rng = Rng::with_seed(22);
        let runs = 2000;
        let covers = |_: &u32| {
            let mut time = |level: f64| level + 0.1 * normal(&mut rng);
            let ends: Vec<f64> = (0..seeds.max(6)).map(|_| time(0.5) - time(0.0)).collect();
            let points: Vec<Point> = (0..seeds as u64)
                .map(|seed| {
                    let (older, newer, candidate) = (time(0.0), time(0.5), time(0.25));
                    Point { seed, older: candidate - older, newer: newer - candidate }
                })
                .collect();
            let between =
                Between { ends: &ends, points: &points, threshold: THRESHOLD, most: seeds };
            standing(&between).interval.is_some_and(|(low, high)| low <= 0.5 && 0.5 <= high)
        };
        let covered = (0..runs).filter(covers).count() as f64 / f64::from(runs);
        println!("{seeds} seeds: {:.1} % covered", 100.0 * covered);
        assert!(covered > 0.9, "{seeds} seeds: {covered}");
    }
}

/// Twelve disks' sync in ms, by build and seed, as it was measured on twenty neutral twins.
const TWINS: [[f64; 6]; 20] = [
    [461.3, 298.4, 299.6, 295.6, 299.2, 465.0],
    [282.4, 299.0, 299.4, 297.4, 386.6, 299.4],
    [296.6, 384.6, 298.8, 297.4, 293.8, 296.0],
    [475.0, 329.3, 344.4, 298.5, 444.6, 283.8],
    [299.2, 299.0, 298.8, 299.2, 296.0, 297.6],
    [298.4, 299.1, 282.4, 299.0, 298.1, 297.9],
    [297.2, 294.7, 298.8, 296.5, 297.6, 299.5],
    [299.6, 299.6, 293.6, 299.4, 297.9, 297.0],
    [299.5, 283.8, 298.9, 298.8, 297.9, 298.9],
    [294.7, 298.5, 295.1, 297.5, 299.1, 298.9],
    [404.6, 298.4, 298.6, 298.4, 532.1, 295.1],
    [299.2, 412.6, 296.9, 297.9, 444.8, 299.4],
    [299.2, 299.1, 299.1, 298.4, 297.5, 298.8],
    [298.2, 334.2, 298.4, 296.5, 299.1, 298.8],
    [329.0, 298.4, 298.4, 295.6, 280.8, 298.8],
    [297.2, 298.5, 299.1, 297.2, 297.5, 298.8],
    [283.5, 298.4, 298.4, 298.4, 286.9, 299.4],
    [298.2, 298.5, 298.5, 298.1, 298.5, 298.8],
    [297.2, 298.4, 295.6, 297.5, 280.8, 298.8],
    [297.2, 298.4, 298.4, 295.6, 305.5, 298.8],
];

/// What one twin is called between two others, with 6 seeds at most, when the newer end is slowed
/// by `effect` and the candidate by `slowed`.
fn between_twins(twins: [usize; 3], slowed: f64, effect: f64) -> (Option<Standing>, u32) {
    let [older, candidate, newer] = twins.map(|twin| TWINS[twin].map(f64::ln));
    let ends: Vec<f64> = (0..6).map(|seed| newer[seed] + effect - older[seed]).collect();
    let point = |seed: usize| {
        let time = candidate[seed] + slowed;
        let (older, newer) = (time - older[seed], newer[seed] + effect - time);
        Point { seed: seed as u64, older, newer }
    };
    let points: Vec<Point> = (0..6).map(point).collect();
    let look = |seeds: usize| {
        let points = &points[..seeds];
        standing(&Between { ends: &ends, points, threshold: THRESHOLD, most: 6 })
    };
    let mut looks = [2, 3, 4, 6].map(look).into_iter();
    let told = looks.find(|judged| judged.standing.is_some()).expect("told at most");
    (told.standing, told.seeds)
}

#[test]
fn measured_twins_are_called_what_they_are() {
    let three = |number: usize| [number / 400, number / 20 % 20, number % 20];
    let differ = |[a, b, c]: &[usize; 3]| a != b && b != c && a != c;
    for effect in [0.54, 0.78] {
        for (slowed, truth) in [(0.0, Standing::Old), (effect, Standing::New)] {
            let called: Vec<_> = (0..8000)
                .map(three)
                .filter(differ)
                .map(|twins| between_twins(twins, slowed, effect))
                .collect();
            let all = called.len() as f64;
            let share = |of: &dyn Fn(Standing) -> bool| {
                let count = called.iter().filter(|called| called.0.is_some_and(of)).count();
                100.0 * count as f64 / all
            };
            let right = share(&|standing| standing == truth);
            let untold = share(&|standing| standing == Standing::CannotTell);
            let neither = share(&|standing| standing == Standing::Neither);
            let seeds = called.iter().map(|called| f64::from(called.1)).sum::<f64>() / all;
            println!(
                "twins, {effect} {truth:?}: {right:.2} % right, {untold:.2} untold, {neither:.2} \
                 neither, {seeds:.1} seeds"
            );
            assert!(100.0 - right - untold < 0.5 && neither < 0.1, "{truth:?}");
            assert!(right > 75.0 && seeds < 4.0, "{truth:?}: {right} % with {seeds} seeds");
        }
    }
}
