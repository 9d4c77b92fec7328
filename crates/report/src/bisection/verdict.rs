//! The verdict in a sentence, and what stands behind it.

use std::io;

use model::bisection::Step;
use model::{Bisection, Found, Verdict};

use super::again;
use super::context::command;
use super::facts;
use super::proof::{Proof, accusation, effect_of, fixes, proof};
use super::words::{called_at, changes, compared, headline, only};
use crate::effect::size;
use crate::page::{Page, Role};

/// Writes what was found.
pub(super) fn write(page: &mut Page<'_>, bisection: &Bisection) -> io::Result<()> {
    match &bisection.found {
        Found::NoDifference => no_difference(page, bisection),
        Found::BrokenEnd(reason) => broken_end(page, bisection, reason),
        Found::Unfinished => unfinished(page, bisection),
        Found::Steps(steps) => {
            all_steps(page, bisection, steps)?;
            whole(page, bisection)?;
            remedies(page, bisection)
        }
    }
}

/// The bad end against the good one, in a sentence.
fn ends(bisection: &Bisection) -> Option<String> {
    let judged = headline(&bisection.ends)?;
    let told = compared(judged, "with good", bisection.hunt.threshold);
    Some(format!("with bad {told}"))
}

fn no_difference(page: &mut Page<'_>, bisection: &Bisection) -> io::Result<()> {
    let judged = headline(&bisection.ends);
    let (role, why) = match judged.map(|judged| judged.verdict) {
        Some(Verdict::Same) => (Role::Good, "the ends do not differ"),
        Some(Verdict::Better) => (Role::Good, "the bad end is faster than the good one"),
        _ => (Role::Warning, "the ends cannot be told apart"),
    };
    let ends = ends(bisection).map(|ends| format!(": {ends}")).unwrap_or_default();
    page.led((role, "no culprit: "), Role::Strong, &format!("{why}{ends}"))?;
    if let Some(smallest) = judged.and_then(|judged| judged.smallest) {
        let seen =
            format!("8 of 10 such comparisons would have seen a change of {}", size(smallest));
        page.labelled("  resolution  ", Role::Plain, &seen)?;
    }
    let open = judged.filter(|judged| judged.verdict == Verdict::CannotTell);
    let more = open.and_then(|judged| judged.needed);
    let hint = more.map(|pairs| format!("about {pairs} pairs would tell (--most\u{a0}{pairs})"));
    page.labelled("  hint        ", Role::Plain, &hint.unwrap_or_default())
}

fn broken_end(page: &mut Page<'_>, bisection: &Bisection, reason: &str) -> io::Result<()> {
    let text = format!("an end could not be measured, so nothing was searched: {reason}");
    page.led((Role::Warning, "no culprit: "), Role::Strong, &text)?;
    let broken = bisection.ends.sides.iter().find_map(|side| side.broken.as_ref());
    let hint = broken.map(|broken| format!("slowpath show {}", broken.trial));
    page.labelled("  look at  ", Role::Plain, &hint.unwrap_or_default())
}

fn unfinished(page: &mut Page<'_>, bisection: &Bisection) -> io::Result<()> {
    let hunt = &bisection.hunt;
    let text = format!(
        "{} of {} tried, and no verdict yet; what was measured is kept, and the same command goes on",
        bisection.tried.len(),
        changes(hunt.kind, hunt.candidates.len())
    );
    page.led((Role::Warning, "unfinished: "), Role::Strong, &text)?;
    page.labelled("  whole    ", Role::Plain, &ends(bisection).unwrap_or_default())?;
    command(page, "  command  ", &again::bisect(hunt, None, again::Names::Whole))
}

fn all_steps(page: &mut Page<'_>, bisection: &Bisection, steps: &[Step]) -> io::Result<()> {
    if steps.is_empty() {
        let text = "the ends differ, but no single step of that could be told: it may have come in many \
                    small parts";
        return page.led((Role::Warning, "no culprit: "), Role::Strong, text);
    }
    for (at, step) in steps.iter().enumerate() {
        let number = (steps.len() > 1).then_some(at + 1);
        one_step(page, bisection, step, number)?;
        facts::write(page, bisection, step)?;
        if number.is_some() {
            page.blank()?;
        }
    }
    Ok(())
}

fn one_step(
    page: &mut Page<'_>,
    bisection: &Bisection,
    step: &Step,
    number: Option<usize>,
) -> io::Result<()> {
    let lead = |word: &str| match number {
        Some(number) => format!("{word} {number}: "),
        None => format!("{word}: "),
    };
    let Some(culprit) = only(step) else {
        let one_of = format!("one of {}", step.among.len());
        let text = format!(
            "`{}` became slower with one of these, which could not be told apart",
            bisection.hunt.headline
        );
        return page.led((Role::Warning, &lead(&one_of)), Role::Strong, &text);
    };
    match proof(bisection, step) {
        Proof::Worse(judged) => {
            let text = accusation(bisection, culprit, judged);
            page.led((Role::Bad, &lead("culprit")), Role::Strong, &text)
        }
        Proof::Open(why) => {
            let called = called_at(&bisection.hunt, Some(culprit));
            let text = format!("the search ended at {called}; {why}");
            page.led((Role::Warning, &lead("not proved")), Role::Strong, &text)
        }
    }
}

fn whole(page: &mut Page<'_>, bisection: &Bisection) -> io::Result<()> {
    page.labelled("  whole      ", Role::Plain, &ends(bisection).unwrap_or_default())
}

fn remedies(page: &mut Page<'_>, bisection: &Bisection) -> io::Result<()> {
    for (name, remedy) in fixes(bisection) {
        let text = format!("{name} {}", effect_of(bisection, remedy));
        page.labelled("  fix        ", Role::Plain, &text)?;
    }
    Ok(())
}
