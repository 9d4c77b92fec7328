//! Which trials belong together.

use model::{Limits, Measurements, Trial, TrialSpec};

/// Measured trials that are shown or counted as one, the first one first.
pub(crate) struct Group<'t> {
    pub(crate) runs: Vec<(&'t Trial, &'t Measurements)>,
}

impl<'t> Group<'t> {
    pub(crate) fn first(&self) -> (&'t Trial, &'t Measurements) {
        self.runs[0]
    }

    pub(crate) fn spec(&self) -> &'t TrialSpec {
        &self.first().0.spec
    }

    /// Whether every run measured the same, to the last value.
    pub(crate) fn is_identical(&self) -> bool {
        self.runs.iter().all(|(_, run)| *run == self.first().1)
    }
}

/// The measured trials in groups of one spec, and so one seed, in the order in which they come.
pub(crate) fn repeats(trials: &[Trial]) -> Vec<Group<'_>> {
    grouped(trials, |a, b| a == b)
}

/// The measured trials in groups that differ in nothing but the seed, and in what they might have
/// taken.
pub(crate) fn variants(trials: &[Trial]) -> Vec<Group<'_>> {
    grouped(trials, |a, b| {
        let same =
            |spec: &TrialSpec| TrialSpec { seed: 0, limits: Limits::default(), ..spec.clone() };
        same(a) == same(b)
    })
}

fn grouped(trials: &[Trial], alike: impl Fn(&TrialSpec, &TrialSpec) -> bool) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for trial in trials {
        let Some(measurements) = trial.measured() else {
            continue;
        };
        let run = (trial, measurements);
        match groups.iter_mut().find(|group| alike(group.spec(), &trial.spec)) {
            Some(group) => group.runs.push(run),
            None => groups.push(Group { runs: vec![run] }),
        }
    }
    groups
}
