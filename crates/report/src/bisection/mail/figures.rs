//! The figures, in a table as it is known from other mails.

use std::io;

use model::{Bisection, Contrast, Judgement, Verdict};

use super::letter::Letter;
use crate::bisection::rows::{meanings, rows};
use crate::bisection::words::{headline, name};
use crate::comparison::phase::{Phase, phases};
use crate::comparison::tables::figures;
use crate::effect::Wording;
use crate::page::Role;
use crate::probability::share;
use crate::table::{Align, Table};

/// The table of the ends and the remedies.
pub(super) fn write(letter: &mut Letter, bisection: &Bisection) -> io::Result<()> {
    let all = rows(bisection);
    let phases = phases(&all);
    let Some(shown) = phases.iter().find(|phase| phase.is_headline) else { return Ok(()) };
    letter.blank();
    for (label, meaning) in meanings(bisection) {
        letter.item(&format!("  {label:<15}"), &meaning);
    }
    letter.blank();
    let names: Vec<&str> = all.sides.iter().map(|side| side.variant.name.as_str()).collect();
    let judged = headline(&bisection.ends);
    let title = judged.map_or_else(|| bisection.hunt.headline.clone(), name);
    letter.page(|page| table(shown, &title, &names).write(page, "  "))?;
    other_phases(letter, bisection);
    letter.blank();
    letter.paragraph(&how_it_is_judged(judged));
    Ok(())
}

/// Which other phases the slowdown moves, and which it leaves alone.
fn other_phases(letter: &mut Letter, bisection: &Bisection) {
    let Some(Contrast::Judged(all)) = bisection.ends.contrasts.first() else { return };
    let main = headline(&bisection.ends);
    let others: Vec<&Judgement> =
        all.iter().filter(|judged| main.is_none_or(|main| !std::ptr::eq(main, *judged))).collect();
    let moved = |judged: &&&Judgement| matches!(judged.verdict, Verdict::Worse | Verdict::Better);
    let told: Vec<String> = others
        .iter()
        .filter(moved)
        .map(|judged| {
            let wording = Wording::of(judged.effect, judged.interval);
            format!("{} {} with good", judged.label(), wording.clause(judged.effect))
        })
        .collect();
    let rest: Vec<String> =
        others.iter().filter(|judged| !moved(judged)).map(|judged| judged.label()).collect();
    let mut parts = told;
    if !rest.is_empty() {
        parts.push(format!("no difference that matters was seen in {}", rest.join(", ")));
    }
    if !parts.is_empty() {
        letter.blank();
        letter.paragraph(&format!("Other phases with bad: {}.", parts.join("; ")));
    }
}

fn table(shown: &Phase<'_>, title: &str, names: &[&str]) -> Table {
    let right = Align::Right;
    let mut table = Table::new(&[
        (title, Align::Cut),
        ("real", right),
        ("user", right),
        ("system", right),
        ("deviation", right),
        ("n", right),
    ]);
    for side in &shown.sides {
        let name = names.get(side.side).map(|name| (*name).to_owned());
        let [real, user, system, deviation, n, _] = figures(side.values, false);
        let cells = [name, real, user, system, deviation, n];
        table.row(cells.into_iter().map(|cell| (Role::Plain, cell)).collect());
    }
    table
}

fn how_it_is_judged(judged: Option<&Judgement>) -> String {
    let sure = judged.filter(|judged| judged.interval.is_some());
    let sure = sure.map(|judged| format!(", {} sure", share(judged.confidence, 1)));
    format!(
        "Means over n seeds; a seed shifts harmless things alike for all rows, and two rows under one \
         seed make a pair. Ratios are those of the median pair, with an interval{}; p is that of the exact \
         sign-flip test on ranks.",
        sure.unwrap_or_default()
    )
}
