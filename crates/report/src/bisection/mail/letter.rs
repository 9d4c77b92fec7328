//! Plain text of 72 columns.

use std::io;

use crate::bisection::shell::lines;
use crate::page::{Page, Style};
use crate::text::{plain, width, wrap};

/// What a mail to a kernel list may take, so that it can be quoted a few times.
pub(super) const COLUMNS: usize = 72;

/// A mail in the making.
pub(super) struct Letter {
    text: String,
}

impl Letter {
    pub(super) fn new() -> Letter {
        Letter { text: String::new() }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn blank(&mut self) {
        self.text.push('\n');
    }

    /// A line that must not be broken, since a program reads it.
    pub(super) fn header(&mut self, line: &str) {
        self.push(&plain(line, true));
    }

    /// Sentences, broken into lines.
    pub(super) fn paragraph(&mut self, text: &str) {
        self.item("", text);
    }

    /// Text behind a beginning; its further lines begin where the first does. Our own signs are ASCII, letters of
    /// names stay as they are.
    pub(super) fn item(&mut self, lead: &str, text: &str) {
        let columns = COLUMNS.saturating_sub(width(lead));
        let text = text.replace('±', "+-").replace('×', "x").replace('…', "...");
        let lines = wrap(&text, columns, true);
        for (at, line) in lines.iter().flat_map(|line| pieces(line, columns)).enumerate() {
            let before = if at == 0 { lead.to_owned() } else { " ".repeat(width(lead)) };
            self.push(&format!("{before}{line}"));
        }
    }

    /// A command as a shell takes it. A word that is too long keeps its line, or the command would be another.
    pub(super) fn command(&mut self, words: &[String]) {
        for line in lines(words, COLUMNS - 2) {
            self.push(&plain(&format!("  {line}"), true));
        }
    }

    /// What a renderer writes on a page of ASCII.
    pub(super) fn page(
        &mut self,
        render: impl FnOnce(&mut Page<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut bytes = Vec::new();
        let style = Style { color: false, unicode: false, width: COLUMNS };
        render(&mut Page::new(&mut bytes, style))?;
        self.text.push_str(&String::from_utf8_lossy(&bytes));
        Ok(())
    }

    fn push(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }
}

/// A line in pieces of at most so many columns: what has no space is broken hard.
fn pieces(line: &str, columns: usize) -> Vec<String> {
    let letters: Vec<char> = line.chars().collect();
    letters.chunks(columns.max(1)).map(|piece| piece.iter().collect()).collect()
}
