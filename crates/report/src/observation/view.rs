//! What of an observation is shown.

use std::cmp::Reverse;

use model::observation::PhaseView;
use model::{Nanos, Observation, Trial};

use crate::values::labels;

/// Shorter phases hold nothing that anybody looks for.
const SHORTEST_NS: u64 = 1_000_000;

/// The longest phases that are shown, beside the headline's.
const PHASES: usize = 8;

/// An observation and what its trial says of it.
pub(super) struct View<'o> {
    pub(super) seen: &'o Observation,
    /// The trial's ID.
    pub(super) id: &'o str,
    /// The phases that are shown, in the trial's order.
    pub(super) phases: Vec<Phase<'o>>,
    /// Phases of a millisecond or longer that are not.
    pub(super) hidden: usize,
}

/// One phase that is shown.
pub(super) struct Phase<'o> {
    pub(super) label: String,
    pub(super) headline: bool,
    /// The trial's own time of it; `None` where there is none.
    pub(super) wall_ns: Option<u64>,
    pub(super) seen: &'o PhaseView,
}

impl<'o> View<'o> {
    pub(super) fn of(trial: &'o Trial, seen: &'o Observation) -> View<'o> {
        let phases = phases(trial, seen);
        let long = |phase: &Phase<'_>| phase.wall_ns.is_none_or(|ns| ns >= SHORTEST_NS);
        let long: Vec<Phase<'_>> = phases.into_iter().filter(long).collect();
        let chosen = chosen(&long);
        let hidden = long.len() - chosen.len();
        let shown = long.into_iter().enumerate().filter(|(at, _)| chosen.contains(at));
        View { seen, id: &trial.id, phases: shown.map(|(_, phase)| phase).collect(), hidden }
    }

    /// How often the pass looked that all rests on, where that is the one from inside: times of
    /// waits are then counts of samples.
    pub(super) fn sampled(&self) -> Option<Nanos> {
        let inside = self.seen.inside.as_ref().filter(|_| self.seen.same_times.is_none());
        inside.map(|inside| inside.every)
    }

    /// Whether anything was seen of what tasks did.
    pub(super) fn saw_tasks(&self) -> bool {
        let waited = |disks: &model::observation::DisksView| disks.idle_wait_ns.is_some();
        let phase =
            |view: &PhaseView| !view.waits.is_empty() || view.disks.as_ref().is_some_and(waited);
        self.seen.phases.iter().any(phase)
            || self.seen.stalls.iter().any(|s| !s.waiting.is_empty() || !s.running.is_empty())
    }

    /// Whether all was seen that tasks did, so that nothing seen is nothing done.
    pub(super) fn saw_all(&self) -> bool {
        self.sampled().is_none() && self.saw_tasks()
    }

    /// What is said of something that was not seen: the notes say why, if anything does.
    pub(super) fn not_available(&self) -> &'static str {
        match self.seen.notes.is_empty() {
            true => "not available: it was not seen",
            false => "not available; the notes below say why",
        }
    }
}

fn phases<'o>(trial: &'o Trial, seen: &'o Observation) -> Vec<Phase<'o>> {
    let runs = trial.measured().map_or(&[][..], |measured| &measured.phases);
    let own = trial.measured().map(labels).unwrap_or_default();
    let phase = |(at, view): (usize, &'o PhaseView)| {
        // The same phase of the trial, which a case with two steps of one name has twice.
        let same = |at: &usize| runs.get(*at).is_some_and(|run| run.label() == view.phase);
        let at = Some(at).filter(same).or_else(|| (0..runs.len()).find(same));
        Phase {
            label: at.and_then(|at| own.get(at)).unwrap_or(&view.phase).clone(),
            headline: at.is_some_and(|at| runs[at].name == trial.spec.headline),
            // What was sampled was sampled in another run, whose time it is a share of.
            wall_ns: match seen.same_times {
                None => observed(seen, &view.phase).or_else(|| at.map(|at| runs[at].wall_ns)),
                Some(_) => at.map(|at| runs[at].wall_ns),
            },
            seen: view,
        }
    };
    seen.phases.iter().enumerate().map(phase).collect()
}

fn observed(seen: &Observation, label: &str) -> Option<u64> {
    let shift = seen.inside.as_ref()?.shifts.iter().find(|shift| shift.phase == label);
    shift.map(|shift| shift.observed_ns)
}

/// The places of the longest phases, and of the longest of the headline's.
fn chosen(phases: &[Phase<'_>]) -> Vec<usize> {
    let mut longest: Vec<usize> = (0..phases.len()).collect();
    longest.sort_by_key(|at| Reverse(phases[*at].wall_ns));
    let headline = longest.iter().copied().find(|at| phases[*at].headline);
    longest.truncate(PHASES);
    longest.extend(headline.filter(|at| !longest.contains(at)));
    longest
}

/// Whether the phase that `label` names is one of those that bear the `name`.
pub(super) fn is_named(label: &str, name: &str) -> bool {
    let round = label.strip_prefix(name).and_then(|rest| rest.trim_start().parse().ok());
    label == name || round.is_some_and(|round| model::case::label(name, Some(round)) == label)
}
