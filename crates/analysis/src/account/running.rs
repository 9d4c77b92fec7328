//! Call paths of the workload's time on a CPU, by samples.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use model::account::RanAt;
use model::trace::Span;

use super::shares;
use super::watched::Watched;
use crate::observation::frames::Places;

/// The most call paths that a phase keeps.
pub(super) const MOST_PATHS: usize = 400;

/// `ns` of the workload's time on a CPU in `phase` by call path.
pub(super) fn by_path(watched: &Watched<'_>, phase: Span, ns: u64) -> Vec<RanAt> {
    let samples = &watched.trace.samples;
    let first = samples.partition_point(|sample| sample.at_ns < phase.from_ns);
    let within = samples[first..].iter().take_while(|sample| sample.at_ns < phase.to_ns);
    let mut counts: BTreeMap<usize, u64> = BTreeMap::new();
    for sample in within {
        let task = watched.timeline.on_cpu(sample.cpu, sample.at_ns);
        if task.is_some_and(|task| watched.is_workload(task)) {
            *counts.entry(watched.ran_at(sample.stack)).or_default() += 1;
        }
    }
    shared(&watched.places, counts, ns)
}

/// `ns` in proportion to `counts` by place, the longest first; what is more than [`MOST_PATHS`] is one without
/// frames, and so is all where nothing was counted.
pub(super) fn shared(places: &Places, counts: BTreeMap<usize, u64>, ns: u64) -> Vec<RanAt> {
    let (mut at, weights): (Vec<usize>, Vec<u64>) = counts.into_iter().unzip();
    let mut times = if at.is_empty() { vec![ns] } else { shares::in_proportion(ns, &weights) };
    at.resize(times.len(), Places::UNKNOWN);
    let mut order: Vec<(u64, usize)> = times.drain(..).zip(at).filter(|(ns, _)| *ns > 0).collect();
    order.sort_by_key(|(ns, place)| (Reverse(*ns), places.frames(*place)));
    let rest: u64 = order.drain(MOST_PATHS.min(order.len())..).map(|(ns, _)| ns).sum();
    match order.iter_mut().find(|(_, place)| *place == Places::UNKNOWN) {
        Some((unknown, _)) => *unknown += rest,
        None if rest > 0 => order.push((rest, Places::UNKNOWN)),
        None => {}
    }
    order.sort_by_key(|(ns, place)| (Reverse(*ns), places.frames(*place)));
    let path = |(ns, place): (u64, usize)| RanAt { frames: places.frames(place).to_vec(), ns };
    order.into_iter().map(path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(count: usize) -> (Places, Vec<usize>) {
        let mut places = Places::new();
        let numbers = (0..count).map(|at| places.ran(&[&format!("f{at:04}"), "main"])).collect();
        (places, numbers)
    }

    #[test]
    fn paths_share_the_time_exactly() {
        let (places, at) = places(3);
        let counts = BTreeMap::from([(at[0], 1), (at[1], 1), (at[2], 4)]);
        let ran = shared(&places, counts, 100);
        let short: Vec<_> = ran.iter().map(|ran| (ran.frames[0].as_str(), ran.ns)).collect();
        assert_eq!(short, [("f0002", 66), ("f0000", 17), ("f0001", 17)]);
        let without = shared(&places, BTreeMap::new(), 7);
        assert_eq!(without, [RanAt { frames: vec![], ns: 7 }]);
        assert_eq!(shared(&places, BTreeMap::new(), 0), []);
    }

    #[test]
    fn of_very_many_paths_the_rest_is_one() {
        let (places, at) = places(MOST_PATHS + 100);
        let counts: BTreeMap<usize, u64> = at.iter().map(|place| (*place, 1)).collect();
        let mut more = counts.clone();
        more.insert(Places::UNKNOWN, 1000);
        let ran = shared(&places, counts, 5000);
        assert_eq!(ran.len(), MOST_PATHS + 1);
        assert_eq!((ran[0].frames.as_slice(), ran[0].ns), (&[][..], 1000));
        assert_eq!((ran[1].frames[0].as_str(), ran[1].ns), ("f0000", 10));
        let ran = shared(&places, more, 1500);
        assert_eq!((ran.len(), ran[0].ns), (MOST_PATHS, 1000 + 101));
    }
}
