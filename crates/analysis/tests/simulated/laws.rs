//! Laws of paired log ratios between sides that differ in nothing: symmetric about 0.

use std::f64::consts::TAU;

use fastrand::Rng;

/// A law of differences.
#[derive(Clone, Copy)]
pub(crate) struct Law {
    pub(crate) name: &'static str,
    pub(crate) draw: fn(&mut Rng) -> f64,
}

/// The laws, from tame to wild.
pub(crate) const LAWS: [Law; 7] = [
    Law { name: "normal", draw: |rng| 0.02 * normal(rng) },
    Law { name: "Laplace", draw: laplace },
    Law { name: "20 ms steps", draw: |rng| steps(rng) - steps(rng) },
    Law { name: "rare jumps", draw: |rng| jumps(rng) - jumps(rng) },
    Law { name: "two modes", draw: |rng| modes(rng) - modes(rng) },
    Law { name: "t, 2 df", draw: student_2 },
    Law { name: "Cauchy", draw: |rng| 0.02 * normal(rng) / normal(rng) },
];

/// Those of [`LAWS`] whose middle looks like the normal law's.
pub(crate) fn tame() -> impl Iterator<Item = Law> {
    LAWS.into_iter().take(3)
}

impl Law {
    /// `pairs` differences about `effect`.
    pub(crate) fn differences(self, rng: &mut Rng, pairs: u32, effect: f64) -> Vec<f64> {
        (0..pairs).map(|_| (self.draw)(rng) + effect).collect()
    }
}

/// The normal law with mean 0 and deviation 1 (Box & Muller 1958).
pub(crate) fn normal(rng: &mut Rng) -> f64 {
    (-2.0 * (1.0 - rng.f64()).ln()).sqrt() * (TAU * rng.f64()).cos()
}

/// The exponential law with mean 1.
pub(crate) fn exponential(rng: &mut Rng) -> f64 {
    -(1.0 - rng.f64()).ln()
}

fn laplace(rng: &mut Rng) -> f64 {
    if rng.bool() { 0.014 * exponential(rng) } else { -0.014 * exponential(rng) }
}

/// A sync of about 2.56 s that ends at a 20 ms tick, as a logarithm: of two, one in four are equal.
fn steps(rng: &mut Rng) -> f64 {
    (2.56 + 0.02 * (1.1 * normal(rng)).round()).ln()
}

/// A write that takes the same time but for one in ten, which takes up to 10 % longer.
fn jumps(rng: &mut Rng) -> f64 {
    if rng.u32(0..10) == 0 { 0.1 * rng.f64() } else { 1e-5 * normal(rng) }
}

/// A sync that finds everything written, or in one case of three waits for a tick: 2.5 or 21 ms.
fn modes(rng: &mut Rng) -> f64 {
    let mode: f64 = if rng.u32(0..3) == 0 { 21.2 } else { 2.5 };
    mode.ln() + 0.001 * normal(rng)
}

fn student_2(rng: &mut Rng) -> f64 {
    let squares = normal(rng).powi(2) + normal(rng).powi(2);
    0.02 * normal(rng) / (squares / 2.0).sqrt()
}
