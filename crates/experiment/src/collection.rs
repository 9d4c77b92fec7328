//! The trials of a comparison: those that are at hand, and those that are still to be run.

use model::{Case, Limits, Question, Trial, TrialSpec, Variant};

use crate::archive::ArchiveError;
use crate::plan::{Plan, variant_spec};
use crate::run::{RunError, Runner, run_checked};

/// The trials of each variant.
pub(crate) struct Collection<'a> {
    case: &'a Case,
    question: &'a Question,
    limits: Limits,
    /// The seeds begin behind this one.
    after: u64,
    /// One list a variant, in the order of running.
    trials: Vec<Vec<Trial>>,
    /// Trials of an earlier attempt at the same comparison that found no place yet.
    earlier: Vec<Trial>,
    /// How many trials were taken from the archive.
    reused: usize,
}

impl<'a> Collection<'a> {
    /// A collection that begins with the trials of an earlier, unfinished attempt.
    pub(crate) fn new(
        case: &'a Case,
        question: &'a Question,
        limits: Limits,
        earlier: Vec<Trial>,
    ) -> Self {
        let trials = question.variants.iter().map(|_| Vec::new()).collect();
        Collection { case, question, limits, after: 0, trials, earlier, reused: 0 }
    }

    /// The same, under the seeds behind `after`.
    pub(crate) fn behind(self, after: u64) -> Self {
        Collection { after, ..self }
    }

    /// The seeds of so many pairs.
    fn seeds(&self, pairs: u32) -> std::ops::RangeInclusive<u64> {
        self.after + 1..=self.after + u64::from(pairs)
    }

    /// Sees to it that each of these variants has a trial under each of the first `pairs` seeds.
    ///
    /// # Errors
    /// See [`RunError`]; what was finished by then is in the collection.
    pub(crate) fn fill(
        &mut self,
        runner: &Runner<'_>,
        variants: &[usize],
        pairs: u32,
    ) -> Result<(), RunError> {
        let mut wanted = Vec::new();
        for seed in self.seeds(pairs) {
            for index in self.order(runner, variants, seed) {
                if self.of(index, seed).is_none() {
                    self.take_or_want(runner, index, seed, &mut wanted)?;
                }
            }
        }
        if wanted.is_empty() {
            return Ok(());
        }
        let (owners, trials) = wanted.into_iter().unzip();
        let (ran, error) = run_checked(runner, &Plan { trials });
        let owners: Vec<usize> = owners;
        for (at, trial) in ran {
            self.trials[owners[at]].push(trial);
        }
        error.map_or(Ok(()), Err)
    }

    /// Takes a trial that is at hand already, or notes that it must be run.
    fn take_or_want(
        &mut self,
        runner: &Runner<'_>,
        index: usize,
        seed: u64,
        wanted: &mut Vec<(usize, TrialSpec)>,
    ) -> Result<(), RunError> {
        let spec = self.spec(&self.question.variants[index], seed);
        let found = match self.take_earlier(&spec) {
            Some(trial) => Some(trial),
            None => known(runner, &spec)?,
        };
        match found {
            Some(trial) => {
                self.reused += 1;
                self.trials[index].push(trial);
            }
            None => wanted.push((index, spec)),
        }
        Ok(())
    }

    fn take_earlier(&mut self, spec: &TrialSpec) -> Option<Trial> {
        let at = self.earlier.iter().position(|trial| trial.spec == *spec)?;
        Some(self.earlier.remove(at))
    }

    fn spec(&self, variant: &Variant, seed: u64) -> TrialSpec {
        variant_spec(self.case, variant, seed, self.limits)
    }

    /// The order of the variants under one seed: in noisy places another one for each seed, so that
    /// none of them is always the first.
    fn order(&self, runner: &Runner<'_>, variants: &[usize], seed: u64) -> Vec<usize> {
        let mut order = variants.to_vec();
        let exact = order.first().is_none_or(|index| {
            runner.place.is_exact(&self.spec(&self.question.variants[*index], seed))
        });
        if !exact {
            shuffled(&mut order, &runner.set, seed);
        }
        order
    }

    /// The variant's trial under that seed.
    fn of(&self, variant: usize, seed: u64) -> Option<&Trial> {
        self.trials[variant].iter().find(|trial| trial.spec.seed == seed)
    }

    /// Whether every one of these variants has a trial under each of the first `pairs` seeds.
    pub(crate) fn is_complete(&self, variants: &[usize], pairs: u32) -> bool {
        let all = |variant: &usize| self.seeds(pairs).all(|seed| self.of(*variant, seed).is_some());
        variants.iter().all(all)
    }

    /// The trials of each variant.
    pub(crate) fn trials(&self) -> &[Vec<Trial>] {
        &self.trials
    }

    /// How many trials were taken from the archive, the trials of each variant, and those of the earlier attempt that
    /// found no place.
    pub(crate) fn into_parts(self) -> (usize, Vec<Vec<Trial>>, Vec<Trial>) {
        (self.reused, self.trials, self.earlier)
    }
}

/// A trial of the archive that would come out the same.
fn known(runner: &Runner<'_>, spec: &TrialSpec) -> Result<Option<Trial>, RunError> {
    if !runner.place.is_exact(spec) {
        return Ok(None);
    }
    let Some(fingerprint) = runner.place.check(spec)? else { return Ok(None) };
    let known = runner.archive.known(spec, &fingerprint);
    known.map_err(|error: ArchiveError| error.into())
}

/// Shuffles by a number that is made from the comparison's ID and the seed.
fn shuffled(order: &mut [usize], set: &str, seed: u64) {
    let mixed = set
        .bytes()
        .fold(seed, |mixed, byte| mixed.wrapping_mul(0x0100_0000_01b3) ^ u64::from(byte));
    fastrand::Rng::with_seed(mixed).shuffle(order);
}
