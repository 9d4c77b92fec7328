//! Rows of figures, each with a text that may be longer than any line.

use std::io;

use super::lines::fitting;
use crate::page::{Page, Role};
use crate::table::GAP;
use crate::text::width;

/// Columns that the texts must have beside the figures; where there are fewer, they go below them.
const ROOM: usize = 24;

/// How far texts stand in that go below their figures.
const STEP: usize = 4;

/// Rows in the making.
pub(super) struct Figures {
    titles: Vec<String>,
    rows: Vec<(Role, Vec<Option<String>>, String)>,
}

impl Figures {
    pub(super) fn new(titles: &[&str]) -> Figures {
        Figures {
            titles: titles.iter().map(|title| (*title).to_owned()).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds figures and what they are of; `None` is a figure that there is not.
    pub(super) fn row<const N: usize>(
        &mut self,
        role: Role,
        cells: [Option<String>; N],
        text: String,
    ) {
        self.rows.push((role, cells.to_vec(), text));
    }

    /// Writes the rows; columns in which nothing stands are left out.
    pub(super) fn write(mut self, page: &mut Page<'_>, indent: usize) -> io::Result<()> {
        self.drop_empty_columns();
        let widths = self.widths(page);
        let lead = indent + widths.iter().map(|columns| columns + GAP).sum::<usize>();
        let beside = page.style.width >= lead + ROOM;
        let titles: Vec<Option<String>> = self.titles.iter().cloned().map(Some).collect();
        page.line(&[(Role::Faint, &row(page, indent, &widths, &titles))])?;
        for (role, cells, text) in &self.rows {
            let figures = row(page, indent, &widths, cells);
            if beside {
                let text = fitting(text, page.style.width.saturating_sub(lead), page.style.unicode);
                page.led((Role::Plain, &format!("{figures}  ")), *role, &text)?;
                continue;
            }
            page.line(&[(Role::Plain, &figures)])?;
            let below = indent + STEP;
            let text = fitting(text, page.style.width.saturating_sub(below), page.style.unicode);
            page.led((Role::Plain, &" ".repeat(below)), *role, &text)?;
        }
        Ok(())
    }

    fn drop_empty_columns(&mut self) {
        for at in (0..self.titles.len()).rev() {
            if self.rows.iter().all(|(_, cells, _)| cells[at].is_none()) {
                self.titles.remove(at);
                for (_, cells, _) in &mut self.rows {
                    cells.remove(at);
                }
            }
        }
    }

    fn widths(&self, page: &Page<'_>) -> Vec<usize> {
        let widest = |(at, title): (usize, &String)| {
            let cells = self.rows.iter().filter_map(|(_, cells, _)| cells[at].as_deref());
            cells.map(|cell| width(&page.plain(cell))).max().unwrap_or(0).max(width(title))
        };
        self.titles.iter().enumerate().map(widest).collect()
    }
}

fn row(page: &Page<'_>, indent: usize, widths: &[usize], cells: &[Option<String>]) -> String {
    let cell = |(cell, columns): (&Option<String>, &usize)| {
        let text = page.plain(cell.as_deref().unwrap_or("-"));
        format!("{text:>columns$}")
    };
    let cells: Vec<String> = cells.iter().zip(widths).map(cell).collect();
    format!("{}{}", " ".repeat(indent), cells.join("  "))
}
