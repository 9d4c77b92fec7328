//! Instructions, function by function, and the machine's busy and idle time.

use std::collections::BTreeMap;

use model::account::MachineTime;
use model::explanation::FunctionDifference;

use super::{Sides, means};
use crate::findings::normal;

/// The most functions that are kept.
const MOST: usize = 20;

/// The least share of all functions' differences that one has to have: a hundredth.
const LEAST_SHARE: f64 = 0.01;

/// Where the instructions differ, the largest difference first; nothing where they were not counted everywhere.
pub(super) fn functions(pairs: &[Sides<'_>]) -> Vec<FunctionDifference> {
    let sides = || pairs.iter().flat_map(|(baseline, variant)| [baseline, variant]);
    if sides().flat_map(|side| &side.phases).any(|account| account.functions.is_empty()) {
        return Vec::new();
    }
    let mut counts: BTreeMap<String, [f64; 2]> = BTreeMap::new();
    for (at, side) in sides().enumerate() {
        let share = side.rounds * pairs.len() as f64;
        for count in side.phases.iter().flat_map(|account| &account.functions) {
            let means = counts.entry(normal(&count.name)).or_default();
            means[at % 2] += count.instructions as f64 / share;
        }
    }
    largest(counts)
}

fn largest(counts: BTreeMap<String, [f64; 2]>) -> Vec<FunctionDifference> {
    let size = |[baseline, variant]: [f64; 2]| (variant - baseline).abs();
    let least = counts.values().map(|means| size(*means)).sum::<f64>() * LEAST_SHARE;
    let large = |(_, means): &(String, [f64; 2])| size(*means) > 0.0 && size(*means) >= least;
    let mut counts: Vec<(String, [f64; 2])> = counts.into_iter().filter(large).collect();
    counts.sort_by(|(_, one), (_, other)| size(*other).total_cmp(&size(*one)));
    let counts = counts.into_iter().take(MOST);
    counts
        .map(|(name, [baseline, variant])| FunctionDifference { name, baseline, variant })
        .collect()
}

/// The differences of the machine's busy time and of its idle time, ns; `None` where they are not known everywhere.
pub(super) fn machine(pairs: &[Sides<'_>]) -> Option<(f64, f64)> {
    let mut sides = pairs.iter().flat_map(|(baseline, variant)| [baseline, variant]);
    if sides.any(|side| side.phases.iter().any(|account| account.machine.is_none())) {
        return None;
    }
    let difference = |of: fn(&MachineTime) -> u64| {
        let time = |machine: &Option<MachineTime>| machine.as_ref().map_or(0.0, |it| of(it) as f64);
        let (baseline, variant) = means(pairs, |side| side.mean(|account| time(&account.machine)))?;
        Some(variant - baseline)
    };
    Some((difference(|machine| machine.busy_ns)?, difference(|machine| machine.idle_ns)?))
}
