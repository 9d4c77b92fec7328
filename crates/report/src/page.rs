//! The one way in which a renderer for people writes: lines of text, each in a role.

use std::io::{self, Write};

use owo_colors::OwoColorize;

use crate::text::{plain, wrap};

/// What the place where the text goes can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Escape sequences for colours may be written.
    pub color: bool,
    /// Characters beyond ASCII may be written.
    pub unicode: bool,
    /// Columns that a line may take; a single word or number may take more.
    pub width: usize,
}

/// What a stretch of text is, which decides its colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Role {
    #[default]
    Plain,
    Strong,
    Faint,
    Good,
    Warning,
    Bad,
}

/// A stretch of text in one role.
pub(crate) type Span<'t> = (Role, &'t str);

/// A writer with a style. All text is made [`plain`] on its way.
pub(crate) struct Page<'a> {
    out: &'a mut dyn Write,
    pub(crate) style: Style,
}

impl<'a> Page<'a> {
    pub(crate) fn new(out: &'a mut dyn Write, style: Style) -> Page<'a> {
        Page { out, style }
    }

    /// The text as it will be written, for those who must know how wide it is.
    pub(crate) fn plain(&self, text: &str) -> String {
        plain(text, self.style.unicode)
    }

    /// Writes one line, without white space at its end.
    pub(crate) fn line(&mut self, spans: &[Span<'_>]) -> io::Result<()> {
        let last = spans.iter().rposition(|(_, text)| !text.trim().is_empty());
        for (at, (role, text)) in spans.iter().enumerate() {
            let text = self.plain(text);
            match Some(at).cmp(&last) {
                std::cmp::Ordering::Less => self.span(*role, &text)?,
                std::cmp::Ordering::Equal => self.span(*role, text.trim_end())?,
                std::cmp::Ordering::Greater => {}
            }
        }
        self.out.write_all(b"\n")
    }

    pub(crate) fn blank(&mut self) -> io::Result<()> {
        self.line(&[])
    }

    /// Writes text behind a faint label, as [`Page::led`] does.
    pub(crate) fn labelled(&mut self, label: &str, role: Role, text: &str) -> io::Result<()> {
        self.led((Role::Faint, label), role, text)
    }

    /// Writes text behind a beginning, broken into lines that all begin where the first does.
    pub(crate) fn led(&mut self, lead: Span<'_>, role: Role, text: &str) -> io::Result<()> {
        let indent = crate::text::width(&self.plain(lead.1));
        let columns = self.style.width.saturating_sub(indent).max(20);
        let blank = " ".repeat(indent);
        for (at, line) in wrap(text, columns, self.style.unicode).iter().enumerate() {
            let before = if at == 0 { lead } else { (Role::Plain, blank.as_str()) };
            self.line(&[before, (role, line)])?;
        }
        Ok(())
    }

    fn span(&mut self, role: Role, text: &str) -> io::Result<()> {
        if !self.style.color || text.trim().is_empty() {
            return write!(self.out, "{text}");
        }
        match role {
            Role::Plain => write!(self.out, "{text}"),
            Role::Strong => write!(self.out, "{}", text.bold()),
            Role::Faint => write!(self.out, "{}", text.dimmed()),
            Role::Good => write!(self.out, "{}", text.green()),
            Role::Warning => write!(self.out, "{}", text.yellow()),
            Role::Bad => write!(self.out, "{}", text.red()),
        }
    }
}
