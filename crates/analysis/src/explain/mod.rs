//! Why one side is slower: a difference, taken apart.
//!
//! The workload's time in a phase has no gaps and no overlaps: it ran, could have run, or waited. So the parts of both
//! sides, matched by what was done and where, differ by just what the phase's time does. The larger parts are kept, and
//! what remains is stated: all of it adds up to the difference.
//!
//! What explains a part by name comes from [`mod@crate::findings`].

mod functions;
mod naming;
mod parts;
#[cfg(test)]
mod tests;
mod waits;

pub use naming::naming;

use model::account::{Account, Accounts, WorkloadTime};
use model::explanation::KindsDifference;
use model::{Judgement, PhaseExplained, Verdict};

use crate::findings::{Chosen, Difference, unexplained};

/// What further passes saw of a baseline's trial and of a variant's under one seed.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// The seed.
    pub seed: u64,
    /// The baseline's trial.
    pub baseline: &'a Accounts,
    /// The variant's.
    pub variant: &'a Accounts,
}

/// What of a series its two sides have under one seed: the baseline first.
type Sides<'a> = (Chosen<'a>, Chosen<'a>);

/// Takes apart the differences of those phases that `judgements` call worse or better, of all where `always` is set:
/// that by which the case is judged first, then the largest difference.
///
/// Phases that no pair has on both sides are left out.
#[must_use]
pub fn explain(
    headline: &str,
    judgements: &[Judgement],
    pairs: &[Pair<'_>],
    always: bool,
) -> Vec<PhaseExplained> {
    let first = judgements.iter().rposition(|judgement| judgement.phase == headline);
    let wanted = judgements.iter().enumerate().filter(|(_, judgement)| {
        always || matches!(judgement.verdict, Verdict::Worse | Verdict::Better)
    });
    let mut explained: Vec<(bool, PhaseExplained)> = wanted
        .filter_map(|(at, judgement)| Some((Some(at) != first, explained(judgement, pairs)?)))
        .collect();
    let size = |phase: &PhaseExplained| phase.difference().abs();
    explained.sort_by(|(later, one), (other_later, other)| {
        later.cmp(other_later).then(size(other).total_cmp(&size(one)))
    });
    explained.into_iter().map(|(_, phase)| phase).collect()
}

fn explained(judgement: &Judgement, pairs: &[Pair<'_>]) -> Option<PhaseExplained> {
    let pairs: Vec<Sides<'_>> = pairs.iter().filter_map(|pair| sides(judgement, pair)).collect();
    let (baseline_ns, variant_ns) =
        means(&pairs, |side| side.mean(|account| account.wall_ns as f64))?;
    let difference = variant_ns - baseline_ns;
    let parts = parts::parts(&pairs);
    let label = judgement.label();
    let findings =
        Difference { label: &label, verdict: judgement.verdict, pairs: &pairs, ns: difference };
    let findings = findings.findings();
    Some(PhaseExplained {
        kinds: kinds(&pairs),
        phase: judgement.phase.clone(),
        rounds: judgement.rounds,
        baseline_ns,
        variant_ns,
        rest_ns: difference - parts.iter().map(model::Part::difference).sum::<f64>(),
        parts,
        functions: functions::functions(&pairs),
        machine: functions::machine(&pairs),
        unexplained_milli: unexplained(&findings),
        findings,
    })
}

/// The difference by what the workload did; `None` where it was not seen everywhere.
fn kinds(pairs: &[Sides<'_>]) -> Option<KindsDifference> {
    let all = || pairs.iter().flat_map(|(baseline, variant)| [baseline, variant]);
    if all().any(|side| side.phases.iter().any(|account| account.workload.is_none())) {
        return None;
    }
    let difference = |of: fn(&WorkloadTime) -> u64| {
        let time =
            |account: &Account| account.workload.as_ref().map_or(0.0, |time| of(time) as f64);
        let (baseline, variant) = means(pairs, |side| side.mean(time))?;
        Some(variant - baseline)
    };
    Some(KindsDifference {
        running_ns: difference(WorkloadTime::running_ns)?,
        ready_ns: difference(WorkloadTime::ready_ns)?,
        blocked_ns: difference(WorkloadTime::blocked_ns)?,
    })
}

fn sides<'a>(judgement: &Judgement, pair: &Pair<'a>) -> Option<Sides<'a>> {
    let (phase, rounds) = (&judgement.phase, judgement.rounds);
    Some((Chosen::of(pair.baseline, phase, rounds)?, Chosen::of(pair.variant, phase, rounds)?))
}

/// The means over the seeds of the baseline's values and the variant's; `None` of no seeds.
fn means(pairs: &[Sides<'_>], of: impl Fn(&Chosen<'_>) -> f64) -> Option<(f64, f64)> {
    let seeds = pairs.len() as f64;
    let baseline: f64 = pairs.iter().map(|(baseline, _)| of(baseline)).sum();
    let variant: f64 = pairs.iter().map(|(_, variant)| of(variant)).sum();
    (!pairs.is_empty()).then_some((baseline / seeds, variant / seeds))
}
