//! A place that only pretends, an archive on a shelf and a clock that counts: for tests.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use model::case::{Action, Step};
use model::trace::Span;
use model::{
    Broken, BrokenKind, Case, Contrast, Fingerprint, Hunt, Measurements, Outcome, PhaseRun,
    Question, Settings, Trace, Trial, TrialSpec, Variant,
};

use crate::archive::{Archive, ArchiveError};
use crate::bisect::HuntEvent;
use crate::place::{
    Cancel, InsidePass, Outside, Passes, Place, PlaceError, Seen, TrialEvent, TrialOutput,
};
use crate::plan::Plan;
use crate::run::{Clock, Progress, Runner};

/// Seed 77 breaks, seed 99 is interrupted, 13 disks are refused, and 60 disks never boot. Otherwise
/// the write takes `wall` of the settings and the seed.
pub(crate) struct Scripted {
    pub(crate) exact: bool,
    pub(crate) wall: fn(&Settings, u64) -> u64,
    /// The settings' `disks` and the seed of each trial that ran.
    pub(crate) ran: Mutex<Vec<(u32, u64)>>,
    /// The settings' `disks` of each side that was made ready.
    pub(crate) made_ready: Mutex<Vec<u32>>,
    /// How many trials were looked at in further passes.
    looks: AtomicU64,
    /// The seed under which such a pass breaks.
    pub(crate) blind_under: Mutex<Option<u64>>,
}

impl Scripted {
    pub(crate) fn new(wall: fn(&Settings, u64) -> u64) -> Self {
        Scripted {
            exact: true,
            wall,
            ran: Mutex::default(),
            made_ready: Mutex::default(),
            looks: AtomicU64::new(0),
            blind_under: Mutex::default(),
        }
    }

    pub(crate) fn looked_at(&self) -> u64 {
        self.looks.load(Ordering::SeqCst)
    }

    pub(crate) fn ran(&self) -> Vec<(u32, u64)> {
        self.ran.lock().unwrap().clone()
    }
}

impl Place for Scripted {
    fn takes(&self, _: &str) -> Result<(), String> {
        Ok(())
    }

    fn is_exact(&self, _: &TrialSpec) -> bool {
        self.exact
    }

    fn make_ready(
        &self,
        side: &Variant,
        _: &(dyn Fn(&str) + Sync),
        _: &Cancel,
    ) -> Result<(), PlaceError> {
        self.made_ready.lock().unwrap().push(side.settings.disks);
        Ok(())
    }

    fn check(&self, spec: &TrialSpec) -> Result<Option<Fingerprint>, PlaceError> {
        match spec.settings.disks {
            13 => Err(PlaceError::Refused("no 13 disks".to_owned())),
            60 => Ok(None),
            _ => Ok(Some(fingerprint(spec))),
        }
    }

    fn run(
        &self,
        spec: &TrialSpec,
        events: &(dyn Fn(TrialEvent) + Sync),
        cancel: &Cancel,
    ) -> Result<TrialOutput, PlaceError> {
        events(TrialEvent::Started);
        self.ran.lock().unwrap().push((spec.settings.disks, spec.seed));
        let broken = |kind| {
            Outcome::Broken(Broken { kind, reason: "scripted".to_owned(), console: Vec::new() })
        };
        let outcome = match (spec.seed, spec.settings.disks) {
            (77, _) => broken(BrokenKind::Panic),
            (_, 60) => broken(BrokenKind::NoBoot),
            (99, _) => {
                cancel.set();
                broken(BrokenKind::Interrupted)
            }
            _ => Outcome::Measured(measured((self.wall)(&spec.settings, spec.seed))),
        };
        let fingerprint = fingerprint(spec);
        Ok(TrialOutput { fingerprint, notes: Vec::new(), outcome, attachments: Vec::new() })
    }

    fn observe(
        &self,
        spec: &TrialSpec,
        _: Passes,
        events: &(dyn Fn(TrialEvent) + Sync),
        _: &Cancel,
    ) -> Result<Seen, PlaceError> {
        events(TrialEvent::Observing);
        self.looks.fetch_add(1, Ordering::SeqCst);
        if *self.blind_under.lock().unwrap() == Some(spec.seed) {
            return Ok(Seen { notes: vec!["that pass broke".to_owned()], ..Seen::default() });
        }
        Ok(seen(spec, (self.wall)(&spec.settings, spec.seed)))
    }
}

fn seen(spec: &TrialSpec, wall: u64) -> Seen {
    let measurements = |wall| Measurements { witness: spec.case.clone(), ..measured(wall) };
    let trace = Trace { phases: vec![Span { from_ns: 0, to_ns: wall }], ..Trace::default() };
    let mut samples = Vec::new();
    evidence::samples::begin(&mut samples);
    Seen {
        outside: Some(Outside { measurements: measured(wall), trace }),
        inside: Some(InsidePass { measurements: measurements(wall + wall / 10), samples }),
        ..Seen::default()
    }
}

fn fingerprint(spec: &TrialSpec) -> Fingerprint {
    let mut fingerprint = Fingerprint::default();
    fingerprint.set("disks", spec.settings.disks.to_string());
    fingerprint
}

fn measured(wall_ns: u64) -> Measurements {
    let phase = PhaseRun { name: "write".to_owned(), wall_ns, ..PhaseRun::default() };
    Measurements { phases: vec![phase], ..Measurements::default() }
}

/// Trials in the order of keeping; with `room`, the archive is full after so many.
#[derive(Default)]
pub(crate) struct Shelf {
    pub(crate) trials: Mutex<Vec<Trial>>,
    pub(crate) attached: Mutex<Vec<(String, Vec<u8>)>>,
    pub(crate) room: Option<usize>,
}

impl Archive for Shelf {
    fn keep(&self, trial: &Trial, _: &[(String, Vec<u8>)]) -> Result<(), ArchiveError> {
        let mut trials = self.trials.lock().unwrap();
        if self.room.is_some_and(|room| trials.len() >= room) {
            return Err(ArchiveError("the disk is full".to_owned()));
        }
        trials.push(trial.clone());
        Ok(())
    }

    fn attach(&self, trial: &str, attachments: &[(String, Vec<u8>)]) -> Result<(), ArchiveError> {
        let named = |(name, bytes): &(String, Vec<u8>)| (format!("{trial}/{name}"), bytes.clone());
        self.attached.lock().unwrap().extend(attachments.iter().map(named));
        Ok(())
    }

    fn attachment(&self, trial: &str, name: &str) -> Result<Option<Vec<u8>>, ArchiveError> {
        let attached = self.attached.lock().unwrap();
        let of_that_name = attached.iter().rfind(|(known, _)| *known == format!("{trial}/{name}"));
        Ok(of_that_name.map(|(_, bytes)| bytes.clone()))
    }

    fn known(
        &self,
        spec: &TrialSpec,
        fingerprint: &Fingerprint,
    ) -> Result<Option<Trial>, ArchiveError> {
        let trials = self.trials.lock().unwrap();
        // What a trial may take moves no number.
        let same = |other: &TrialSpec| TrialSpec { limits: spec.limits, ..other.clone() } == *spec;
        let alike = |trial: &&Trial| same(&trial.spec) && trial.fingerprint == *fingerprint;
        Ok(trials.iter().find(alike).filter(|trial| trial.measured().is_some()).cloned())
    }
}

/// A clock on which a second passes with each look at it.
#[derive(Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn monotonic(&self) -> u64 {
        self.0.fetch_add(1, Ordering::SeqCst) * 1_000_000_000
    }
}

impl Clock for Counter {
    fn id(&self) -> String {
        self.0.fetch_add(1, Ordering::SeqCst).to_string()
    }

    fn now(&self) -> String {
        String::new()
    }

    fn monotonic_ns(&self) -> u64 {
        self.monotonic()
    }
}

pub(crate) struct Deaf;

impl Progress for Deaf {
    fn begins(&self, _: &Plan) {}
    fn event(&self, _: usize, _: TrialEvent) {}
    fn kept(&self, _: usize, _: &Trial) {}
    fn judged(&self, _: &Question, _: &[Contrast]) {}
    fn hunting(&self, _: &Hunt, _: HuntEvent<'_>) {}
    fn told(&self, _: &str) {}
}

/// A case with one phase, `write`.
pub(crate) fn case() -> Case {
    let action = Action::Write { file: "f".to_owned() };
    Case {
        name: "case".to_owned(),
        about: String::new(),
        headline: "write".to_owned(),
        settings: Settings::default(),
        before: vec![Step { name: "write".to_owned(), action }],
        round: Vec::new(),
        after: Vec::new(),
        ffsb: None,
        include: Vec::new(),
    }
}

/// All that runners of one test share.
pub(crate) struct Stage {
    pub(crate) place: Scripted,
    pub(crate) shelf: Shelf,
    pub(crate) clock: Counter,
    pub(crate) cancel: Cancel,
}

impl Stage {
    pub(crate) fn new(wall: fn(&Settings, u64) -> u64) -> Self {
        Stage {
            place: Scripted::new(wall),
            shelf: Shelf::default(),
            clock: Counter::default(),
            cancel: Cancel::new(),
        }
    }

    pub(crate) fn runner(&self, jobs: usize) -> Runner<'_> {
        Runner {
            place: &self.place,
            archive: &self.shelf,
            clock: &self.clock,
            progress: &Deaf,
            cancel: &self.cancel,
            jobs,
            set: "set".to_owned(),
            until: None,
        }
    }
}
