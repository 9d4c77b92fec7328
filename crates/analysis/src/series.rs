//! From trials to series.

use std::collections::BTreeMap;

use model::case::ROUND;
use model::{Measurements, PhaseRun, Sample, Series, Trial};

/// A phase's name and round.
type Key = (String, Option<u32>);

/// The series of one variant's trials, in the order in which its phases ran; broken trials are left
/// out.
///
/// A phase outside rounds makes one series. One in rounds makes a series of its first round and,
/// where there are more, one of the later rounds together: the arithmetic mean a round. Behind the
/// phases of a round stands their sum, as [`ROUND`], where there are several. Only what
/// all trials have takes part. Each seed makes one sample; trials that repeat a seed are averaged,
/// and the first of them names it. An elapsed time of 0 ns counts as 1 ns, since logarithms are
/// taken of it.
#[must_use]
pub fn series(trials: &[&Trial]) -> Vec<Series> {
    let by_seed = by_seed(trials);
    let phases = groups(&common_phases(trials)).into_iter().map(|keys| Series {
        phase: keys[0].0.clone(),
        rounds: keys[0].1.zip(keys[keys.len() - 1].1),
        values: by_seed.iter().map(|(seed, runs)| sample(*seed, runs, &keys)).collect(),
    });
    with_whole_rounds(phases.collect())
}

/// Puts behind the phases of the same rounds, where they are several, what the round took in all.
fn with_whole_rounds(phases: Vec<Series>) -> Vec<Series> {
    if phases.iter().any(|series| series.phase == ROUND) {
        return phases;
    }
    let parts = phases.chunk_by(|one, next| one.rounds == next.rounds);
    let with_whole = |part: &[Series]| match part {
        [first, _, ..] if first.rounds.is_some() => [part, &[whole(part)]].concat(),
        _ => part.to_vec(),
    };
    parts.flat_map(with_whole).collect()
}

/// The sum of phases, which all have the same seeds.
fn whole(phases: &[Series]) -> Series {
    let first = &phases[0];
    let sum = |at: usize, of: fn(&Sample) -> f64| {
        phases.iter().map(|series| of(&series.values[at])).sum::<f64>()
    };
    let value = |(at, sample): (usize, &Sample)| Sample {
        seed: sample.seed,
        trial: sample.trial.clone(),
        wall_ns: sum(at, |sample| sample.wall_ns),
        user_ns: sum(at, |sample| sample.user_ns),
        system_ns: sum(at, |sample| sample.system_ns),
        instructions: phases.iter().map(|series| series.values[at].instructions).sum(),
    };
    Series {
        phase: ROUND.to_owned(),
        rounds: first.rounds,
        values: first.values.iter().enumerate().map(value).collect(),
    }
}

type Runs<'a> = Vec<(&'a Trial, &'a Measurements)>;

fn by_seed<'a>(trials: &[&'a Trial]) -> BTreeMap<u64, Runs<'a>> {
    let mut by_seed: BTreeMap<u64, Runs<'a>> = BTreeMap::new();
    for trial in trials {
        if let Some(measured) = trial.measured() {
            by_seed.entry(trial.spec.seed).or_default().push((trial, measured));
        }
    }
    by_seed
}

/// The phases that all measured trials have, in the first one's order.
fn common_phases(trials: &[&Trial]) -> Vec<Key> {
    let mut measured = trials.iter().filter_map(|trial| trial.measured());
    let Some(first) = measured.next() else { return Vec::new() };
    let mut keys: Vec<Key> =
        first.phases.iter().map(|phase| (phase.name.clone(), phase.round)).collect();
    for others in measured {
        keys.retain(|key| find(others, key).is_some());
    }
    keys
}

/// The phases of each series, in the order of the first of each.
fn groups(keys: &[Key]) -> Vec<Vec<Key>> {
    let mut groups: Vec<Vec<Key>> = Vec::new();
    for key in keys {
        match groups.iter_mut().find(|group| part(&group[0]) == part(key)) {
            Some(group) => group.push(key.clone()),
            None => groups.push(vec![key.clone()]),
        }
    }
    groups
}

/// What makes a series: the name, and whether outside rounds (`None`), in the first or a later one.
fn part(key: &Key) -> (&str, Option<bool>) {
    (&key.0, key.1.map(|round| round > 1))
}

fn find<'a>(measured: &'a Measurements, key: &Key) -> Option<&'a PhaseRun> {
    measured.phases.iter().find(|phase| (&phase.name, phase.round) == (&key.0, key.1))
}

fn sample(seed: u64, runs: &Runs, keys: &[Key]) -> Sample {
    let phases: Vec<&PhaseRun> = runs
        .iter()
        .flat_map(|(_, measured)| keys.iter().filter_map(|key| find(measured, key)))
        .collect();
    let count = phases.len() as f64;
    let mean =
        |of: fn(&PhaseRun) -> u64| phases.iter().map(|phase| of(phase) as f64).sum::<f64>() / count;
    let counted: Option<Vec<u64>> = phases.iter().map(|phase| phase.instructions).collect();
    Sample {
        seed,
        trial: runs.first().map(|(trial, _)| trial.id.clone()).unwrap_or_default(),
        wall_ns: mean(|phase| phase.wall_ns).max(1.0),
        user_ns: mean(|phase| phase.user_ns),
        system_ns: mean(|phase| phase.system_ns),
        instructions: counted.map(|all| all.iter().map(|n| *n as f64).sum::<f64>() / count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{broken, trial};

    /// Labels and, seed by seed, elapsed times.
    fn shown(trials: &[Trial]) -> Vec<(String, Vec<(u64, f64)>)> {
        let found = series(&trials.iter().collect::<Vec<_>>());
        let values = |series: &Series| series.values.iter().map(|s| (s.seed, s.wall_ns)).collect();
        found.iter().map(|series| (series.label(), values(series))).collect()
    }

    #[test]
    fn rounds_are_the_first_and_the_later_ones() {
        let phases = [
            ("mkfs", None, 5),
            ("write", Some(1), 10),
            ("sync", Some(1), 100),
            ("write", Some(2), 20),
            ("sync", Some(2), 200),
            ("write", Some(3), 40),
            ("sync", Some(3), 400),
            ("umount", None, 7),
        ];
        assert_eq!(
            shown(&[trial("a", 1, &phases)]),
            [
                ("mkfs".to_owned(), vec![(1, 5.0)]),
                ("write 1".to_owned(), vec![(1, 10.0)]),
                ("sync 1".to_owned(), vec![(1, 100.0)]),
                ("round 1".to_owned(), vec![(1, 110.0)]),
                ("write 2-3".to_owned(), vec![(1, 30.0)]),
                ("sync 2-3".to_owned(), vec![(1, 300.0)]),
                ("round 2-3".to_owned(), vec![(1, 330.0)]),
                ("umount".to_owned(), vec![(1, 7.0)]),
            ]
        );
    }

    #[test]
    fn one_round_is_one_series() {
        let phases = [("sync", Some(1), 100)];
        assert_eq!(shown(&[trial("a", 1, &phases)]), [("sync 1".to_owned(), vec![(1, 100.0)])]);
    }

    #[test]
    fn seeds_are_sorted_and_repeats_averaged() {
        let sync = |wall| [("sync", None, wall)];
        let trials = [
            trial("late", 9, &sync(50)),
            trial("first", 2, &sync(100)),
            broken("lost", 3),
            trial("again", 2, &sync(300)),
        ];
        let found = series(&trials.iter().collect::<Vec<_>>());
        let samples: Vec<_> =
            found[0].values.iter().map(|s| (s.seed, s.trial.as_str(), s.wall_ns)).collect();
        assert_eq!(samples, [(2, "first", 200.0), (9, "late", 50.0)]);
    }

    #[test]
    fn only_what_all_have_takes_part() {
        let trials = [
            trial("a", 1, &[("write", Some(1), 1), ("sync", Some(1), 2), ("write", Some(2), 3)]),
            trial("b", 2, &[("sync", Some(1), 4), ("write", Some(2), 5)]),
        ];
        assert_eq!(
            shown(&trials),
            [
                ("sync 1".to_owned(), vec![(1, 2.0), (2, 4.0)]),
                ("write 2".to_owned(), vec![(1, 3.0), (2, 5.0)]),
            ]
        );
    }

    #[test]
    fn nothing_measured_makes_no_series() {
        assert!(series(&[]).is_empty());
        assert!(series(&[&broken("lost", 1)]).is_empty());
    }

    #[test]
    fn no_time_counts_as_a_nanosecond_and_no_count_stays_none() {
        let mut quick = trial("a", 1, &[("mount", None, 0)]);
        assert_eq!(shown(&[quick.clone()]), [("mount".to_owned(), vec![(1, 1.0)])]);
        assert_eq!(series(&[&quick])[0].values[0].instructions, None);
        let model::Outcome::Measured(measured) = &mut quick.outcome else { unreachable!() };
        measured.phases[0].instructions = Some(17);
        assert_eq!(series(&[&quick])[0].values[0].instructions, Some(17.0));
        // One repeat that did not count leaves the mean unknown.
        let other = trial("b", 1, &[("mount", None, 0)]);
        assert_eq!(series(&[&quick, &other])[0].values[0].instructions, None);
    }
}
