//! Lines of kernel configurations: `CONFIG_X=y`, and `# CONFIG_X is not set`.

use std::collections::BTreeMap;

/// What one line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// The symbol without its `CONFIG_`.
    pub(crate) symbol: String,
    /// `y`, `m`, a number, a quoted text; `None` is "not set".
    pub(crate) value: Option<String>,
}

/// A configuration by its symbols; what is not set is not in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options(BTreeMap<String, String>);

impl Line {
    /// A line that asks for something. `None` for any other.
    pub(crate) fn parse(line: &str) -> Option<Line> {
        let line = line.trim();
        let unset =
            line.strip_prefix("# CONFIG_").and_then(|rest| rest.strip_suffix(" is not set"));
        let (symbol, value) = match unset {
            Some(symbol) => (symbol, None),
            None => {
                let (symbol, value) = line.strip_prefix("CONFIG_")?.split_once('=')?;
                (symbol, Some(value).filter(|value| *value != "n"))
            }
        };
        let named = !symbol.is_empty()
            && symbol.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        named.then(|| Line { symbol: symbol.to_owned(), value: value.map(str::to_owned) })
    }

    /// As it stands in a `.config`.
    pub(crate) fn text(&self) -> String {
        match &self.value {
            Some(value) => format!("CONFIG_{}={value}", self.symbol),
            None => format!("# CONFIG_{} is not set", self.symbol),
        }
    }

    /// Whether the configuration has it so. What is a switch in one kernel is a number in another, and 0 is off.
    pub(crate) fn holds_in(&self, options: &Options) -> bool {
        let found = options.value(&self.symbol);
        found == self.value.as_deref() || (self.value.is_none() && found == Some("0"))
    }
}

impl Options {
    /// Reads a `.config`; what is no line of one is passed over.
    pub(crate) fn parse(text: &str) -> Options {
        let mut options = Options::default();
        for line in text.lines().filter_map(Line::parse) {
            match line.value {
                Some(value) => drop(options.0.insert(line.symbol, value)),
                None => drop(options.0.remove(&line.symbol)),
            }
        }
        options
    }

    /// What a symbol is set to.
    pub(crate) fn value(&self, symbol: &str) -> Option<&str> {
        self.0.get(symbol).map(String::as_str)
    }

    /// Whether anything is to become a module.
    pub(crate) fn has_modules(&self) -> bool {
        self.value("MODULES") == Some("y") && self.0.values().any(|value| value == "m")
    }
}

/// The text with the lines on top, of which a later one replaces those before it. Their order is kept, since
/// the members of a choice take the place of each other.
pub(crate) fn merged(text: &str, lines: &[Line]) -> String {
    let asked = |symbol: &str| lines.iter().any(|line| line.symbol == symbol);
    let stays = |line: &&str| Line::parse(line).is_none_or(|line| !asked(&line.symbol));
    let kept = text.lines().filter(stays).map(str::to_owned);
    let on_top = latest(lines).into_iter().map(|line| line.text());
    kept.chain(on_top).map(|line| line + "\n").collect()
}

/// Of several lines for one symbol, the last.
pub(crate) fn latest(lines: &[Line]) -> Vec<&Line> {
    let later =
        |at: usize, line: &Line| lines.iter().skip(at + 1).any(|other| other.symbol == line.symbol);
    lines.iter().enumerate().filter(|(at, line)| !later(*at, line)).map(|(_, line)| line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<Line> {
        text.lines().filter_map(Line::parse).collect()
    }

    #[test]
    fn what_is_a_line() {
        let table = [
            ("CONFIG_EXT4_FS=y", Some(("EXT4_FS", Some("y")))),
            ("  CONFIG_HZ=250  ", Some(("HZ", Some("250")))),
            ("CONFIG_CMDLINE=\"a=b c\"", Some(("CMDLINE", Some("\"a=b c\"")))),
            ("CONFIG_SMP=n", Some(("SMP", None))),
            ("# CONFIG_SMP is not set", Some(("SMP", None))),
            ("# CONFIG_SMP is not wanted", None),
            ("# The machine", None),
            ("CONFIG_SMP", None),
            ("CONFIG_=y", None),
            ("CONFIG_A B=y", None),
            ("SMP=y", None),
            ("", None),
        ];
        for (text, meant) in table {
            let line = Line::parse(text);
            let found = line.as_ref().map(|line| (line.symbol.as_str(), line.value.as_deref()));
            assert_eq!(found, meant, "{text}");
        }
    }

    #[test]
    fn not_set_is_the_same_as_not_there() {
        let options = Options::parse("CONFIG_A=y\n# CONFIG_B is not set\nCONFIG_C=m\nCONFIG_D=0\n");
        let table = [
            ("CONFIG_A=y", true),
            ("CONFIG_A=m", false),
            ("CONFIG_A=n", false),
            ("# CONFIG_B is not set", true),
            ("CONFIG_B=n", true),
            ("CONFIG_D=n", true),
            ("CONFIG_D=1", false),
            ("# CONFIG_NEVER_HEARD_OF is not set", true),
            ("CONFIG_NEVER_HEARD_OF=y", false),
        ];
        for (text, holds) in table {
            assert_eq!(Line::parse(text).unwrap().holds_in(&options), holds, "{text}");
        }
        assert!(!options.has_modules());
        assert!(Options::parse("CONFIG_MODULES=y\nCONFIG_C=m\n").has_modules());
    }

    #[test]
    fn what_is_on_top_takes_the_place_of_what_was_there() {
        let base = "# A comment\nCONFIG_A=y\n# CONFIG_B is not set\nCONFIG_C=1\n";
        let text = merged(base, &lines("CONFIG_B=y\nCONFIG_A=n\nCONFIG_B=m\n"));
        assert_eq!(text, "# A comment\nCONFIG_C=1\n# CONFIG_A is not set\nCONFIG_B=m\n");
    }
}
