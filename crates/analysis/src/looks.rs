//! When a comparison is judged, and what each look may cost.
//!
//! Whoever looks several times and stops when something shows gives chance several chances. Here
//! the looks share one total of error: the probability that any of them is wrong is at most the sum
//! of theirs (the union bound), however their data depend on each other.

use model::Extent;

use crate::interval::LEAST_PAIRS;

/// The share of the total that the first look may take.
const FIRST_SHARE: f64 = 0.625;

/// By what factor the pairs of a later look exceed those of the one before, about.
const GROWTH: f64 = 1.5;

/// One look at the data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The number of pairs at which it is taken.
    pub pairs: u32,
    /// The probability with which its interval may fail to cover the truth.
    pub error: f64,
}

/// The planned looks of a comparison, in the order of their pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct Looks {
    looks: Vec<Look>,
    error: f64,
}

/// The error that each of `contrasts` comparisons with the baseline may make so that all together
/// are right with the probability `confidence` (Bonferroni).
#[must_use]
pub fn contrast_error(confidence: f64, contrasts: usize) -> f64 {
    (1.0 - confidence) / contrasts.max(1) as f64
}

/// The least number of pairs that can reject at all at `error` (above 0): all on one side, which
/// chance does with the probability 2/2ⁿ. At least [`LEAST_PAIRS`].
#[must_use]
pub fn least_pairs(error: f64) -> u32 {
    let least = LEAST_PAIRS as u32;
    (least..).find(|n| least_p(*n) <= error).unwrap_or(u32::MAX)
}

/// The smallest p-value that n pairs can have.
fn least_p(n: u32) -> f64 {
    2.0 * 0.5_f64.powf(f64::from(n))
}

impl Looks {
    /// One look at `pairs`, with the whole of `error`.
    #[must_use]
    pub fn fixed(pairs: u32, error: f64) -> Looks {
        Looks { looks: vec![Look { pairs, error }], error }
    }

    /// Looks until the verdict is clear, the last at `most` pairs.
    ///
    /// The first is taken at the smallest number n of pairs at which all leaning to one side (2/2ⁿ)
    /// costs at most 5/8 of `error`, and costs just that: a large effect is clear there. The later
    /// ones share the rest evenly, each with about 1.5 times the pairs of the one before and enough
    /// to reject at all. For 48 pairs and an error of 0.05: 6, 10, 15, 22, 32, 48.
    ///
    /// Where `most` leaves no room for a second look, it is one look as in [`Looks::fixed`].
    #[must_use]
    pub fn until_clear(most: u32, error: f64) -> Looks {
        let first = least_pairs(FIRST_SHARE * error);
        let rest = error - least_p(first);
        let later = if first < most { later_looks(first, most, rest) } else { Vec::new() };
        if later.is_empty() {
            return Looks::fixed(most, error);
        }
        let share = rest / later.len() as f64;
        let mut looks = vec![Look { pairs: first, error: least_p(first) }];
        looks.extend(later.into_iter().map(|pairs| Look { pairs, error: share }));
        Looks { looks, error }
    }

    /// The looks of `extent`.
    #[must_use]
    pub fn of(extent: Extent, error: f64) -> Looks {
        match extent {
            Extent::Pairs(pairs) | Extent::Stored(pairs) => Looks::fixed(pairs, error),
            Extent::UntilClear(most) => Looks::until_clear(most, error),
        }
    }

    /// The looks, in the order of their pairs; at least one.
    #[must_use]
    pub fn as_slice(&self) -> &[Look] {
        &self.looks
    }

    /// The error that one last, unplanned look may cost after the first `taken` planned ones, where
    /// the comparison ends early: all that they left. No planned look may follow it, and what ended
    /// the comparison must not be what was measured.
    #[must_use]
    pub fn unspent(&self, taken: usize) -> f64 {
        let spent: f64 = self.looks.iter().take(taken).map(|look| look.error).sum();
        (self.error - spent).max(0.0)
    }
}

/// The pairs of the looks after `first`, which share `rest`: as many as there is room for. None
/// where not even one at `most` can reject.
fn later_looks(first: u32, most: u32, rest: f64) -> Vec<u32> {
    let start = |looks: u32| {
        let grown = (f64::from(first) * GROWTH).ceil() as u32;
        grown.max(least_pairs(rest / f64::from(looks)))
    };
    let fits = |looks: u32| {
        let room = (f64::from(most) / f64::from(start(looks))).ln() / GROWTH.ln();
        f64::from(looks - 1) <= room.round() && start(looks) < most
    };
    match (2..=most).take_while(|looks| fits(*looks)).last() {
        Some(looks) => spaced(start(looks), most, looks),
        None if least_pairs(rest) <= most => vec![most],
        None => Vec::new(),
    }
}

/// `looks` numbers from `start` to `most`, each exceeding the one before by the same factor.
fn spaced(start: u32, most: u32, looks: u32) -> Vec<u32> {
    let factor = f64::from(most) / f64::from(start);
    let at = |look: u32| {
        let part = f64::from(look) / f64::from(looks - 1);
        (f64::from(start) * factor.powf(part)).round() as u32
    };
    (0..looks).map(at).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pairs(looks: &Looks) -> Vec<u32> {
        looks.as_slice().iter().map(|look| look.pairs).collect()
    }

    #[test]
    fn looks_at_the_usual_error() {
        for (most, expected) in [
            (48, vec![6, 10, 15, 22, 32, 48]),
            (24, vec![6, 9, 15, 24]),
            (12, vec![6, 9, 12]),
            (8, vec![6, 8]),
            (7, vec![6, 7]),
            (6, vec![6]),
            (3, vec![3]),
        ] {
            assert_eq!(pairs(&Looks::until_clear(most, 0.05)), expected, "at most {most}");
        }
    }

    #[test]
    fn the_first_look_costs_what_it_can_reject_with() {
        let looks = Looks::until_clear(48, 0.05);
        assert_eq!(looks.as_slice()[0], Look { pairs: 6, error: 2.0 / 64.0 });
        let later = (0.05 - 2.0 / 64.0) / 5.0;
        assert!(looks.as_slice()[1..].iter().all(|look| (look.error - later).abs() < 1e-15));
    }

    #[test]
    fn more_contrasts_need_more_pairs() {
        let looks = Looks::until_clear(48, contrast_error(0.95, 4));
        assert_eq!(pairs(&looks), [8, 12, 19, 30, 48]);
        assert_eq!(least_pairs(0.05), 6);
        assert_eq!(least_pairs(0.01), 8);
    }

    #[test]
    fn what_is_not_spent_is_left() {
        let looks = Looks::until_clear(48, 0.05);
        assert_eq!(looks.unspent(0), 0.05);
        assert!((looks.unspent(1) - (0.05 - 0.03125)).abs() < 1e-15);
        assert!(looks.unspent(6) < 1e-15);
        assert_eq!(looks.unspent(7), looks.unspent(6));
        assert_eq!(Looks::fixed(10, 0.05).unspent(1), 0.0);
    }

    #[test]
    fn an_extent_has_its_looks() {
        assert_eq!(Looks::of(Extent::Pairs(10), 0.05), Looks::fixed(10, 0.05));
        assert_eq!(Looks::of(Extent::UntilClear(48), 0.05), Looks::until_clear(48, 0.05));
    }

    proptest! {
        #[test]
        fn looks_never_cost_more_than_the_total(most in 1_u32..=400, error in 1e-4..0.3_f64) {
            let looks = Looks::until_clear(most, error);
            let sum: f64 = looks.as_slice().iter().map(|look| look.error).sum();
            prop_assert!(sum <= error * (1.0 + 1e-12), "{sum} of {error}");
            for taken in 0..=looks.as_slice().len() {
                let spent: f64 = looks.as_slice()[..taken].iter().map(|look| look.error).sum();
                prop_assert!(spent + looks.unspent(taken) <= error * (1.0 + 1e-12));
            }
        }

        #[test]
        fn every_look_of_several_can_reject(most in 1_u32..=400, error in 1e-4..0.3_f64) {
            let looks = Looks::until_clear(most, error);
            let slice = looks.as_slice();
            prop_assert_eq!(slice.last().map(|look| look.pairs), Some(most));
            prop_assert!(slice.windows(2).all(|two| two[0].pairs < two[1].pairs), "{:?}", slice);
            let able = |look: &Look| look.pairs >= 6 && least_p(look.pairs) <= look.error;
            prop_assert!(slice.len() == 1 || slice.iter().all(able), "{:?}", slice);
        }
    }
}
