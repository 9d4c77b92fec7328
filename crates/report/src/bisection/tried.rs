//! The candidates that were tried, in the order of trying.

use std::io;

use model::{Bisection, Standing, Tried};

use super::words::percent;
use crate::page::{Page, Role};
use crate::table::{Align, Cell, Table};

/// Writes a line a candidate, and why some could not be told. Nothing where none was tried.
pub(super) fn write(page: &mut Page<'_>, bisection: &Bisection) -> io::Result<()> {
    if bisection.tried.is_empty() {
        return Ok(());
    }
    page.blank()?;
    page.labelled(
        "tried   ",
        Role::Faint,
        "in this order; position: how far on the way from the older end (0\u{a0}%) to the newer one \
         (100\u{a0}%), in logarithms of the time",
    )?;
    page.blank()?;
    table(bisection).write(page, "")?;
    for tried in &bisection.tried {
        if let Some(reason) = &tried.reason {
            let hunt = &bisection.hunt;
            let name = hunt.change(Some(tried.candidate)).short(hunt.kind);
            page.led((role(tried.standing), &format!("{name}: ")), Role::Plain, reason)?;
        }
    }
    Ok(())
}

fn table(bisection: &Bisection) -> Table {
    let whole = (None, bisection.hunt.bad());
    let in_parts = bisection.tried.iter().any(|tried| tried.between != whole);
    let mut table = Table::new(&[
        ("candidate", Align::Left),
        ("suspects", Align::Right),
        ("seeds", Align::Right),
        ("position", Align::Right),
        ("interval", Align::Right),
        ("standing", Align::Left),
        ("between", Align::Left),
        ("", Align::Cut),
    ]);
    for tried in &bisection.tried {
        table.row(row(bisection, tried, in_parts));
    }
    table
}

fn row(bisection: &Bisection, tried: &Tried, in_parts: bool) -> Vec<Cell> {
    let hunt = &bisection.hunt;
    let change = hunt.change(Some(tried.candidate));
    let (older, newer) = tried.between;
    let name = |at: Option<usize>| match at {
        None => "good",
        Some(at) if at == hunt.bad() => "bad",
        Some(at) => hunt.change(Some(at)).short(hunt.kind),
    };
    let between = in_parts.then(|| format!("{}..{}", name(older), name(Some(newer))));
    let plain = |text: Option<String>| (Role::Plain, text);
    let interval = tried.interval;
    vec![
        plain(Some(change.short(hunt.kind).to_owned())),
        plain(Some(tried.suspects.to_string())),
        plain((tried.seeds > 0).then(|| tried.seeds.to_string())),
        plain(tried.position.map(percent)),
        plain(interval.map(|(low, high)| format!("{:.0} to {}", low * 100.0, percent(high)))),
        (role(tried.standing), Some(word(tried.standing).to_owned())),
        plain(between),
        plain(Some(change.title.clone()).filter(|title| !title.is_empty())),
    ]
}

/// A standing in a word.
fn word(standing: Standing) -> &'static str {
    match standing {
        Standing::Old => "old",
        Standing::New => "new",
        Standing::Neither => "neither",
        Standing::Broken => "broken",
        Standing::CannotTell => "cannot tell",
    }
}

fn role(standing: Standing) -> Role {
    match standing {
        Standing::Old => Role::Good,
        Standing::New => Role::Bad,
        Standing::Neither | Standing::Broken | Standing::CannotTell => Role::Warning,
    }
}

/// How many candidates could not be told, so that the search went around them.
pub(super) fn skipped(bisection: &Bisection) -> usize {
    let untold = |tried: &&Tried| matches!(tried.standing, Standing::Broken | Standing::CannotTell);
    bisection.tried.iter().filter(untold).count()
}
