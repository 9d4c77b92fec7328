//! Quiet tables: no rules, two spaces between columns, numbers to the right.

use std::io;

use crate::page::{Page, Role};
use crate::text::{cut, width};

/// One cell; `None` is a value that there is not, which is never shown as 0.
pub(crate) type Cell = (Role, Option<String>);

/// Where a column's text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
    /// To the left, and cut where the table would be too wide.
    Cut,
}

/// The least that remains of a column that is cut.
const LEAST: usize = 10;

/// White space between two columns.
pub(crate) const GAP: usize = 2;

/// A table in the making.
pub(crate) struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<Cell>>,
    first_title: Role,
}

impl Table {
    pub(crate) fn new(columns: &[(&str, Align)]) -> Table {
        Table {
            columns: columns.iter().map(|(title, align)| ((*title).to_owned(), *align)).collect(),
            rows: Vec::new(),
            first_title: Role::Faint,
        }
    }

    /// Gives the first column's title another role than the others': it names the table.
    pub(crate) fn named(mut self, role: Role) -> Table {
        self.first_title = role;
        self
    }

    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    /// Writes the table; columns in which nothing stands are left out.
    pub(crate) fn write(mut self, page: &mut Page<'_>, indent: &str) -> io::Result<()> {
        self.drop_empty_columns();
        for cell in self.rows.iter_mut().flatten() {
            cell.1 = cell.1.as_ref().map(|text| page.plain(text));
        }
        self.cut(page, width(indent));
        let widths = self.widths();
        self.write_row(page, indent, &widths, &self.titles())?;
        for row in &self.rows {
            self.write_row(page, indent, &widths, row)?;
        }
        Ok(())
    }

    fn titles(&self) -> Vec<Cell> {
        let role = |at| if at == 0 { self.first_title } else { Role::Faint };
        let titles = self.columns.iter().enumerate();
        titles.map(|(at, (title, _))| (role(at), Some(title.clone()))).collect()
    }

    fn drop_empty_columns(&mut self) {
        for at in (0..self.columns.len()).rev() {
            if self.rows.iter().all(|row| row[at].1.is_none()) {
                self.columns.remove(at);
                for row in &mut self.rows {
                    row.remove(at);
                }
            }
        }
    }

    fn widths(&self) -> Vec<usize> {
        let widest = |(at, (title, _)): (usize, &(String, Align))| {
            let cells = self.rows.iter().filter_map(|row| row[at].1.as_deref());
            cells.map(width).max().unwrap_or(0).max(width(title))
        };
        self.columns.iter().enumerate().map(widest).collect()
    }

    /// Cuts the column that may be cut until the table fits, or little remains of it.
    fn cut(&mut self, page: &Page<'_>, indent: usize) {
        let Some(at) = self.columns.iter().position(|(_, align)| *align == Align::Cut) else {
            return;
        };
        let widths = self.widths();
        let total = indent + widths.iter().sum::<usize>() + GAP * (widths.len() - 1);
        let over = total.saturating_sub(page.style.width);
        let left = widths[at].saturating_sub(over).max(LEAST);
        for row in &mut self.rows {
            let cell = &mut row[at].1;
            *cell = cell.as_ref().map(|text| cut(text, left, page.style.unicode));
        }
    }

    fn write_row(
        &self,
        page: &mut Page<'_>,
        indent: &str,
        widths: &[usize],
        cells: &[Cell],
    ) -> io::Result<()> {
        let padded: Vec<(Role, String)> = cells
            .iter()
            .zip(widths)
            .zip(&self.columns)
            .map(|(((role, text), columns), (_, align))| {
                let (role, text) = match text {
                    Some(text) => (*role, text.as_str()),
                    None => (Role::Faint, "-"),
                };
                (role, pad(text, *columns, *align))
            })
            .collect();
        let mut spans = vec![(Role::Plain, indent)];
        for (at, (role, text)) in padded.iter().enumerate() {
            if at > 0 {
                spans.push((Role::Plain, "  "));
            }
            spans.push((*role, text));
        }
        page.line(&spans)
    }
}

fn pad(text: &str, columns: usize, align: Align) -> String {
    match align {
        Align::Right => format!("{text:>columns$}"),
        Align::Left | Align::Cut => format!("{text:<columns$}"),
    }
}
