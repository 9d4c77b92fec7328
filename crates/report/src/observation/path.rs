//! Call paths, which may be longer than any line.

use std::io;

use crate::page::{Page, Role};
use crate::text::{GLUE, cut};

/// Functions of a path that are shown, from the innermost.
const FRAMES: usize = 8;

/// The least that is left of a function's name.
const LEAST: usize = 16;

/// Writes the path, innermost function first, broken into lines behind `lead`.
pub(crate) fn write(page: &mut Page<'_>, lead: &str, frames: &[String]) -> io::Result<()> {
    let text = shown(page, lead.chars().count(), frames);
    page.labelled(lead, Role::Plain, &text)
}

/// The path's functions, `a < b < c`, with a mark where there are more; each fits into a line that is
/// `indent` columns shorter than the page.
pub(crate) fn shown(page: &Page<'_>, indent: usize, frames: &[String]) -> String {
    if frames.is_empty() {
        return "call path not available".to_owned();
    }
    let columns = page.style.width.saturating_sub(indent + 2).max(LEAST);
    let name = |frame: &String| {
        let whole = page.plain(frame);
        cut(&whole, columns, page.style.unicode).replace(' ', &GLUE.to_string())
    };
    let names: Vec<String> = frames.iter().take(FRAMES).map(name).collect();
    joined(names, frames.len() > FRAMES, page.style.unicode)
}

/// The names as a path, with a mark where there are more.
pub(crate) fn joined(mut names: Vec<String>, more: bool, unicode: bool) -> String {
    if more {
        names.push(if unicode { "…" } else { "..." }.to_owned());
    }
    names.join(&format!("{GLUE}< "))
}
