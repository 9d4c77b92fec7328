//! Effects, which are natural logarithms of ratios of times, as words and percentages.
//!
//! In sentences a direction is a word, `23.1 % longer`, so that no sign can be misread. In tables it is
//! a sign, and plus is better. Beyond three times, percentages stop to say anything: from there on it
//! is `4.6 times as long`.

mod wording;

pub(crate) use wording::Wording;

/// Ratios over this are told as times.
const TIMES_FROM: f64 = 3.0;

/// How long the variant's time is, as a share of the baseline's.
pub(crate) fn ratio(effect: f64) -> f64 {
    effect.exp()
}

/// By how many per cent the variant's time is longer; negative where it is shorter.
pub(crate) fn longer_percent(effect: f64) -> f64 {
    effect.exp_m1() * 100.0
}

/// The same with the sign of tables: plus is better.
pub(crate) fn change_percent(effect: f64) -> f64 {
    -longer_percent(effect)
}

/// In which way a figure departs from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Longer,
    Shorter,
    TimesAsLong,
    TimesAsFast,
}

impl Kind {
    /// What follows the number in a sentence; [`crate::text::GLUE`] keeps the two in one line.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Kind::Longer => "\u{a0}% longer",
            Kind::Shorter => "\u{a0}% shorter",
            Kind::TimesAsLong => "\u{a0}times as long",
            Kind::TimesAsFast => "\u{a0}times as fast",
        }
    }

    /// What follows the number where the direction is known already.
    pub(crate) fn unit(self) -> &'static str {
        match self {
            Kind::Longer | Kind::Shorter => "\u{a0}%",
            Kind::TimesAsLong | Kind::TimesAsFast => "\u{a0}times",
        }
    }

    /// What joins the words with that to which is compared.
    pub(crate) fn than(self) -> &'static str {
        match self {
            Kind::Longer | Kind::Shorter => "than",
            Kind::TimesAsLong | Kind::TimesAsFast => "as",
        }
    }

    /// What follows the number in a table.
    pub(crate) fn cell(self) -> &'static str {
        match self {
            Kind::Longer | Kind::Shorter => " %",
            Kind::TimesAsLong => "x as long",
            Kind::TimesAsFast => "x as fast",
        }
    }

    pub(crate) fn is_times(self) -> bool {
        matches!(self, Kind::TimesAsLong | Kind::TimesAsFast)
    }
}

/// `3.1 %`: an effect of either direction, as the percentage by which it makes a time longer.
pub(crate) fn size(effect: f64) -> String {
    let effect = effect.abs();
    Wording::of(effect, None).bare(effect)
}
