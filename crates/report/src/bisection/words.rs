//! Changes, effects and shares in words.

use model::bisection::Step;
use model::{Bisection, Change, ChangeKind, Comparison, Hunt, Judgement, Verdict};

use crate::comparison::verdict::{evidence, pairs};
use crate::effect::Wording;
use crate::probability::{p_value, share};
use crate::text::cut;

/// Columns of a title in a sentence; a commit's subject has rarely more.
const TITLE: usize = 100;

/// `5adc5be7cd1b ("Bias the placement ...")`, or the name where there is no title.
pub(super) fn called(change: &Change, kind: ChangeKind) -> String {
    let short = change.short(kind);
    match change.title.trim() {
        "" => short.to_owned(),
        title => format!("{short} (\"{}\")", cut(title, TITLE, true)),
    }
}

/// [`called`], of a point in the history.
pub(super) fn called_at(hunt: &Hunt, at: Option<usize>) -> String {
    called(hunt.change(at), hunt.kind)
}

/// `commits`, `packages` or `settings`.
pub(super) fn changes(kind: ChangeKind, count: usize) -> String {
    let one = match kind {
        ChangeKind::Commit => "commit",
        ChangeKind::Package => "package",
        ChangeKind::Setting => "setting",
    };
    counted(count, one)
}

/// `1 step`, `2 steps`.
pub(super) fn counted(count: usize, one: &str) -> String {
    let several = if count == 1 { "" } else { "s" };
    format!("{count}\u{a0}{one}{several}")
}

/// The only suspect of a step, whether the proof holds or not.
pub(super) fn only(step: &Step) -> Option<usize> {
    match step.among.as_slice() {
        [one] => Some(*one),
        _ => None,
    }
}

/// The judgement on the headline of two sides.
pub(super) fn headline(comparison: &Comparison) -> Option<&Judgement> {
    comparison.contrasts.first()?.headline(&comparison.question.headline)
}

/// The headline's effect, if it is worse.
pub(super) fn worse(comparison: &Comparison) -> Option<&Judgement> {
    headline(comparison).filter(|judged| judged.verdict == Verdict::Worse)
}

/// The headline's name; the rounds are told where there are several.
pub(super) fn name(judged: &Judgement) -> String {
    match judged.rounds {
        Some((1, 1)) => judged.phase.clone(),
        _ => judged.label(),
    }
}

/// The same in a sentence.
pub(super) fn in_code(judged: &Judgement) -> String {
    format!("`{}`", name(judged).replace(' ', "\u{a0}"))
}

/// `` `mkfs` take 5.4 times as long (4.7 to 5.5 times, 6 pairs, p = 0.031) ``, behind `makes`.
pub(super) fn make_take(judged: &Judgement) -> String {
    let wording = Wording::of(judged.effect, judged.interval);
    let phrase = wording.phrase(judged.effect);
    format!("{} take {phrase} ({})", in_code(judged), evidence(wording, judged))
}

/// `` `mkfs` takes 5.4 times as long as with good ``, where that is told apart.
pub(super) fn takes(judged: &Judgement, other: &str) -> String {
    let wording = Wording::of(judged.effect, judged.interval);
    format!("{} {} {other}", in_code(judged), wording.clause(judged.effect))
}

/// The same with what it rests on, whatever the verdict is.
pub(super) fn compared(judged: &Judgement, other: &str, threshold: f64) -> String {
    let wording = Wording::of(judged.effect, judged.interval);
    let phase = in_code(judged);
    match (judged.verdict, judged.interval) {
        (Verdict::Worse | Verdict::Better, _) => {
            format!("{} ({})", takes(judged, other), evidence(wording, judged))
        }
        (Verdict::Same, interval) => {
            let range = interval.map(|interval| wording.range(interval) + ", ").unwrap_or_default();
            let (within, pairs) = (share(threshold, 2), pairs(judged.pairs));
            format!("{phase} takes as long as {other}, within ±{within} ({range}{pairs})")
        }
        (Verdict::CannotTell, Some(interval)) => {
            let (came, range) = (wording.compared(judged.effect), wording.range(interval));
            let (pairs, p) = (pairs(judged.pairs), p_value(judged.p));
            format!(
                "{phase} came out {came} {other}, but anything from {range} fits ({pairs}, {p})"
            )
        }
        (Verdict::CannotTell, None) => {
            let (came, pairs) = (wording.compared(judged.effect), pairs(judged.pairs));
            format!("{phase} came out {came} {other}, but {pairs} tell nothing")
        }
    }
}

/// Which share of the whole slowdown an effect is, both as logarithms; `None` where there is no slowdown.
pub(super) fn share_of_whole(bisection: &Bisection, effect: f64) -> Option<f64> {
    let whole = headline(&bisection.ends)?.effect;
    (whole > 0.0 && effect.is_finite()).then_some(effect / whole)
}

/// `98 %`, in whole per cent.
pub(super) fn percent(share: f64) -> String {
    format!("{:.0}\u{a0}%", share * 100.0)
}
