//! An option with its value.

use super::ProfileError;
use super::lines::Line;
use super::nearest::nearest;
use super::options::{self, Form};
use super::section::Kind;
use super::value::{Value, value};

/// An option, as a line has it.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    pub(super) line: Line<'a>,
    pub(super) name: &'a str,
    pub(super) value: Value,
}

impl<'a> Entry<'a> {
    /// Reads an option that stands in a section of that kind.
    pub(super) fn read(line: Line<'a>, kind: Kind) -> Result<Self, ProfileError> {
        let end = line.text.find(|c: char| c == '=' || c.is_whitespace());
        let (name, rest) = line.text.split_at(end.unwrap_or(line.text.len()));
        let rest = rest.trim_start();
        let (form, text) = match (form_of(line, name, kind)?, rest.strip_prefix('=')) {
            (form, Some(text)) => (form, text.trim()),
            (form, None) if form.stands_bare() => (form, rest),
            (form, None) => {
                let example = form.example();
                return Err(line.error(format!("expected `=`, as in `{name} = {example}`")));
            }
        };
        let value = value(form, text).map_err(|why| line.error(format!("`{name}`: {why}")))?;
        Ok(Entry { line, name, value })
    }

    /// Its number; 1 and 0 where it says yes or no, and 0 where it is no number.
    pub(super) fn number(&self) -> u64 {
        match &self.value {
            Value::Number(number) => *number,
            Value::Weight(weight) => weight.weight,
            _ => 0,
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether it may stand in a section more than once.
    pub(super) fn may_repeat(&self) -> bool {
        matches!(self.value, Value::SizeWeight(_) | Value::Range(..) | Value::Call(_))
    }
}

fn form_of(line: Line<'_>, name: &str, kind: Kind) -> Result<Form, ProfileError> {
    if name.is_empty() {
        return Err(line.error("expected an option's name before `=`"));
    }
    match options::option(name) {
        Some((home, form)) if home == kind => Ok(form),
        Some((home, _)) => {
            Err(line.error(format!("`{name}` belongs {}, not {}", home.place(), kind.place())))
        }
        None => Err(line.error(unknown(name, kind))),
    }
}

fn unknown(name: &str, kind: Kind) -> String {
    let expected = match nearest(name) {
        Some(known) => format!("did you mean `{known}`?"),
        None => format!("{} there may be {}", kind.place(), options::names(kind).join(", ")),
    };
    format!("`{name}` is no option of FFSB profiles; {expected}")
}
