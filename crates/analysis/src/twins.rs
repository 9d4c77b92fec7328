//! Neutral twins: variants that differ in nothing that matters, and how often they are told apart.

use std::collections::BTreeMap;

use model::{Series, Verdict};

use crate::interval::interval;
use crate::judge::verdict;
use crate::pairs::differences;
use crate::{power, proportion};

/// The effects, as shares, for which the pairs needed are told.
pub const EFFECTS: [f64; 4] = [0.01, 0.02, 0.05, 0.10];

/// The confidence of [`TwinPhase::rate`].
const RATE_CONFIDENCE: f64 = 0.95;

/// What the twins say about one phase, each comparison judged once.
#[derive(Clone, Debug, PartialEq)]
pub struct TwinPhase {
    /// The phase's name.
    pub phase: String,
    /// The rounds, as in [`Series`].
    pub rounds: Option<(u32, u32)>,
    /// The standard deviation of the paired log ratios around the ring, about their true mean 0;
    /// `None` without any pair.
    pub spread: Option<f64>,
    /// Comparisons of neighbours in the ring, each twin with the next and the last with the first.
    /// Every twin is in two of them, so they are nearly independent.
    pub ring: Verdicts,
    /// The probability of a false verdict that [`TwinPhase::ring`] leaves open: Clopper & Pearson's
    /// interval at 95 %, as if its comparisons were independent.
    pub rate: (f64, f64),
    /// Comparisons of every twin with every other. They depend on each other: many, but worth
    /// little more than the ring.
    pub all: Verdicts,
    /// For each of [`EFFECTS`] the pairs with which it would be told from none, as in
    /// [`power::pairs_for`]; `None` where unknown or beyond all use.
    pub needed: [Option<u32>; 4],
}

/// Comparisons and what came of them. One with fewer pairs than a verdict takes is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdicts {
    /// How many there are.
    pub comparisons: u32,
    /// How many of them said worse or better: falsely, since twins differ in nothing.
    pub wrong: u32,
}

/// What each phase of `twins`, at least two, shows at a threshold (a share) and an error: the
/// phases of the first twin that all have, in its order.
#[must_use]
pub fn twins(twins: &[Vec<Series>], threshold: f64, error: f64) -> Vec<TwinPhase> {
    let Some(first) = twins.first().filter(|_| twins.len() > 1) else { return Vec::new() };
    let everywhere = |ours: &Series| -> Option<Vec<&Series>> {
        let same = |theirs: &&Series| (&theirs.phase, theirs.rounds) == (&ours.phase, ours.rounds);
        twins.iter().map(|twin| twin.iter().find(same)).collect()
    };
    let phases = first.iter().filter_map(everywhere);
    phases.map(|phase| twin_phase(&phase, threshold, error)).collect()
}

/// One phase; `twins` holds its series of every twin, at least two.
fn twin_phase(twins: &[&Series], threshold: f64, error: f64) -> TwinPhase {
    let all: BTreeMap<(usize, usize), Vec<f64>> =
        all_pairs(twins.len()).map(|(a, b)| ((a, b), differences(twins[a], twins[b]))).collect();
    let ring: Vec<&[f64]> = ring_pairs(twins.len()).map(|pair| all[&pair].as_slice()).collect();
    let verdicts = verdicts(ring.iter().copied(), threshold, error);
    let typical = root_mean_square(ring.iter().filter_map(|pairs| power::spread(pairs)));
    let needed = |effect| power::pairs_for_spread(typical?, effect, error);
    TwinPhase {
        phase: twins[0].phase.clone(),
        rounds: twins[0].rounds,
        spread: root_mean_square(ring.iter().flat_map(|pairs| pairs.iter().copied())),
        ring: verdicts,
        rate: proportion::interval(verdicts.wrong, verdicts.comparisons, RATE_CONFIDENCE),
        all: self::verdicts(all.values().map(Vec::as_slice), threshold, error),
        needed: EFFECTS.map(needed),
    }
}

fn all_pairs(twins: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..twins).flat_map(move |a| (a + 1..twins).map(move |b| (a, b)))
}

/// Neighbours in the ring, the smaller first; a ring of two has one pair.
fn ring_pairs(twins: usize) -> impl Iterator<Item = (usize, usize)> {
    let closing = (twins > 2).then_some((0, twins - 1));
    (1..twins).map(|twin| (twin - 1, twin)).chain(closing)
}

fn verdicts<'a>(
    comparisons: impl Iterator<Item = &'a [f64]>,
    threshold: f64,
    error: f64,
) -> Verdicts {
    let mut verdicts = Verdicts::default();
    for interval in comparisons.filter_map(|pairs| interval(pairs, error)) {
        let wrong = matches!(verdict(Some(&interval), threshold), Verdict::Worse | Verdict::Better);
        verdicts.comparisons += 1;
        verdicts.wrong += u32::from(wrong);
    }
    verdicts
}

fn root_mean_square(values: impl Iterator<Item = f64>) -> Option<f64> {
    let squares: Vec<f64> = values.map(|value| value * value).collect();
    let mean = squares.iter().sum::<f64>() / squares.len() as f64;
    (!squares.is_empty()).then(|| mean.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::series;

    /// A twin with one phase, its seeds from 1 on.
    fn twin(walls: &[f64]) -> Vec<Series> {
        let values: Vec<(u64, f64)> = (1..).zip(walls.iter().copied()).collect();
        vec![series("sync", Some((1, 1)), &values)]
    }

    #[test]
    fn rings_and_all_pairs() {
        let ring = |twins| ring_pairs(twins).collect::<Vec<_>>();
        assert_eq!(ring(2), [(0, 1)]);
        assert_eq!(ring(4), [(0, 1), (1, 2), (2, 3), (0, 3)]);
        assert_eq!(all_pairs(4).count(), 6);
        assert!(ring(5).iter().all(|pair| all_pairs(5).any(|one| one == *pair)));
    }

    #[test]
    fn a_twin_that_is_none_is_told_from_all_others() {
        let walls: Vec<f64> = (0..12).map(|at| 1e9 + 1e6 * f64::from(at)).collect();
        let slower: Vec<f64> = walls.iter().map(|wall| wall * 1.1).collect();
        let mut sides = vec![twin(&walls); 5];
        sides[2] = twin(&slower);
        let found = &twins(&sides, 0.02, 0.05)[0];
        assert_eq!((found.phase.as_str(), found.rounds), ("sync", Some((1, 1))));
        assert_eq!(found.ring, Verdicts { comparisons: 5, wrong: 2 });
        assert_eq!(found.all, Verdicts { comparisons: 10, wrong: 4 });
        assert_eq!(found.rate, proportion::interval(2, 5, 0.95));
        // Of five ring comparisons two are ln 1.1 everywhere, three 0.
        let expected = 1.1_f64.ln() * (2.0_f64 / 5.0).sqrt();
        assert!((found.spread.unwrap() - expected).abs() < 1e-9, "{found:?}");
        // Within a comparison nothing scatters.
        assert_eq!(found.needed, [Some(6); 4]);
    }

    #[test]
    fn scattering_twins_need_more_pairs_for_smaller_effects() {
        let walls = |turn: usize| -> Vec<f64> {
            (0..12).map(|at| 1e9 * (1.0 + 0.01 * ((at * 5 + turn * 7) % 12) as f64)).collect()
        };
        let sides: Vec<_> = (0..4).map(|turn| twin(&walls(turn))).collect();
        let found = &twins(&sides, 0.02, 0.05)[0];
        let needed: Vec<u32> = found.needed.iter().flatten().copied().collect();
        assert_eq!(needed.len(), 4, "{found:?}");
        assert!(needed.windows(2).all(|two| two[0] > two[1]), "{needed:?}");
    }

    #[test]
    fn five_seeds_are_no_comparison() {
        let sides = vec![twin(&[1e9, 1e9, 1e9, 1e9, 1e9]), twin(&[2e9, 2e9, 2e9, 2e9, 2e9])];
        let found = &twins(&sides, 0.02, 0.05)[0];
        assert_eq!((found.ring, found.all), (Verdicts::default(), Verdicts::default()));
        assert_eq!((found.rate, found.needed), ((0.0, 1.0), [None; 4]));
        assert!(found.spread.is_some());
    }

    #[test]
    fn a_phase_that_one_twin_lacks_is_left_out() {
        let mut sides = vec![twin(&[1e9; 6]), twin(&[1e9; 6])];
        sides[0].push(series("umount", None, &[(1, 1e9)]));
        let phases: Vec<String> =
            twins(&sides, 0.02, 0.05).into_iter().map(|found| found.phase).collect();
        assert_eq!(phases, ["sync"]);
        assert!(twins(&sides[..1], 0.02, 0.05).is_empty());
    }
}
