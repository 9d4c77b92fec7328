//! Twins that differ in nothing are told apart no more often than the error.

use analysis::twins::twins;
use fastrand::Rng;
use model::{Sample, Series};

use crate::laws::normal;
use crate::tolerable;

/// A twin's sync of about 2.5 s, scattering by 5 %, under 12 seeds.
fn twin(rng: &mut Rng) -> Vec<Series> {
    let sample = |seed| Sample {
        seed,
        trial: String::new(),
        wall_ns: 2.5e9 * (0.05 * normal(rng)).exp(),
        user_ns: 0.0,
        system_ns: 0.0,
        instructions: None,
    };
    vec![Series { phase: "sync".to_owned(), rounds: None, values: (1..=12).map(sample).collect() }]
}

#[test]
fn false_verdicts_among_twins_keep_to_the_error() {
    let mut rng = Rng::with_seed(11);
    let (mut comparisons, mut wrong, mut covered) = (0, 0, 0);
    for _ in 0..40 {
        let sides: Vec<_> = (0..24).map(|_| twin(&mut rng)).collect();
        let found = &twins(&sides, 0.0001, 0.05)[0];
        comparisons += found.ring.comparisons;
        wrong += found.ring.wrong;
        covered += u32::from(found.rate.0 <= 0.0425 && 0.0425 <= found.rate.1);
        let spread = found.spread.unwrap();
        assert!((0.055..0.085).contains(&spread), "{spread}, not 0.05·√2");
    }
    println!("{wrong} of {comparisons} false; rate covered in {covered} of 40");
    assert!(wrong <= tolerable(comparisons, 0.05), "{wrong} of {comparisons}");
    assert!(wrong > 0, "a threshold near 0 lets some be false");
    assert!(covered >= 36, "{covered} of 40 intervals hold the true rate of 4.25 %");
}
