//! What the analysis claims, held against simulated truth: thousands of comparisons whose effect is
//! known, under the laws that measured phases follow. All seeds are fixed.

mod coverage;
mod culprits;
mod doubts;
mod histories;
mod laws;
mod power;
mod scenes;
mod search;
mod sequential;
mod standing;
mod twins;

/// The most misses in `runs` that an error of `error` explains: four standard deviations more than
/// expected, which chance exceeds once in 30,000 times.
fn tolerable(runs: u32, error: f64) -> u32 {
    let expected = f64::from(runs) * error;
    (expected + 4.0 * (expected * (1.0 - error)).sqrt()).ceil() as u32
}
