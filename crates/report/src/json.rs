//! JSON for scripts.

use std::collections::BTreeMap;
use std::io::{self, Write};

use model::{FORMAT, PhaseRun, Trial};
use serde::Serialize;

use crate::groups::{Group, variants};
use crate::heading::variant;
use crate::hyperfine::{self, Entry, Run, entry};
use crate::values::labels;

#[derive(Serialize)]
struct Document<'t> {
    format: u32,
    results: Vec<Entry>,
    trials: &'t [Trial],
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
