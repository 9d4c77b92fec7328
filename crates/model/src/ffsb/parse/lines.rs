//! A profile's lines, without comments and the white space around them.

use super::ProfileError;

/// A line that says something.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// Its number, from 1.
    pub(super) number: usize,
    /// What it says; never empty.
    pub(super) text: &'a str,
    raw: &'a str,
}

impl Line<'_> {
    /// An error of this line.
    pub(super) fn error(self, message: impl Into<String>) -> ProfileError {
        ProfileError {
            line: Some(self.number),
            source_line: self.raw.to_owned(),
            message: message.into(),
        }
    }
}

/// The lines that say something. A `#` begins a comment wherever it stands.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    text.lines().enumerate().filter_map(|(index, raw)| {
        let said = raw.split_once('#').map_or(raw, |(said, _)| said).trim();
        (!said.is_empty()).then_some(Line { number: index + 1, text: said, raw })
    })
}
