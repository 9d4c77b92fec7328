//! Compares variants pair by pair over seeds, until the verdict stands.

use analysis::Looks;
use model::{
    Case, Comparison, Contrast, Ended, Extent, FORMAT, Fingerprint, Limits, Question, Trial,
    Verdict,
};

use crate::collection::Collection;
use crate::judged;
use crate::notes::notes;
use crate::place::{Place, PlaceError};
use crate::plan::variant_spec;
use crate::run::{RunError, Runner};

/// A comparison that is to be made.
pub struct Request<'a> {
    /// What is done and measured.
    pub case: &'a Case,
    /// What is asked.
    pub question: &'a Question,
    /// What each trial may take.
    pub limits: Limits,
    /// When the comparison began: RFC 3339, UTC.
    pub started: String,
    /// Trials of an earlier attempt at it that was not finished.
    pub earlier: Vec<Trial>,
    /// Its seeds begin behind this one; 0 where none has played another part.
    pub after: u64,
}

/// What came of a comparison.
pub struct Compared {
    /// What it found.
    pub comparison: Comparison,
    /// The trials of each variant.
    pub trials: Vec<Vec<Trial>>,
    /// How many trials were at hand already.
    pub reused: usize,
    /// What the longest of its trials took on the host, ns.
    pub longest_host_ns: u64,
    /// Trials of the earlier attempt for which it had no use.
    pub unused: Vec<Trial>,
    /// What ended it early, if anything did.
    pub error: Option<RunError>,
}

/// From so many pairs on, a comparison may be given up.
const PAIRS_TO_GIVE_UP: u32 = 10;

/// It is given up where it would need so many times the pairs that can be made.
const HOPELESS: u32 = 3;

/// Checks every variant under the first seed, before anything runs or is kept, and returns what its
/// numbers will depend on.
///
/// # Errors
/// The first that its place cannot run.
pub fn check(
    place: &dyn Place,
    case: &Case,
    question: &Question,
    limits: Limits,
) -> Result<Vec<Option<Fingerprint>>, PlaceError> {
    let spec = |variant| variant_spec(case, variant, 1, limits);
    question.variants.iter().map(|variant| place.check(&spec(variant))).collect()
}

/// Makes the comparison. The variants were checked ([`check`]).
#[must_use]
pub fn compare(runner: &Runner<'_>, request: Request<'_>) -> Compared {
    let question = request.question;
    let mut state = Progressing {
        collection: Collection::new(request.case, question, request.limits, request.earlier)
            .behind(request.after),
        standing: vec![None; question.variants.len().saturating_sub(1)],
        began: runner.clock.monotonic_ns(),
    };
    let (ended, error) = match state.look_after_look(runner, question) {
        Ok(ended) => (ended, None),
        Err(error) => (Ended::Early, Some(error)),
    };
    let sides = judged::sides(question, state.collection.trials());
    let comparison = Comparison {
        format: FORMAT,
        id: runner.set.clone(),
        started: request.started,
        question: question.clone(),
        ended,
        sides,
        contrasts: state.standing.into_iter().flatten().collect(),
        explanations: Vec::new(),
        notes: notes(question, state.collection.trials()),
    };
    let (reused, trials, unused) = state.collection.into_parts();
    let all = trials.iter().flatten();
    Compared {
        comparison,
        reused,
        longest_host_ns: all.map(|trial| trial.host_ns).max().unwrap_or_default(),
        trials,
        unused,
        error,
    }
}

struct Progressing<'a> {
    collection: Collection<'a>,
    /// What is said of each variant but the first; it changes until its headline is clear.
    standing: Vec<Option<Contrast>>,
    /// When the comparison began, monotonic ns.
    began: u64,
}

impl Progressing<'_> {
    fn look_after_look(
        &mut self,
        runner: &Runner<'_>,
        question: &Question,
    ) -> Result<Ended, RunError> {
        let error = judged::error_each(question);
        let looks = Looks::of(question.extent, error);
        self.first_pair(runner, question, error)?;
        for (taken, look) in looks.as_slice().iter().enumerate() {
            let open = self.open(question);
            if open.is_empty() {
                return Ok(Ended::Clear);
            }
            let done = self.collection.fill(runner, &open, look.pairs);
            let complete = self.collection.is_complete(&open, look.pairs);
            let error = if complete { look.error } else { looks.unspent(taken) };
            self.judge(question, &open, error);
            runner.progress.judged(question, &self.contrasts());
            done?;
            if runner.cancel.is_set() {
                return Ok(Ended::Early);
            }
            if !complete {
                return Ok(Ended::Late);
            }
            if self.open(question).is_empty() {
                return Ok(Ended::Clear);
            }
            if self.is_hopeless(runner, question, look.pairs) {
                return Ok(Ended::Hopeless);
            }
        }
        Ok(Ended::Enough)
    }

    /// Makes the first pair of each variant: one that breaks under the first seed runs no more.
    fn first_pair(
        &mut self,
        runner: &Runner<'_>,
        question: &Question,
        error: f64,
    ) -> Result<(), RunError> {
        self.collection.fill(runner, &self.open(question), 1)?;
        let sides = judged::sides(question, self.collection.trials());
        let contrasts = judged::contrasts(question, &sides, error);
        let broken = contrasts.into_iter().map(|contrast| {
            Some(contrast).filter(|contrast| matches!(contrast, Contrast::NotComparable(_)))
        });
        self.standing = broken.collect();
        Ok(())
    }

    /// The variants that still need trials: those whose verdict does not stand, and the first.
    fn open(&self, question: &Question) -> Vec<usize> {
        let unclear = |(at, contrast): (usize, &Option<Contrast>)| {
            let stands = contrast.as_ref().is_some_and(|contrast| stands(question, contrast));
            (!stands).then_some(at + 1)
        };
        let mut open: Vec<usize> = self.standing.iter().enumerate().filter_map(unclear).collect();
        if !open.is_empty() {
            open.insert(0, 0);
        }
        open
    }

    /// Judges the open variants anew; what stands, stands.
    fn judge(&mut self, question: &Question, open: &[usize], error: f64) {
        let sides = judged::sides(question, self.collection.trials());
        for (at, contrast) in judged::contrasts(question, &sides, error).into_iter().enumerate() {
            if open.contains(&(at + 1)) {
                self.standing[at] = Some(contrast);
            }
        }
    }

    fn contrasts(&self) -> Vec<Contrast> {
        self.standing.iter().flatten().cloned().collect()
    }

    /// Whether every variant that is open would need many times the pairs that can be made.
    fn is_hopeless(&self, runner: &Runner<'_>, question: &Question, pairs: u32) -> bool {
        let open = self.open(question);
        let Extent::UntilClear(most) = question.extent else { return false };
        if pairs < PAIRS_TO_GIVE_UP {
            return false;
        }
        let affordable = self.affordable(runner, pairs).unwrap_or(most).min(most);
        let beyond = |contrast: &Contrast| {
            let needed = contrast.headline(&question.headline).and_then(|judged| judged.needed);
            needed.is_none_or(|needed| needed > affordable.saturating_mul(HOPELESS))
        };
        open.iter().skip(1).all(|at| self.standing[at - 1].as_ref().is_some_and(beyond))
    }

    /// Pairs that the time allows in all, at the pace so far.
    fn affordable(&self, runner: &Runner<'_>, pairs: u32) -> Option<u32> {
        let until = runner.until?;
        let spent = runner.clock.monotonic_ns().saturating_sub(self.began).max(1);
        let whole = until.saturating_sub(self.began);
        let affordable = u128::from(pairs) * u128::from(whole) / u128::from(spent);
        Some(u32::try_from(affordable).unwrap_or(u32::MAX))
    }
}

/// Whether no further pair is wanted: the headline's verdict is clear, or there can be none.
fn stands(question: &Question, contrast: &Contrast) -> bool {
    match contrast {
        Contrast::NotComparable(_) => true,
        Contrast::Judged(_) => contrast
            .headline(&question.headline)
            .is_some_and(|judged| judged.verdict != Verdict::CannotTell),
    }
}

#[cfg(test)]
mod tests {
    use model::{Settings, Variant};

    use super::*;
    use crate::scripted::{Stage, case};

    /// Noise of up to 1 % that depends on the seed and differs between variants.
    fn noise(settings: &Settings, seed: u64) -> f64 {
        let mut random = fastrand::Rng::with_seed(seed * 1000 + u64::from(settings.disks));
        1.0 + 0.01 * (random.f64() - 0.5)
    }

    fn times(settings: &Settings, seed: u64, factor: f64) -> u64 {
        (1e9 * factor * noise(settings, seed)) as u64
    }

    fn question(disks: &[u32], extent: Extent) -> Question {
        let variant = |disks: &u32| Variant {
            name: format!("disks={disks}"),
            place: "exact".to_owned(),
            settings: Settings { disks: *disks, ..Settings::default() },
        };
        Question {
            case: "case".to_owned(),
            headline: "write".to_owned(),
            variants: disks.iter().map(variant).collect(),
            threshold: 0.02,
            confidence: 0.95,
            extent,
        }
    }

    fn compared(stage: &Stage, question: &Question, earlier: Vec<Trial>) -> Compared {
        let request = Request {
            case: &case(),
            question,
            limits: Limits::default(),
            started: String::new(),
            earlier,
            after: 0,
        };
        compare(&stage.runner(1), request)
    }

    fn verdicts(compared: &Compared) -> Vec<Option<Verdict>> {
        let contrasts = compared.comparison.contrasts.iter();
        contrasts.map(|contrast| contrast.headline("write").map(|j| j.verdict)).collect()
    }

    #[test]
    fn a_clear_verdict_takes_six_pairs_and_names_the_slower_side() {
        let stage = Stage::new(|s, seed| times(s, seed, if s.disks == 2 { 1.1 } else { 1.0 }));
        let found = compared(&stage, &question(&[1, 2], Extent::UntilClear(48)), Vec::new());
        assert_eq!(verdicts(&found), [Some(Verdict::Worse)]);
        assert_eq!((found.comparison.ended, stage.place.ran().len()), (Ended::Clear, 12));
        let other = compared(&stage, &question(&[2, 1], Extent::UntilClear(48)), Vec::new());
        assert_eq!(verdicts(&other), [Some(Verdict::Better)]);
        assert_eq!(other.reused, 12, "both sides' trials were at hand");
    }

    #[test]
    fn equal_sides_are_the_same() {
        let stage = Stage::new(|s, seed| times(s, seed, 1.0));
        let found = compared(&stage, &question(&[1, 2], Extent::UntilClear(48)), Vec::new());
        assert_eq!(verdicts(&found), [Some(Verdict::Same)]);
    }

    #[test]
    fn an_effect_at_the_threshold_goes_on_until_the_pairs_are_used_up() {
        let stage = Stage::new(|s, seed| times(s, seed, if s.disks == 2 { 1.02 } else { 1.0 }));
        let found = compared(&stage, &question(&[1, 2], Extent::UntilClear(15)), Vec::new());
        assert_eq!(verdicts(&found), [Some(Verdict::CannotTell)]);
        assert_ne!(found.comparison.ended, Ended::Clear);
        assert!(stage.place.ran().len() > 12);
    }

    #[test]
    fn a_variant_that_stands_runs_no_more_while_others_go_on() {
        let wall = |s: &Settings, seed| {
            times(
                s,
                seed,
                match s.disks {
                    2 => 1.5,
                    3 => 1.02,
                    _ => 1.0,
                },
            )
        };
        let stage = Stage::new(wall);
        let question = question(&[1, 2, 3], Extent::UntilClear(15));
        let found = compared(&stage, &question, Vec::new());
        assert_eq!(verdicts(&found), [Some(Verdict::Worse), Some(Verdict::CannotTell)]);
        let of = |disks| stage.place.ran().iter().filter(|(d, _)| *d == disks).count();
        assert!(of(2) < of(3) && of(1) == of(3), "{:?}", stage.place.ran());
    }

    #[test]
    fn a_broken_variant_is_not_comparable_and_the_others_get_their_verdicts() {
        let stage = Stage::new(|s, seed| times(s, seed, if s.disks == 2 { 1.1 } else { 1.0 }));
        let question = question(&[1, 60, 2], Extent::UntilClear(48));
        let found = compared(&stage, &question, Vec::new());
        assert_eq!(verdicts(&found), [None, Some(Verdict::Worse)]);
        let Contrast::NotComparable(why) = &found.comparison.contrasts[0] else { panic!() };
        assert!(why.contains("scripted"), "{why}");
        let broken = stage.place.ran().iter().filter(|(disks, _)| *disks == 60).count();
        assert_eq!(broken, 1, "what broke once is not run again");
    }

    #[test]
    fn an_earlier_attempt_is_gone_on_with() {
        let stage = Stage { ..Stage::new(|s, seed| times(s, seed, 1.0)) };
        let asked = question(&[1, 2], Extent::Pairs(6));
        let first = compared(&stage, &question(&[1, 2], Extent::Pairs(3)), Vec::new());
        assert_eq!(first.reused, 0);
        let earlier = stage.shelf.trials.lock().unwrap().clone();
        let mut noisy = Stage::new(|s, seed| times(s, seed, 1.0));
        noisy.place.exact = false;
        let found = compared(&noisy, &asked, earlier);
        assert_eq!((found.reused, noisy.place.ran().len()), (6, 6));
    }

    #[test]
    fn a_noisy_place_runs_afresh_and_shuffles_the_sides() {
        let mut stage = Stage::new(|s, seed| times(s, seed, 1.0));
        stage.place.exact = false;
        let asked = question(&[1, 2], Extent::Pairs(20));
        compared(&stage, &asked, Vec::new());
        let found = compared(&stage, &asked, Vec::new());
        assert_eq!(found.reused, 0);
        let ran = stage.place.ran();
        let first: Vec<u32> = ran.chunks(2).map(|pair| pair[0].0).collect();
        assert!(ran.chunks(2).all(|pair| pair[0].1 == pair[1].1), "pair by pair");
        assert!(first.contains(&1) && first.contains(&2), "{first:?}");
    }

    #[test]
    fn when_the_time_is_over_what_is_there_is_judged() {
        let stage = Stage::new(|s, seed| times(s, seed, if s.disks == 2 { 1.5 } else { 1.0 }));
        let asked = question(&[1, 2], Extent::Pairs(40));
        let case = case();
        let request = Request {
            case: &case,
            question: &asked,
            limits: Limits::default(),
            started: String::new(),
            earlier: Vec::new(),
            after: 0,
        };
        let runner = Runner { until: Some(60_000_000_000), ..stage.runner(1) };
        let found = compare(&runner, request);
        assert_eq!(
            (found.comparison.ended, verdicts(&found)[0]),
            (Ended::Late, Some(Verdict::Worse))
        );
        assert!(stage.place.ran().len() < 80);
    }

    #[test]
    fn an_interruption_ends_it_early() {
        let stage = Stage::new(|s, seed| times(s, seed, 1.0));
        let found = compared(&stage, &question(&[1, 2], Extent::Pairs(120)), Vec::new());
        assert_eq!(found.comparison.ended, Ended::Early);
        assert!(found.error.is_none());
    }
}
