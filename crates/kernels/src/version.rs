//! The order of kernel releases: 6.12 is newer than 6.9, and 6.12-rc3 older than 6.12.

use std::cmp::Ordering;

/// Compares two releases: runs of digits as numbers, the rest as text, and `-rc` before nothing.
///
/// This is Debian's order (deb-version(7)) with `-rc` read as `~rc`.
pub(crate) fn compare(left: &str, right: &str) -> Ordering {
    let (left, right) = (left.replace("-rc", "~rc"), right.replace("-rc", "~rc"));
    let (mut left, mut right) = (left.as_bytes(), right.as_bytes());
    while !left.is_empty() || !right.is_empty() {
        let (l, r) = (take(&mut left, false), take(&mut right, false));
        let (m, s) = (take(&mut left, true), take(&mut right, true));
        match compare_text(l, r).then_with(|| compare_number(m, s)) {
            Ordering::Equal => {}
            order => return order,
        }
    }
    Ordering::Equal
}

/// Takes the leading run of digits, or of anything else.
fn take<'a>(text: &mut &'a [u8], digits: bool) -> &'a [u8] {
    let end = text.iter().position(|b| b.is_ascii_digit() != digits).unwrap_or(text.len());
    let (run, rest) = text.split_at(end);
    *text = rest;
    run
}

fn compare_number(left: &[u8], right: &[u8]) -> Ordering {
    let (left, right) = (without_zeros(left), without_zeros(right));
    left.len().cmp(&right.len()).then_with(|| left.cmp(right))
}

fn without_zeros(digits: &[u8]) -> &[u8] {
    let start = digits.iter().position(|b| *b != b'0').unwrap_or(digits.len());
    digits.split_at(start).1
}

fn compare_text(left: &[u8], right: &[u8]) -> Ordering {
    let length = left.len().max(right.len());
    let weights = |text: &[u8]| (0..length).map(|i| weight(text.get(i))).collect::<Vec<_>>();
    weights(left).cmp(&weights(right))
}

/// `~` sorts before the end of the text, letters before everything else.
fn weight(byte: Option<&u8>) -> u16 {
    match byte {
        Some(b'~') => 0,
        None => 1,
        Some(b) if b.is_ascii_alphabetic() => u16::from(*b),
        Some(b) => u16::from(*b) + 256,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn releases_in_order() {
        let sorted = [
            "5.10.0-9-amd64",
            "5.10.0-30-amd64",
            "6.1.0-57-amd64",
            "6.9",
            "6.12.0-rc1",
            "6.12.0-rc10",
            "6.12.0",
            "6.12.0-1-amd64",
            "6.12.107+deb12-amd64",
            "6.12.117+deb12-amd64",
        ];
        for pair in sorted.windows(2) {
            assert_eq!(compare(pair[0], pair[1]), Ordering::Less, "{pair:?}");
            assert_eq!(compare(pair[1], pair[0]), Ordering::Greater, "{pair:?}");
        }
    }

    proptest! {
        #[test]
        fn the_order_is_total(a in "[0-9.~a+-]{0,9}", b in "[0-9.~a+-]{0,9}", c in "[0-9.~a+-]{0,9}") {
            prop_assert_eq!(compare(&a, &a), Ordering::Equal);
            prop_assert_eq!(compare(&a, &b), compare(&b, &a).reverse());
            if compare(&a, &b).is_le() && compare(&b, &c).is_le() {
                prop_assert!(compare(&a, &c).is_le());
            }
        }
    }
}
