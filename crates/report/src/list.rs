//! What `trials` prints: a line a trial, a comparison or a bisection, or JSON.

use std::collections::BTreeMap;
use std::io::{self, Write};

use model::bisection::Step;
use model::{Bisection, Comparison, Contrast, FORMAT, Found, Outcome, Trial, Verdict};
use serde::Serialize;

use crate::broken::kind;
use crate::comparison;
use crate::effect::Wording;
use crate::heading::{release, variant};
use crate::json::document;
use crate::page::{Page, Role, Style};
use crate::quantity::duration;
use crate::table::{Align, Cell, Table};
use model::place::is_exact;

/// Times of a headline that are shown each; of more, the least and the greatest are.
const TIMES: usize = 2;

/// Writes a table of the trials in the order in which they come.
///
/// # Errors
/// The writer's.
pub fn trials(out: &mut dyn Write, trials: &[Trial], style: Style) -> io::Result<()> {
    let mut page = Page::new(out, style);
    if trials.is_empty() {
        return page.line(&[(Role::Plain, "no trials yet; `slowpath run` adds one")]);
    }
    let mut table = Table::new(&[
        ("id", Align::Left),
        ("when (UTC)", Align::Left),
        ("case", Align::Left),
        ("settings", Align::Cut),
        ("seed", Align::Right),
        ("kernel", Align::Left),
        ("outcome", Align::Left),
    ]);
    for trial in trials {
        table.row(row(trial));
    }
    table.write(&mut page, "")
}

fn row(trial: &Trial) -> Vec<Cell> {
    let plain = |text: &str| (Role::Plain, Some(text.to_owned()));
    let mut settings = variant(&trial.spec.place, &trial.spec.settings);
    if !is_exact(&trial.spec.place) {
        settings = format!("{} {settings}", trial.spec.place);
    }
    vec![
        (Role::Strong, Some(trial.id.clone())),
        plain(&when(&trial.started)),
        plain(&trial.spec.case),
        (Role::Plain, Some(settings).filter(|text| !text.is_empty())),
        plain(&trial.spec.seed.to_string()),
        (Role::Plain, release(&trial.fingerprint).map(str::to_owned)),
        outcome(trial),
    ]
}

fn when(started: &str) -> String {
    started.replace('T', " ").replace('Z', "")
}

fn outcome(trial: &Trial) -> Cell {
    let measurements = match &trial.outcome {
        Outcome::Measured(measurements) => measurements,
        Outcome::Broken(broken) => {
            return (Role::Bad, Some(format!("broken: {}", kind(broken.kind))));
        }
    };
    let mut times = measurements.times(&trial.spec.headline);
    let shown = match times.len() {
        0..=TIMES => times.iter().copied().map(duration).collect::<Vec<_>>().join(", "),
        rounds => {
            times.sort_unstable();
            let (least, greatest) = (duration(times[0]), duration(times[rounds - 1]));
            format!("{least} to {greatest}, {rounds} rounds")
        }
    };
    let text = format!("{} {shown}", trial.spec.headline);
    (Role::Plain, Some(text))
}

/// Writes a table of comparisons in the order in which they come.
///
/// # Errors
/// The writer's.
pub fn comparisons(
    out: &mut dyn Write,
    comparisons: &[Comparison],
    style: Style,
) -> io::Result<()> {
    let mut page = Page::new(out, style);
    if comparisons.is_empty() {
        return page.line(&[(Role::Plain, "no comparisons yet; `slowpath compare` makes one")]);
    }
    let mut table = Table::new(&[
        ("id", Align::Left),
        ("when (UTC)", Align::Left),
        ("case", Align::Left),
        ("variants", Align::Cut),
        ("verdict", Align::Left),
    ]);
    for compared in comparisons {
        let plain = |text: String| (Role::Plain, Some(text));
        table.row(vec![
            (Role::Strong, Some(compared.id.clone())),
            plain(when(&compared.started)),
            plain(compared.question.case.clone()),
            plain(variants(compared)),
            verdicts(compared),
        ]);
    }
    table.write(&mut page, "")
}

/// Writes a table of bisections in the order in which they come.
///
/// # Errors
/// The writer's.
pub fn bisections(out: &mut dyn Write, bisections: &[Bisection], style: Style) -> io::Result<()> {
    let mut page = Page::new(out, style);
    if bisections.is_empty() {
        return page.line(&[(Role::Plain, "no bisections yet; `slowpath bisect` makes one")]);
    }
    let mut table = Table::new(&[
        ("id", Align::Left),
        ("when (UTC)", Align::Left),
        ("case", Align::Left),
        ("good", Align::Left),
        ("bad", Align::Left),
        ("culprit", Align::Cut),
    ]);
    for bisection in bisections {
        let hunt = &bisection.hunt;
        let plain = |text: &str| (Role::Plain, Some(text.to_owned()));
        table.row(vec![
            (Role::Strong, Some(bisection.id.clone())),
            plain(&when(&bisection.started)),
            plain(&hunt.case),
            plain(hunt.good.short(hunt.kind)),
            plain(hunt.change(Some(hunt.bad())).short(hunt.kind)),
            found(bisection),
        ]);
    }
    table.write(&mut page, "")
}

/// The culprits of a bisection, or why there is none.
fn found(bisection: &Bisection) -> Cell {
    let hunt = &bisection.hunt;
    let called = |at: usize| {
        let change = hunt.change(Some(at));
        format!("{} {}", change.short(hunt.kind), change.title).trim_end().to_owned()
    };
    let step = |step: &Step| match (step.culprit(), step.among.as_slice()) {
        (Some(culprit), _) => called(culprit),
        (None, [suspect]) => format!("not proved: {}", called(*suspect)),
        (None, among) => format!("one of {}", among.len()),
    };
    match &bisection.found {
        Found::NoDifference => (Role::Good, Some("none: the ends do not differ".to_owned())),
        Found::BrokenEnd(_) => (Role::Warning, Some("none: an end is broken".to_owned())),
        Found::Unfinished => (Role::Warning, Some("none yet".to_owned())),
        Found::Steps(steps) => {
            let names: Vec<String> = steps.iter().map(step).collect();
            (Role::Bad, Some(names.join("; ")))
        }
    }
}

/// `fs=ext4,xfs` where all names have the same key and no value has a comma, or else the names.
fn variants(compared: &Comparison) -> String {
    let names = || compared.question.variants.iter().map(|variant| variant.name.as_str());
    let pairs: Option<Vec<(&str, &str)>> = names().map(|name| name.split_once('=')).collect();
    let pairs = pairs.unwrap_or_default();
    match pairs.first() {
        Some((key, _)) if pairs.iter().all(|(k, value)| k == key && !value.contains(',')) => {
            let values = pairs.iter().map(|(_, value)| *value);
            format!("{key}={}", values.collect::<Vec<_>>().join(","))
        }
        _ => names().collect::<Vec<_>>().join(", "),
    }
}

/// The headline's verdict on each variant; of only one variant with its size.
fn verdicts(compared: &Comparison) -> Cell {
    let phase = &compared.question.headline;
    let verdict = |contrast: &Contrast| match (contrast, contrast.headline(phase)) {
        (Contrast::NotComparable(_), _) => "not comparable".to_owned(),
        (_, Some(judged)) => judged.verdict.to_string(),
        (_, None) => Verdict::CannotTell.to_string(),
    };
    let only = match compared.contrasts.as_slice() {
        [only] => only.headline(phase),
        _ => None,
    };
    let sized = only.filter(|judged| matches!(judged.verdict, Verdict::Worse | Verdict::Better));
    let text = match sized {
        Some(judged) => {
            let wording = Wording::of(judged.effect, judged.interval);
            format!("{}: {}", judged.verdict, wording.phrase(judged.effect))
        }
        None => compared.contrasts.iter().map(verdict).collect::<Vec<_>>().join(", "),
    };
    let role = only.map_or(Role::Plain, |judged| comparison::role(judged.verdict));
    (role, Some(text).filter(|text| !text.is_empty()))
}

#[derive(Serialize)]
struct Document<'t> {
    format: u32,
    trials: Vec<Entry<'t>>,
}

#[derive(Serialize)]
struct Entry<'t> {
    id: &'t str,
    #[serde(skip_serializing_if = "str::is_empty")]
    set: &'t str,
    started: &'t str,
    case: &'t str,
    place: &'t str,
    seed: u64,
    /// The settings that differ from the defaults.
    settings: BTreeMap<String, String>,
    kernel: Option<&'t str>,
    outcome: &'static str,
    /// Why it is broken.
    kind: Option<&'static str>,
    headline: &'t str,
    /// The headline phase's times, a round each, ns.
    headline_ns: Vec<u64>,
}

/// Writes `{"format":1,"trials":[…]}`: of each trial what the table shows.
///
/// # Errors
/// The writer's.
pub fn json(out: &mut dyn Write, trials: &[Trial]) -> io::Result<()> {
    let list = Document { format: FORMAT, trials: trials.iter().map(entry).collect() };
    document(out, &list)
}

fn entry(trial: &Trial) -> Entry<'_> {
    let (outcome, kind) = match &trial.outcome {
        Outcome::Measured(_) => ("measured", None),
        Outcome::Broken(broken) => ("broken", Some(kind(broken.kind))),
    };
    Entry {
        id: &trial.id,
        set: &trial.set,
        started: &trial.started,
        case: &trial.spec.case,
        place: &trial.spec.place,
        seed: trial.spec.seed,
        settings: trial.spec.settings.changed().into_iter().collect(),
        kernel: release(&trial.fingerprint),
        outcome,
        kind,
        headline: &trial.spec.headline,
        headline_ns: trial.measured().map(|m| m.times(&trial.spec.headline)).unwrap_or_default(),
    }
}
