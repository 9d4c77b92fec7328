//! What is known against a culprit, and what helps, in sentences that the terminal and the mail share.

use model::bisection::Step;
use model::{Bisection, Comparison, Contrast, Judgement, Remedy, RemedyKind, Verdict};

use super::words::{called_at, compared, headline, make_take, percent, share_of_whole, worse};

/// What the proof of a step with a single culprit says.
pub(super) enum Proof<'b> {
    /// The culprit is worse than what it stands on.
    Worse(&'b Judgement),
    /// It could not be shown, and why, in a sentence.
    Open(String),
}

/// What the proof of a step's culprit says.
pub(super) fn proof<'b>(bisection: &'b Bisection, step: &'b Step) -> Proof<'b> {
    let Some(comparison) = &step.proof else {
        return Proof::Open("it was not compared with what it stands on".to_owned());
    };
    match worse(comparison) {
        Some(judged) => Proof::Worse(judged),
        None => Proof::Open(open(bisection, step, comparison)),
    }
}

fn open(bisection: &Bisection, step: &Step, comparison: &Comparison) -> String {
    let parent = bisection.hunt.change(step.parent).short(bisection.hunt.kind);
    match (headline(comparison), comparison.contrasts.first()) {
        (Some(judged), _) => {
            let other = format!("with {parent}, on which it stands");
            format!("with it {}", compared(judged, &other, bisection.hunt.threshold))
        }
        (None, Some(Contrast::NotComparable(reason))) => reason.clone(),
        (None, _) => format!("it and {parent}, on which it stands, were not both measured"),
    }
}

/// ``5adc5be7cd1b ("...") makes `mkfs` take 5.4 times as long (4.7 to 5.5 times, 6 pairs, p = 0.031)``.
pub(super) fn accusation(bisection: &Bisection, culprit: usize, judged: &Judgement) -> String {
    format!("{} makes {}", called_at(&bisection.hunt, Some(culprit)), make_take(judged))
}

/// What a remedy did, in a sentence that follows its name.
pub(super) fn effect_of(bisection: &Bisection, remedy: &Remedy) -> String {
    let judged = remedy.comparison.as_ref().and_then(headline);
    let Some(judged) = judged else {
        let reason = remedy.reason.as_deref().unwrap_or("it was not measured");
        return format!("could not be measured: {reason}");
    };
    let what = match remedy.what {
        RemedyKind::Revert(_) => "the revert",
        RemedyKind::Fix(_) => "the fix",
    };
    let told = compared(judged, "without", bisection.hunt.threshold);
    let told = format!("with {what} {told}");
    match (judged.verdict, share_of_whole(bisection, -judged.effect)) {
        (Verdict::Better, Some(share)) => {
            format!("recovers {} of the slowdown: {told}", percent(share))
        }
        (Verdict::Worse, _) => format!("makes it worse: {told}"),
        (Verdict::Same, _) => format!("recovers nothing: {told}"),
        (Verdict::CannotTell, _) => format!("cannot be told: {told}"),
        (Verdict::Better, None) => told,
    }
}

/// What came of reverting a culprit on the bad end.
pub(super) fn revert_of(bisection: &Bisection, culprit: usize) -> Option<&Remedy> {
    bisection.remedies.iter().find(|remedy| remedy.what == RemedyKind::Revert(culprit))
}

/// The fixes that were tried: their names and what came of them.
pub(super) fn fixes(bisection: &Bisection) -> impl Iterator<Item = (&str, &Remedy)> {
    bisection.remedies.iter().filter_map(|remedy| match remedy.what {
        RemedyKind::Fix(at) => Some((bisection.hunt.fixes.get(at)?.name.as_str(), remedy)),
        RemedyKind::Revert(_) => None,
    })
}
