//! Sizes and times with their units: how they are written, read and shown.

use std::fmt;
use std::str::FromStr;

/// A number of bytes. Written as `100M`, `1k` or `4096`; suffixes are powers of 1024.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

/// A stretch of time in nanoseconds. Written as `5ms`, `100us`, `250ns`, `2s` or `10m`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nanos(pub u64);

/// Text that is no size or no time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {expected}")]
pub struct UnitError {
    text: String,
    expected: &'static str,
}

impl UnitError {
    /// `text` was read where `expected` should stand.
    #[must_use]
    pub fn new(text: &str, expected: &'static str) -> Self {
        UnitError { text: text.to_owned(), expected }
    }
}

const SIZE_SUFFIXES: [(&str, u64); 5] =
    [("", 1), ("K", 1 << 10), ("M", 1 << 20), ("G", 1 << 30), ("T", 1 << 40)];

const TIME_SUFFIXES: [(&str, u64); 6] = [
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

fn split_suffix(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

/// `number` × `unit` exactly, also for decimals such as `1.5`; `None` where it does not fit.
fn scaled(number: &str, unit: u64) -> Option<u64> {
    match number.split_once('.') {
        None => number.parse::<u64>().ok()?.checked_mul(unit),
        Some((whole, fraction)) => {
            let fraction_digits = u32::try_from(fraction.len()).ok().filter(|n| *n <= 9)?;
            let scale = 10u64.checked_pow(fraction_digits)?;
            let parts = whole.parse::<u64>().ok()?.checked_mul(scale)?;
            let total = parts.checked_add(fraction.parse::<u64>().ok()?)?.checked_mul(unit)?;
            total.is_multiple_of(scale).then_some(total / scale)
        }
    }
}

impl FromStr for Bytes {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let error =
            || UnitError::new(text, "a size; write bytes as 4096, or with k, M, G or T as 100M");
        let (number, suffix) = split_suffix(text.trim());
        let upper = suffix.to_ascii_uppercase();
        let short = upper.strip_suffix("IB").or(upper.strip_suffix('B')).unwrap_or(&upper);
        let (_, unit) = SIZE_SUFFIXES.iter().find(|(s, _)| *s == short).ok_or_else(error)?;
        scaled(number, *unit).map(Bytes).ok_or_else(error)
    }
}

impl FromStr for Nanos {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let error = || UnitError::new(text, "a time; write 250ns, 100us, 5ms, 2s, 10m or 1h");
        if text.trim() == "0" {
            return Ok(Nanos(0));
        }
        let (number, suffix) = split_suffix(text.trim());
        let (_, unit) = TIME_SUFFIXES.iter().find(|(s, _)| *s == suffix).ok_or_else(error)?;
        scaled(number, *unit).map(Nanos).ok_or_else(error)
    }
}

/// The shortest exact form, which `from_str` reads back: `100M`, `1500`.
impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (suffix, unit) = SIZE_SUFFIXES
            .iter()
            .rev()
            .find(|(_, unit)| self.0 != 0 && self.0.is_multiple_of(*unit))
            .unwrap_or(&SIZE_SUFFIXES[0]);
        write!(f, "{}{}", self.0 / unit, suffix)
    }
}

/// The shortest exact form, which `from_str` reads back: `5ms`, `1500us`.
impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (suffix, unit) = TIME_SUFFIXES
            .iter()
            .rev()
            .find(|(_, unit)| self.0 != 0 && self.0.is_multiple_of(*unit))
            .unwrap_or(&TIME_SUFFIXES[0]);
        write!(f, "{}{}", self.0 / unit, suffix)
    }
}

macro_rules! serde_as_text {
    ($type:ty) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(source)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(crate) use serde_as_text;

serde_as_text!(Bytes);
serde_as_text!(Nanos);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sizes_are_powers_of_1024() {
        for (text, bytes) in [
            ("4096", 4096),
            ("1k", 1024),
            ("1K", 1024),
            ("100M", 100 << 20),
            ("1.5M", 3 << 19),
            ("2GiB", 2 << 30),
            ("2 GB", 2 << 30),
            ("0", 0),
        ] {
            assert_eq!(text.parse::<Bytes>().unwrap(), Bytes(bytes), "{text}");
        }
    }

    #[test]
    fn what_is_no_size_or_time_is_refused() {
        for text in ["", "k", "1x", "-1", "1.5", "1..5M", "99999999999T", "0.0001k"] {
            assert!(text.parse::<Bytes>().is_err(), "{text}");
        }
        for text in ["", "5", "5 days", "-1s", "1.0000000001s"] {
            assert!(text.parse::<Nanos>().is_err(), "{text}");
        }
    }

    #[test]
    fn times_carry_their_unit() {
        assert_eq!("5ms".parse::<Nanos>().unwrap(), Nanos(5_000_000));
        assert_eq!("1.5us".parse::<Nanos>().unwrap(), Nanos(1_500));
        assert_eq!("10m".parse::<Nanos>().unwrap(), Nanos(600_000_000_000));
        assert_eq!("0".parse::<Nanos>().unwrap(), Nanos(0));
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_back(n in any::<u64>()) {
            prop_assert_eq!(Bytes(n).to_string().parse::<Bytes>().unwrap(), Bytes(n));
            prop_assert_eq!(Nanos(n).to_string().parse::<Nanos>().unwrap(), Nanos(n));
        }
    }
}
