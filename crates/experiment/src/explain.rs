//! Further passes for a comparison: trials of both sides are looked at, and their difference is taken apart.
//!
//! A pass that goes wrong costs a reason, never a verdict: what could not be seen stands in the notes.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use analysis::explain::{Pair, explain as taken_apart};
use model::{Accounts, Comparison, Contrast, Explanation, Judgement, Side, Trial, Verdict};

use crate::observe::accounts;
use crate::plan::Plan;
use crate::run::Runner;

/// The seeds under which both sides are looked at: as few as a finding takes.
pub const SEEDS: usize = 3;

/// When sides are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Why {
    /// Not at all.
    Never,
    /// Where the verdict on a phase is worse or better.
    #[default]
    Auto,
    /// Whatever the verdicts are.
    Always,
}

/// A trial of each side under one seed.
struct Looked<'a> {
    seed: u64,
    baseline: &'a Trial,
    variant: &'a Trial,
}

/// Why the variants of `comparison` differ from the baseline, for those that are to be looked at. `trials` are those of
/// each variant.
#[must_use]
pub fn explain(
    runner: &Runner<'_>,
    comparison: &Comparison,
    trials: &[Vec<Trial>],
    why: Why,
) -> Vec<Explanation> {
    let wanted: Vec<(usize, &[Judgement])> = wanted(comparison, why).collect();
    let pairs: Vec<Vec<Looked<'_>>> =
        wanted.iter().map(|(variant, _)| pairs(trials, *variant)).collect();
    let mut looked: Vec<&Trial> = Vec::new();
    for trial in pairs.iter().flatten().flat_map(|pair| [pair.baseline, pair.variant]) {
        if !looked.iter().any(|known| known.id == trial.id) {
            looked.push(trial);
        }
    }
    let seen = Seen::all(runner, &looked);
    let headline = &comparison.question.headline;
    let explained = wanted.iter().zip(&pairs).map(|((variant, judgements), pairs)| {
        explanation(*variant, (headline, judgements), pairs, &seen, why)
    });
    explained.collect()
}

/// The same for every variant of `comparison` against every other, each pair judged as in it: variants that differ in
/// nothing that matters, so that whatever is found is false. `None` for a pair that need not be looked at.
#[must_use]
pub fn explain_twins(
    runner: &Runner<'_>,
    comparison: &Comparison,
    trials: &[Vec<Trial>],
    why: Why,
) -> Vec<Option<Explanation>> {
    let error = 1.0 - comparison.question.confidence;
    let sides: Vec<(&Side, &Vec<Trial>)> =
        comparison.sides.iter().zip(trials).filter(|(side, _)| side.broken.is_none()).collect();
    let mut explained = Vec::new();
    for (at, one) in sides.iter().enumerate() {
        for other in &sides[at + 1..] {
            if runner.cancel.is_set() {
                return explained;
            }
            let contrast = analysis::contrast(one.0, other.0, comparison.question.threshold, error);
            let pair = Comparison {
                sides: vec![one.0.clone(), other.0.clone()],
                contrasts: vec![contrast],
                ..comparison.clone()
            };
            let trials = [one.1.clone(), other.1.clone()];
            explained.push(explain(runner, &pair, &trials, why).pop());
        }
    }
    explained
}

/// The variants that are to be looked at, with the judgements on them.
fn wanted(comparison: &Comparison, why: Why) -> impl Iterator<Item = (usize, &[Judgement])> {
    let differs = |judged: &Judgement| matches!(judged.verdict, Verdict::Worse | Verdict::Better);
    let contrasts = comparison.contrasts.iter().enumerate();
    contrasts.filter_map(move |(at, contrast)| match contrast {
        Contrast::Judged(judgements) => {
            let wanted = match why {
                Why::Never => false,
                Why::Auto => judgements.iter().any(differs),
                Why::Always => true,
            };
            wanted.then_some((at + 1, judgements.as_slice()))
        }
        Contrast::NotComparable(_) => None,
    })
}

/// The first trials that both sides have under one seed.
fn pairs(trials: &[Vec<Trial>], variant: usize) -> Vec<Looked<'_>> {
    let (Some(baseline), Some(variant)) = (trials.first(), trials.get(variant)) else {
        return Vec::new();
    };
    let measured = |trials: &'_ [Trial], seed| {
        trials.iter().position(|trial| trial.spec.seed == seed && trial.measured().is_some())
    };
    let seeds: BTreeSet<u64> = baseline.iter().map(|trial| trial.spec.seed).collect();
    let pair = |seed| {
        let (ours, theirs) = (measured(baseline, seed)?, measured(variant, seed)?);
        Some(Looked { seed, baseline: &baseline[ours], variant: &variant[theirs] })
    };
    seeds.into_iter().filter_map(pair).take(SEEDS).collect()
}

/// What the passes saw, by the trial's ID: where its time went, or why that is not known.
struct Seen(Vec<(String, Result<Accounts, String>)>);

impl Seen {
    /// Looks at all of them, in an exact place as many at once as trials are run.
    fn all(runner: &Runner<'_>, trials: &[&Trial]) -> Self {
        if trials.is_empty() {
            return Seen(Vec::new());
        }
        let specs = trials.iter().map(|trial| trial.spec.clone()).collect();
        runner.progress.begins(&Plan { trials: specs });
        let exact = trials.iter().all(|trial| runner.place.is_exact(&trial.spec));
        let jobs = if exact { runner.jobs.clamp(1, trials.len()) } else { 1 };
        let (next, seen) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let work = || {
            while let Some(trial) = trials.get(next.fetch_add(1, Ordering::SeqCst)) {
                let index = trials.iter().position(|known| known.id == trial.id);
                let accounts = look(runner, index.unwrap_or_default(), trial);
                let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
                seen.push((trial.id.clone(), accounts));
            }
        };
        thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(work);
            }
        });
        Seen(seen.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn of(&self, trial: &Trial) -> Result<&Accounts, &str> {
        let found = self.0.iter().find(|(id, _)| *id == trial.id).map(|(_, accounts)| accounts);
        match found {
            Some(Ok(accounts)) => Ok(accounts),
            Some(Err(why)) => Err(why),
            None => Err("it was not looked at"),
        }
    }
}

/// Where a trial's time went: as it is kept, or by a further pass.
fn look(runner: &Runner<'_>, index: usize, trial: &Trial) -> Result<Accounts, String> {
    if runner.cancel.is_set() {
        return Err("interrupted".to_owned());
    }
    if runner.until.is_some_and(|until| runner.clock.monotonic_ns() > until) {
        return Err("the time was over".to_owned());
    }
    accounts(runner, index, trial).map_err(|error| error.to_string())?
}

fn explanation(
    variant: usize,
    (headline, judgements): (&str, &[Judgement]),
    pairs: &[Looked<'_>],
    seen: &Seen,
    why: Why,
) -> Explanation {
    let mut notes: Vec<String> = Vec::new();
    let mut both: Vec<(&Looked<'_>, Pair<'_>)> = Vec::new();
    for pair in pairs {
        match (seen.of(pair.baseline), seen.of(pair.variant)) {
            (Ok(baseline), Ok(variant)) => {
                both.push((pair, Pair { seed: pair.seed, baseline, variant }));
            }
            (Err(why), _) | (_, Err(why)) => {
                notes
                    .push(format!("the trials under seed {} were not looked at: {why}", pair.seed));
            }
        }
    }
    let (looked, pairs): (Vec<&Looked<'_>>, Vec<Pair<'_>>) = both.into_iter().unzip();
    let all = || pairs.iter().flat_map(|pair| [pair.baseline, pair.variant]);
    let said: BTreeSet<&String> = all().flat_map(|accounts| &accounts.notes).collect();
    notes.extend(said.into_iter().cloned());
    Explanation {
        variant,
        seeds: looked.iter().map(|pair| pair.seed).collect(),
        trials: looked.iter().map(|p| (p.baseline.id.clone(), p.variant.id.clone())).collect(),
        seen_from: all().map(|accounts| accounts.seen_from).max().unwrap_or_default(),
        same_times: !pairs.is_empty() && all().all(|accounts| accounts.same_times),
        phases: taken_apart(headline, judgements, &pairs, why == Why::Always),
        notes,
    }
}

#[cfg(test)]
mod tests {
    use model::{Extent, Limits, Question, Settings, Variant};

    use super::*;
    use crate::compare::{Compared, Request, compare};
    use crate::scripted::{Stage, case};

    fn compared(stage: &Stage, disks: &[u32]) -> Compared {
        let variant = |disks: &u32| Variant {
            name: format!("disks={disks}"),
            place: "exact".to_owned(),
            settings: Settings { disks: *disks, ..Settings::default() },
        };
        let question = Question {
            case: "case".to_owned(),
            headline: "write".to_owned(),
            variants: disks.iter().map(variant).collect(),
            threshold: 0.02,
            confidence: 0.95,
            extent: Extent::Pairs(6),
        };
        let request = Request {
            case: &case(),
            question: &question,
            limits: Limits::default(),
            started: String::new(),
            earlier: Vec::new(),
            after: 0,
        };
        compare(&stage.runner(1), request)
    }

    fn slower_on_two_disks() -> Stage {
        Stage::new(|settings, seed| {
            let factor = if settings.disks == 2 { 2 } else { 1 };
            factor * (1_000_000_000 + seed)
        })
    }

    #[test]
    fn a_difference_is_looked_at_under_three_seeds_on_both_sides() {
        let stage = slower_on_two_disks();
        let found = compared(&stage, &[1, 2]);
        let why = explain(&stage.runner(2), &found.comparison, &found.trials, Why::Auto);
        let [explanation] = why.as_slice() else { panic!("{why:?}") };
        assert_eq!((explanation.variant, explanation.seeds.as_slice()), (1, &[1, 2, 3][..]));
        assert!(explanation.same_times);
        let phase = &explanation.phases[0];
        assert_eq!((phase.phase.as_str(), phase.difference()), ("write", 1_000_000_002.0));
        assert_eq!(stage.place.looked_at(), 6);
        // What was seen is kept, and need not be seen again.
        let again = explain(&stage.runner(2), &found.comparison, &found.trials, Why::Auto);
        assert_eq!((again, stage.place.looked_at()), (why, 6));
    }

    #[test]
    fn sides_that_are_the_same_are_looked_at_only_when_told() {
        let stage = slower_on_two_disks();
        let found = compared(&stage, &[1, 3]);
        let explained = |why| explain(&stage.runner(1), &found.comparison, &found.trials, why);
        assert!(explained(Why::Auto).is_empty() && explained(Why::Never).is_empty());
        assert_eq!(stage.place.looked_at(), 0);
        assert_eq!(explained(Why::Always).len(), 1);
        assert_eq!(stage.place.looked_at(), 6);
    }

    #[test]
    fn a_pass_that_breaks_costs_its_seed_and_nothing_else() {
        let stage = slower_on_two_disks();
        let found = compared(&stage, &[1, 2]);
        *stage.place.blind_under.lock().unwrap() = Some(2);
        let why = explain(&stage.runner(1), &found.comparison, &found.trials, Why::Auto);
        assert_eq!(why[0].seeds, [1, 3]);
        assert!(why[0].notes.iter().any(|note| note.contains("seed 2")), "{:?}", why[0].notes);
    }

    #[test]
    fn when_the_time_is_over_nothing_is_looked_at() {
        let stage = slower_on_two_disks();
        let found = compared(&stage, &[1, 2]);
        let runner = Runner { until: Some(0), ..stage.runner(1) };
        stage.clock.monotonic();
        let why = explain(&runner, &found.comparison, &found.trials, Why::Auto);
        assert!(why[0].seeds.is_empty() && stage.place.looked_at() == 0);
        assert!(why[0].notes[0].contains("the time was over"), "{:?}", why[0].notes);
    }
}
