//! The mail that reports a slowdown to those who wrote what brought it, as kernel lists want it: plain text
//! of 72 columns, the figures in a table, commits by 12 digits and subject, no attachment.
//!
//! It says what was measured and on what machine, and nothing that is not known. Without a culprit there is no
//! mail.

mod block;
mod ending;
mod figures;
mod letter;
mod machine;
mod subject;
mod workload;

use std::io::{self, Write};

use model::bisection::Step;
use model::{Bisection, Fingerprint, Found, TrialSpec};

use self::letter::Letter;
use super::context::{notes, search};
use super::facts::{date, files};
use super::proof::{Proof, effect_of, fixes, proof, revert_of};
use super::words::{called_at, changes, headline, in_code, only, percent, share_of_whole, worse};
use crate::comparison::verdict::evidence;
use crate::effect::Wording;
use crate::why::Reason;

/// Suspects of a range that are named.
const NAMED: usize = 10;

/// What a bisection does not hold and a mail wants; what is not given is left out.
#[derive(Clone, Debug, Default)]
pub struct MailFacts<'f> {
    /// What a trial of the culprit, or of the bad end, depended on.
    pub fingerprint: Option<&'f Fingerprint>,
    /// That trial's spec.
    pub spec: Option<&'f TrialSpec>,
    /// The file with that trial's recipe, as it goes with the mail.
    pub recipe_file: Option<String>,
}

/// Why there is no mail.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// No change is found guilty.
    #[error("there is nothing to report: {0}")]
    NoCulprit(String),
    /// The writer's.
    #[error("the mail cannot be written: {0}")]
    Write(#[from] io::Error),
}

/// Writes the mail: its subject, a block of suggestions for the sender that is to be deleted, and its text.
///
/// # Errors
/// No culprit was found and proved, and no range is left; or the writer's.
pub fn mail(
    out: &mut dyn Write,
    bisection: &Bisection,
    facts: &MailFacts<'_>,
) -> Result<(), MailError> {
    let steps = reportable(bisection).map_err(MailError::NoCulprit)?;
    let mut letter = Letter::new();
    letter.header(&format!("Subject: {}", subject::subject(bisection, steps)));
    letter.blank();
    block::write(&mut letter, bisection, steps, facts.recipe_file.as_deref());
    for step in steps {
        letter.blank();
        letter.paragraph(&charge(bisection, step));
    }
    letter.blank();
    letter.paragraph(&whole(bisection, steps));
    helps(&mut letter, bisection, steps);
    figures::write(&mut letter, bisection)?;
    reasons(&mut letter, steps)?;
    for step in steps {
        the_change(&mut letter, bisection, step);
    }
    letter.blank();
    letter.paragraph(&format!("{}.", search(bisection)));
    for note in notes(bisection) {
        letter.item("Note: ", note);
    }
    workload::write(&mut letter, &bisection.hunt, facts.spec);
    machine::write(&mut letter, bisection, facts);
    ending::reproduce(&mut letter, bisection, steps, facts);
    ending::regzbot(&mut letter, bisection, steps);
    out.write_all(letter.text().as_bytes())?;
    Ok(())
}

/// The steps of which a mail can be written, or why there is none.
pub(in crate::bisection) fn reportable(bisection: &Bisection) -> Result<&[Step], String> {
    let id = &bisection.id;
    let steps = match &bisection.found {
        Found::Steps(steps) => steps,
        Found::NoDifference => return Err(format!("{id} saw no slowdown between its ends")),
        Found::BrokenEnd(reason) => {
            return Err(format!("an end of {id} could not be measured: {reason}"));
        }
        Found::Unfinished => {
            return Err(format!(
                "{id} is not finished; the same `slowpath bisect` goes on with it"
            ));
        }
    };
    if steps.is_empty() {
        return Err(format!("{id} found no single step of the slowdown"));
    }
    let stands =
        |step: &Step| only(step).is_none() || matches!(proof(bisection, step), Proof::Worse(_));
    if !steps.iter().any(stands) {
        return Err(format!(
            "the culprit of {id} is not proved (slowpath show {id} says why); a bisection with more \
             pairs may prove it (--most)"
        ));
    }
    Ok(steps)
}

/// What a step is charged with.
fn charge(bisection: &Bisection, step: &Step) -> String {
    let hunt = &bisection.hunt;
    let Some(culprit) = only(step) else {
        return format!(
            "One of {} made the phase `{}` of the test case {} slower; which one could not be told, \
             since those between could not be measured.",
            changes(hunt.kind, step.among.len()),
            hunt.headline,
            hunt.case
        );
    };
    let called = called_at(hunt, Some(culprit));
    match proof(bisection, step) {
        Proof::Worse(judged) => {
            let wording = Wording::of(judged.effect, judged.interval);
            format!(
                "With {called} the phase {} of the test case {} {} with {}, on which it stands ({}).",
                in_code(judged),
                hunt.case,
                wording.clause(judged.effect),
                called_at(hunt, step.parent),
                evidence(wording, judged)
            )
        }
        Proof::Open(why) => format!("A further step may be {called}; {why}."),
    }
}

/// The bad end against the good one, and what the only culprit makes of that.
fn whole(bisection: &Bisection, steps: &[Step]) -> String {
    let Some(judged) = headline(&bisection.ends) else { return String::new() };
    let wording = Wording::of(judged.effect, judged.interval);
    let mut text = format!(
        "With bad, the newer end of the search, it {} with good, the older one ({})",
        wording.clause(judged.effect),
        evidence(wording, judged)
    );
    let of = |step: &Step| {
        let proved = step.proof.as_ref().and_then(worse)?;
        Some(percent(share_of_whole(bisection, proved.effect)?))
    };
    let shares: Vec<String> = steps.iter().filter_map(of).collect();
    if !shares.is_empty() {
        let (these, make) = match steps.len() {
            1 => ("this change", "makes"),
            _ => ("these changes", "make"),
        };
        text += &format!("; {these} {make} up {} of that, in logarithms", shares.join(" and "));
    }
    text + "."
}

/// What reverting and the fixes did.
fn helps(letter: &mut Letter, bisection: &Bisection, steps: &[Step]) {
    for step in steps {
        let Some(culprit) = only(step) else { continue };
        if let Some(remedy) = revert_of(bisection, culprit) {
            let short = bisection.hunt.change(Some(culprit)).short(bisection.hunt.kind);
            let effect = effect_of(bisection, remedy);
            letter.blank();
            letter.paragraph(&format!("Reverting {short} on top of bad {effect}."));
        }
    }
    for (name, remedy) in fixes(bisection) {
        letter.blank();
        letter.paragraph(&format!("{name} on top of bad {}.", effect_of(bisection, remedy)));
    }
}

/// Why each step makes it slower whose proof was looked at. Where the rest of it is kept says nothing to those
/// who get the mail.
fn reasons(letter: &mut Letter, steps: &[Step]) -> io::Result<()> {
    for reason in steps.iter().filter_map(|step| step.proof.as_ref()).flat_map(Reason::all) {
        letter.blank();
        letter.page(|page| reason.write_for_others(page))?;
    }
    Ok(())
}

/// What is known of the culprit, or which the suspects are.
fn the_change(letter: &mut Letter, bisection: &Bisection, step: &Step) {
    let hunt = &bisection.hunt;
    if only(step).is_none() {
        letter.blank();
        letter.paragraph("The suspects:");
        for at in step.among.iter().take(NAMED) {
            letter.item("  - ", &called_at(hunt, Some(*at)));
        }
        match step.among.len().saturating_sub(NAMED) {
            0 => {}
            more => letter.item("  ", &format!("and {more} more")),
        }
        return;
    }
    let Some(commit) = &step.commit else { return };
    letter.blank();
    letter.item("  commit  ", &called_at(hunt, only(step)));
    for (label, value) in [
        ("  author  ", commit.author.clone()),
        ("  date    ", date(commit)),
        ("  files   ", files(commit)),
    ] {
        if !value.trim().is_empty() {
            letter.item(label, &value);
        }
    }
}
