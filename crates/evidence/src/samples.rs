//! The container in which a collector keeps what it read, moment by moment, as it was.
//!
//! A collector must not spend time on what a reader can do later. So the texts go in whole and
//! untouched, with their lengths before them:
//!
//! ```text
//! slowpath samples 1
//! @ <ns on CLOCK_MONOTONIC> <index of the phase that runs, or ->
//! : <path> <bytes of the text that follows>
//! <the text, exactly that many bytes>
//! ! <path> <why it could not be read>
//! ```
//!
//! Each record ends with a line break, the text's own last one aside. The path is as the collector
//! opened it and holds no blanks.

use std::borrow::Cow;
use std::io::Write;

use crate::Parsed;

mod reader;

/// What the first line says before the format's number.
const TITLE: &str = "slowpath samples ";
/// The format that is written here.
const FORMAT: &str = "1";

/// What a collector read at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment<'a> {
    /// When it began to read, ns on `CLOCK_MONOTONIC`.
    pub at_ns: u64,
    /// The phase that ran then, by its index; `None` before, between and after phases.
    pub phase: Option<usize>,
    /// The texts by path, in the order of reading. Bytes that are no UTF-8 (only a task's name may
    /// hold some) are replaced, and only then is a text copied.
    pub files: Vec<(&'a str, Cow<'a, str>)>,
    /// The paths that could not be read, and why.
    pub unread: Vec<(&'a str, &'a str)>,
}

impl Moment<'_> {
    /// The text of a path; `None` where it was not read.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|file| file.0 == path).map(|file| &*file.1)
    }
}

/// Begins the container.
///
/// Like its fellows it only appends to `out`, and allocates nothing where there is room.
pub fn begin(out: &mut Vec<u8>) {
    append(out, format_args!("{TITLE}{FORMAT}\n"));
}

/// Begins a moment: `ns` on `CLOCK_MONOTONIC`, and the index of the phase that runs.
pub fn moment(out: &mut Vec<u8>, ns: u64, phase: Option<usize>) {
    match phase {
        Some(phase) => append(out, format_args!("@ {ns} {phase}\n")),
        None => append(out, format_args!("@ {ns} -\n")),
    }
}

/// Keeps what was read from `path`. Blanks in a path become `_`.
pub fn file(out: &mut Vec<u8>, path: &str, bytes: &[u8]) {
    out.extend_from_slice(b": ");
    append_path(out, path);
    append(out, format_args!(" {}\n", bytes.len()));
    out.extend_from_slice(bytes);
    out.push(b'\n');
}

/// Keeps why `path` could not be read. Line breaks in the reason become spaces.
pub fn unread(out: &mut Vec<u8>, path: &str, why: &str) {
    out.extend_from_slice(b"! ");
    append_path(out, path);
    out.push(b' ');
    out.extend(why.bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte }));
    out.push(b'\n');
}

/// Reads a container. One that was cut gives what is whole, and a note; so does one that is
/// damaged, up to the damage. One that was cut between two records cannot be told from a whole one.
#[must_use]
pub fn parse(bytes: &[u8]) -> Parsed<Vec<Moment<'_>>> {
    reader::read(bytes)
}

fn append(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Writing to a vector cannot fail.
    let _ = out.write_fmt(text);
}

fn append_path(out: &mut Vec<u8>, path: &str) {
    out.extend(path.bytes().map(|byte| if byte.is_ascii_whitespace() { b'_' } else { byte }));
}

#[cfg(test)]
mod tests;
