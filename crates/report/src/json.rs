//! JSON for scripts.

use std::collections::BTreeMap;
use std::io::{self, Write};

use model::{FORMAT, PhaseRun, Trial};
use serde::Serialize;

use crate::groups::{Group, variants};
use crate::heading::variant;
use crate::statistics::{deviation, mean, median};
use crate::values::labels;

#[derive(Serialize)]
struct Document<'t> {
    format: u32,
    results: Vec<Series>,
    trials: &'t [Trial],
}

/// One phase of one variant over its trials, in hyperfine's words
/// (`src/benchmark/benchmark_result.rs` there): times in seconds.
#[derive(Serialize)]
struct Series {
    command: String,
    mean: f64,
    stddev: Option<f64>,
    median: f64,
    user: f64,
    system: f64,
    min: f64,
    max: f64,
    times: Vec<f64>,
    exit_codes: Vec<i32>,
    parameters: BTreeMap<String, String>,
}

/// Writes `{"format":1,"results":[…],"trials":[…]}`. An entry of `results` is one phase of one
/// variant over all its seeds and runs, with hyperfine's names and units (seconds); `trials` has
/// everything, in nanoseconds. Broken trials are in `trials` alone.
///
/// # Errors
/// The writer's.
pub fn run(out: &mut dyn Write, trials: &[Trial]) -> io::Result<()> {
    let results = variants(trials).iter().flat_map(phases).collect();
    let all = Document { format: FORMAT, results, trials };
    document(out, &all)
}

/// Writes one trial as the archive has it.
///
/// # Errors
/// The writer's.
pub fn trial(out: &mut dyn Write, trial: &Trial) -> io::Result<()> {
    document(out, trial)
}

pub(crate) fn document(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, value)?;
    out.write_all(b"\n")
}

fn phases(group: &Group<'_>) -> Vec<Series> {
    let labels = labels(group.first().1);
    let series = |(at, label): (usize, &String)| {
        let runs = group.runs.iter().filter_map(|(_, m)| m.phases.get(at));
        series(group, label, &runs.collect::<Vec<_>>())
    };
    labels.iter().enumerate().map(series).collect()
}

fn series(group: &Group<'_>, label: &str, runs: &[&PhaseRun]) -> Series {
    let all = |value: fn(&PhaseRun) -> u64| runs.iter().map(|run| value(run)).collect::<Vec<_>>();
    let in_seconds = |values: &[u64]| values.iter().copied().map(seconds).collect::<Vec<_>>();
    let walls = all(|run| run.wall_ns);
    let times = in_seconds(&walls);
    Series {
        command: command(group.first().0, label),
        mean: mean(&times),
        stddev: deviation(&times),
        median: seconds(median(&walls)),
        user: mean(&in_seconds(&all(|run| run.user_ns))),
        system: mean(&in_seconds(&all(|run| run.system_ns))),
        min: seconds(walls.iter().copied().min().unwrap_or_default()),
        max: seconds(walls.iter().copied().max().unwrap_or_default()),
        exit_codes: vec![0; times.len()],
        times,
        parameters: group.spec().settings.changed().into_iter().collect(),
    }
}

/// `dd-sync: write 1 [fs=xfs]`, with ` on dir:PATH` where it did not run in the exact lab.
fn command(trial: &Trial, label: &str) -> String {
    let mut text = format!("{}: {label}", trial.spec.case);
    let variant = variant(&trial.spec.settings);
    if !variant.is_empty() {
        text += &format!(" [{variant}]");
    }
    if !crate::machine::is_exact(trial) {
        text += &format!(" on {}", trial.spec.place);
    }
    text
}

#[expect(clippy::cast_precision_loss, reason = "exact for runs of up to 104 days")]
fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}
