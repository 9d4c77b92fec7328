//! Searches the changes between a good and a bad end for those that made the case slow, and proves it.
//!
//! The ends are compared first: where the bad one is not worse, there is nothing to look for. Then
//! candidate after candidate is tried ([`trying`]) until a culprit is left ([`segment`]). A candidate that lies
//! apart from both ends splits the search: the slowdown comes in steps. The proof ([`proof`]) compares
//! the culprit with what it stands on, and the bad end with itself without the culprit and with fixes.
//!
//! All of it rests on trials that are in the archive: the same hunt, begun again, takes the same way
//! and runs only what is not there.

mod expected;
mod proof;
mod segment;
#[cfg(test)]
mod tests;
mod trying;

use model::{
    Bisection, Case, Comparison, Contrast, Extent, FORMAT, Found, Hunt, Limits, Nanos, Question,
    Trial, Tried, Variant, Verdict,
};

use crate::compare::{Request, compare};
use crate::explain::Why;
use crate::place::PlaceError;
use crate::plan::variant_spec;
use crate::run::{RunError, Runner};

pub use expected::{Expected, expected};

/// No candidate is given up on sooner, ns.
const LEAST_PATIENCE_NS: u64 = 120_000_000_000;

/// A bisection that is to be made.
pub struct BisectRequest<'a> {
    /// What is done and measured.
    pub case: &'a Case,
    /// What is asked.
    pub hunt: &'a Hunt,
    /// What each trial may take.
    pub limits: Limits,
    /// When it began: RFC 3339, UTC.
    pub started: String,
    /// Trials of an earlier attempt at it that was not finished.
    pub earlier: Vec<Trial>,
    /// When the culprit and what it stands on are looked at for the reason.
    pub why: Why,
}

/// What came of a bisection.
pub struct Bisected {
    /// What it found.
    pub bisection: Bisection,
    /// What ended it early, if anything did.
    pub error: Option<RunError>,
}

/// What happens in a bisection.
#[derive(Clone, Copy, Debug)]
pub enum HuntEvent<'a> {
    /// Both ends were measured.
    Ends(&'a Comparison),
    /// A candidate is about to be tried.
    Trying {
        /// Which.
        candidate: usize,
        /// Candidates that are still suspected.
        suspects: usize,
        /// Candidates that it will probably take, this one among them.
        left: u32,
    },
    /// A candidate was tried.
    Tried(&'a Tried),
    /// The culprit, a candidate, is compared with what it stands on.
    Proving(usize),
    /// Trials of the culprit, a candidate, and of what it stands on are looked at for the reason.
    Explaining(usize),
    /// Something is done about the slowdown of the bad end, and measured: the variant's name.
    Remedy(&'a str),
}

/// Makes the bisection.
#[must_use]
pub fn bisect(runner: &Runner<'_>, request: BisectRequest<'_>) -> Bisected {
    let BisectRequest { case, hunt, limits, started, earlier, why } = request;
    let mut hunting = Hunting {
        runner,
        case,
        hunt,
        limits,
        earlier,
        why,
        longest_ns: 0,
        whole: 0.0,
        tried: Vec::new(),
    };
    let mut bisection = Bisection {
        format: FORMAT,
        id: runner.set.clone(),
        started,
        hunt: hunt.clone(),
        ends: hunting.nothing(),
        tried: Vec::new(),
        found: Found::Unfinished,
        remedies: Vec::new(),
        notes: hunt.notes.clone(),
    };
    let error = match hunting.make(&mut bisection) {
        Ok(()) | Err(Halt::Stopped) => None,
        Err(Halt::Failed(error)) => Some(error),
    };
    bisection.tried = hunting.tried;
    Bisected { bisection, error }
}

/// Why a bisection goes no further.
enum Halt {
    /// It was interrupted, or the time is over.
    Stopped,
    /// A trial could not be run or kept.
    Failed(RunError),
}

impl<E: Into<RunError>> From<E> for Halt {
    fn from(error: E) -> Self {
        Halt::Failed(error.into())
    }
}

struct Hunting<'a> {
    runner: &'a Runner<'a>,
    case: &'a Case,
    hunt: &'a Hunt,
    limits: Limits,
    /// Trials of an earlier attempt that found no place yet.
    earlier: Vec<Trial>,
    why: Why,
    /// What the longest trial of a comparison took on the host so far, ns.
    longest_ns: u64,
    /// The whole slowdown: ln(bad / good).
    whole: f64,
    tried: Vec<Tried>,
}

impl Hunting<'_> {
    fn make(&mut self, bisection: &mut Bisection) -> Result<(), Halt> {
        let bad = self.hunt.bad();
        let sides = [self.end("good", None)?, self.end("bad", Some(bad))?];
        bisection.ends = self.compared(sides.into())?;
        self.runner.progress.hunting(self.hunt, HuntEvent::Ends(&bisection.ends));
        if let Some(found) = without_a_search(&bisection.ends) {
            bisection.found = found;
            return Ok(());
        }
        self.whole = effect(&bisection.ends).unwrap_or_default();
        self.limits.wall = Nanos(self.limits.wall.0.min(patience(self.longest_ns)));
        let mut steps = self.segment(None, bad, bisection.ends.clone())?;
        steps.sort_by_key(|step| step.among.clone());
        bisection.remedies = self.remedies(&steps)?;
        bisection.found = Found::Steps(steps);
        Ok(())
    }

    /// A comparison of nothing, until there is one.
    fn nothing(&self) -> Comparison {
        Comparison {
            format: FORMAT,
            id: self.runner.set.clone(),
            started: String::new(),
            question: self.question(Vec::new()),
            ended: model::Ended::Early,
            sides: Vec::new(),
            contrasts: Vec::new(),
            explanations: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// What is asked where these sides are compared.
    fn question(&self, variants: Vec<Variant>) -> Question {
        Question {
            case: self.hunt.case.clone(),
            headline: self.hunt.headline.clone(),
            variants,
            threshold: self.hunt.threshold,
            confidence: self.hunt.confidence,
            extent: Extent::UntilClear(self.hunt.most),
        }
    }

    /// Compares these sides, the first being the baseline, until the verdict stands.
    fn compared(&mut self, variants: Vec<Variant>) -> Result<Comparison, Halt> {
        let (comparison, _) =
            self.compared_over(variants, Extent::UntilClear(self.hunt.most), 0)?;
        Ok(comparison)
    }

    /// The same over so many pairs, whose seeds come behind `after`; with the trials of each side.
    fn compared_over(
        &mut self,
        variants: Vec<Variant>,
        extent: Extent,
        after: u64,
    ) -> Result<(Comparison, Vec<Vec<Trial>>), Halt> {
        for variant in &variants {
            self.make_ready(variant)?;
        }
        let question = Question { extent, ..self.question(variants) };
        let request = Request {
            case: self.case,
            question: &question,
            limits: self.limits,
            started: self.runner.clock.now(),
            earlier: std::mem::take(&mut self.earlier),
            after,
        };
        let compared = compare(self.runner, request);
        self.earlier = compared.unused;
        self.longest_ns = self.longest_ns.max(compared.longest_host_ns);
        match compared.error {
            Some(error) => Err(error.into()),
            None if self.stopped(compared.comparison.ended) => Err(Halt::Stopped),
            None => Ok((compared.comparison, compared.trials)),
        }
    }

    fn stopped(&self, ended: model::Ended) -> bool {
        self.runner.cancel.is_set() || matches!(ended, model::Ended::Early | model::Ended::Late)
    }

    /// Has the place make ready what a side needs: a kernel is built.
    fn make_ready(&self, variant: &Variant) -> Result<(), Halt> {
        let spec = variant_spec(self.case, variant, 1, self.limits);
        if self.broke_before(&spec) {
            return Ok(());
        }
        let runner = self.runner;
        runner.place.make_ready(variant, &|text| runner.progress.told(text), runner.cancel)?;
        match runner.cancel.is_set() {
            true => Err(Halt::Stopped),
            false => Ok(()),
        }
    }

    /// Whether an earlier attempt saw this break: then nothing need be made ready.
    fn broke_before(&self, spec: &model::TrialSpec) -> bool {
        self.earlier.iter().any(|trial| trial.spec == *spec && trial.measured().is_none())
    }

    /// An end of the whole hunt as a side.
    fn end(&self, which: &str, at: Option<usize>) -> Result<Variant, Halt> {
        let variant = self.variant(at)?;
        let name = format!("{which} ({})", variant.name);
        Ok(Variant { name, ..variant })
    }

    /// A point in the history as a side.
    fn variant(&self, at: Option<usize>) -> Result<Variant, Halt> {
        let change = self.hunt.change(at);
        self.side(change.short(self.hunt.kind).to_owned(), at, &[])
    }

    /// A point in the history with some settings on top, as a side.
    fn side(
        &self,
        name: String,
        at: Option<usize>,
        set: &[(String, String)],
    ) -> Result<Variant, Halt> {
        let refused = |error: model::SettingError| PlaceError::Refused(error.to_string());
        let mut settings = self.hunt.settings_of(self.hunt.change(at)).map_err(refused)?;
        for (key, value) in set {
            settings.set(key, value).map_err(refused)?;
        }
        Ok(Variant { name, place: self.hunt.place.clone(), settings })
    }
}

/// What is found where the ends leave nothing to look for.
fn without_a_search(ends: &Comparison) -> Option<Found> {
    match ends.contrasts.first() {
        Some(Contrast::NotComparable(reason)) => Some(Found::BrokenEnd(reason.clone())),
        Some(contrast) if verdict(ends, contrast) == Some(Verdict::Worse) => None,
        _ => Some(Found::NoDifference),
    }
}

/// The verdict on the headline.
fn verdict(comparison: &Comparison, contrast: &Contrast) -> Option<Verdict> {
    contrast.headline(&comparison.question.headline).map(|judged| judged.verdict)
}

/// The host's time that a candidate may take, ns, where the ends took at most `longest_ns`: one that hangs is
/// broken, and need not hang for as long as a user's own trial may. Coarse, so that going on with a bisection
/// comes to the same.
fn patience(longest_ns: u64) -> u64 {
    longest_ns
        .saturating_mul(20)
        .max(LEAST_PATIENCE_NS)
        .checked_next_power_of_two()
        .unwrap_or(u64::MAX)
}

/// ln(second / first) of the headline.
fn effect(comparison: &Comparison) -> Option<f64> {
    let contrast = comparison.contrasts.first()?;
    contrast.headline(&comparison.question.headline).map(|judged| judged.effect)
}
