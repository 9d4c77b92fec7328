//! Random histories, as they are written: lines that part and come together again.

use fastrand::Rng;

/// The parents of `candidates` commits, each of which, with the probability `parting`, begins a line
/// of its own on an earlier one or, one time in ten, on the good end, and with the same
/// probability brings two lines together. The last stands on all. With 0 it is a line.
pub(crate) fn history(rng: &mut Rng, candidates: usize, parting: f64) -> Vec<Vec<usize>> {
    let mut tips: Vec<usize> = Vec::new();
    let mut parents = Vec::with_capacity(candidates);
    for at in 0..candidates {
        let left = candidates - at;
        let merges = tips.len() > 1 && (rng.f64() < parting || tips.len() >= left);
        let parts = !merges && at > 0 && tips.len() + 1 < left && rng.f64() < parting;
        parents.push(match (merges, parts) {
            (true, _) => vec![take(rng, &mut tips), take(rng, &mut tips)],
            (_, true) => (rng.f64() < 0.9).then(|| rng.usize(0..at)).into_iter().collect(),
            _ if tips.is_empty() => Vec::new(),
            _ => vec![take(rng, &mut tips)],
        });
        tips.push(at);
    }
    parents
}

fn take(rng: &mut Rng, open: &mut Vec<usize>) -> usize {
    open.swap_remove(rng.usize(0..open.len()))
}

/// Which are `candidate` or its ancestors.
pub(crate) fn ancestors(parents: &[Vec<usize>], candidate: usize) -> Vec<bool> {
    let mut below = vec![false; parents.len()];
    let mut open = vec![candidate];
    while let Some(at) = open.pop() {
        if !std::mem::replace(&mut below[at], true) {
            open.extend(&parents[at]);
        }
    }
    below
}

/// Broken ranges: each from where it broke on, up to where it was mended.
pub(crate) fn broken(
    rng: &mut Rng,
    parents: &[Vec<usize>],
    ranges: usize,
    longest: usize,
) -> Vec<bool> {
    let mut broken = vec![false; parents.len()];
    for _ in 0..ranges {
        let broke = rng.usize(0..parents.len());
        let mended = (broke + 1 + rng.usize(0..longest)).min(parents.len() - 1);
        for (at, broken) in broken.iter_mut().enumerate().take(mended).skip(broke) {
            *broken |= ancestors(parents, at)[broke];
        }
    }
    broken[parents.len() - 1] = false;
    broken
}
