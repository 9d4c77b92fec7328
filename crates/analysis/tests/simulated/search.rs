//! The search finds what can be found, in about as many tries as it says.

use analysis::search::{Mark, Next, Search};
use fastrand::Rng;

use crate::histories::{ancestors, broken, history};

/// What a search came to.
struct End {
    found: Vec<usize>,
    tried: u32,
    skipped: u32,
}

/// Searches for `culprit` where those that are `broken` cannot be tried.
fn search(parents: &[Vec<usize>], culprit: usize, broken: &[bool]) -> End {
    let mut search = Search::between(parents, None, parents.len() - 1);
    let (mut tried, mut skipped) = (0, 0);
    loop {
        match search.next() {
            Next::Found(found) => return End { found, tried, skipped },
            Next::Try(at) if broken[at] => {
                search.mark(at, Mark::Skipped);
                skipped += 1;
            }
            Next::Try(at) if ancestors(parents, at)[culprit] => search.mark(at, Mark::New),
            Next::Try(at) => search.mark(at, Mark::Old),
        }
        tried += 1;
        assert!(tried as usize <= parents.len(), "never twice");
    }
}

fn halvings(count: usize) -> u32 {
    (count as f64).log2().ceil() as u32
}

/// Whether all that could be tried told what it could: one that works, which is new, and ancestors
/// of it that do not, the culprit among them.
fn is_all(found: &[usize], parents: &[Vec<usize>], culprit: usize, broken: &[bool]) -> bool {
    let Some((newest, skipped)) = found.split_last() else { return false };
    let below = ancestors(parents, *newest);
    !broken[*newest]
        && skipped.iter().all(|at| broken[*at] && below[*at])
        && found.contains(&culprit)
}

/// Those on a line that cannot be told from `culprit`: no one that works is between.
fn alike(culprit: usize, broken: &[bool]) -> Vec<usize> {
    let first = (0..culprit).rev().find(|at| !broken[*at]).map_or(0, |old| old + 1);
    let last = (culprit..broken.len()).find(|at| !broken[*at]).unwrap_or(culprit);
    (first..=last).collect()
}

/// Searches in `runs` random histories of up to 100 candidates: how often so many tries more than
/// the logarithm and the skipped ones were taken.
fn excess(seed: u64, runs: u32, parting: f64, ranges: usize, longest: usize) -> Vec<u32> {
    let mut rng = Rng::with_seed(seed);
    let mut excess = vec![0; 8];
    for _ in 0..runs {
        let candidates = rng.usize(1..=100);
        let parents = history(&mut rng, candidates, parting);
        let broken = broken(&mut rng, &parents, ranges, longest);
        let culprit = rng.usize(0..candidates);
        let end = search(&parents, culprit, &broken);
        assert!(is_all(&end.found, &parents, culprit, &broken), "{:?} of {parents:?}", end.found);
        assert!(parting > 0.0 || end.found == alike(culprit, &broken), "{:?}", end.found);
        let more = (end.tried - end.skipped).saturating_sub(halvings(candidates));
        excess[more as usize] += 1;
    }
    excess
}

#[test]
fn lines_take_the_logarithm_and_one() {
    for (ranges, longest) in [(0, 1), (1, 5), (1, 20), (1, 60), (3, 10), (10, 3), (30, 1)] {
        let excess = excess(11, 300, 0.0, ranges, longest);
        println!("a line, {ranges} ranges of up to {longest}: {excess:?} took more");
        assert!(excess[2..].iter().all(|runs| *runs == 0), "{ranges} of {longest}: {excess:?}");
    }
}

#[test]
fn histories_with_merges_take_the_logarithm_and_two() {
    for parting in [0.02, 0.05, 0.1, 0.3] {
        for (ranges, longest) in [(0, 1), (1, 5), (1, 20), (3, 10)] {
            let excess = excess(12, 300, parting, ranges, longest);
            println!("{parting}, {ranges} ranges of up to {longest}: {excess:?} took more");
            assert!(excess[3..].iter().all(|runs| *runs == 0), "{parting}: {excess:?}");
        }
    }
}

/// A trunk that is broken for most of its length leaves its side lines to be gone through one by
/// one; that takes more, but seldom.
#[test]
fn where_most_is_broken_it_seldom_takes_more() {
    for (parting, ranges, longest) in [(0.1, 1, 60), (0.3, 1, 60), (0.3, 10, 3), (0.3, 30, 1)] {
        let excess = excess(13, 300, parting, ranges, longest);
        println!("{parting}, {ranges} ranges of up to {longest}: {excess:?} took more");
        assert!(excess[3..].iter().sum::<u32>() <= 6, "{parting}: {excess:?}");
    }
}

#[test]
fn a_broken_range_beside_the_culprit_is_not_gone_through() {
    let parents = history(&mut Rng::with_seed(1), 100, 0.0);
    let mut skipped = Vec::new();
    for from in 0..79 {
        let broken: Vec<bool> = (0..100).map(|at| (from..from + 20).contains(&at)).collect();
        for culprit in (0..from).chain(from + 21..100) {
            let end = search(&parents, culprit, &broken);
            assert_eq!(end.found, [culprit]);
            skipped.push(end.skipped);
        }
    }
    let mean = f64::from(skipped.iter().sum::<u32>()) / skipped.len() as f64;
    println!("a range of 20 in 100: {mean:.2} skipped");
    assert!(mean < 3.0, "{mean}");
}

#[test]
fn a_merge_of_many_is_gone_through_one_by_one() {
    let mut parents = vec![Vec::new(); 12];
    parents.push((0..12).collect());
    let end = search(&parents, 12, &[false; 13]);
    assert_eq!((end.found, end.tried), (vec![12], 12));
}

#[test]
fn many_thousands_are_no_matter() {
    let parents = history(&mut Rng::with_seed(2), 20_000, 0.1);
    let end = search(&parents, 12_345, &vec![false; 20_000]);
    assert_eq!(end.found, [12_345]);
    assert!(end.tried <= halvings(20_000) + 2, "{}", end.tried);
}
