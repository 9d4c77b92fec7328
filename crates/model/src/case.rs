//! What a trial does and measures: named, timed phases, of which some are repeated in rounds.

use serde::{Deserialize, Serialize};

use crate::ffsb::Profile;
use crate::settings::Settings;

/// One step of a case; it becomes one phase, or one phase a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The phase's name in results.
    pub name: String,
    /// What is done.
    #[serde(flatten)]
    pub action: Action,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub enum Action {
    /// Makes the filesystem on every disk, one after the other.
    Mkfs,
    /// Mounts every disk.
    Mount,
    /// Streams `size` bytes in writes of `block` bytes into a file on each disk, one disk after
    /// the other, as `dd if=/dev/zero` does.
    Write {
        /// The file's name.
        file: String,
    },
    /// Calls sync(2).
    Sync,
    /// Unmounts every disk.
    Umount,
    /// Writes `size` bytes past the filesystem (`O_DIRECT`) in requests of `block` bytes to each
    /// bare disk, all disks at once. What is on them is lost.
    DiskWrite,
    /// Brings the memory to the condition of the settings `age.*` and checks that it is in it.
    Age,
    /// Builds the filesets of the case's ffsb profile, one on each disk.
    FfsbBuild,
    /// Has the threads of the case's ffsb profile work until its time, scaled, is over.
    FfsbRun,
    /// Runs a program in the first disk's folder, to its successful end.
    Command {
        /// The program, by name or path, and its arguments.
        command: Vec<String>,
    },
}

/// What is done and measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The case's name.
    pub name: String,
    /// What it is for, in a sentence.
    pub about: String,
    /// The phase by which the case is judged, or [`ROUND`].
    pub headline: String,
    /// The case's own settings, before `--set`.
    pub settings: Settings,
    /// Steps before the rounds.
    pub before: Vec<Step>,
    /// The steps of a round.
    pub round: Vec<Step>,
    /// Steps after the rounds.
    pub after: Vec<Step>,
    /// The profile that the ffsb steps follow.
    pub ffsb: Option<Profile>,
    /// Files and folders that travel along with a command.
    pub include: Vec<String>,
}

/// The name by which a whole round is judged: the sum of its phases.
pub const ROUND: &str = "round";

/// A step at its place in a trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// The step's name.
    pub name: String,
    /// The round, from 1; `None` before and after the rounds.
    pub round: Option<u32>,
    /// What is done.
    #[serde(flatten)]
    pub action: Action,
}

/// `write`, or `write 2` in the second round.
#[must_use]
pub fn label(name: &str, round: Option<u32>) -> String {
    match round {
        Some(round) => format!("{name} {round}"),
        None => name.to_owned(),
    }
}

impl Action {
    /// Whether it writes `size` bytes in writes of `block` bytes.
    #[must_use]
    pub fn streams(&self) -> bool {
        matches!(self, Action::Write { .. } | Action::DiskWrite)
    }
}

impl Phase {
    /// The phase's label in results: see [`label`].
    #[must_use]
    pub fn label(&self) -> String {
        label(&self.name, self.round)
    }
}

impl Case {
    /// The names by which the case can be judged: its phases', and [`ROUND`] where a round has
    /// several.
    #[must_use]
    pub fn headlines(&self) -> Vec<&str> {
        let steps = self.before.iter().chain(&self.round).chain(&self.after);
        let mut names: Vec<&str> = steps.map(|step| step.name.as_str()).collect();
        if self.round.len() > 1 && !names.contains(&ROUND) {
            names.push(ROUND);
        }
        names
    }

    /// Whether a step streams `size`.
    #[must_use]
    pub fn streams(&self) -> bool {
        let mut steps = self.before.iter().chain(&self.round).chain(&self.after);
        steps.any(|step| step.action.streams())
    }

    /// The commands that the case runs, as they are written.
    #[must_use]
    pub fn commands(&self) -> Vec<String> {
        let steps = self.before.iter().chain(&self.round).chain(&self.after);
        let command = |step: &Step| match &step.action {
            Action::Command { command } => Some(command.join(" ")),
            _ => None,
        };
        steps.filter_map(command).collect()
    }

    /// All phases of a trial in order, the rounds written out `rounds` times.
    #[must_use]
    pub fn phases(&self, rounds: u32) -> Vec<Phase> {
        let phase = |round: Option<u32>| {
            move |step: &Step| Phase { name: step.name.clone(), round, action: step.action.clone() }
        };
        let mut phases: Vec<Phase> = self.before.iter().map(phase(None)).collect();
        for round in 1..=rounds {
            phases.extend(self.round.iter().map(phase(Some(round))));
        }
        phases.extend(self.after.iter().map(phase(None)));
        phases
    }
}
