//! What a person at a terminal sees while trials run; nothing in a pipe.

use std::io::{IsTerminal, stderr};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use experiment::{Plan, Progress, TrialEvent};
use indicatif::{ProgressBar, ProgressStyle};
use model::{Outcome, Trial};

/// A line on standard error that is rewritten as trials proceed.
pub(crate) struct Line {
    bar: ProgressBar,
    phases: Vec<Vec<String>>,
    running: Mutex<Vec<(usize, String)>>,
}

impl Line {
    /// A line for the plan's trials; it stays hidden unless standard error is a terminal.
    pub(crate) fn new(plan: &Plan) -> Self {
        let bar = if stderr().is_terminal() {
            ProgressBar::new(plan.trials.len() as u64)
        } else {
            ProgressBar::hidden()
        };
        let shape = "{pos}/{len} trials, {elapsed} so far, {eta} left  {wide_msg}";
        if let Ok(style) = ProgressStyle::with_template(shape) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(250));
        let labels = |spec: &model::TrialSpec| spec.phases.iter().map(|p| p.label()).collect();
        Line { bar, phases: plan.trials.iter().map(labels).collect(), running: Mutex::default() }
    }

    /// Takes the line away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

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
        }
    }

    fn update(&self, change: impl FnOnce(&mut Vec<(usize, String)>)) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut running);
        let texts: Vec<_> =
            running.iter().map(|(trial, text)| format!("#{}: {text}", trial + 1)).collect();
        self.bar.set_message(texts.join("; "));
    }
}

impl Progress for Line {
    fn event(&self, trial: usize, event: TrialEvent) {
        let text = self.text(trial, event);
        self.update(|running| match running.iter_mut().find(|(known, _)| *known == trial) {
            Some(entry) => entry.1 = text,
            None => running.push((trial, text)),
        });
    }

    fn kept(&self, trial: usize, result: &Trial) {
        self.update(|running| running.retain(|(known, _)| *known != trial));
        if let Outcome::Broken(broken) = &result.outcome {
            self.bar.println(format!("#{} is broken: {}", trial + 1, broken.reason));
        }
        self.bar.inc(1);
    }
}
