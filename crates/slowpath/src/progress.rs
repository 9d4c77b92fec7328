//! What a person at a terminal sees while trials run; nothing in a pipe.

use std::io::{IsTerminal, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use experiment::{Plan, Progress, TrialEvent};
use indicatif::{ProgressBar, ProgressStyle};
use model::{Contrast, Judgement, Outcome, Question, Trial};

/// The line's shape while a trial is looked at.
const LOOKING: &str = "{spinner} {elapsed} so far  {wide_msg}";

/// A line on standard error that is rewritten as trials proceed.
pub(crate) struct Line {
    bar: ProgressBar,
    now: Mutex<Now>,
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
        let shape = "{bar:20} {percent} %, {elapsed} so far, about {eta} left  {wide_msg}";
        if let Ok(style) = ProgressStyle::with_template(shape) {
            bar.set_style(style);
        }
        Line { bar, now: Mutex::default() }
    }

    /// Says what is going on before trials run.
    pub(crate) fn tell(&self, text: &str) {
        self.bar.println(text);
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
        // A step is a phase: of a single trial, too, one sees how much is left.
        self.bar.inc_length(phases.iter().map(Vec::len).sum::<usize>() as u64);
        self.bar.enable_steady_tick(Duration::from_millis(250));
        self.update(|now| *now = Now { phases, running: Vec::new() });
    }

    fn event(&self, trial: usize, event: TrialEvent) {
        match event {
            TrialEvent::PhaseEnded(_) => self.bar.inc(1),
            // How long that takes is not known.
            TrialEvent::Observing => {
                if let Ok(style) = ProgressStyle::with_template(LOOKING) {
                    self.bar.set_style(style);
                }
            }
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
