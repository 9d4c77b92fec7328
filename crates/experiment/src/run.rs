//! Runs a plan: some trials at once, each kept before its runner takes the next.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use model::{FORMAT, Outcome, Trial};

use crate::archive::{Archive, ArchiveError};
use crate::place::{Cancel, Place, PlaceError, TrialEvent, TrialOutput};
use crate::plan::Plan;

/// Is told what happens, from several threads.
pub trait Progress: Sync {
    /// Something happened in the trial of that index in the plan.
    fn event(&self, trial: usize, event: TrialEvent);
    /// The trial of that index was kept.
    fn kept(&self, trial: usize, result: &Trial);
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
    /// Trials at once, at least 1.
    pub jobs: usize,
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
    let next = AtomicUsize::new(0);
    let kept: Mutex<Vec<(usize, Trial)>> = Mutex::default();
    let failed: Mutex<Option<RunError>> = Mutex::default();
    thread::scope(|scope| {
        for _ in 0..runner.jobs.clamp(1, plan.trials.len().max(1)) {
            scope.spawn(|| work(runner, plan, &next, &kept, &failed));
        }
    });
    let mut kept = into_inner(kept);
    kept.sort_by_key(|(index, _)| *index);
    (kept.into_iter().map(|(_, trial)| trial).collect(), into_inner(failed))
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

fn work(
    runner: &Runner<'_>,
    plan: &Plan,
    next: &AtomicUsize,
    kept: &Mutex<Vec<(usize, Trial)>>,
    failed: &Mutex<Option<RunError>>,
) {
    loop {
        let index = next.fetch_add(1, Ordering::SeqCst);
        let stop = runner.cancel.is_set() || lock(failed).is_some();
        if stop || index >= plan.trials.len() {
            return;
        }
        match one(runner, plan, index) {
            Ok(Some(trial)) => lock(kept).push((index, trial)),
            Ok(None) => return,
            Err(error) => {
                lock(failed).get_or_insert(error);
                return;
            }
        }
    }
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
    let trial = Trial { format: FORMAT, id, started, host_ns, spec, fingerprint, notes, outcome };
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
    use model::{Broken, BrokenKind, Case, Fingerprint, Limits, Measurements, Settings, TrialSpec};

    use super::*;

    /// A place whose trials are measured, except that seed 13 breaks and seed 99 is interrupted.
    struct Scripted;

    impl Place for Scripted {
        fn check(&self, spec: &TrialSpec) -> Result<(), PlaceError> {
            match spec.settings.disks {
                13 => Err(PlaceError::Refused("no 13 disks".to_owned())),
                _ => Ok(()),
            }
        }

        fn run(
            &self,
            spec: &TrialSpec,
            events: &(dyn Fn(TrialEvent) + Sync),
            cancel: &Cancel,
        ) -> Result<TrialOutput, PlaceError> {
            events(TrialEvent::Started);
            let broken = |kind| {
                Outcome::Broken(Broken { kind, reason: "scripted".to_owned(), console: Vec::new() })
            };
            let outcome = match spec.seed {
                13 => broken(BrokenKind::Panic),
                99 => {
                    cancel.set();
                    broken(BrokenKind::Interrupted)
                }
                _ => Outcome::Measured(Measurements::default()),
            };
            Ok(TrialOutput {
                fingerprint: Fingerprint::default(),
                notes: Vec::new(),
                outcome,
                attachments: Vec::new(),
            })
        }
    }

    #[derive(Default)]
    struct Shelf {
        ids: Mutex<Vec<String>>,
        room: Option<usize>,
    }

    impl Archive for Shelf {
        fn keep(&self, trial: &Trial, _: &[(String, Vec<u8>)]) -> Result<(), ArchiveError> {
            let mut ids = lock(&self.ids);
            if self.room.is_some_and(|room| ids.len() >= room) {
                return Err(ArchiveError("the disk is full".to_owned()));
            }
            ids.push(trial.id.clone());
            Ok(())
        }
    }

    #[derive(Default)]
    struct Counter(AtomicUsize);

    impl Clock for Counter {
        fn id(&self) -> String {
            self.0.fetch_add(1, Ordering::SeqCst).to_string()
        }
        fn now(&self) -> String {
            String::new()
        }
        fn monotonic_ns(&self) -> u64 {
            0
        }
    }

    struct Deaf;

    impl Progress for Deaf {
        fn event(&self, _: usize, _: TrialEvent) {}
        fn kept(&self, _: usize, _: &Trial) {}
    }

    fn plan(seeds: &[u64], disks: u32) -> Plan {
        let case = Case {
            name: "case".to_owned(),
            about: String::new(),
            headline: "write".to_owned(),
            settings: Settings::default(),
            before: Vec::new(),
            round: Vec::new(),
            after: Vec::new(),
        };
        let settings = Settings { disks, ..Settings::default() };
        Plan::repeats(&case, &settings, "exact", seeds, 1, Limits::default())
    }

    fn run_scripted(plan: &Plan, shelf: &Shelf, jobs: usize) -> (Vec<Trial>, Option<RunError>) {
        let runner = Runner {
            place: &Scripted,
            archive: shelf,
            clock: &Counter::default(),
            progress: &Deaf,
            cancel: &Cancel::new(),
            jobs,
        };
        run(&runner, plan)
    }

    #[test]
    fn trials_come_back_in_the_plans_order_and_broken_ones_are_kept() {
        let shelf = Shelf::default();
        let (trials, error) = run_scripted(&plan(&[3, 13, 1, 2], 1), &shelf, 3);
        assert!(error.is_none());
        let seeds: Vec<_> = trials.iter().map(|trial| trial.spec.seed).collect();
        assert_eq!(seeds, [3, 13, 1, 2]);
        assert_eq!(trials.iter().filter(|trial| trial.measured().is_none()).count(), 1);
        assert_eq!(lock(&shelf.ids).len(), 4);
    }

    #[test]
    fn a_refused_spec_runs_nothing() {
        let shelf = Shelf::default();
        let (trials, error) = run_scripted(&plan(&[1, 2], 13), &shelf, 1);
        assert!(matches!(error, Some(RunError::Place(PlaceError::Refused(_)))));
        assert!(trials.is_empty() && lock(&shelf.ids).is_empty());
    }

    #[test]
    fn an_interrupted_trial_ends_the_run_and_finished_ones_stay() {
        let shelf = Shelf::default();
        let (trials, error) = run_scripted(&plan(&[1, 2, 99, 3, 4], 1), &shelf, 1);
        assert!(error.is_none());
        assert_eq!(trials.len(), 2);
        assert_eq!(lock(&shelf.ids).len(), 2);
    }

    #[test]
    fn a_full_archive_ends_the_run_and_keeps_what_it_had() {
        let shelf = Shelf { room: Some(2), ..Shelf::default() };
        let (trials, error) = run_scripted(&plan(&[1, 2, 3, 4], 1), &shelf, 1);
        assert!(matches!(error, Some(RunError::Archive(_))));
        assert_eq!(trials.len(), 2);
    }
}
