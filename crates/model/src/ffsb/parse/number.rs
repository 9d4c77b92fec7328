//! Sizes and decimals, as profiles write them.

/// Bytes of the largest file that a 64-bit offset reaches.
const LARGEST: u64 = i64::MAX as u64;

const UNITS: [(&str, u64); 7] = [
    ("", 1),
    ("K", 1 << 10),
    ("KB", 1 << 10),
    ("M", 1 << 20),
    ("MB", 1 << 20),
    ("G", 1 << 30),
    ("GB", 1 << 30),
];

/// Digits alone.
pub(super) fn whole(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

/// Bytes, `most` at most; the error says what is wrong with `text`.
pub(super) fn size(text: &str, most: Option<u64>) -> Result<u64, String> {
    let most = most.unwrap_or(LARGEST);
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, suffix) = text.split_at(end);
    let suffix = suffix.trim_start();
    if digits.is_empty() {
        return Err(format!("`{text}` is no size; expected bytes, or a number with K, M or G"));
    }
    if suffix.starts_with('.') {
        return Err(format!(
            "`{text}` is no whole number, and the original drops what follows the point; expected \
             it in a smaller unit, as 1536K for 1.5M"
        ));
    }
    let Some((_, unit)) = UNITS.iter().find(|(known, _)| known.eq_ignore_ascii_case(suffix)) else {
        return Err(format!(
            "`{suffix}` is no unit of sizes; expected K, M or G, or KB, MB or GB, all powers of 1024 \
             (the original takes any other as a size of 0)"
        ));
    };
    let bytes = whole(digits).and_then(|number| number.checked_mul(*unit));
    bytes
        .filter(|bytes| *bytes <= most)
        .ok_or_else(|| format!("`{text}` is too large; expected at most {most} bytes"))
}

/// A number with up to three decimals, times 1000.
pub(super) fn thousandths(text: &str) -> Option<u64> {
    let (units, decimals) = text.split_once('.').unwrap_or((text, ""));
    let decimals = decimals.trim_end_matches('0');
    if text.is_empty() || text == "." || decimals.len() > 3 {
        return None;
    }
    let units = if units.is_empty() { 0 } else { whole(units)? };
    let part = whole(&format!("{decimals:0<3}"))?;
    units.checked_mul(1000)?.checked_add(part)
}
