//! The entries of `results`, in hyperfine's words, so that its scripts keep working.

use std::collections::BTreeMap;

use analysis::interval::median;
use serde::Serialize;

use crate::statistics::{deviation, mean};
use model::place::is_exact;

/// One phase of one variant over its trials: the fields of hyperfine's
/// `src/benchmark/benchmark_result.rs`, times in seconds.
#[derive(Serialize)]
pub(crate) struct Entry {
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

/// What one trial says of a phase.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) wall_ns: f64,
    pub(crate) user_ns: f64,
    pub(crate) system_ns: f64,
}

/// The entry of these runs; `None` where there are none.
pub(crate) fn entry(
    command: String,
    runs: &[Run],
    parameters: BTreeMap<String, String>,
) -> Option<Entry> {
    let seconds = |value: fn(&Run) -> f64| runs.iter().map(move |run| value(run) / 1e9);
    let times: Vec<f64> = seconds(|run| run.wall_ns).collect();
    Some(Entry {
        command,
        mean: mean(&times),
        stddev: deviation(&times),
        median: median(&times)?,
        user: mean(&seconds(|run| run.user_ns).collect::<Vec<_>>()),
        system: mean(&seconds(|run| run.system_ns).collect::<Vec<_>>()),
        min: times.iter().copied().reduce(f64::min)?,
        max: times.iter().copied().reduce(f64::max)?,
        exit_codes: vec![0; times.len()],
        times,
        parameters,
    })
}

/// `dd-sync: write 1 [fs=xfs]`, with ` on dir:PATH` where it did not run in the exact lab.
pub(crate) fn command(case: &str, label: &str, variant: &str, place: &str) -> String {
    let mut text = format!("{case}: {label}");
    if !variant.is_empty() {
        text += &format!(" [{variant}]");
    }
    if !is_exact(place) {
        text += &format!(" on {place}");
    }
    text
}
