//! Text in lines that are counted before they are written.

use std::io;

use crate::page::{Page, Role, Style};
use crate::text::{cut, width, wrap};

/// Text behind a beginning, broken into lines.
pub(super) struct Lines {
    lead: (Role, String),
    role: Role,
    lines: Vec<String>,
    unicode: bool,
    columns: usize,
}

impl Lines {
    /// The text behind `lead`; a word that is longer than a line is cut.
    pub(super) fn of(style: Style, lead: (Role, &str), role: Role, text: &str) -> Lines {
        let columns = style.width.saturating_sub(width(lead.1)).max(1);
        let text = fitting(text, columns, style.unicode);
        Lines {
            lead: (lead.0, lead.1.to_owned()),
            role,
            lines: wrap(&text, columns, style.unicode),
            unicode: style.unicode,
            columns,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.lines.len()
    }

    /// The first `most` lines, with a mark at their end where something is missing.
    pub(super) fn at_most(mut self, most: usize) -> Lines {
        if self.lines.len() <= most {
            return self;
        }
        self.lines.truncate(most);
        if let Some(last) = self.lines.last_mut() {
            let room = self.columns.saturating_sub(4);
            let mark = if self.unicode { "…" } else { "..." };
            let kept: String = last.chars().take(room).collect();
            *last = format!("{} {mark}", kept.trim_end());
        }
        self
    }

    pub(super) fn write(&self, page: &mut Page<'_>) -> io::Result<()> {
        let blank = " ".repeat(width(&self.lead.1));
        for (at, line) in self.lines.iter().enumerate() {
            let lead = if at == 0 {
                (self.lead.0, self.lead.1.as_str())
            } else {
                (Role::Plain, blank.as_str())
            };
            page.line(&[lead, (self.role, line)])?;
        }
        Ok(())
    }
}

/// The text with no word longer than `columns`.
pub(super) fn fitting(text: &str, columns: usize, unicode: bool) -> String {
    let words = text.split(' ').map(|word| cut(word, columns, unicode));
    words.collect::<Vec<_>>().join(" ")
}
