//! Builds between two ends, measured under seeds, with the noise that measured phases have.

use analysis::interval::interval;
use analysis::judge::verdict;
use analysis::looks::Looks;
use analysis::standing::{Between, Judged, Point, standing};
use fastrand::Rng;
use model::Verdict;

use crate::laws::normal;

pub(crate) const THRESHOLD: f64 = 0.02;
const MOST: u32 = 20;

/// What is measured, and how it scatters.
#[derive(Clone, Copy)]
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    /// ln(newer/older), the truth.
    pub(crate) effect: f64,
    /// The deviation of what a build brings along under all of its seeds.
    pub(crate) shift: f64,
    /// One build's noise under a seed.
    pub(crate) noise: fn(&mut Rng) -> f64,
}

/// Scenes by effect, from calm to wild. Two builds differ by 1.4 times the noise of one.
pub(crate) const SCENES: [Scene; 12] = [
    Scene { name: "CPU, 5 %", effect: 0.05, shift: 0.001, noise: |rng| 0.002 * normal(rng) },
    Scene { name: "CPU, 1.7 times", effect: 0.54, shift: 0.001, noise: |rng| 0.002 * normal(rng) },
    Scene { name: "write, 5 %", effect: 0.05, shift: 0.001, noise: |rng| 0.007 * normal(rng) },
    Scene { name: "aged mkfs", effect: 1.7, shift: 0.003, noise: |rng| 0.007 * normal(rng) },
    Scene { name: "sync, 20 ms steps", effect: 0.1, shift: 0.002, noise: steps },
    Scene { name: "round, 5 % noise", effect: 0.54, shift: 0.02, noise: |rng| 0.035 * normal(rng) },
    Scene { name: "round, 10 % noise", effect: 0.54, shift: 0.02, noise: |rng| 0.07 * normal(rng) },
    Scene { name: "sync, 20 % noise", effect: 0.78, shift: 0.02, noise: |rng| 0.14 * normal(rng) },
    Scene { name: "round, 20 % noise", effect: 0.54, shift: 0.02, noise: |rng| 0.14 * normal(rng) },
    Scene { name: "round, tails", effect: 0.54, shift: 0.02, noise: |rng| cauchy(rng, 0.01) },
    Scene { name: "sync, rare jumps", effect: 0.54, shift: 0.005, noise: rare_jumps },
    Scene { name: "sync, jumps", effect: 0.78, shift: 0.02, noise: jumps },
];

/// A sync of 2.56 s that ends at a 20 ms tick.
fn steps(rng: &mut Rng) -> f64 {
    (0.02 * (1.1 * normal(rng)).round() / 2.56).ln_1p()
}

fn cauchy(rng: &mut Rng, scale: f64) -> f64 {
    scale * normal(rng) / normal(rng)
}

/// As twelve disks' sync was measured: much the same but for one in eight, which takes up to 1.6
/// times as long, and a few that take 5 % less.
fn rare_jumps(rng: &mut Rng) -> f64 {
    match rng.u32(0..100) {
        0..12 => 0.1 + 0.4 * rng.f64(),
        12..20 => -0.05,
        _ => 0.002 * f64::from(rng.u32(0..3)),
    }
}

/// One in six takes half as long again, or half as long.
fn jumps(rng: &mut Rng) -> f64 {
    let jump = match rng.u32(0..12) {
        0 => 1.5_f64.ln(),
        1 => 0.5_f64.ln(),
        _ => 0.0,
    };
    jump + 0.003 * normal(rng)
}

/// Two ends, and their times as logarithms under the seeds so far.
pub(crate) struct Ends {
    scene: Scene,
    levels: [f64; 2],
    older: Vec<f64>,
    newer: Vec<f64>,
    effects: Vec<f64>,
}

impl Ends {
    /// Ends that were found to differ, look after look; `None` where these were not.
    pub(crate) fn found_worse(rng: &mut Rng, scene: &Scene) -> Option<Ends> {
        let levels = [scene.shift * normal(rng), scene.effect + scene.shift * normal(rng)];
        let (older, newer, effects) = (Vec::new(), Vec::new(), Vec::new());
        let mut ends = Ends { scene: *scene, levels, older, newer, effects };
        for look in Looks::until_clear(48, 0.05).as_slice() {
            ends.measure(rng, look.pairs);
            match verdict(interval(&ends.effects, look.error).as_ref(), THRESHOLD) {
                Verdict::CannotTell => {}
                verdict => return (verdict == Verdict::Worse).then_some(ends),
            }
        }
        None
    }

    fn measure(&mut self, rng: &mut Rng, seeds: u32) {
        while self.older.len() < seeds as usize {
            let [older, newer] = self.levels.map(|level| level + (self.scene.noise)(rng));
            self.older.push(older);
            self.newer.push(newer);
            self.effects.push(newer - older);
        }
    }

    /// Judges a build that lies at `position`, with as many seeds as are asked for.
    pub(crate) fn judge(&mut self, rng: &mut Rng, position: f64) -> Judged {
        let level = position * self.scene.effect + self.scene.shift * normal(rng);
        let mut points = Vec::new();
        let mut wanted = 2;
        loop {
            self.measure(rng, wanted);
            for seed in points.len()..wanted as usize {
                let time = level + (self.scene.noise)(rng);
                let (older, newer) = (time - self.older[seed], self.newer[seed] - time);
                points.push(Point { seed: seed as u64, older, newer });
            }
            let judged = self.standing(&points);
            if judged.standing.is_some() {
                return judged;
            }
            assert!(judged.seeds > wanted && judged.seeds <= MOST, "{judged:?}");
            wanted = judged.seeds;
        }
    }

    fn standing(&self, points: &[Point]) -> Judged {
        let (ends, threshold) = (self.effects.as_slice(), THRESHOLD);
        standing(&Between { ends, points, threshold, most: MOST })
    }
}
