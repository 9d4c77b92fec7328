//! Which of the suspects to try.
//!
//! Skipped candidates are not counted: they are told apart by trying the others, of which each try
//! is to clear half. The best of these parts them evenly and is likely to work. How likely, d steps
//! from the nearest of s skipped ones, is taken to be d/(d + s): next to a single one it is an even
//! chance, and where many were found to be broken, the range is probably as long again. So a
//! broken range costs about as many tries as its length has digits, not its length.

use super::history::History;
use super::{Mark, Search};

/// The suspects alone, numbered in order.
struct Suspects {
    candidates: Vec<usize>,
    history: History,
    skipped: Vec<usize>,
    /// Of each, how many that are not skipped it stands on, itself among them.
    below: Vec<usize>,
    /// How many are not skipped.
    counted: usize,
}

impl Search {
    /// The candidate to try next, if any try could tell more.
    pub(super) fn choice(&self) -> Option<usize> {
        let suspects = Suspects::of(self);
        let open = |at: &usize| self.tried[suspects.candidates[*at]].is_none();
        let open: Vec<usize> = (0..suspects.candidates.len()).filter(open).collect();
        let near = open.iter().copied().filter(|at| suspects.in_time(*at, self.left)).collect();
        let best = suspects.likely(near).or_else(|| suspects.most_even(&open))?;
        Some(suspects.candidates[best])
    }
}

impl Suspects {
    fn of(search: &Search) -> Suspects {
        let candidates = search.suspects();
        let history = search.history.of(&candidates);
        let skip = |at: &usize| search.tried[candidates[*at]] == Some(Mark::Skipped);
        let skipped: Vec<usize> = (0..candidates.len()).filter(skip).collect();
        let mut counted = vec![true; candidates.len()];
        skipped.iter().for_each(|at| counted[*at] = false);
        let below = history.counts(&counted);
        let counted = candidates.len() - skipped.len();
        Suspects { candidates, history, skipped, below, counted }
    }

    /// How many are left if `at` turns out to be old, and if new, the smaller number first.
    fn halves(&self, at: usize) -> (usize, usize) {
        let (new, old) = (self.below[at], self.counted - self.below[at]);
        (new.min(old), new.max(old))
    }

    /// Whether trying `at` tells anything, and leaves no more than `left` tries can halve.
    fn in_time(&self, at: usize, left: f64) -> bool {
        let (smaller, larger) = self.halves(at);
        smaller > 0 && (larger as f64).log2() + 1.0 <= left
    }

    /// The one of `open` that clears most in the worst case, weighed by how likely it can be tried;
    /// the first of several.
    fn likely(&self, open: Vec<usize>) -> Option<usize> {
        let distances = self.history.distances(&self.skipped);
        let works = |at: usize| {
            let skipped = self.skipped.len() as f64;
            distances[at].map_or(1.0, |steps| f64::from(steps) / (f64::from(steps) + skipped))
        };
        let weighed = open.into_iter().map(|at| (at, self.halves(at).0 as f64 * works(at)));
        weighed.rev().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at)
    }

    /// The one of `open` that clears most in the worst case; the first of several.
    fn most_even(&self, open: &[usize]) -> Option<usize> {
        let telling = open.iter().copied().filter(|at| self.halves(*at).0 > 0);
        telling.rev().max_by_key(|at| self.halves(*at).0)
    }
}
