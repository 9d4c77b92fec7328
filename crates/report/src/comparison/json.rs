//! A comparison as JSON for scripts.

use std::collections::BTreeMap;
use std::io::{self, Write};

use model::{Comparison, Contrast, FORMAT, Judgement, Sample, Series, Side, Verdict};
use serde::Serialize;

use crate::effect::{change_percent, longer_percent, ratio};
use crate::hyperfine::{self, Entry, Run, entry};
use crate::json::document;

#[derive(Serialize)]
struct Document<'c> {
    format: u32,
    results: Vec<Entry>,
    verdicts: Vec<Row<'c>>,
    comparison: &'c Comparison,
}

/// The verdict on a phase of a variant, or that there is none.
#[derive(Serialize)]
struct Row<'c> {
    variant: &'c str,
    /// `write 2-4`; `None` where the variant cannot be compared.
    phase: Option<String>,
    headline: bool,
    verdict: Word,
    effect: Option<f64>,
    interval: Option<(f64, f64)>,
    change_percent: Option<f64>,
    p: Option<f64>,
    pairs: Option<u32>,
    confidence: Option<f64>,
    smallest_percent: Option<f64>,
    pairs_needed: Option<u32>,
    not_comparable: Option<&'c str>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Word {
    Verdict(Verdict),
    Text(&'static str),
}

/// Writes `{"format":1,"results":[…],"verdicts":[…],"comparison":{…}}`.
///
/// - `results`: an entry a phase and side in hyperfine's words, times in seconds, one a seed in the
///   order of the seeds; `parameters` are the settings that differ from the defaults, and `variant`.
/// - `verdicts`: an entry a phase of every side but the baseline. `verdict` is `worse`, `better`,
///   `same`, `cannot-tell` or `not-comparable`; the entry by which the variant is judged has
///   `headline`. `effect` is the ratio of times, variant / baseline, that of the median pair, and
///   `interval` holds its ends as ratios: over 1 is slower. `change_percent` is (1 - `effect`) × 100, so
///   that plus is better. `confidence` is that of the interval, as a share; `p` is two-sided;
///   `smallest_percent` is by how many per cent a time would have had to be longer to be called worse
///   in 8 of 10 such comparisons; `pairs_needed` is how many pairs would probably clear an unclear
///   verdict. A variant that cannot be compared has one entry, without figures, with the
///   reason in `not_comparable`. What is not known is `null`.
/// - `comparison`: everything as the archive has it, in nanoseconds and logarithms of ratios.
///
/// # Errors
/// The writer's.
pub fn json(out: &mut dyn Write, comparison: &Comparison) -> io::Result<()> {
    let all = Document {
        format: FORMAT,
        results: comparison.sides.iter().flat_map(|side| entries(comparison, side)).collect(),
        verdicts: rows(comparison),
        comparison,
    };
    document(out, &all)
}

/// The entries of a side, one a phase.
pub(crate) fn entries(comparison: &Comparison, side: &Side) -> Vec<Entry> {
    let variant = &side.variant;
    let entry = |series: &Series| {
        let case = &comparison.question.case;
        let command = hyperfine::command(case, &series.label(), &variant.name, &variant.place);
        let runs: Vec<Run> = series.values.iter().map(run_of).collect();
        entry(command, &runs, parameters(side))
    };
    side.series.iter().filter_map(entry).collect()
}

fn parameters(side: &Side) -> BTreeMap<String, String> {
    let changed = side.variant.settings.changed().into_iter();
    changed.chain([("variant".to_owned(), side.variant.name.clone())]).collect()
}

fn run_of(sample: &Sample) -> Run {
    Run { wall_ns: sample.wall_ns, user_ns: sample.user_ns, system_ns: sample.system_ns }
}

fn rows(comparison: &Comparison) -> Vec<Row<'_>> {
    let others = comparison.sides.iter().skip(1).zip(&comparison.contrasts);
    let rows = others.flat_map(|(side, contrast)| {
        let variant = side.variant.name.as_str();
        let headline = contrast.headline(&comparison.question.headline);
        match contrast {
            Contrast::Judged(all) => {
                let is_headline = |judged| headline.is_some_and(|h| std::ptr::eq(h, judged));
                all.iter().map(|judged| row(variant, judged, is_headline(judged))).collect()
            }
            Contrast::NotComparable(reason) => vec![not_comparable(variant, reason)],
        }
    });
    rows.collect()
}

fn row<'c>(variant: &'c str, judged: &Judgement, headline: bool) -> Row<'c> {
    Row {
        variant,
        phase: Some(judged.label()),
        headline,
        verdict: Word::Verdict(judged.verdict),
        effect: Some(ratio(judged.effect)),
        interval: judged.interval.map(|(low, high)| (ratio(low), ratio(high))),
        change_percent: Some(change_percent(judged.effect)),
        p: Some(judged.p),
        pairs: Some(judged.pairs),
        confidence: Some(judged.confidence),
        smallest_percent: judged.smallest.map(longer_percent),
        pairs_needed: judged.needed,
        not_comparable: None,
    }
}

fn not_comparable<'c>(variant: &'c str, reason: &'c str) -> Row<'c> {
    Row {
        variant,
        phase: None,
        headline: true,
        verdict: Word::Text("not-comparable"),
        effect: None,
        interval: None,
        change_percent: None,
        p: None,
        pairs: None,
        confidence: None,
        smallest_percent: None,
        pairs_needed: None,
        not_comparable: Some(reason),
    }
}
