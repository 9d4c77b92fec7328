//! One judgement's figures in words.

use super::{Kind, TIMES_FROM, longer_percent, ratio};
use crate::text::GLUE;

/// Where an interval reaches beyond [`TIMES_FROM`], its effect and its ends are told as times from
/// here on, so that they are alike.
const TIMES_FROM_BESIDE: f64 = 1.5;

/// Ratios beyond this are only said to be beyond it.
const MOST: f64 = 1e6;

/// How exactly the figures of one judgement are told, and from where on as times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Wording {
    decimals: Option<usize>,
    times_from: f64,
}

impl Wording {
    /// The wording of an effect with its interval: the narrower the interval, the more digits.
    pub(crate) fn of(effect: f64, interval: Option<(f64, f64)>) -> Wording {
        let (low, high) = interval.unwrap_or((effect, effect));
        let far = low.abs().max(high.abs()).max(effect.abs());
        let beside = far > TIMES_FROM.ln() && effect.abs() > TIMES_FROM_BESIDE.ln();
        let times_from = if beside { TIMES_FROM_BESIDE } else { TIMES_FROM };
        let mut wording = Wording { decimals: None, times_from };
        // A width between times and per cent is none.
        let alike = wording.kind(low).is_times() == wording.kind(high).is_times();
        if low < high && alike {
            let (low, high) = (wording.magnitude(low), wording.magnitude(high));
            wording.decimals = Some(decimals_of_width(high - low));
        }
        wording
    }

    /// `23.1 % longer`, `23.1 % shorter`, `4.6 times as long`, `4.6 times as fast`, or `just as long`.
    pub(crate) fn phrase(self, effect: f64) -> String {
        match self.number(effect) {
            number if is_zero(&number) => "just as long".to_owned(),
            number => format!("{number}{}", self.kind(effect).words()),
        }
    }

    /// The figure without its direction: `23.1 %`, `4.6 times`.
    pub(crate) fn bare(self, effect: f64) -> String {
        format!("{}{}", self.number(effect), self.kind(effect).unit())
    }

    /// The phrase with what joins it to the other side: `23.1 % longer than`, `just as long as`.
    pub(crate) fn compared(self, effect: f64) -> String {
        match is_zero(&self.number(effect)) {
            true => "just as long as".to_owned(),
            false => format!("{} {}", self.phrase(effect), self.kind(effect).than()),
        }
    }

    /// The same as what a phase does: `takes 23.1 % longer than`, `takes 23.1 % less time than`,
    /// `is 4.6 times as fast as`.
    pub(crate) fn clause(self, effect: f64) -> String {
        match self.kind(effect) {
            Kind::Shorter => format!("takes {}{GLUE}% less time than", self.number(effect)),
            Kind::TimesAsFast => format!("is {}", self.compared(effect)),
            Kind::Longer | Kind::TimesAsLong => format!("takes {}", self.compared(effect)),
        }
    }

    /// The interval: `21.0 to 25.4 % longer`, `3.0 % shorter to 11.2 % longer`.
    pub(crate) fn range(self, interval: (f64, f64)) -> String {
        match self.one_sided(interval) {
            Some((from, to, kind)) => format!("{from}{GLUE}to{GLUE}{to}{}", kind.words()),
            None => {
                let (low, high) = (self.phrase(interval.0), self.phrase(interval.1));
                if low == high { low } else { format!("{low} to {high}") }
            }
        }
    }

    /// The interval behind a phrase that has the direction: `21.0 to 25.4 %`, `4.2 to 5.1 times`.
    pub(crate) fn range_after(self, interval: (f64, f64)) -> String {
        match self.one_sided(interval) {
            Some((from, to, kind)) => format!("{from}{GLUE}to{GLUE}{to}{}", kind.unit()),
            None => self.range(interval),
        }
    }

    /// The change for a table, plus being better: `-23.1 %`, `+0.4 %`, `4.6x as long`.
    pub(crate) fn change(self, effect: f64) -> String {
        format!("{}{}", self.signed(effect), self.kind(effect).cell())
    }

    /// The change's interval for a table: `-25.4 to -21.0 %`, `4.2 to 5.1x`.
    pub(crate) fn change_range(self, (low, high): (f64, f64)) -> String {
        let times = [low, high].map(|end| self.kind(end).is_times());
        match (times, self.one_sided((low, high))) {
            ([true, true], Some((from, to, _))) => format!("{from} to {to}x"),
            ([false, false], _) => format!("{} to {} %", self.signed(high), self.signed(low)),
            _ => format!("{} to {}", self.change(high), self.change(low)),
        }
    }

    /// Both ends as numbers in ascending order where they depart from 1 in the same way; 0 goes with
    /// either direction.
    fn one_sided(self, (low, high): (f64, f64)) -> Option<(String, String, Kind)> {
        let (low_number, high_number) = (self.number(low), self.number(high));
        let (low_kind, high_kind) = match (is_zero(&low_number), is_zero(&high_number)) {
            (true, true) => return None,
            (true, false) => (Kind::Longer, self.kind(high)),
            (false, true) => (self.kind(low), Kind::Shorter),
            (false, false) => (self.kind(low), self.kind(high)),
        };
        let bare = |number: String| if is_zero(&number) { "0".to_owned() } else { number };
        let (low, high) = (bare(low_number), bare(high_number));
        match low_kind {
            kind if kind != high_kind => None,
            Kind::Longer | Kind::TimesAsLong => Some((low, high, low_kind)),
            Kind::Shorter | Kind::TimesAsFast => Some((high, low, low_kind)),
        }
    }

    fn signed(self, effect: f64) -> String {
        let number = self.number(effect);
        match self.kind(effect) {
            Kind::Longer if !is_zero(&number) => format!("-{number}"),
            Kind::Shorter if !is_zero(&number) => format!("+{number}"),
            _ => number,
        }
    }

    fn kind(self, effect: f64) -> Kind {
        match (effect < 0.0, effect.abs() > self.times_from.ln()) {
            (false, false) => Kind::Longer,
            (true, false) => Kind::Shorter,
            (false, true) => Kind::TimesAsLong,
            (true, true) => Kind::TimesAsFast,
        }
    }

    /// The figure of its kind, with the sign of longer; so that widths can be taken of it.
    fn magnitude(self, effect: f64) -> f64 {
        match self.kind(effect) {
            Kind::Longer | Kind::Shorter => longer_percent(effect),
            Kind::TimesAsLong => ratio(effect),
            Kind::TimesAsFast => -ratio(-effect),
        }
    }

    fn number(self, effect: f64) -> String {
        let figure = self.magnitude(effect).abs();
        if self.kind(effect).is_times() && figure > MOST {
            return format!("over\u{a0}{MOST:.0}");
        }
        let decimals = self.decimals.unwrap_or_else(|| decimals_of(figure));
        let most = match self.kind(effect).is_times() {
            true if figure >= 10.0 => 1,
            true => 2,
            false => 3,
        };
        let decimals = decimals.min(most);
        format!("{figure:.decimals$}")
    }
}

fn is_zero(number: &str) -> bool {
    number.chars().all(|c| c == '0' || c == '.')
}

/// The digits behind the point that an interval of this width can bear.
fn decimals_of_width(width: f64) -> usize {
    match width {
        width if width >= 20.0 => 0,
        width if width >= 0.5 => 1,
        width if width >= 0.05 => 2,
        _ => 3,
    }
}

/// The digits behind the point of a figure without an interval.
fn decimals_of(figure: f64) -> usize {
    match figure {
        figure if figure >= 9.95 || figure == 0.0 => 0,
        figure if figure >= 0.095 => 1,
        figure if figure >= 0.0095 => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::effect::{change_percent, size};

    fn wording(ratio: f64, interval: Option<(f64, f64)>) -> (Wording, f64, (f64, f64)) {
        let (low, high) = interval.unwrap_or((ratio, ratio));
        let logs = (low.ln(), high.ln());
        (Wording::of(ratio.ln(), interval.map(|_| logs)), ratio.ln(), logs)
    }

    #[test]
    fn an_interval_decides_how_many_digits_are_told() {
        for (ratio, interval, phrase, range, change, changes) in [
            (
                1.231,
                (1.21, 1.254),
                "23.1 % longer",
                "21.0 to 25.4 %",
                "-23.1 %",
                "-25.4 to -21.0 %",
            ),
            (1.23, (1.1, 1.41), "23 % longer", "10 to 41 %", "-23 %", "-41 to -10 %"),
            (
                0.769,
                (0.75, 0.79),
                "23.1 % shorter",
                "21.0 to 25.0 %",
                "+23.1 %",
                "+21.0 to +25.0 %",
            ),
            (
                1.0003,
                (0.9998, 1.0007),
                "0.03 % longer",
                "0.02 % shorter to 0.07 % longer",
                "-0.03 %",
                "-0.07 to +0.02 %",
            ),
            (1.0, (1.0, 1.0), "just as long", "just as long", "0 %", "0 to 0 %"),
            (1.0, (0.97, 1.0), "just as long", "0 to 3.0 %", "0.0 %", "0.0 to +3.0 %"),
            (
                4.6,
                (4.2, 5.1),
                "4.6 times as long",
                "4.2 to 5.1 times",
                "4.6x as long",
                "4.2 to 5.1x",
            ),
            (
                4.6,
                (4.591, 4.61),
                "4.60 times as long",
                "4.59 to 4.61 times",
                "4.60x as long",
                "4.59 to 4.61x",
            ),
            (
                0.2,
                (0.19, 0.25),
                "5.0 times as fast",
                "4.0 to 5.3 times",
                "5.0x as fast",
                "4.0 to 5.3x",
            ),
            (
                2.9,
                (2.5, 3.4),
                "2.9 times as long",
                "2.5 to 3.4 times",
                "2.9x as long",
                "2.5 to 3.4x",
            ),
            (2.9, (2.5, 2.99), "190 % longer", "150 to 199 %", "-190 %", "-199 to -150 %"),
            (
                1.1,
                (0.95, 40.0),
                "10 % longer",
                "5.0 % shorter to 40 times as long",
                "-10 %",
                "40x as long to +5.0 %",
            ),
        ] {
            let (wording, effect, interval) = wording(ratio, Some(interval));
            let told = [
                wording.phrase(effect),
                wording.range_after(interval),
                wording.change(effect),
                wording.change_range(interval),
            ];
            assert_eq!(told.map(|text| text.replace(GLUE, " ")), [phrase, range, change, changes]);
        }
    }

    #[test]
    fn without_an_interval_the_size_decides() {
        for (ratio, phrase) in [
            (1.0003, "0.03 % longer"),
            (1.000_01, "0.001 % longer"),
            (1.000_001, "just as long"),
            (1.012, "1.2 % longer"),
            (1.0996, "10 % longer"),
            (0.77, "23 % shorter"),
            (3.0, "200 % longer"),
            (4.6, "4.6 times as long"),
            (46.4, "46 times as long"),
            (0.1, "10 times as fast"),
            (1e9, "over 1000000 times as long"),
            (f64::INFINITY, "over 1000000 times as long"),
            (0.0, "over 1000000 times as fast"),
        ] {
            let (wording, effect, _) = wording(ratio, None);
            assert_eq!(wording.phrase(effect).replace(GLUE, " "), phrase, "{ratio}");
        }
    }

    #[test]
    fn clauses_are_english() {
        for (ratio, clause) in [
            (1.2, "takes 20 % longer than"),
            (0.8, "takes 20 % less time than"),
            (5.0, "takes 5.0 times as long as"),
            (0.2, "is 5.0 times as fast as"),
            (1.0, "takes just as long as"),
        ] {
            let (wording, effect, _) = wording(ratio, None);
            assert_eq!(wording.clause(effect).replace(GLUE, " "), clause);
        }
    }

    #[test]
    fn a_size_has_no_direction() {
        let plain = |text: String| text.replace(GLUE, " ");
        assert_eq!(plain(size(1.031_f64.ln())), "3.1 %");
        assert_eq!(plain(size(0.5_f64.ln())), "100 %");
        assert_eq!(plain(size(5.0_f64.ln())), "5.0 times");
    }

    #[test]
    fn plus_is_better_and_longer_is_worse() {
        assert!(change_percent(1.1_f64.ln()) < 0.0 && longer_percent(1.1_f64.ln()) > 0.0);
        assert!((change_percent(0.9_f64.ln()) - 10.0).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn nothing_is_told_as_no_number(effect in -1e4..1e4_f64, low in 0.0..1e3_f64, high in 0.0..1e3_f64) {
            let interval = (effect - low, effect + high);
            let wording = Wording::of(effect, Some(interval));
            let texts = [
                wording.clause(effect),
                wording.range(interval),
                wording.range_after(interval),
                wording.change(effect),
                wording.change_range(interval),
            ];
            for text in texts {
                prop_assert!(!text.contains("NaN") && !text.contains("inf"), "{}", text);
            }
        }

        #[test]
        fn a_sign_is_that_of_the_change(effect in -2.0..2.0_f64) {
            let change = Wording::of(effect, None).change(effect);
            let shown = match change.chars().next() {
                Some('-') => effect > 0.0,
                Some('+') => effect < 0.0,
                _ => effect.abs() > TIMES_FROM.ln() || effect.abs() < 1e-4,
            };
            prop_assert!(shown, "{} of {}", change, effect);
        }
    }
}
