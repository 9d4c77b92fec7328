//! Further passes: a trial that was measured is looked at, and what was seen is kept beside it.

use analysis::observation::{self, Seen as Parts};
use model::observation::{Inside, Observation, Shift};
use model::{FORMAT, Measurements, Nanos, PhaseRun, Trial};

use crate::inside;
use crate::place::{InsidePass, Outside, Passes, PlaceError, Seen};
use crate::run::{RunError, Runner};

/// The name under which an observation is kept beside its trial.
pub const OBSERVATION: &str = "observation.json";

/// The names under which the raw observations are kept: what was sampled from inside, and the trace
/// from outside. The archive compresses what ends like this.
const SAMPLES: &str = "samples.txt.zst";
const TRACE: &str = "trace.json.zst";

/// Looks at the trial of that index in its plan and keeps what was seen; `None` for a broken trial,
/// and where the run was interrupted meanwhile.
///
/// # Errors
/// The place cannot run the trial again, or what was seen cannot be kept.
pub fn observe(
    runner: &Runner<'_>,
    index: usize,
    trial: &Trial,
) -> Result<Option<Observation>, RunError> {
    let Some(measured) = trial.measured() else { return Ok(None) };
    let events = |event| runner.progress.event(index, event);
    let seen = runner.place.observe(&trial.spec, Passes::All, &events, runner.cancel)?;
    if runner.cancel.is_set() {
        return Ok(None);
    }
    let (observation, attachments) = understood(trial, measured, seen)?;
    runner.archive.attach(&trial.id, &attachments)?;
    Ok(Some(observation))
}

type Attachments = Vec<(String, Vec<u8>)>;

/// What the passes mean for the trial, and all that is kept of them.
fn understood(
    trial: &Trial,
    measured: &Measurements,
    seen: Seen,
) -> Result<(Observation, Attachments), PlaceError> {
    let Seen { outside, inside, notes, mut attachments } = seen;
    let settings = &trial.spec.settings;
    let mut observation = Observation { format: FORMAT, notes, ..Observation::default() };
    let mut parts = Parts::default();
    if let Some(InsidePass { measurements, samples }) = inside {
        let looked = inside::understood(&measurements, &samples, settings.sample_every);
        observation.notes.extend(looked.notes);
        observation.inside = Some(Inside {
            series: looked.series,
            ..beside(measured, &measurements, settings.sample_every, looked.moments)
        });
        if outside.is_none() {
            parts = observation::sampled(&measurements, settings.stall_limit, &looked.samples);
        }
        attachments.push((SAMPLES.to_owned(), samples));
    }
    if let Some(Outside { measurements, trace }) = outside {
        observation.same_times = Some(same_times(measured, &measurements));
        parts = observation::outside(measured, settings.stall_limit, &trace);
        attachments.push((TRACE.to_owned(), json(&trace)?));
    }
    observation.phases = parts.phases;
    observation.whole = parts.whole;
    observation.stalls = parts.stalls;
    observation.limits = parts.limits;
    observation.notes.extend(parts.notes);
    attachments.push((OBSERVATION.to_owned(), json(&observation)?));
    Ok((observation, attachments))
}

fn json(value: &impl serde::Serialize) -> Result<Vec<u8>, PlaceError> {
    serde_json::to_vec(value).map_err(|error| PlaceError::Host(error.to_string()))
}

/// Whether a pass measured the trial's own nanoseconds.
fn same_times(trial: &Measurements, pass: &Measurements) -> bool {
    let times = |m: &Measurements| m.phases.iter().map(|run| run.wall_ns).collect::<Vec<_>>();
    times(trial) == times(pass) && trial.witness == pass.witness
}

/// The times of a pass that looked from inside beside the trial's.
fn beside(trial: &Measurements, pass: &Measurements, every: Nanos, samples: u64) -> Inside {
    let pairs = trial.phases.iter().zip(&pass.phases);
    let shift = |(timed, observed): (&PhaseRun, &PhaseRun)| Shift {
        phase: timed.label(),
        timed_ns: timed.wall_ns,
        observed_ns: observed.wall_ns,
    };
    let shifts: Vec<Shift> = pairs.map(shift).collect();
    let milli = |shift: &Shift| {
        let apart = shift.observed_ns.abs_diff(shift.timed_ns);
        // Rounded, as a reader would round the shift beside it.
        (apart.saturating_mul(1000) + shift.timed_ns / 2) / shift.timed_ns.max(1)
    };
    let largest_shift_milli = shifts.iter().map(milli).max().unwrap_or_default();
    Inside { every, samples, shifts, largest_shift_milli, series: Vec::new() }
}

#[cfg(test)]
mod tests {
    use model::{Limits, Settings};

    use super::*;
    use crate::plan::Plan;
    use crate::run::run;
    use crate::scripted::{Stage, case};

    #[test]
    fn what_was_seen_is_kept_beside_the_trial_with_its_shift() {
        let stage = Stage::new(|_, _| 1000);
        let plan =
            Plan::repeats(&case(), &Settings::default(), "exact", &[1, 77], 1, Limits::default());
        let runner = stage.runner(1);
        let (trials, _) = run(&runner, &plan);
        let seen = observe(&runner, 0, &trials[0]).unwrap().unwrap();
        assert_eq!(seen.same_times, Some(true));
        let inside = seen.inside.unwrap();
        assert_eq!((inside.largest_shift_milli, inside.shifts[0].observed_ns), (100, 1100));
        let kept = stage.shelf.attached.lock().unwrap().clone();
        for name in [SAMPLES, TRACE, OBSERVATION] {
            assert!(kept.contains(&format!("{}/{name}", trials[0].id)), "{kept:?}");
        }
        // A broken trial was not measured, and there is nothing to look at.
        assert!(observe(&runner, 1, &trials[1]).unwrap().is_none());
    }

    #[test]
    fn another_time_or_witness_is_not_the_same() {
        let measured = |wall_ns, witness: &str| Measurements {
            phases: vec![PhaseRun { wall_ns, ..PhaseRun::default() }],
            witness: witness.to_owned(),
            ..Measurements::default()
        };
        assert!(same_times(&measured(5, "a"), &measured(5, "a")));
        assert!(!same_times(&measured(5, "a"), &measured(6, "a")));
        assert!(!same_times(&measured(5, "a"), &measured(5, "b")));
    }
}
