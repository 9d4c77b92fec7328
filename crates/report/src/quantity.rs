//! Numbers with their units, four digits of them, computed in whole numbers.

/// Nanoseconds, as `987 ns`, `12.34 ms` or `2.345 s`; from 1000 s on in whole seconds.
#[must_use]
pub fn duration(ns: u64) -> String {
    const UNITS: [(&str, u128); 4] =
        [("ns", 1), ("µs", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)];
    match ns {
        0 => "0 s".to_owned(),
        _ => in_units(ns, 1000, &UNITS),
    }
}

/// The same of a mean or another figure that is no whole number; what is below 0 is shown as 0.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "held in range")]
pub(crate) fn nanoseconds(ns: f64) -> String {
    duration(ns.round() as u64)
}

/// A large count that is a mean and so no whole number; what is below 0 is shown as 0.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "held in range")]
pub(crate) fn amount(amount: f64) -> String {
    count(amount.round() as u64)
}

/// Bytes, as `512 B`, `1.500 KiB` or `100.0 MiB`.
#[must_use]
pub fn bytes(bytes: u64) -> String {
    const UNITS: [(&str, u128); 5] =
        [("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40)];
    in_units(bytes, 1024, &UNITS)
}

/// A large count, as `987`, `12.34 k` or `1.173 G`.
#[must_use]
pub fn count(count: u64) -> String {
    const UNITS: [(&str, u128); 5] =
        [("", 1), ("k", 1_000), ("M", 1_000_000), ("G", 1_000_000_000), ("T", 1_000_000_000_000)];
    in_units(count, 1000, &UNITS).trim_end().to_owned()
}

/// Bytes in nanoseconds as MiB/s, `42.63 MiB/s`; `None` where it took no time.
#[must_use]
pub fn rate(bytes: u64, ns: u64) -> Option<String> {
    let per_second = u128::from(bytes) * 1_000_000_000;
    let unit = u128::from(ns) << 20;
    (ns > 0).then(|| format!("{} MiB/s", four_digits(per_second, unit)))
}

/// A share as `98.1 %`; `None` of nothing.
#[must_use]
pub fn percent(part: u64, whole: u64) -> Option<String> {
    let tenths =
        (u128::from(part) * 2000 + u128::from(whole)).checked_div(u128::from(whole) * 2)?;
    Some(format!("{}.{} %", tenths / 10, tenths % 10))
}

/// A count with its thousands set apart, as `119,882`.
#[must_use]
pub fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut shown = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// Thousandths as a number with two decimals, as `0.31`.
pub(crate) fn milli(thousandths: u64) -> String {
    let hundredths = thousandths.saturating_add(5) / 10;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// By what share `after` departs from `before`, as `+2.3 %`; `None` where that is a share of nothing.
pub(crate) fn change(before: u64, after: u64) -> Option<String> {
    let share = percent(after.abs_diff(before), before)?;
    Some(format!("{}{share}", if after < before { '-' } else { '+' }))
}

/// The value in the smallest unit in which it is shown below `base`, or else in the largest.
fn in_units(value: u64, base: u128, units: &[(&str, u128)]) -> String {
    let value = u128::from(value);
    // As it will be rounded: four digits below 1000 have a decimal, those from 1000 to 1023 none.
    let decimals = u32::from(base == 1000);
    let fits = |unit: u128| rounded(value, unit, decimals) < base * 10u128.pow(decimals);
    let (suffix, unit) =
        units.iter().find(|(_, unit)| fits(*unit)).or(units.last()).copied().unwrap_or(("", 1));
    let number = match unit {
        1 => value.to_string(),
        _ => four_digits(value, unit),
    };
    format!("{number} {suffix}")
}

/// `value / unit` with as many decimals as make four digits, rounded half up.
fn four_digits(value: u128, unit: u128) -> String {
    let decimals =
        (0..=3).rev().find(|decimals| rounded(value, unit, *decimals) < 10_000).unwrap_or(0);
    let number = rounded(value, unit, decimals);
    let scale = 10u128.pow(decimals);
    match decimals {
        0 => number.to_string(),
        _ => format!("{}.{:0width$}", number / scale, number % scale, width = decimals as usize),
    }
}

fn rounded(value: u128, unit: u128, decimals: u32) -> u128 {
    (value * 10u128.pow(decimals) + unit / 2) / unit
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn times_have_four_digits_and_the_unit_that_suits_them() {
        for (ns, text) in [
            (0, "0 s"),
            (1, "1 ns"),
            (999, "999 ns"),
            (1_000, "1.000 µs"),
            (12_345, "12.35 µs"),
            (999_949, "999.9 µs"),
            (999_950, "1.000 ms"),
            (999_999_999, "1.000 s"),
            (2_345_678_901, "2.346 s"),
            (59_999_999_999, "60.00 s"),
            (999_949_999_999, "999.9 s"),
            (999_999_999_999, "1000 s"),
            (12_345_678_901_234, "12346 s"),
            (u64::MAX, "18446744074 s"),
        ] {
            assert_eq!(duration(ns), text, "{ns}");
        }
    }

    #[test]
    fn other_quantities_carry_their_units() {
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(1536), "1.500 KiB");
        assert_eq!(bytes((1 << 20) - 1), "1.000 MiB");
        assert_eq!(bytes(100 << 20), "100.0 MiB");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_172_839_450), "1.173 G");
        assert_eq!(rate(100 << 20, 2_000_000_000).as_deref(), Some("50.00 MiB/s"));
        assert_eq!(rate(u64::MAX, 1).as_deref(), Some("17592186044415999999046 MiB/s"));
        assert_eq!(rate(1, 0), None);
        assert_eq!(percent(1, 3).as_deref(), Some("33.3 %"));
        assert_eq!(percent(1, 0), None);
        assert_eq!(percent(u64::MAX, u64::MAX).as_deref(), Some("100.0 %"));
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0, 4, 5, 312, 11_999].map(milli), ["0.00", "0.00", "0.01", "0.31", "12.00"]);
        assert_eq!(change(1000, 983).as_deref(), Some("-1.7 %"));
        assert_eq!(change(1000, 1000).as_deref(), Some("+0.0 %"));
        assert_eq!(change(0, 7), None);
    }

    fn back(text: &str) -> f64 {
        let (number, unit) = text.split_once(' ').unwrap();
        let scale = match unit {
            "ns" => 1.0,
            "µs" => 1e3,
            "ms" => 1e6,
            _ => 1e9,
        };
        number.parse::<f64>().unwrap() * scale
    }

    proptest! {
        #[test]
        fn a_shown_time_is_right_to_half_of_its_fourth_digit(ns in 1u64..) {
            let shown = back(&duration(ns));
            prop_assert!((shown - ns as f64).abs() <= ns as f64 * 0.000_500_1, "{}", duration(ns));
        }

        #[test]
        fn a_longer_time_is_never_shown_as_shorter(a in any::<u64>(), b in any::<u64>()) {
            prop_assert!(a > b || back(&duration(a)) <= back(&duration(b)));
        }

        #[test]
        fn no_quantity_is_wider_than_its_column_expects(ns in 1u64..1_000_000_000_000) {
            prop_assert!(duration(ns).chars().count() <= 8, "{}", duration(ns));
        }
    }
}
