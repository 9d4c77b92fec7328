//! What a person at a terminal sees while trials run; nothing in a pipe.

use std::io::{IsTerminal, Write, stderr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use experiment::{HuntEvent, Plan, Progress, TrialEvent};
use indicatif::{ProgressBar, ProgressStyle};
use model::{Contrast, Hunt, Judgement, Outcome, Question, Trial};

/// The line's shape while trials run.
const KNOWN: &str = "{bar:10} {percent} %, {elapsed} so far, about {eta} left  {wide_msg}";

/// The line's shape while nobody knows how long it will take: a kernel is built, a trial is looked at.
const UNKNOWN: &str = "{spinner} {elapsed} so far  {wide_msg}";

/// A line on standard error that is rewritten as trials proceed.
pub(crate) struct Line {
    bar: ProgressBar,
    now: Mutex<Now>,
    /// Whether more plans follow, and nobody knows how many.
    searches: AtomicBool,
}

/// What is going on.
#[derive(Default)]
struct Now {
    /// The labels of each planned trial's phases.
    phases: Vec<Vec<String>>,
    /// What each running trial does.
    running: Vec<(usize, String)>,
}

impl Line {
    /// A line that stays hidden unless standard error is a terminal.
    pub(crate) fn new() -> Self {
        let bar = if stderr().is_terminal() { ProgressBar::new(0) } else { ProgressBar::hidden() };
        let line = Line { bar, now: Mutex::default(), searches: AtomicBool::new(false) };
        line.shape(KNOWN);
        line
    }

    /// From now on one plan follows another, so that no share of the whole can be told.
    pub(crate) fn searches(&self) {
        self.searches.store(true, Ordering::Relaxed);
        self.shape(UNKNOWN);
    }

    fn shape(&self, shape: &str) {
        if let Ok(style) = ProgressStyle::with_template(shape) {
            self.bar.set_style(style);
        }
    }

    /// Says what is going on before trials run.
    pub(crate) fn tell(&self, text: &str) {
        self.bar.println(text);
    }

    /// Says what must not be missed, also in a pipe.
    pub(crate) fn warn(&self, text: &str) {
        self.bar.suspend(|| {
            // Nobody may be left to read it.
            let _ = writeln!(stderr(), "slowpath: {text}");
        });
    }

    /// Takes the line away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn update(&self, change: impl FnOnce(&mut Now)) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut now);
        let running = now.running.iter();
        let texts: Vec<_> =
            running.map(|(trial, text)| format!("trial {}: {text}", trial + 1)).collect();
        self.bar.set_message(texts.join("; "));
    }
}

impl Now {
    fn text(&self, trial: usize, event: TrialEvent) -> String {
        let phase = |index: usize| {
            let phases = self.phases.get(trial);
            phases.and_then(|phases| phases.get(index)).cloned().unwrap_or_default()
        };
        match event {
            TrialEvent::Booting => "boots the kernel".to_owned(),
            TrialEvent::Started => "prepares".to_owned(),
            TrialEvent::PhaseBegan(index) => phase(index),
            TrialEvent::PhaseEnded(index) => format!("{} done", phase(index)),
            TrialEvent::Observing => "is looked at in further passes".to_owned(),
        }
    }

    fn set(&mut self, trial: usize, text: String) {
        match self.running.iter_mut().find(|(known, _)| *known == trial) {
            Some(entry) => entry.1 = text,
            None => self.running.push((trial, text)),
        }
    }
}

fn labels(spec: &model::TrialSpec) -> Vec<String> {
    spec.phases.iter().map(model::case::Phase::label).collect()
}

impl Progress for Line {
    fn begins(&self, plan: &Plan) {
        let phases: Vec<Vec<String>> = plan.trials.iter().map(labels).collect();
        self.shape(if self.searches.load(Ordering::Relaxed) { UNKNOWN } else { KNOWN });
        // A step is a phase: of a single trial, too, one sees how much is left.
        self.bar.inc_length(phases.iter().map(Vec::len).sum::<usize>() as u64);
        self.bar.enable_steady_tick(Duration::from_millis(250));
        self.update(|now| *now = Now { phases, running: Vec::new() });
    }

    fn event(&self, trial: usize, event: TrialEvent) {
        match event {
            TrialEvent::PhaseEnded(_) => self.bar.inc(1),
            // How long that takes is not known.
            TrialEvent::Observing => self.shape(UNKNOWN),
            _ => {}
        }
        self.update(|now| {
            let text = now.text(trial, event);
            now.set(trial, text);
        });
    }

    fn kept(&self, trial: usize, result: &Trial) {
        self.update(|now| now.running.retain(|(known, _)| *known != trial));
        if let Outcome::Broken(broken) = &result.outcome {
            self.bar.println(format!("trial {} is broken: {}", trial + 1, broken.reason));
        }
    }

    fn judged(&self, question: &Question, contrasts: &[Contrast]) {
        let variants = question.variants.iter().skip(1).zip(contrasts);
        for (variant, contrast) in variants {
            if let Some(judged) = contrast.headline(&question.headline) {
                self.bar.println(standing(&variant.name, judged));
            }
        }
    }

    fn hunting(&self, hunt: &Hunt, event: HuntEvent<'_>) {
        if let Some(text) = course(hunt, event) {
            self.bar.println(text);
        }
    }

    fn told(&self, text: &str) {
        self.shape(UNKNOWN);
        self.bar.enable_steady_tick(Duration::from_millis(250));
        self.bar.set_message(text.to_owned());
    }
}

/// What is said of a bisection's course; `None` where there is nothing new.
fn course(hunt: &Hunt, event: HuntEvent<'_>) -> Option<String> {
    let name = |candidate: usize| {
        let change = hunt.change(Some(candidate));
        let title =
            if change.title.is_empty() { String::new() } else { format!(" {}", change.title) };
        format!("{}{title}", change.short(hunt.kind))
    };
    match event {
        HuntEvent::Ends(ends) => {
            let judged = ends.contrasts.first()?.headline(&hunt.headline)?;
            Some(format!("the ends: {}", standing("bad", judged)))
        }
        HuntEvent::Trying { candidate, suspects, left } => {
            Some(format!("{suspects} suspects, about {left} to try: {}", name(candidate)))
        }
        HuntEvent::Tried(tried) => {
            let position = tried.position.map(|at| format!(", {:.0} % of the way", 100.0 * at));
            let reason = tried.reason.as_ref().map(|reason| format!(": {reason}"));
            Some(format!(
                "  {}{}{}",
                tried.standing,
                position.unwrap_or_default(),
                reason.unwrap_or_default()
            ))
        }
        HuntEvent::Proving(candidate) => {
            Some(format!("the proof: {} against its parent", name(candidate)))
        }
        HuntEvent::Explaining(_) => {
            Some("the reason: three trials of each are looked at".to_owned())
        }
        HuntEvent::Remedy(what) => Some(what.to_owned()),
    }
}

/// `12 pairs: with fs=xfs write 2-4 is 3.1 % longer so far: cannot tell`.
fn standing(name: &str, judged: &Judgement) -> String {
    let longer = 100.0 * judged.effect.exp_m1();
    let direction = if longer < 0.0 { "shorter" } else { "longer" };
    let (pairs, label, verdict) = (judged.pairs, judged.label(), judged.verdict);
    format!(
        "{pairs} pairs: with {name} {label} is {:.1} % {direction} so far: {verdict}",
        longer.abs()
    )
}
