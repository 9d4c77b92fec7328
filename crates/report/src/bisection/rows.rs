//! The ends and the remedies as rows of one table, and the other phases in brief.

use std::io;

use model::{Bisection, Comparison, Contrast, Judgement, RemedyKind, Side, Variant, Verdict};

use super::words::{called_at, headline};
use crate::comparison::names::Names;
use crate::comparison::phase::phases;
use crate::comparison::phases::legend;
use crate::comparison::role;
use crate::comparison::tables::Tables;
use crate::effect::{Wording, ratio};
use crate::page::{Page, Role};
use crate::table::{Align, Table};

/// The good end, the bad end, and the bad end with each remedy that was measured, as one comparison. Its
/// contrasts are those that were made: bad against good, and each other against bad.
pub(super) fn rows(bisection: &Bisection) -> Comparison {
    let mut all = bisection.ends.clone();
    all.sides.truncate(2);
    all.contrasts.truncate(1);
    if all.contrasts.is_empty() {
        all.contrasts.push(Contrast::NotComparable("they were not compared".to_owned()));
    }
    for (side, name) in all.sides.iter_mut().zip(["good", "bad"]) {
        side.variant.name = name.to_owned();
    }
    for remedy in &bisection.remedies {
        let comparison = remedy.comparison.as_ref();
        let measured = comparison.and_then(|c| Some((c.sides.get(1)?, c.contrasts.first()?)));
        if let Some((side, contrast)) = measured {
            all.sides.push(named(side, label(bisection, &remedy.what)));
            all.contrasts.push(contrast.clone());
        }
    }
    all
}

fn named(side: &Side, name: String) -> Side {
    Side { variant: Variant { name, ..side.variant.clone() }, ..side.clone() }
}

/// `bad, reverted` and `bad, fix`, with a number where there are several.
fn label(bisection: &Bisection, what: &RemedyKind) -> String {
    let reverts = |kind: &RemedyKind| matches!(kind, RemedyKind::Revert(_));
    let kinds = bisection.remedies.iter().map(|remedy| &remedy.what);
    let alike: Vec<_> = kinds.filter(|kind| reverts(kind) == reverts(what)).collect();
    let number = alike.iter().position(|kind| *kind == what).map_or(1, |at| at + 1);
    match (reverts(what), alike.len()) {
        (true, 1) => "bad, reverted".to_owned(),
        (true, _) => format!("bad, revert {number}"),
        (false, 1) => "bad, fix".to_owned(),
        (false, _) => format!("bad, fix {number}"),
    }
}

/// What the rows are, by their labels.
pub(super) fn meanings(bisection: &Bisection) -> Vec<(String, String)> {
    let hunt = &bisection.hunt;
    let mut all = vec![
        ("good".to_owned(), called_at(hunt, None)),
        ("bad".to_owned(), called_at(hunt, Some(hunt.bad()))),
    ];
    for remedy in bisection.remedies.iter().filter(|remedy| remedy.comparison.is_some()) {
        let meaning = match remedy.what {
            RemedyKind::Revert(culprit) => {
                format!("bad without {}", hunt.change(Some(culprit)).short(hunt.kind))
            }
            RemedyKind::Fix(at) => {
                format!("bad with {}", hunt.fixes.get(at).map_or("a fix", |fix| fix.name.as_str()))
            }
        };
        all.push((label(bisection, &remedy.what), meaning));
    }
    all
}

/// Writes the rows of the headline phase, and the other phases of the ends. Nothing where nothing was measured.
pub(super) fn write(page: &mut Page<'_>, bisection: &Bisection) -> io::Result<()> {
    let all = rows(bisection);
    let phases = phases(&all);
    let Some(headline) = phases.iter().position(|phase| phase.is_headline) else { return Ok(()) };
    page.blank()?;
    let against = "bad against good, each further row against bad";
    page.labelled("rows    ", Role::Faint, against)?;
    legend(page, &all)?;
    page.blank()?;
    let meanings = meanings(bisection);
    let widest = meanings.iter().map(|(label, _)| label.len()).max().unwrap_or(0);
    for (label, meaning) in &meanings {
        page.led((Role::Strong, &format!("{label:<widest$}  ")), Role::Plain, meaning)?;
    }
    page.blank()?;
    let names = Names::of(&all, page);
    let shown = &phases[headline..=headline];
    Tables::of(page, &names, shown).write(page, &shown[0])?;
    others(page, &bisection.ends)
}

/// A line a phase: how long it takes with bad, as a multiple of good.
fn others(page: &mut Page<'_>, ends: &Comparison) -> io::Result<()> {
    let Some(Contrast::Judged(all)) = ends.contrasts.first() else { return Ok(()) };
    let judged = headline(ends);
    let is_other = |other: &&Judgement| judged.is_none_or(|judged| !std::ptr::eq(judged, *other));
    let mut table = Table::new(&[
        ("other phases", Align::Left),
        ("bad / good", Align::Right),
        ("change", Align::Right),
        ("verdict", Align::Left),
    ]);
    let mut any = false;
    for other in all.iter().filter(is_other) {
        let wording = Wording::of(other.effect, other.interval);
        let role = if other.verdict == Verdict::Same { Role::Plain } else { role(other.verdict) };
        table.row(vec![
            (Role::Plain, Some(other.label())),
            (Role::Plain, Some(factor(other.effect))),
            (role, Some(wording.change(other.effect))),
            (role, Some(other.verdict.to_string())),
        ]);
        any = true;
    }
    if !any {
        return Ok(());
    }
    page.blank()?;
    table.write(page, "")
}

fn factor(effect: f64) -> String {
    match ratio(effect) {
        factor if factor < 10.0 => format!("{factor:.3}"),
        factor if factor < 1e6 => format!("{factor:.1}"),
        _ => "over 1000000".to_owned(),
    }
}
