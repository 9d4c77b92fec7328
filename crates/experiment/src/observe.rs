//! Further passes: a trial that was measured is looked at, and what was seen is kept beside it.

use analysis::account;
use analysis::observation::{self, Seen as Parts};
use model::observation::{Inside, Observation, Shift};
use model::{Accounts, FORMAT, Measurements, Nanos, PhaseRun, Trial};

use crate::inside;
use crate::place::{InsidePass, Outside, Passes, PlaceError, Seen};
use crate::run::{RunError, Runner};

/// The name under which an observation is kept beside its trial.
pub const OBSERVATION: &str = "observation.json";

/// The name under which it is kept where the trial's time went. The archive compresses what ends like this.
pub const ACCOUNTS: &str = "accounts.json.zst";

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
    let Some(seen) = seen(runner, index, trial, Passes::All)? else { return Ok(None) };
    let Understood { observation, attachments, .. } = understood(trial, measured, seen)?;
    runner.archive.attach(&trial.id, &attachments)?;
    Ok(Some(observation))
}

/// Where the time of a trial went: as it is kept beside it in an exact place, or else by the one pass that shows it, which
/// is kept then. The inner error says why nothing could be seen.
///
/// # Errors
/// As [`observe`].
pub(crate) fn accounts(
    runner: &Runner<'_>,
    index: usize,
    trial: &Trial,
) -> Result<Result<Accounts, String>, RunError> {
    let Some(measured) = trial.measured() else { return Ok(Err("it is broken".to_owned())) };
    // What is damaged, or of another version's form, is seen anew.
    if let Ok(Some(kept)) = runner.archive.attachment(&trial.id, ACCOUNTS)
        && let Ok(accounts) = serde_json::from_slice(&kept)
    {
        return Ok(Ok(accounts));
    }
    let Some(seen) = seen(runner, index, trial, Passes::Reasons)? else {
        return Ok(Err("interrupted".to_owned()));
    };
    let Understood { accounts, observation, mut attachments } = understood(trial, measured, seen)?;
    // One that was made by all passes tells more.
    if runner.archive.attachment(&trial.id, OBSERVATION)?.is_some() {
        attachments.retain(|(name, _)| name != OBSERVATION);
    }
    runner.archive.attach(&trial.id, &attachments)?;
    Ok(accounts.ok_or_else(|| observation.notes.join("; ")))
}

/// What the passes saw; `None` where they were interrupted.
fn seen(
    runner: &Runner<'_>,
    index: usize,
    trial: &Trial,
    passes: Passes,
) -> Result<Option<Seen>, RunError> {
    let events = |event| runner.progress.event(index, event);
    let seen = runner.place.observe(&trial.spec, passes, &events, runner.cancel)?;
    Ok((!runner.cancel.is_set()).then_some(seen))
}

type Attachments = Vec<(String, Vec<u8>)>;

/// What passes mean, and all that is kept of them.
struct Understood {
    observation: Observation,
    /// Where the time went; `None` where no pass could tell.
    accounts: Option<Accounts>,
    attachments: Attachments,
}

/// What the passes mean for the trial, and all that is kept of them.
fn understood(
    trial: &Trial,
    measured: &Measurements,
    seen: Seen,
) -> Result<Understood, PlaceError> {
    let Seen { outside, inside, notes, mut attachments } = seen;
    let settings = &trial.spec.settings;
    let mut observation = Observation { format: FORMAT, notes, ..Observation::default() };
    let mut parts = Parts::default();
    let mut accounts = None;
    if let Some(InsidePass { measurements, samples }) = inside {
        let looked = inside::understood(&measurements, &samples, settings.sample_every);
        observation.notes.extend(looked.notes);
        observation.inside = Some(Inside {
            series: looked.series,
            ..beside(measured, &measurements, settings.sample_every, looked.moments)
        });
        if outside.is_none() {
            parts = observation::sampled(&measurements, settings.stall_limit, &looked.samples);
            let sampled = account::sampled(measured, &measurements, &looked.samples);
            // Why nothing was seen from outside.
            let notes = [observation.notes.clone(), sampled.notes].concat();
            accounts = Some(Accounts { notes, ..sampled });
        }
        attachments.push((SAMPLES.to_owned(), samples));
    }
    if let Some(Outside { measurements, trace }) = outside {
        let same_times = same_times(measured, &measurements);
        observation.same_times = Some(same_times);
        parts = observation::outside(measured, settings.stall_limit, &trace);
        accounts = Some(Accounts { same_times, ..account::outside(measured, &trace) });
        attachments.push((TRACE.to_owned(), json(&trace)?));
    }
    observation.phases = parts.phases;
    observation.whole = parts.whole;
    observation.stalls = parts.stalls;
    observation.limits = parts.limits;
    observation.notes.extend(parts.notes);
    attachments.push((OBSERVATION.to_owned(), json(&observation)?));
    if let Some(accounts) = &mut accounts {
        accounts.format = FORMAT;
        accounts.findings = analysis::findings::of_trial(accounts);
        attachments.push((ACCOUNTS.to_owned(), json(accounts)?));
    }
    Ok(Understood { observation, accounts, attachments })
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
        for name in [SAMPLES, TRACE, OBSERVATION, ACCOUNTS] {
            let name = format!("{}/{name}", trials[0].id);
            assert!(kept.iter().any(|(kept, _)| *kept == name), "{name}");
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
