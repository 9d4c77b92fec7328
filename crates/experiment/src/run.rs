//! Runs a plan: some trials at once, each kept before its runner takes the next.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

use model::{Contrast, FORMAT, Hunt, Outcome, Question, Trial};

use crate::archive::{Archive, ArchiveError};
use crate::bisect::HuntEvent;
use crate::place::{Cancel, Place, PlaceError, TrialEvent, TrialOutput};
use crate::plan::Plan;

/// Is told what happens, from several threads.
pub trait Progress: Sync {
    /// These trials are about to be run.
    fn begins(&self, plan: &Plan);
    /// Something happened in the trial of that index in the plan.
    fn event(&self, trial: usize, event: TrialEvent);
    /// The trial of that index was kept.
    fn kept(&self, trial: usize, result: &Trial);
    /// What the pairs that there are say of each variant but the first.
    fn judged(&self, question: &Question, contrasts: &[Contrast]);
    /// Something happened in a bisection.
    fn hunting(&self, hunt: &Hunt, event: HuntEvent<'_>);
    /// What is being made ready, a few words at a time.
    fn told(&self, text: &str);
}

/// Names and dates trials; the program's, since this room reads no clock of its own.
pub trait Clock: Sync {
    /// A fresh trial id.
    fn id(&self) -> String;
    /// Now: RFC 3339, UTC.
    fn now(&self) -> String;
    /// Monotonic time, ns.
    fn monotonic_ns(&self) -> u64;
}

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The place could not run a trial.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// A finished trial could not be kept.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

/// All that a run needs besides its plan.
pub struct Runner<'a> {
    /// Where trials run.
    pub place: &'a dyn Place,
    /// Where they are kept.
    pub archive: &'a dyn Archive,
    /// Names and dates.
    pub clock: &'a dyn Clock,
    /// Who is told.
    pub progress: &'a dyn Progress,
    /// Ends the run.
    pub cancel: &'a Cancel,
    /// Trials at once, at least 1; where a place is not exact they run one after the other.
    pub jobs: usize,
    /// The run or comparison to which the trials belong, by its ID.
    pub set: String,
    /// When the last trial should be done, by the clock's monotonic time, ns.
    pub until: Option<u64>,
}

/// Runs the plan's trials and returns those that were kept, in the plan's order, with the error
/// that ended the run early, if one did.
///
/// Every spec is checked before the first trial starts. A trial that was interrupted is not kept.
pub fn run(runner: &Runner<'_>, plan: &Plan) -> (Vec<Trial>, Option<RunError>) {
    for spec in distinct(plan) {
        if let Err(error) = runner.place.check(spec) {
            return (Vec::new(), Some(error.into()));
        }
    }
    let (trials, error) = run_checked(runner, plan);
    (trials.into_iter().map(|(_, trial)| trial).collect(), error)
}

/// As [`run`], for a plan whose specs were checked; each trial with its index in the plan.
pub(crate) fn run_checked(
    runner: &Runner<'_>,
    plan: &Plan,
) -> (Vec<(usize, Trial)>, Option<RunError>) {
    runner.progress.begins(plan);
    let exact = plan.trials.iter().all(|spec| runner.place.is_exact(spec));
    let jobs = if exact { runner.jobs.clamp(1, plan.trials.len().max(1)) } else { 1 };
    let state = State::default();
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| work(runner, plan, &state));
        }
    });
    let mut kept = into_inner(state.kept);
    kept.sort_by_key(|(index, _)| *index);
    (kept, into_inner(state.failed))
}

/// What the workers share.
#[derive(Default)]
struct State {
    next: AtomicUsize,
    kept: Mutex<Vec<(usize, Trial)>>,
    failed: Mutex<Option<RunError>>,
    /// What the longest trial took, ns.
    longest: AtomicU64,
}

fn distinct(plan: &Plan) -> Vec<&model::TrialSpec> {
    let mut specs: Vec<&model::TrialSpec> = Vec::new();
    for spec in &plan.trials {
        let alike = |known: &&model::TrialSpec| {
            known.settings == spec.settings && known.phases == spec.phases
        };
        if !specs.iter().any(alike) {
            specs.push(spec);
        }
    }
    specs
}

fn work(runner: &Runner<'_>, plan: &Plan, state: &State) {
    loop {
        let index = state.next.fetch_add(1, Ordering::SeqCst);
        let stop =
            runner.cancel.is_set() || lock(&state.failed).is_some() || is_late(runner, state);
        if stop || index >= plan.trials.len() {
            return;
        }
        match one(runner, plan, index) {
            Ok(Some(trial)) => {
                state.longest.fetch_max(trial.host_ns, Ordering::SeqCst);
                lock(&state.kept).push((index, trial));
            }
            Ok(None) => return,
            Err(error) => {
                lock(&state.failed).get_or_insert(error);
                return;
            }
        }
    }
}

/// Whether a trial as long as the longest so far would not be done in time.
fn is_late(runner: &Runner<'_>, state: &State) -> bool {
    let end = runner.clock.monotonic_ns() + state.longest.load(Ordering::SeqCst);
    runner.until.is_some_and(|until| end > until)
}

/// Runs and keeps one trial; `None` when it was interrupted.
fn one(runner: &Runner<'_>, plan: &Plan, index: usize) -> Result<Option<Trial>, RunError> {
    let spec = &plan.trials[index];
    let (id, started) = (runner.clock.id(), runner.clock.now());
    let began = runner.clock.monotonic_ns();
    let events = |event| runner.progress.event(index, event);
    let output = runner.place.run(spec, &events, runner.cancel)?;
    let host_ns = runner.clock.monotonic_ns().saturating_sub(began);
    if interrupted(&output.outcome) {
        return Ok(None);
    }
    let TrialOutput { fingerprint, notes, outcome, attachments } = output;
    let spec = spec.clone();
    let set = runner.set.clone();
    let trial =
        Trial { format: FORMAT, id, set, started, host_ns, spec, fingerprint, notes, outcome };
    runner.archive.keep(&trial, &attachments)?;
    runner.progress.kept(index, &trial);
    Ok(Some(trial))
}

fn interrupted(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Broken(broken) if broken.kind == model::BrokenKind::Interrupted)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use model::{Limits, Settings};

    use super::*;
    use crate::scripted::{Stage, case};

    fn plan(seeds: &[u64], disks: u32) -> Plan {
        let settings = Settings { disks, ..Settings::default() };
        Plan::repeats(&case(), &settings, "exact", seeds, 1, Limits::default())
    }

    #[test]
    fn trials_come_back_in_the_plans_order_and_broken_ones_are_kept() {
        let stage = Stage::new(|_, _| 1);
        let (trials, error) = run(&stage.runner(3), &plan(&[3, 77, 1, 2], 1));
        assert!(error.is_none());
        let seeds: Vec<_> = trials.iter().map(|trial| trial.spec.seed).collect();
        assert_eq!(seeds, [3, 77, 1, 2]);
        assert_eq!(trials.iter().filter(|trial| trial.measured().is_none()).count(), 1);
        assert!(trials.iter().all(|trial| trial.set == "set"));
        assert_eq!(stage.shelf.trials.lock().unwrap().len(), 4);
    }

    #[test]
    fn a_refused_spec_runs_nothing() {
        let stage = Stage::new(|_, _| 1);
        let (trials, error) = run(&stage.runner(1), &plan(&[1, 2], 13));
        assert!(matches!(error, Some(RunError::Place(PlaceError::Refused(_)))));
        assert!(trials.is_empty() && stage.place.ran().is_empty());
    }

    #[test]
    fn an_interrupted_trial_ends_the_run_and_finished_ones_stay() {
        let stage = Stage::new(|_, _| 1);
        let (trials, error) = run(&stage.runner(1), &plan(&[1, 2, 99, 3, 4], 1));
        assert!(error.is_none());
        assert_eq!(trials.len(), 2);
        assert_eq!(stage.shelf.trials.lock().unwrap().len(), 2);
    }

    #[test]
    fn a_full_archive_ends_the_run_and_keeps_what_it_had() {
        let mut stage = Stage::new(|_, _| 1);
        stage.shelf.room = Some(2);
        let (trials, error) = run(&stage.runner(1), &plan(&[1, 2, 3, 4], 1));
        assert!(matches!(error, Some(RunError::Archive(_))));
        assert_eq!(trials.len(), 2);
    }

    #[test]
    fn no_trial_begins_that_would_end_too_late() {
        let stage = Stage::new(|_, _| 1);
        // The clock goes on by a second with each look: 2 for the first trial's length.
        let runner = Runner { until: Some(8_000_000_000), ..stage.runner(1) };
        let (trials, error) = run(&runner, &plan(&[1, 2, 3, 4, 5, 6], 1));
        assert!(error.is_none());
        assert!((1..4).contains(&trials.len()), "{}", trials.len());
    }
}
