//! The search's next candidate, on a graph of commits.
//!
//! A candidate is new if the culprit is itself or among its ancestors, and old otherwise. So an old
//! candidate clears itself and all its ancestors, and a new one clears all others: what is left are
//! the **suspects**. The candidate to try next is the one that clears most whatever comes of it,
//! the one with half of the suspects among its ancestors, as `git bisect` chooses (git's
//! `bisect.c`, `find_bisection`). Like git it tries nobody but suspects.
//!
//! A candidate that could not be tried stays a suspect. It is likely that what broke it breaks its
//! neighbours, too, so the next one is sought at a distance that grows with the number of skipped
//! ones (`choice.rs`), and no farther than the tries that are left allow.
//!
//! # How many tries
//!
//! On a line there are always even halves: ⌈log₂ n⌉ + 1 tries of n suspects, and one for each that is
//! skipped. Histories with merges, as they are written, rarely take one more (`tests/simulated`).
//! Where nobody stands on more than two, one of the two holds half of what is below, so that some
//! try leaves at most two thirds. But a merge of many lines of one commit each must be gone
//! through commit by commit, by any method, and so must such side lines of a trunk that is broken.
//!
//! Where the culprit lies within a broken range, all of the range is tried: each one that works
//! could clear some.

mod choice;
mod history;
#[cfg(test)]
mod tests;

use history::History;

/// How many halvings the search may lose to uneven halves, where that spares it skipped candidates.
const UNEVEN: f64 = 0.5;

/// A search for the candidate that made all those new that stand on it.
#[derive(Clone, Debug)]
pub struct Search {
    history: History,
    /// Whether it may still be the culprit.
    suspect: Vec<bool>,
    /// Whether it is older than the culprit, for certain.
    old: Vec<bool>,
    /// What was tried of it, if it was.
    tried: Vec<Option<Mark>>,
    /// Tries after which the search should be over, those of skipped candidates not counted.
    left: f64,
}

/// What came of trying a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It is like the older end: it and all its ancestors are suspects no more.
    Old,
    /// It is like the newer end: only it and its ancestors are suspects.
    New,
    /// It could not be tried.
    Skipped,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Try this candidate.
    Try(usize),
    /// Nothing more can be told. One suspect: the culprit. Several, in order: a new one and
    /// ancestors of it that could not be tried; each of them may be the culprit. None: the marks
    /// contradict each other.
    Found(Vec<usize>),
}

impl Search {
    /// A search among `newer`, known to be new, and its ancestors, without `older`, known to be old
    /// (`None`: the good end, which stands before all candidates), and its ancestors.
    ///
    /// `parents[i]` are the candidates on which candidate i stands directly, each smaller than i;
    /// whatever is not smaller is left out. One that stands on the good end alone has none.
    #[must_use]
    pub fn between(parents: &[Vec<usize>], older: Option<usize>, newer: usize) -> Search {
        let history = History::new(parents);
        let mut search = Search {
            suspect: history.ancestors(newer),
            old: vec![false; parents.len()],
            tried: vec![None; parents.len()],
            left: 0.0,
            history,
        };
        if let Some(older) = older {
            search.mark(older, Mark::Old);
        }
        search.mark(newer, Mark::New);
        search.left = (search.suspects().len() as f64).log2() + UNEVEN;
        search
    }

    /// Takes note of what a suspect is like. What an earlier mark cleared stays cleared. One that
    /// was old or new once is never taken for skipped.
    pub fn mark(&mut self, candidate: usize, mark: Mark) {
        let Some(tried) = self.tried.get_mut(candidate) else { return };
        if mark == Mark::Skipped {
            tried.get_or_insert(mark);
            return;
        }
        *tried = Some(mark);
        self.left -= 1.0;
        let below = self.history.ancestors(candidate);
        let cleared = mark == Mark::Old;
        for (at, below) in below.into_iter().enumerate() {
            self.suspect[at] &= below != cleared;
            self.old[at] |= below && cleared;
        }
    }

    /// Those that may be the culprit, in order.
    #[must_use]
    pub fn suspects(&self) -> Vec<usize> {
        (0..self.suspect.len()).filter(|at| self.suspect[*at]).collect()
    }

    /// What to do next. It is the same however often it is asked.
    #[must_use]
    pub fn next(&self) -> Next {
        self.choice().map_or_else(|| Next::Found(self.suspects()), Next::Try)
    }

    /// About how many tries are left: ⌈log₂⌉ of the number of suspects.
    #[must_use]
    pub fn expected(&self) -> u32 {
        halvings(self.suspect.iter().filter(|suspect| **suspect).count())
    }

    /// What to compare `candidate` with, once it is the culprit: its first parent, which is known to be
    /// old by then. Before that, where the first parent is not known to be old, the newest ancestor
    /// that is. `None`: the good end. It may be one that could not be tried.
    #[must_use]
    pub fn parent_of(&self, candidate: usize) -> Option<usize> {
        let first = self.history.parents(candidate).first().copied();
        first.filter(|parent| self.old[*parent]).or_else(|| {
            let below = self.history.ancestors(candidate);
            (0..candidate.min(below.len())).rev().find(|at| below[*at] && self.old[*at])
        })
    }
}

/// How often `count` must be halved until one is left.
fn halvings(count: usize) -> u32 {
    count.max(1).next_power_of_two().trailing_zeros()
}
