//! The search between two points of the history that are known to differ.

use analysis::LEAST_PAIRS;
use analysis::search::{Mark, Next, Search};
use model::bisection::Step;
use model::{Comparison, Contrast, Extent, Standing, Verdict};

use super::{Halt, HuntEvent, Hunting, verdict};

/// A part of a slowdown that is smaller than this share of the whole is no step of its own: a kernel brings
/// small shifts of its own.
const LEAST_SHARE: f64 = 0.1;

/// Two points of the history, the newer one slower.
pub(super) struct Segment {
    /// The older end; `None` is the hunt's good one.
    pub(super) older: Option<usize>,
    /// The newer end.
    pub(super) newer: usize,
    /// The newer against the older one.
    pub(super) ends: Comparison,
}

impl Hunting<'_> {
    /// The steps between two points, `ends` being their comparison.
    pub(super) fn segment(
        &mut self,
        older: Option<usize>,
        newer: usize,
        ends: Comparison,
    ) -> Result<Vec<Step>, Halt> {
        let segment = Segment { older, newer, ends };
        let mut search = Search::between(&self.parents(), older, newer);
        loop {
            let candidate = match search.next() {
                Next::Try(candidate) => candidate,
                Next::Found(among) => return self.step(&segment, &search, among),
            };
            let suspects = search.suspects().len();
            let left = search.expected();
            let event = HuntEvent::Trying { candidate, suspects, left };
            self.runner.progress.hunting(self.hunt, event);
            let next = if self.can_build_ahead() { after(&search, candidate) } else { Vec::new() };
            match self.try_candidate(&segment, (candidate, suspects), &next)? {
                Standing::Old => search.mark(candidate, Mark::Old),
                Standing::New => search.mark(candidate, Mark::New),
                Standing::Broken | Standing::CannotTell => search.mark(candidate, Mark::Skipped),
                Standing::Neither => return self.both_sides(&segment, candidate),
            }
        }
    }

    /// The steps on both sides of a candidate that lies apart from both ends.
    fn both_sides(&mut self, segment: &Segment, middle: usize) -> Result<Vec<Step>, Halt> {
        let mut steps = self.between(segment.older, middle)?;
        steps.extend(self.between(Some(middle), segment.newer)?);
        Ok(steps)
    }

    /// The steps between two points that were measured, if they differ. As few pairs as bear a verdict are enough: a
    /// part that they do not show is no large one.
    fn between(&mut self, older: Option<usize>, newer: usize) -> Result<Vec<Step>, Halt> {
        let sides = vec![self.variant(older)?, self.variant(Some(newer))?];
        let (ends, _) = self.compared_over(sides, Extent::Pairs(LEAST_PAIRS as u32), 0)?;
        match self.is_step(&ends) {
            true => self.segment(older, newer, ends),
            false => Ok(Vec::new()),
        }
    }

    /// The step that a segment's search ended with, and those that were overlooked beside it.
    fn step(
        &mut self,
        segment: &Segment,
        search: &Search,
        among: Vec<usize>,
    ) -> Result<Vec<Step>, Halt> {
        // Candidates whose verdicts contradict each other leave none.
        if among.is_empty() {
            return Ok(Vec::new());
        }
        let [culprit] = among[..] else {
            let parent = among.first().and_then(|first| search.parent_of(*first));
            return Ok(vec![Step { among, parent, proof: None, commit: None }]);
        };
        let parent = search.parent_of(culprit);
        let step = Step { among, parent, proof: Some(self.proof(parent, culprit)?), commit: None };
        if !step.is_proved() {
            return Ok(vec![step]);
        }
        let mut steps = Vec::new();
        if parent != segment.older
            && let Some(parent) = parent
        {
            steps.extend(self.between(segment.older, parent)?);
        }
        steps.push(step);
        if culprit != segment.newer {
            steps.extend(self.between(Some(culprit), segment.newer)?);
        }
        Ok(steps)
    }

    /// Whether a difference is a step of the slowdown: worse, and no small share of the whole.
    fn is_step(&self, ends: &Comparison) -> bool {
        let low = |contrast: &Contrast| {
            let interval = contrast.headline(&self.hunt.headline)?.interval?;
            Some(interval.0)
        };
        let Some(contrast) = ends.contrasts.first() else { return false };
        verdict(ends, contrast) == Some(Verdict::Worse)
            && low(contrast).is_some_and(|low| low > LEAST_SHARE * self.whole)
    }

    fn parents(&self) -> Vec<Vec<usize>> {
        self.hunt.candidates.iter().map(|candidate| candidate.parents.clone()).collect()
    }
}

/// What would be tried after this candidate, whether it is old or new.
fn after(search: &Search, candidate: usize) -> Vec<usize> {
    let next = |mark| {
        let mut search = search.clone();
        search.mark(candidate, mark);
        match search.next() {
            Next::Try(next) => Some(next),
            Next::Found(_) => None,
        }
    };
    [next(Mark::New), next(Mark::Old)].into_iter().flatten().collect()
}
