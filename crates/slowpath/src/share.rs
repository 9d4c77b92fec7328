//! Shares as percentages on the command line.

use std::fmt;
use std::str::FromStr;

/// A share above 0 and below 1, written as `2%` or `2`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share(pub f64);

/// Text that is no percentage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoShare(String);

impl fmt::Display for NoShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no percentage above 0 and below 100; write 2% or 0.5%", self.0)
    }
}

impl std::error::Error for NoShare {}

impl FromStr for Share {
    type Err = NoShare;

    fn from_str(text: &str) -> Result<Self, NoShare> {
        let number = text.trim().strip_suffix('%').unwrap_or(text).trim();
        let percent =
            number.parse::<f64>().ok().filter(|percent| *percent > 0.0 && *percent < 100.0);
        percent.map(|percent| Share(percent / 100.0)).ok_or_else(|| NoShare(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_shares() {
        assert_eq!("2%".parse(), Ok(Share(0.02)));
        assert_eq!("0.5".parse(), Ok(Share(0.005)));
        for text in ["0", "100%", "-1%", "two", "", "%", "NaN"] {
            let error = text.parse::<Share>().unwrap_err().to_string();
            assert!(error.contains("write 2%"), "{error}");
        }
    }
}
