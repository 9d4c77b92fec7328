//! One dot a seed: the values of a series on a scale.

use crate::quantity::nanoseconds;

/// The scale that the sides of a phase share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    least: f64,
    greatest: f64,
    columns: usize,
}

impl Scale {
    /// The scale of `columns` (at least 1) from the least to the greatest of finite values; `None`
    /// where there are none.
    pub(crate) fn of(values: impl Iterator<Item = f64> + Clone, columns: usize) -> Option<Scale> {
        let least = values.clone().reduce(f64::min)?;
        let greatest = values.reduce(f64::max)?;
        Some(Scale { least, greatest, columns: columns.max(1) })
    }

    /// Both ends with their times, ns: `1.934 s ──────── 2.402 s`; of equal values the one time. It
    /// is as wide as the scale, or wider where the scale has no room for it.
    pub(crate) fn axis(&self) -> String {
        let (least, greatest) = (nanoseconds(self.least), nanoseconds(self.greatest));
        if self.least >= self.greatest {
            return format!("{:<1$}", format!("all {least}"), self.columns);
        }
        let taken = least.chars().count() + greatest.chars().count() + 2;
        let rule = "─".repeat(self.columns.saturating_sub(taken).max(1));
        format!("{least} {rule} {greatest}")
    }

    /// The dots of a side, without blanks at the end: in a column that has several values stands
    /// `:` for two, `⁝` for three, a digit for four to nine, and `+` for more.
    pub(crate) fn dots(&self, values: &[f64]) -> String {
        let dots: String = self.counts(values).into_iter().map(dot).collect();
        dots.trim_end().to_owned()
    }

    /// How many of the values fall into each column.
    fn counts(&self, values: &[f64]) -> Vec<usize> {
        let mut counts = vec![0; self.columns];
        for value in values {
            counts[self.column(*value)] += 1;
        }
        counts
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "0 to `columns`"
    )]
    fn column(&self, value: f64) -> usize {
        let range = self.greatest - self.least;
        if range <= 0.0 {
            return 0;
        }
        let last = self.columns - 1;
        let column = ((value - self.least) / range * last as f64).round();
        (column as usize).min(last)
    }
}

fn dot(count: usize) -> char {
    match count {
        0 => ' ',
        1 => '·',
        2 => ':',
        3 => '⁝',
        4..=9 => char::from_digit(count as u32, 10).unwrap_or('+'),
        _ => '+',
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn scale(values: &[f64], columns: usize) -> Scale {
        Scale::of(values.iter().copied(), columns).expect("there are values")
    }

    #[test]
    fn dots_pile_up() {
        let mut values = vec![0.0, 1e9, 1e9, 2e9, 2e9, 2e9];
        values.extend([4e9; 9]);
        values.extend([5e9; 12]);
        let scale = scale(&values, 6);
        assert_eq!(scale.dots(&values), "·:⁝ 9+");
        assert_eq!(scale.dots(&values[..2]), "··");
        assert_eq!(scale.dots(&[]), "");
        assert_eq!(scale.axis(), "0 s ─ 5.000 s");
    }

    #[test]
    fn the_ends_of_the_scale_stand_at_its_ends() {
        let scale = scale(&[1e9, 2e9], 30);
        assert_eq!(scale.axis(), "1.000 s ────────────── 2.000 s");
        assert_eq!(scale.axis().chars().count(), 30);
        assert_eq!(scale.dots(&[2e9]), format!("{}·", " ".repeat(29)));
    }

    #[test]
    fn equal_values_have_one_place() {
        let scale = scale(&[7e6; 3], 14);
        assert_eq!(
            (scale.axis(), scale.dots(&[7e6; 3])),
            ("all 7.000 ms  ".to_owned(), "⁝".to_owned())
        );
        assert_eq!(Scale::of(std::iter::empty(), 10), None);
    }

    proptest! {
        #[test]
        fn every_value_has_its_dot(
            values in prop::collection::vec(0.0..1e300_f64, 1..200),
            columns in 0_usize..80,
        ) {
            let scale = scale(&values, columns);
            prop_assert_eq!(scale.counts(&values).iter().sum::<usize>(), values.len());
            prop_assert_eq!(scale.counts(&values).len(), columns.max(1));
            prop_assert!(scale.dots(&values).chars().count() <= columns.max(1));
        }

        #[test]
        fn a_longer_time_is_never_further_left(a in 0.0..1e12_f64, b in 0.0..1e12_f64) {
            let scale = scale(&[0.0, 1e12], 50);
            prop_assert!(a > b || scale.column(a) <= scale.column(b));
        }
    }
}
