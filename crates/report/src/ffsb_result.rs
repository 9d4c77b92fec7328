//! Which phases of a trial are runs of an ffsb profile, and the final syncs that belong to them.

use std::io;

use model::case::Phase;
use model::ffsb::{Outcome, Profile};
use model::{Action, Measurements, PhaseRun, Trial, TrialSpec};

use crate::ffsb::ClosingBlock;
use crate::groups::Group;
use crate::page::{Page, Role};
use crate::quantity::{duration, percent};
use crate::scale::scale_line;
use crate::statistics::median;

/// Rounds whose final syncs are told one by one.
const ROUNDS: usize = 4;

/// A run of a trial's profile: all that the original's closing block is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FfsbResult<'t> {
    /// The profile.
    pub profile: &'t Profile,
    /// The phase in which the threads worked, with its user and system times.
    pub run: &'t PhaseRun,
    /// What the threads did.
    pub outcome: &'t Outcome,
    /// The sync that follows it in its round, which the original counts in; `None` where a case has
    /// none.
    pub sync: Option<&'t PhaseRun>,
}

impl<'t> FfsbResult<'t> {
    /// The original's closing block of it. Without a sync, that took no time.
    #[must_use]
    pub fn closing_block(&self) -> ClosingBlock<'t> {
        let both =
            |time: fn(&PhaseRun) -> u64| time(self.run).saturating_add(self.sync.map_or(0, time));
        ClosingBlock {
            outcome: self.outcome,
            ranges: &self.profile.stats.ranges,
            run_ns: self.run.wall_ns,
            sync_ns: self.sync.map_or(0, |sync| sync.wall_ns),
            user_ns: both(|run| run.user_ns),
            system_ns: both(|run| run.system_ns),
        }
    }
}

/// The runs of the trial's profile, one a round; empty where it has none or is broken.
#[must_use]
pub fn ffsb_of(trial: &Trial) -> Vec<FfsbResult<'_>> {
    let (Some(profile), Some(measured)) = (&trial.spec.ffsb, trial.measured()) else {
        return Vec::new();
    };
    let result = |(run, sync): (&Phase, Option<&Phase>)| {
        let run = find(measured, run)?;
        let sync = sync.and_then(|phase| find(measured, phase));
        Some(FfsbResult { profile, run, outcome: run.ffsb.as_ref()?, sync })
    };
    runs(&trial.spec).into_iter().filter_map(result).collect()
}

/// The phases that run the profile, and the syncs that follow them in their rounds.
fn runs(spec: &TrialSpec) -> Vec<(&Phase, Option<&Phase>)> {
    let phases = spec.phases.iter().enumerate();
    let runs = phases.filter(|(_, phase)| phase.action == Action::FfsbRun);
    runs.map(|(at, run)| {
        let follows = |next: &&Phase| next.action == Action::Sync && next.round == run.round;
        (run, spec.phases.get(at + 1).filter(follows))
    })
    .collect()
}

/// What was measured of a phase. A place may have left out others.
fn find<'t>(measured: &'t Measurements, phase: &Phase) -> Option<&'t PhaseRun> {
    measured.phases.iter().find(|run| run.name == phase.name && run.round == phase.round)
}

/// Writes the scale of a group's profile, and how much of its time the final syncs are; nothing
/// without a profile.
pub(crate) fn write(page: &mut Page<'_>, group: &Group<'_>) -> io::Result<()> {
    let scale = scale_line(group.spec());
    page.labelled("  ", Role::Plain, &scale.unwrap_or_default())?;
    let syncs: Vec<String> = runs(group.spec())
        .into_iter()
        .filter_map(|(run, sync)| final_sync(group, run, sync?))
        .collect();
    let more = syncs.len().saturating_sub(ROUNDS);
    let mut told = syncs[..syncs.len() - more].join(", ");
    if more > 0 {
        told += &format!(", and {more} more rounds");
    }
    match syncs.len() {
        0 => Ok(()),
        1 => page.labelled("  ", Role::Plain, &format!("the final sync is {told}")),
        _ => page.labelled("  ", Role::Plain, &format!("the rounds' final syncs are {told}")),
    }
}

/// `850.0 ms of 2.350 s (36.2 %)`, by the medians of the runs.
fn final_sync(group: &Group<'_>, run: &Phase, sync: &Phase) -> Option<String> {
    let walls = |phase: &Phase| -> Vec<u64> {
        let of = |(_, measured): &(&Trial, &Measurements)| Some(find(measured, phase)?.wall_ns);
        group.runs.iter().filter_map(of).collect()
    };
    let (runs, syncs) = (walls(run), walls(sync));
    if runs.is_empty() || syncs.is_empty() {
        return None;
    }
    let sync = median(&syncs);
    let whole = median(&runs).saturating_add(sync);
    let share = percent(sync, whole).map(|share| format!(" ({share})"));
    Some(format!("{} of {}{}", duration(sync), duration(whole), share.unwrap_or_default()))
}
