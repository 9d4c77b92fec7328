//! Sections and how they stand within each other.

use super::ProfileError;
use super::entry::Entry;
use super::lines::{Line, lines};

/// Where an option may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Global,
    Filesystem,
    Threadgroup,
    Stats,
}

/// By what a section's line is known, in the original's order: the first that it contains.
const HEADERS: [(&str, Option<Kind>); 4] = [
    ("filesystem", Some(Kind::Filesystem)),
    ("threadgroup", Some(Kind::Threadgroup)),
    ("end", None),
    ("stats", Some(Kind::Stats)),
];

impl Kind {
    /// Where that is, for messages.
    pub(super) fn place(self) -> &'static str {
        match self {
            Kind::Global => "at the top, outside of all sections",
            Kind::Filesystem => "in a [filesystem] section",
            Kind::Threadgroup => "in a [threadgroup] section",
            Kind::Stats => "in a [stats] section",
        }
    }

    fn may_hold(self, inner: Kind) -> bool {
        match self {
            Kind::Global => true,
            Kind::Filesystem => inner == Kind::Threadgroup,
            Kind::Threadgroup => inner == Kind::Stats,
            Kind::Stats => false,
        }
    }
}

/// A section, or the whole profile, whose kind is `Global`.
#[derive(Debug)]
pub(super) struct Section<'a> {
    pub(super) kind: Kind,
    /// The line that opens it; the whole profile has none.
    header: Option<Line<'a>>,
    pub(super) entries: Vec<Entry<'a>>,
    sections: Vec<Section<'a>>,
}

impl<'a> Section<'a> {
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.sections.is_empty()
    }

    /// The sections of a kind that stand in this one.
    pub(super) fn of(&self, kind: Kind) -> impl Iterator<Item = &Section<'a>> {
        self.sections.iter().filter(move |section| section.kind == kind)
    }

    pub(super) fn entry(&self, name: &str) -> Option<&Entry<'a>> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// The number that an option has; `None` where it is left out.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.entry(name).map(Entry::number)
    }

    /// Whether an option is there and 1.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.number(name) == Some(1)
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.entry(name).and_then(Entry::text)
    }

    /// How it is called in the profile.
    pub(super) fn title(&self) -> &'a str {
        self.header.map_or("the profile", |line| line.text)
    }

    /// An error of the line that opens it.
    pub(super) fn error(&self, message: impl Into<String>) -> ProfileError {
        match self.header {
            Some(line) => line.error(message),
            None => ProfileError::whole(message),
        }
    }

    fn add(&mut self, entry: Entry<'a>) -> Result<(), ProfileError> {
        let earlier = self.entry(entry.name).filter(|_| !entry.may_repeat());
        if let Some(earlier) = earlier {
            let (name, line) = (entry.name, earlier.line.number);
            let message = format!("`{name}` stands in line {line} already; expected it once");
            return Err(entry.line.error(message));
        }
        self.entries.push(entry);
        Ok(())
    }
}

/// Reads a profile's sections and options.
pub(super) fn read(text: &str) -> Result<Section<'_>, ProfileError> {
    body(&mut lines(text), Kind::Global, None)
}

/// Reads up to the section's end; sections nest three deep at most.
fn body<'a>(
    lines: &mut impl Iterator<Item = Line<'a>>,
    kind: Kind,
    header: Option<Line<'a>>,
) -> Result<Section<'a>, ProfileError> {
    let mut section = Section { kind, header, entries: Vec::new(), sections: Vec::new() };
    while let Some(line) = lines.next() {
        if !line.text.starts_with('[') {
            section.add(Entry::read(line, kind)?)?;
            continue;
        }
        match (opened(line)?, header) {
            (Some(inner), _) if kind.may_hold(inner) => {
                section.sections.push(body(lines, inner, Some(line))?);
            }
            (Some(inner), _) => return Err(misplaced(line, inner, &section)),
            (None, Some(_)) => return Ok(section),
            (None, None) => return Err(line.error("this end closes nothing; no section is open")),
        }
    }
    match header {
        None => Ok(section),
        Some(line) => Err(line.error(format!("{} is never closed; expected [end]", line.text))),
    }
}

/// The kind of section that a line opens; `None` where it closes one.
fn opened(line: Line<'_>) -> Result<Option<Kind>, ProfileError> {
    let Some(inner) = line.text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
        return Err(line.error("expected nothing but `[name]` in a section's line"));
    };
    let known = HEADERS.iter().find(|(word, _)| inner.contains(word));
    known.map(|(_, kind)| *kind).ok_or_else(|| {
        let all = "[filesystem], [threadgroup], [stats] or [end], with or without a number";
        line.error(format!("{} is no section of FFSB profiles; expected {all}", line.text))
    })
}

fn misplaced(line: Line<'_>, inner: Kind, outer: &Section<'_>) -> ProfileError {
    let (text, title) = (line.text, outer.title());
    let opened = outer.header.map_or(0, |line| line.number);
    let expected = match inner {
        Kind::Stats => "[stats] in a [threadgroup] section or outside of all",
        _ => "[end] before it",
    };
    line.error(format!("{text} stands in {title} of line {opened}; expected {expected}"))
}
