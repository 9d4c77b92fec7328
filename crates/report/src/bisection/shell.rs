//! Commands as a shell takes them.

use crate::text::width;

/// The words as lines of a shell of at most `columns`, as far as words can be parted; an option stays with
/// its value.
pub(super) fn lines(words: &[String], columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts(words) {
        match lines.last_mut() {
            // Room is kept for " \".
            Some(line) if width(line) + 1 + width(&part) + 2 <= columns => {
                line.push(' ');
                line.push_str(&part);
            }
            Some(line) => {
                line.push_str(" \\");
                lines.push(format!("    {part}"));
            }
            None => lines.push(part),
        }
    }
    lines
}

/// Options with their values, each in one text; behind `--` each word by itself.
fn parts(words: &[String]) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut wants_value = false;
    let mut behind = false;
    for word in words {
        match parts.last_mut().filter(|_| wants_value) {
            Some(part) => part.push_str(&format!(" {}", quoted(word))),
            None => parts.push(quoted(word)),
        }
        behind |= word == "--";
        wants_value = !wants_value && !behind && word.starts_with("--");
    }
    parts
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%~^".contains(c);
    match !word.is_empty() && word.chars().all(bare) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_and_options_stay_with_their_values() {
        for (word, shown) in [
            ("mount=a,b", "mount=a,b"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's", "'it'\\''s'"),
            ("$(x)", "'$(x)'"),
        ] {
            assert_eq!(quoted(word), shown);
        }
        let words = ["slowpath", "run", "--set", "a=1", "--set", "b=2"].map(str::to_owned);
        assert_eq!(lines(&words, 25), ["slowpath run --set a=1 \\", "    --set b=2"]);
    }
}
