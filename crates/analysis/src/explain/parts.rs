//! The parts of the workload's time, matched on both sides.

use std::collections::BTreeMap;

use model::account::{Account, BlockedAt};
use model::{Part, PartKind};

use super::naming::naming;
use super::{Sides, waits};
use crate::findings::{Chosen, normal};

/// The most parts that are kept.
const MOST: usize = 30;

/// The share of all parts' differences that the kept ones make, unless they are too many.
const KEPT_SHARE: f64 = 0.99;

/// What makes parts of both sides the same: what was done, and the function (of a wait the one that names it, since
/// callers further out differ from kernel to kernel) or the CPU's holder.
type Key = (PartKind, Option<String>);

/// One part, as it was seen.
#[derive(Default)]
struct Seen<'a> {
    /// Its times under each seed, ns: the baseline's and the variant's.
    values: Vec<[f64; 2]>,
    /// On each side, the call paths and their times.
    paths: [BTreeMap<&'a [String], f64>; 2],
    /// On each side, the longest of its waits.
    waits: [Option<&'a BlockedAt>; 2],
}

/// The parts that make most of the difference, the largest first; none where the workload was not seen everywhere.
pub(super) fn parts(pairs: &[Sides<'_>]) -> Vec<Part> {
    let mut sides = pairs.iter().flat_map(|(baseline, variant)| [baseline, variant]);
    if sides.any(|side| side.phases.iter().any(|account| account.workload.is_none())) {
        return Vec::new();
    }
    let mut seen: BTreeMap<Key, Seen<'_>> = BTreeMap::new();
    for (seed, (baseline, variant)) in pairs.iter().enumerate() {
        for (at, side) in [baseline, variant].into_iter().enumerate() {
            let mut tally = Tally { seen: &mut seen, seeds: pairs.len(), seed, at };
            tally.add_all(side);
        }
    }
    largest(seen.into_iter().map(|(key, seen)| part(key, &seen)).collect())
}

/// Adds parts of one side under one seed.
struct Tally<'a, 't> {
    seen: &'t mut BTreeMap<Key, Seen<'a>>,
    seeds: usize,
    seed: usize,
    at: usize,
}

impl<'a> Tally<'a, '_> {
    fn add_all(&mut self, side: &Chosen<'a>) {
        for account in &side.phases {
            self.add_account(account, side.rounds);
        }
    }

    fn add_account(&mut self, account: &'a Account, rounds: f64) {
        let Some(workload) = &account.workload else { return };
        for ran in &workload.running {
            let function = ran.frames.first().map(|frame| normal(frame));
            let key = (PartKind::Running, function);
            self.add(key, &ran.frames, ran.ns as f64 / rounds);
        }
        for ready in &workload.ready {
            let key = (PartKind::Ready, Some(ready.holder.clone()));
            self.add(key, &[], ready.ns as f64 / rounds);
        }
        for wait in &workload.blocked {
            let key = (PartKind::Blocked, naming(&wait.frames).map(|frame| normal(frame)));
            let (at, seen) = (self.at, self.add(key, &wait.frames, wait.ns as f64 / rounds));
            let longest = &mut seen.waits[at];
            *longest = longest.filter(|longest| longest.ns >= wait.ns).or(Some(wait));
        }
    }

    fn add(&mut self, key: Key, path: &'a [String], ns: f64) -> &mut Seen<'a> {
        let seen = self.seen.entry(key).or_default();
        seen.values.resize(self.seeds, [0.0; 2]);
        seen.values[self.seed][self.at] += ns;
        *seen.paths[self.at].entry(path).or_default() += ns;
        seen
    }
}

fn part((kind, name): Key, seen: &Seen<'_>) -> Part {
    let seeds = seen.values.len() as f64;
    let mean = |at: usize| seen.values.iter().map(|values| values[at]).sum::<f64>() / seeds;
    let (baseline_ns, variant_ns) = (mean(0), mean(1));
    let larger = usize::from(variant_ns > baseline_ns);
    let paths = seen.paths[larger].iter();
    let heaviest = paths.reduce(|most, next| if next.1 > most.1 { next } else { most });
    let frames = heaviest.map(|(path, _)| path.to_vec()).unwrap_or_default();
    let what = match kind {
        PartKind::Blocked => naming(&frames).cloned(),
        _ => name,
    };
    Part {
        kind,
        what: what.unwrap_or_else(|| "call paths that are not told apart".to_owned()),
        frames,
        chain: seen.waits[larger].map(waits::chain).unwrap_or_default(),
        baseline_ns,
        variant_ns,
        by_chance: is_by_chance(&seen.values),
    }
}

/// See [`Part::by_chance`].
fn is_by_chance(values: &[[f64; 2]]) -> bool {
    let differences = || values.iter().map(|[baseline, variant]| variant - baseline);
    let one_sign = differences().all(|ns| ns > 0.0) || differences().all(|ns| ns < 0.0);
    let mean = differences().sum::<f64>() / values.len() as f64;
    let spread = |at: usize| {
        let side = || values.iter().map(|values| values[at]);
        side().fold(f64::MIN, f64::max) - side().fold(f64::MAX, f64::min)
    };
    !one_sign || mean.abs() < spread(0).max(spread(1))
}

/// The largest differences, of which the last ones make a hundredth of all at most.
fn largest(mut parts: Vec<Part>) -> Vec<Part> {
    let size = |part: &Part| part.difference().abs();
    parts.sort_by(|one, other| {
        let names = |part: &Part| (part.kind, part.what.clone(), part.frames.clone());
        size(other).total_cmp(&size(one)).then_with(|| names(one).cmp(&names(other)))
    });
    let enough = parts.iter().map(size).sum::<f64>() * KEPT_SHARE;
    let mut kept = 0.0;
    let wanted = parts.iter().take(MOST).take_while(|part| {
        let wanted = kept < enough;
        kept += size(part);
        wanted
    });
    let wanted = wanted.count();
    parts.truncate(wanted);
    parts
}
