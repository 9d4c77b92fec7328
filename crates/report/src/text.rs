//! Text from elsewhere, made fit for a terminal.

/// Stands for a space at which no line is broken, as between a number and its unit.
pub(crate) const GLUE: char = '\u{a0}';

/// The text without control characters and escape sequences, and in ASCII unless `unicode`.
pub(crate) fn plain(text: &str, unicode: bool) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\x1b' => skip_escape(&mut rest),
            '\t' => shown.push_str("    "),
            GLUE => shown.push(' '),
            c if c.is_control() || is_bidi(c) => {}
            c if c.is_ascii() || unicode => shown.push(c),
            c => shown.push_str(ascii(c)),
        }
    }
    shown
}

/// Skips what follows ESC: `[`, parameters and a final letter (ECMA-48's CSI), or one character.
fn skip_escape(rest: &mut std::str::Chars<'_>) {
    let ahead = rest.as_str();
    match ahead.strip_prefix('[') {
        Some(parameters) => {
            let end = parameters.find(|c: char| ('@'..='~').contains(&c));
            *rest = end.map_or("", |end| &parameters[end + 1..]).chars();
        }
        None => {
            rest.next();
        }
    }
}

/// Characters that reorder what is shown after them.
fn is_bidi(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// What stands for our own characters where there is only ASCII.
fn ascii(c: char) -> &'static str {
    match c {
        'µ' => "u",
        '×' => "x",
        '…' => "~",
        '≤' => "<=",
        '█' => "#",
        '–' | '—' | '─' => "-",
        '±' => "+-",
        '·' => ".",
        '⁝' => "3",
        '→' => "->",
        '←' => "<-",
        _ => "?",
    }
}

/// The number of columns that the text takes. Wide characters count as one.
pub(crate) fn width(text: &str) -> usize {
    text.chars().count()
}

/// The text cut to `columns`, with a mark where something is missing.
pub(crate) fn cut(text: &str, columns: usize, unicode: bool) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let kept: String = text.chars().take(columns.saturating_sub(1)).collect();
    format!("{kept}{}", plain("…", unicode))
}

/// The text, made [`plain`], in lines of at most `columns`, broken at white space but not at
/// [`GLUE`]; a longer word keeps its line.
pub(crate) fn wrap(text: &str, columns: usize, unicode: bool) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let words = text.split(|c: char| c.is_whitespace() && c != GLUE);
    let words = words.map(|word| plain(word, unicode)).filter(|word| !word.trim().is_empty());
    for word in words {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(&word) <= columns => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escape_sequences_are_taken_out_whole() {
        for (text, shown) in [
            ("\x1b[1;31mred\x1b[0m", "red"),
            ("\x1b]0;title\x07rest", "0;titlerest"),
            ("a\tb\r\n", "a    b"),
            ("cut \x1b[", "cut "),
            ("cut \x1b", "cut "),
            ("\x1b[é1mx", "x"),
            ("12 µs", "12 us"),
            ("±2\u{a0}%", "+-2 %"),
            ("ß", "?"),
        ] {
            assert_eq!(plain(text, false), shown, "{text:?}");
        }
        assert_eq!(plain("12 µs ß", true), "12 µs ß");
    }

    #[test]
    fn lines_break_at_spaces() {
        assert_eq!(wrap("a bb ccc dddddddd e", 6, true), ["a bb", "ccc", "dddddddd", "e"]);
        assert_eq!(wrap("a 12\u{a0}µs\u{a0} \u{a0}", 6, false), ["a", "12 us "]);
        assert_eq!(cut("abcdef", 4, false), "abc~");
    }

    proptest! {
        #[test]
        fn no_text_whatever_leaves_controls(text in any::<String>()) {
            prop_assert!(!plain(&text, true).chars().any(char::is_control));
            prop_assert!(plain(&text, false).chars().all(|c| c.is_ascii_graphic() || c == ' '));
        }
    }
}
