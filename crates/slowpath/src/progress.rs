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
        let phases: Vec<Vec<String>> = plan.trials.iter().map(labels).collect();
        // A step is a phase: of a single trial, too, one sees how much is left.
        let steps = phases.iter().map(Vec::len).sum::<usize>() as u64;
        let terminal = stderr().is_terminal();
        let bar = if terminal { ProgressBar::new(steps) } else { ProgressBar::hidden() };
        let shape = "{bar:20} {percent} %, {elapsed} so far, about {eta} left  {wide_msg}";
        if let Ok(style) = ProgressStyle::with_template(shape) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(250));
        Line { bar, phases, running: Mutex::default() }
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
            running.iter().map(|(trial, text)| format!("trial {}: {text}", trial + 1)).collect();
        self.bar.set_message(texts.join("; "));
    }
}

fn labels(spec: &model::TrialSpec) -> Vec<String> {
    spec.phases.iter().map(model::case::Phase::label).collect()
}

impl Progress for Line {
    fn event(&self, trial: usize, event: TrialEvent) {
        if matches!(event, TrialEvent::PhaseEnded(_)) {
            self.bar.inc(1);
        }
        let text = self.text(trial, event);
        self.update(|running| match running.iter_mut().find(|(known, _)| *known == trial) {
            Some(entry) => entry.1 = text,
            None => running.push((trial, text)),
        });
    }

    fn kept(&self, trial: usize, result: &Trial) {
        self.update(|running| running.retain(|(known, _)| *known != trial));
        if let Outcome::Broken(broken) = &result.outcome {
            self.bar.println(format!("trial {} is broken: {}", trial + 1, broken.reason));
        }
    }
}
