//! Trying a candidate: measured under the seeds of the ends, and judged between them.

use std::thread;

use analysis::standing::{Between, Point, standing};
use model::{Comparison, Extent, Outcome, Question, Series, Standing, Trial, Tried, Variant};

use super::segment::Segment;
use super::{Halt, Hunting};
use crate::collection::Collection;
use crate::judged;

/// The candidate among the sides that are measured together: behind both ends.
const CANDIDATE: usize = 2;

/// What was tried, before it is known under which seeds.
struct Trying {
    candidate: usize,
    suspects: usize,
    between: (Option<usize>, usize),
}

impl Hunting<'_> {
    /// Tries a candidate between the ends of a segment. Meanwhile the kernels of those that may come `next` are
    /// built.
    pub(super) fn try_candidate(
        &mut self,
        segment: &Segment,
        (candidate, suspects): (usize, usize),
        next: &[usize],
    ) -> Result<Standing, Halt> {
        let older = self.variant(segment.older)?;
        let newer = self.variant(Some(segment.newer))?;
        let variant = self.variant(Some(candidate))?;
        self.make_ready(&variant)?;
        let trying = Trying { candidate, suspects, between: (segment.older, segment.newer) };
        let question = Question {
            extent: Extent::Pairs(self.hunt.seeds),
            ..self.question(vec![older, newer, variant])
        };
        let ahead = self.variants(next)?;
        let earlier = std::mem::take(&mut self.earlier);
        let mut collection = Collection::new(self.case, &question, self.limits, earlier);
        let tried = thread::scope(|scope| {
            if !ahead.is_empty() {
                scope.spawn(|| self.build_ahead(&ahead));
            }
            self.until_told(&trying, &question, &mut collection, &segment.ends)
        });
        (_, _, self.earlier) = collection.into_parts();
        let tried = tried?;
        self.runner.progress.hunting(self.hunt, super::HuntEvent::Tried(&tried));
        let found = tried.standing;
        self.tried.push(tried);
        Ok(found)
    }

    /// Whether processors are to spare while a candidate's trials run.
    pub(super) fn can_build_ahead(&self) -> bool {
        self.runner.jobs > self.hunt.seeds as usize
    }

    fn variants(&self, candidates: &[usize]) -> Result<Vec<Variant>, Halt> {
        candidates.iter().map(|candidate| self.variant(Some(*candidate))).collect()
    }

    /// Builds what may be wanted next; what fails here fails again, and is told, when it is wanted.
    fn build_ahead(&self, ahead: &[Variant]) {
        for variant in ahead {
            let place = self.runner.place;
            if place.make_ready(variant, &|_| (), self.runner.cancel).is_err() {
                return;
            }
        }
    }

    fn until_told(
        &self,
        trying: &Trying,
        question: &Question,
        collection: &mut Collection<'_>,
        ends: &Comparison,
    ) -> Result<Tried, Halt> {
        let mut seeds = self.hunt.seeds;
        loop {
            collection.fill(self.runner, &[0, 1, CANDIDATE], seeds)?;
            let trials = &collection.trials()[CANDIDATE];
            if let Some(reason) = trials.iter().find_map(reason) {
                return Ok(trying.broken(reason, trials));
            }
            if !collection.is_complete(&[0, 1, CANDIDATE], seeds) {
                return Err(Halt::Stopped);
            }
            let sides = judged::sides(question, collection.trials());
            let broken_end = sides[..CANDIDATE].iter().find_map(|side| side.broken.clone());
            if let Some(end) = broken_end {
                let reason = format!("an end broke under one of the seeds: {}", end.reason);
                return Ok(trying.broken(reason, trials));
            }
            let series: Vec<Option<&Series>> =
                sides.iter().map(|side| headline(&side.series, &question.headline)).collect();
            let [Some(older), Some(newer), Some(here)] = series[..] else {
                let reason = format!("`{}` was not measured in it", question.headline);
                return Ok(trying.broken(reason, trials));
            };
            let found = standing(&Between {
                ends: &ends_of(ends),
                points: &points(older, newer, here),
                threshold: self.hunt.threshold,
                most: self.hunt.most,
            });
            match found.standing {
                Some(standing) => {
                    return Ok(Tried {
                        seeds,
                        position: found.position,
                        interval: found.interval,
                        ..trying.told(standing, trials)
                    });
                }
                None => seeds = found.seeds.max(seeds + 1),
            }
        }
    }
}

impl Trying {
    fn told(&self, standing: Standing, trials: &[Trial]) -> Tried {
        let reason = (standing == Standing::CannotTell)
            .then(|| "the seeds scatter too much to tell it from either end".to_owned());
        Tried {
            candidate: self.candidate,
            standing,
            seeds: 0,
            position: None,
            interval: None,
            reason,
            trials: trials.iter().map(|trial| trial.id.clone()).collect(),
            suspects: self.suspects,
            between: self.between,
        }
    }

    fn broken(&self, reason: String, trials: &[Trial]) -> Tried {
        let mut tried = Tried { reason: Some(reason), ..self.told(Standing::Broken, trials) };
        // The one that says why comes first.
        if let Some(at) = trials.iter().position(|trial| trial.measured().is_none()) {
            tried.trials.swap(0, at);
        }
        tried
    }
}

fn reason(trial: &Trial) -> Option<String> {
    match &trial.outcome {
        Outcome::Broken(broken) => Some(broken.reason.clone()),
        Outcome::Measured(_) => None,
    }
}

/// The series by which the case is judged: of the later rounds, where there are several.
fn headline<'s>(series: &'s [Series], phase: &str) -> Option<&'s Series> {
    series.iter().rfind(|series| series.phase == phase)
}

/// ln(newer / older) under each seed at which both ends of a segment were measured.
fn ends_of(ends: &Comparison) -> Vec<f64> {
    let of = |at: usize| headline(&ends.sides.get(at)?.series, &ends.question.headline);
    match (of(0), of(1)) {
        (Some(older), Some(newer)) => analysis::pairs::differences(older, newer),
        _ => Vec::new(),
    }
}

fn points(older: &Series, newer: &Series, here: &Series) -> Vec<Point> {
    let seeds = here.values.iter().map(|sample| sample.seed);
    let from = analysis::pairs::differences(older, here);
    let to = analysis::pairs::differences(here, newer);
    // All three were measured under the same seeds: the collection is complete.
    seeds
        .zip(from.into_iter().zip(to))
        .map(|(seed, (older, newer))| Point { seed, older, newer })
        .collect()
}
