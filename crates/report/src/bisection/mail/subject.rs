//! The subject: what takes how much longer, and since when.

use model::bisection::Step;
use model::{Bisection, ChangeKind, Hunt, Judgement};

use crate::bisection::words::{changes, headline, only, worse};
use crate::effect::Wording;
use crate::text::{cut, plain, width};

/// Columns of a subject: what a line of a header should have (RFC 5322, 2.1.1), since programs fold it.
const ROOM: usize = 78;

/// `[REGRESSION] mke2fs-aged: mkfs takes 5.4 times as long since 5adc5be7cd1b`; without the case where that
/// would be too long for a line.
pub(super) fn subject(bisection: &Bisection, steps: &[Step]) -> String {
    let hunt = &bisection.hunt;
    let tag = if hunt.kind == ChangeKind::Setting { "" } else { "[REGRESSION] " };
    let what = plain(&what(bisection, steps), true);
    let whole = format!("{tag}{}: {what}", plain(&hunt.case, true));
    match width(&whole) <= ROOM {
        true => whole,
        false => cut(&format!("{tag}{what}"), ROOM, false),
    }
}

fn what(bisection: &Bisection, steps: &[Step]) -> String {
    let hunt = &bisection.hunt;
    let whole = headline(&bisection.ends);
    match (steps, main_step(steps)) {
        ([step], _) => match only(step) {
            Some(culprit) => {
                let judged = step.proof.as_ref().and_then(worse).or(whole);
                let since = if hunt.kind == ChangeKind::Setting { "with" } else { "since" };
                let short = hunt.change(Some(culprit)).short(hunt.kind);
                format!("{} {since} {short}", longer(hunt, judged))
            }
            None => {
                let suspects = changes(hunt.kind, step.among.len());
                format!("{} since one of {suspects}", longer(hunt, whole))
            }
        },
        (several, _) => format!("{}, in {} steps", longer(hunt, whole), several.len()),
    }
}

/// `mkfs takes 5.4 times as long`.
fn longer(hunt: &Hunt, judged: Option<&Judgement>) -> String {
    let phrase = judged.map_or("longer".to_owned(), |judged| {
        Wording::of(judged.effect, judged.interval).phrase(judged.effect)
    });
    format!("{} takes {phrase}", hunt.headline)
}

/// The step that weighs most: the largest that is proved, else the first range.
pub(super) fn main_step(steps: &[Step]) -> Option<&Step> {
    let effect = |step: &&Step| step.proof.as_ref().and_then(worse).map(|judged| judged.effect);
    let proved = steps.iter().filter(|step| effect(step).is_some());
    proved
        .max_by(|a, b| effect(a).unwrap_or_default().total_cmp(&effect(b).unwrap_or_default()))
        .or_else(|| steps.iter().find(|step| only(step).is_none()))
}
