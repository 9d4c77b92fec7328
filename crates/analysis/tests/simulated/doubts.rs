//! Values that are as they should be are seldom doubted.

use analysis::doubts::{Doubt, doubts};
use fastrand::Rng;

use crate::laws::normal;
use crate::tolerable;

const RUNS: u32 = 2000;

#[test]
fn normal_series_are_seldom_doubted() {
    for (values, outliers_error) in [(6, 0.02), (12, 0.01), (24, 0.01)] {
        let mut rng = Rng::with_seed(9);
        let (mut strays, mut drifts) = (0, 0);
        for run in 0..RUNS {
            // Every other series in steps, so that it has ties.
            let step = if run % 2 == 0 { 1e-9 } else { 0.02 };
            let value = |_| ((0.05 * normal(&mut rng) / step).round() * step).exp();
            for doubt in doubts(&(0..values).map(value).collect::<Vec<f64>>()) {
                match doubt {
                    Doubt::Outliers { .. } => strays += 1,
                    Doubt::Drift { .. } => drifts += 1,
                }
            }
        }
        println!("{values} values: {strays} and {drifts} of {RUNS} doubted");
        assert!(strays <= tolerable(RUNS, outliers_error), "{values} values: {strays}");
        assert!(drifts <= tolerable(RUNS, 0.01), "{values} values: {drifts}");
    }
}

#[test]
fn a_drift_of_a_few_deviations_is_seen() {
    let mut rng = Rng::with_seed(10);
    let drifting = |_: &u32| {
        let value = |at: i32| (0.01 * normal(&mut rng) + 0.005 * f64::from(at)).exp();
        let found = doubts(&(0..12).map(value).collect::<Vec<f64>>());
        found.iter().any(|doubt| matches!(doubt, Doubt::Drift { share } if *share > 0.0))
    };
    let seen = (0..500).filter(drifting).count();
    assert!(seen > 450, "{seen} of 500");
}
