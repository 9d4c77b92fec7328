//! A bisection as JSON for scripts.

use std::io::{self, Write};

use model::bisection::Step;
use model::{Bisection, FORMAT, Found, Judgement, Verdict};
use serde::Serialize;

use super::rows::rows;
use super::words::{headline, share_of_whole};
use crate::comparison::entries;
use crate::effect::{change_percent, ratio};
use crate::hyperfine::Entry;
use crate::json::document;

#[derive(Serialize)]
struct Document<'b> {
    format: u32,
    results: Vec<Entry>,
    found: &'static str,
    whole: Option<Effect>,
    steps: Vec<Culprit<'b>>,
    bisection: &'b Bisection,
}

/// A step of the slowdown.
#[derive(Serialize)]
struct Culprit<'b> {
    culprit: Option<&'b str>,
    title: Option<&'b str>,
    among: Vec<&'b str>,
    parent: &'b str,
    proof: Option<Effect>,
    share: Option<f64>,
}

/// What a judgement on a headline says.
#[derive(Serialize)]
struct Effect {
    verdict: Verdict,
    effect: f64,
    interval: Option<(f64, f64)>,
    change_percent: f64,
    p: f64,
    pairs: u32,
}

/// Writes `{"format":1,"results":[…],"found":"steps","whole":{…},"steps":[…],"bisection":{…}}`.
///
/// - `results`: an entry a phase of the good end, of the bad one, and of the bad one with each remedy that was
///   measured, in hyperfine's words, times in seconds; `parameters` are the settings that differ from the
///   defaults, and `variant`: `good`, `bad`, `bad, reverted`, `bad, fix`, the last two with a number where
///   there are several.
/// - `found`: `steps`, `no-difference`, `broken-end` or `unfinished`.
/// - `whole`: the bad end against the good one. `effect` is the ratio of times, `interval` holds its ends as
///   ratios: over 1 is slower. `change_percent` is (1 - `effect`) × 100, so that plus is better.
/// - `steps`: in the order of history. `culprit` is its whole name, `null` where there are several suspects in
///   `among`, or where the proof does not hold; `parent` is what it stands on; `proof` is the only suspect
///   against that; `share` is which part of the whole slowdown it is, in logarithms of the times: 1 is all.
/// - `bisection`: everything as the archive has it.
///
/// What is not known is `null`.
///
/// # Errors
/// The writer's.
pub fn json(out: &mut dyn Write, bisection: &Bisection) -> io::Result<()> {
    let rows = rows(bisection);
    let steps = match &bisection.found {
        Found::Steps(steps) => steps.as_slice(),
        _ => &[],
    };
    let all = Document {
        format: FORMAT,
        results: rows.sides.iter().flat_map(|side| entries(&rows, side)).collect(),
        found: found(&bisection.found),
        whole: headline(&bisection.ends).map(effect),
        steps: steps.iter().map(|step| culprit(bisection, step)).collect(),
        bisection,
    };
    document(out, &all)
}

fn found(found: &Found) -> &'static str {
    match found {
        Found::Steps(_) => "steps",
        Found::NoDifference => "no-difference",
        Found::BrokenEnd(_) => "broken-end",
        Found::Unfinished => "unfinished",
    }
}

fn culprit<'b>(bisection: &'b Bisection, step: &'b Step) -> Culprit<'b> {
    let change = |at: Option<usize>| bisection.hunt.change(at);
    let only = step.culprit().map(|culprit| change(Some(culprit)));
    let proof = step.proof.as_ref().and_then(headline);
    Culprit {
        culprit: only.map(|only| only.name.as_str()),
        title: only.map(|only| only.title.as_str()).filter(|title| !title.is_empty()),
        among: step.among.iter().map(|at| change(Some(*at)).name.as_str()).collect(),
        parent: &change(step.parent).name,
        proof: proof.map(effect),
        share: proof.and_then(|judged| share_of_whole(bisection, judged.effect)),
    }
}

fn effect(judged: &Judgement) -> Effect {
    Effect {
        verdict: judged.verdict,
        effect: ratio(judged.effect),
        interval: judged.interval.map(|(low, high)| (ratio(low), ratio(high))),
        change_percent: change_percent(judged.effect),
        p: judged.p,
        pairs: judged.pairs,
    }
}
