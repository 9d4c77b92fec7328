//! Reading a text line by line, and the numbers in it.

use crate::Parsed;

/// Hands each line that is not blank to `take`; what it refuses becomes a note with the line's
/// number.
pub(crate) fn read<'a, T: Default>(
    text: &'a str,
    mut take: impl FnMut(&mut T, &'a str) -> Result<(), String>,
) -> Parsed<T> {
    let mut parsed = Parsed::<T>::default();
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        if let Err(why) = take(&mut parsed.value, line) {
            parsed.notes.push(format!("line {}: {why}", number + 1));
        }
    }
    parsed
}

/// A number from 0 on.
///
/// # Errors
///
/// Says what the word is instead. A kernel's counter may fall below zero for a moment and is then
/// printed as a number near 2^64: such a one is refused, not believed.
pub(crate) fn counter(word: &str) -> Result<u64, String> {
    match word.parse::<u64>() {
        Ok(number) if i64::try_from(number).is_ok() => Ok(number),
        Ok(_) => Err(format!("`{word}` is a number below zero that wrapped around")),
        Err(_) => Err(format!("`{word}` is no counter")),
    }
}

/// All words of a text as numbers.
///
/// # Errors
///
/// As [`counter`], for the first word that is none.
pub(crate) fn counters(text: &str) -> Result<Vec<u64>, String> {
    text.split_ascii_whitespace().map(counter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_wrapped_around_are_refused() {
        assert_eq!(counter("0"), Ok(0));
        assert_eq!(counter("9223372036854775807"), Ok(u64::MAX / 2));
        for word in ["9223372036854775808", "18446744073709551615"] {
            assert!(counter(word).unwrap_err().contains("wrapped around"), "{word}");
        }
        for word in ["", "-1", "1.5", "18446744073709551616", "x"] {
            assert!(counter(word).unwrap_err().contains("is no counter"), "{word}");
        }
    }

    #[test]
    fn blank_lines_count_but_are_not_handed_on() {
        let parsed = read::<usize>("a\n\n \t\nb\n", |seen, line| {
            *seen += 1;
            Err(line.to_owned())
        });
        assert_eq!(parsed.value, 2);
        assert_eq!(parsed.notes, ["line 1: a", "line 4: b"]);
    }
}
