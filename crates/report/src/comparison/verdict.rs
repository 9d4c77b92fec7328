//! The verdicts as sentences.

use std::io;

use analysis::contrast_error;
use analysis::looks::least_pairs;
use model::{Comparison, Contrast, Ended, Extent, Judgement, Side, Verdict};

use super::names::quoted;
use super::role;
use crate::effect::{Wording, size};
use crate::page::{Page, Role};
use crate::probability::{p_value, share};
use crate::text::GLUE;

/// The order in which the other phases are told.
const ORDER: [Verdict; 4] = [Verdict::Worse, Verdict::Better, Verdict::CannotTell, Verdict::Same];

/// Writes a verdict for each variant, and why there are no more pairs.
pub(super) fn write(page: &mut Page<'_>, comparison: &Comparison) -> io::Result<()> {
    let others = comparison.sides.iter().skip(1);
    for (at, (side, contrast)) in others.zip(&comparison.contrasts).enumerate() {
        if at > 0 {
            page.blank()?;
        }
        match contrast {
            Contrast::Judged(all) => judged(page, comparison, side, contrast, all)?,
            Contrast::NotComparable(reason) => not_comparable(page, comparison, side, reason)?,
        }
    }
    if comparison.contrasts.is_empty() {
        page.led((Role::Warning, "cannot tell: "), Role::Strong, "no pair was measured")?;
    }
    let Some(why) = ended(comparison) else { return Ok(()) };
    page.blank()?;
    page.labelled("", Role::Plain, &why)
}

fn judged(
    page: &mut Page<'_>,
    comparison: &Comparison,
    side: &Side,
    contrast: &Contrast,
    all: &[Judgement],
) -> io::Result<()> {
    let question = &comparison.question;
    let headline = contrast.headline(&question.headline);
    let name = &side.variant.name;
    let (verdict, text) = match headline {
        Some(headline) => (headline.verdict, sentence(comparison, name, headline)),
        None => (Verdict::CannotTell, unpaired(&question.headline, name)),
    };
    page.led((role(verdict), &format!("{verdict}: ")), Role::Strong, &text)?;
    page.labelled("  other phases  ", Role::Plain, &others(all, headline))?;
    let smallest = headline.and_then(|headline| headline.smallest);
    let missed = smallest
        .map(|effect| format!("8 of 10 such comparisons would see a change of {}", size(effect)));
    page.labelled("  resolution    ", Role::Plain, &missed.unwrap_or_default())
}

fn unpaired(phase: &str, name: &str) -> String {
    format!("`{phase}` was not measured both with {} and with the baseline", quoted(name))
}

fn not_comparable(
    page: &mut Page<'_>,
    comparison: &Comparison,
    side: &Side,
    reason: &str,
) -> io::Result<()> {
    let text = format!("{}: {reason}", quoted(&side.variant.name));
    page.led((Role::Warning, "not comparable: "), Role::Strong, &text)?;
    let baseline = comparison.sides.first().and_then(|side| side.broken.as_ref());
    let broken = baseline.or(side.broken.as_ref());
    let hint = broken.map(|broken| format!("slowpath show {}", broken.trial));
    page.labelled("  look at       ", Role::Plain, &hint.unwrap_or_default())
}

/// The verdict on a phase: what takes how much longer than what, and how sure that is.
fn sentence(comparison: &Comparison, name: &str, judged: &Judgement) -> String {
    let subject = format!("with {} {}", quoted(name), phase(judged));
    let baseline = comparison.sides.first().map(|side| quoted(&side.variant.name));
    let baseline = baseline.unwrap_or_default();
    let wording = Wording::of(judged.effect, judged.interval);
    let threshold = comparison.question.threshold;
    match (judged.verdict, judged.interval) {
        (Verdict::Worse | Verdict::Better, _) => {
            let clause = wording.clause(judged.effect);
            format!("{subject} {clause} with {baseline} ({})", evidence(wording, judged))
        }
        (Verdict::Same, interval) => {
            let range = interval.map(|interval| wording.range(interval) + ", ");
            format!(
                "{subject} takes as long as with {baseline}, within ±{} ({}{})",
                share(threshold, 2),
                range.unwrap_or_default(),
                pairs(judged.pairs)
            )
        }
        (Verdict::CannotTell, interval) => {
            let compared = wording.compared(judged.effect);
            let came = format!("{subject} came out {compared} with {baseline}");
            let asked = (threshold, comparison.question.extent, least(comparison));
            format!("{came}{}", unclear(wording, judged, interval, asked))
        }
    }
}

/// The fewest pairs that can bear a verdict, given how many variants share the error.
fn least(comparison: &Comparison) -> u32 {
    let contrasts = comparison.question.variants.len().saturating_sub(1);
    least_pairs(contrast_error(comparison.question.confidence, contrasts))
}

/// How so many pairs are had.
fn how(extent: Extent, needed: u32) -> String {
    match extent {
        Extent::Pairs(_) | Extent::UntilClear(_) => format!("--seeds{GLUE}{needed}"),
        Extent::Stored(_) => {
            format!(
                "run{GLUE}--repeat{GLUE}{needed} or{GLUE}--seed{GLUE}1,...,{needed} for each set"
            )
        }
    }
}

/// What keeps a verdict from being clear, and what would clear it.
fn unclear(
    wording: Wording,
    judged: &Judgement,
    interval: Option<(f64, f64)>,
    (threshold, extent, least): (f64, Extent, u32),
) -> String {
    let made = pairs(judged.pairs);
    let Some((low, high)) = interval else {
        let are = if judged.pairs == 1 { "is" } else { "are" };
        let least = format!("it takes at least {} ({})", pairs(least), how(extent, least));
        return format!(", but {made} {are} too few to tell; {least}");
    };
    let more = match judged.needed {
        Some(needed) => format!("about {} would tell ({})", pairs(needed), how(extent, needed)),
        None => "more pairs would hardly tell".to_owned(),
    };
    if low <= 0.0 && high >= 0.0 {
        let range = wording.range((low, high));
        let p = p_value(judged.p);
        return format!(", but anything from {range} fits ({made}, {p}); {more}");
    }
    let than = if low > 0.0 { "longer" } else { "shorter" };
    format!(
        " ({}); it is {than}, but maybe by less than the {} that matter; {more}",
        evidence(wording, judged),
        share(threshold, 2)
    )
}

/// `21.0 to 25.4 %, 6 pairs, p = 0.031`.
pub(crate) fn evidence(wording: Wording, judged: &Judgement) -> String {
    let range = judged.interval.map(|interval| wording.range_after(interval) + ", ");
    format!("{}{}, {}", range.unwrap_or_default(), pairs(judged.pairs), p_value(judged.p))
}

fn phase(judged: &Judgement) -> String {
    format!("`{}`", judged.label().replace(' ', &GLUE.to_string()))
}

/// `6 pairs`.
pub(crate) fn pairs(count: u32) -> String {
    match count {
        1 => format!("1{GLUE}pair"),
        _ => format!("{count}{GLUE}pairs"),
    }
}

/// The other phases by their verdicts: `worse: write 1; same: mkfs, mount`.
fn others(all: &[Judgement], headline: Option<&Judgement>) -> String {
    let is_other = |judged: &&Judgement| headline.is_none_or(|h| !std::ptr::eq(h, *judged));
    let of = |verdict: Verdict| {
        let labels = all.iter().filter(is_other).filter(|judged| judged.verdict == verdict);
        let labels: Vec<_> =
            labels.map(|judged| judged.label().replace(' ', &GLUE.to_string())).collect();
        (!labels.is_empty()).then(|| format!("{verdict}: {}", labels.join(", ")))
    };
    ORDER.into_iter().filter_map(of).collect::<Vec<_>>().join("; ")
}

/// Why no more pairs were made, where that says something.
fn ended(comparison: &Comparison) -> Option<String> {
    let question = &comparison.question;
    let unclear = |contrast: &Contrast| {
        let headline = contrast.headline(&question.headline);
        headline.is_some_and(|judged| judged.verdict == Verdict::CannotTell)
    };
    let open = comparison.contrasts.iter().any(unclear);
    let text = match (comparison.ended, question.extent) {
        (Ended::Clear, _) => return None,
        (Ended::Enough, _) if !open => return None,
        (Ended::Enough, Extent::Pairs(count)) => {
            let were = if count == 1 { "was" } else { "were" };
            format!("It ended with the {} that {were} asked for.", pairs(count))
        }
        (Ended::Enough, Extent::Stored(count)) => {
            format!("The two sets have {} in common.", pairs(count))
        }
        (Ended::Enough, Extent::UntilClear(most)) => {
            format!("It ended at {}, the most that were allowed.", pairs(most))
        }
        (Ended::Late, _) => "It ended because the time was over; --budget gives more.".to_owned(),
        (Ended::Hopeless, _) => "It was given up: a clear verdict would need many times the pairs \
                                 that could be made."
            .to_owned(),
        (Ended::Early, _) => "It ended early: it was interrupted, or a trial could not be run or \
                              kept."
            .to_owned(),
    };
    Some(text)
}
