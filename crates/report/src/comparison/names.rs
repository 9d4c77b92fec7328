//! What the sides are called in tables.

use std::io;

use model::Comparison;

use crate::page::{Page, Role};
use crate::text::width;

/// Names that are longer than this share of a line are told once, and letters stand for them.
const SHARE: usize = 4;

/// A name in a sentence, in quotes where it has spaces.
pub(crate) fn quoted(name: &str) -> String {
    match name.contains(char::is_whitespace) {
        true => format!("\"{name}\""),
        false => name.to_owned(),
    }
}

/// The names of the sides, in their order.
pub(crate) struct Names {
    full: Vec<String>,
    lettered: bool,
}

impl Names {
    pub(crate) fn of(comparison: &Comparison, page: &Page<'_>) -> Names {
        let full = comparison.sides.iter().map(|side| page.plain(&side.variant.name));
        let full: Vec<String> = full.collect();
        let most = (page.style.width / SHARE).max(12);
        let lettered = full.iter().any(|name| width(name) > most);
        Names { full, lettered }
    }

    /// The name of a side as it fits into a table.
    pub(super) fn short(&self, side: usize) -> String {
        if !self.lettered {
            return self.full[side].clone();
        }
        ('A'..='Z').nth(side).map_or_else(|| format!("{}", side + 1), String::from)
    }

    /// Writes what the letters stand for, where there are any.
    pub(super) fn legend(&self, page: &mut Page<'_>) -> io::Result<()> {
        if !self.lettered {
            return Ok(());
        }
        for (side, name) in self.full.iter().enumerate() {
            page.led((Role::Strong, &format!("{}  ", self.short(side))), Role::Plain, name)?;
        }
        Ok(())
    }
}
