//! JSON for scripts.

use std::collections::BTreeMap;
use std::io::{self, Write};

use model::{FORMAT, Observation, PhaseRun, Trial};
use serde::Serialize;

use crate::groups::{Group, variants};
use crate::heading::variant;
use crate::hyperfine::{self, Entry, Run, entry};
use crate::values::labels;

#[derive(Serialize)]
struct Document<'t> {
    format: u32,
    results: Vec<Entry>,
    trials: Vec<Observed<'t>>,
}

/// A trial as the archive has it, and what was seen of it, where it was looked at.
#[derive(Serialize)]
struct Observed<'t> {
    #[serde(flatten)]
    trial: &'t Trial,
    #[serde(skip_serializing_if = "Option::is_none")]
    observation: Option<&'t Observation>,
}

/// Writes `{"format":1,"results":[…],"trials":[…]}`. An entry of `results` is one phase of one
/// variant over all its seeds and runs, with hyperfine's names and units (seconds); `trials` has
/// everything, in nanoseconds. Broken trials are in `trials` alone.
///
/// # Errors
/// The writer's.
pub fn run(out: &mut dyn Write, trials: &[Trial]) -> io::Result<()> {
    run_observed(out, trials, &[])
}

/// The same, with an `observation` in each trial that was looked at: `observations` are the trials',
/// in their order; what is missing at the end was not made.
///
/// # Errors
/// The writer's.
pub fn run_observed(
    out: &mut dyn Write,
    trials: &[Trial],
    observations: &[Option<Observation>],
) -> io::Result<()> {
    let results = variants(trials).iter().flat_map(phases).collect();
    let seen = observations.iter().map(Option::as_ref).chain(std::iter::repeat(None));
    let trials = trials.iter().zip(seen);
    let trials = trials.map(|(trial, observation)| Observed { trial, observation }).collect();
    document(out, &Document { format: FORMAT, results, trials })
}

/// Writes one trial as the archive has it.
///
/// # Errors
/// The writer's.
pub fn trial(out: &mut dyn Write, trial: &Trial) -> io::Result<()> {
    trial_observed(out, trial, None)
}

/// The same, with an `observation` where the trial was looked at.
///
/// # Errors
/// The writer's.
pub fn trial_observed(
    out: &mut dyn Write,
    trial: &Trial,
    observation: Option<&Observation>,
) -> io::Result<()> {
    document(out, &Observed { trial, observation })
}

pub(crate) fn document(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, value)?;
    out.write_all(b"\n")
}

fn phases(group: &Group<'_>) -> Vec<Entry> {
    let labels = labels(group.first().1);
    let entry = |(at, label): (usize, &String)| {
        let phases = group.runs.iter().filter_map(|(_, m)| m.phases.get(at));
        let command = command(group.first().0, label);
        entry(command, &phases.map(run_of).collect::<Vec<_>>(), parameters(group))
    };
    labels.iter().enumerate().filter_map(entry).collect()
}

fn parameters(group: &Group<'_>) -> BTreeMap<String, String> {
    group.spec().settings.changed().into_iter().collect()
}

#[expect(clippy::cast_precision_loss, reason = "exact for runs of up to 104 days")]
fn run_of(phase: &PhaseRun) -> Run {
    Run {
        wall_ns: phase.wall_ns as f64,
        user_ns: phase.user_ns as f64,
        system_ns: phase.system_ns as f64,
    }
}

/// `dd-sync: write 1 [fs=xfs]`, with ` on dir:PATH` where it did not run in the exact lab.
fn command(trial: &Trial, label: &str) -> String {
    let spec = &trial.spec;
    hyperfine::command(&spec.case, label, &variant(&spec.place, &spec.settings), &spec.place)
}
