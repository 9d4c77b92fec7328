//! A bisection of commits as the log of `git bisect`.
//!
//! git knows of one step from good to bad; a slowdown in several is told by its largest. What a candidate is
//! to that step follows from the history: with the culprit in it, it is bad. For a single step that is what was
//! measured; where there are several it is what git needs in order to end at the same commit.

use std::io::{self, Write};

use model::bisection::Step;
use model::{Bisection, Change, ChangeKind, Found, Hunt, Standing, Tried};

use super::words::{headline, only};
use crate::text::plain;

/// What a commit is to git.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Good,
    Bad,
    Skip,
}

impl Mark {
    fn word(self) -> &'static str {
        match self {
            Mark::Good => "good",
            Mark::Bad => "bad",
            Mark::Skip => "skip",
        }
    }
}

/// Writes a log that `git bisect replay` takes, and that ends at the culprit: at the largest where there are
/// several, at the range where some could not be tried, or where an unfinished search stands. Returns `false`, and
/// writes nothing, where no commits were searched.
///
/// # Errors
/// The writer's.
pub fn git_bisect_log(out: &mut dyn Write, bisection: &Bisection) -> io::Result<bool> {
    let hunt = &bisection.hunt;
    let step = match &bisection.found {
        Found::Steps(steps) => largest(steps),
        Found::Unfinished => None,
        Found::NoDifference | Found::BrokenEnd(_) => return Ok(false),
    };
    if hunt.kind != ChangeKind::Commit || hunt.candidates.is_empty() {
        return Ok(false);
    }
    start(out, hunt)?;
    let mut marks = marks(bisection, step);
    if let Some(step) = step {
        add_proof(&mut marks, hunt, step);
    }
    for (at, mark) in marks {
        let change = hunt.change(at);
        commit(out, mark.word(), change)?;
        writeln!(out, "git bisect {} {}", mark.word(), change.name)?;
    }
    if let Some(step) = step {
        end(out, hunt, step)?;
    }
    Ok(true)
}

/// The ends, which are known from the beginning.
fn start(out: &mut dyn Write, hunt: &Hunt) -> io::Result<()> {
    let bad = hunt.change(Some(hunt.bad()));
    let quoted = |path: &String| format!(" '{}'", path.replace('\'', "'\\''"));
    let paths: String = hunt.paths.iter().map(quoted).collect();
    let paths = if paths.is_empty() { paths } else { format!(" '--'{paths}") };
    writeln!(out, "git bisect start{paths}")?;
    writeln!(out, "# status: waiting for both good and bad commits")?;
    commit(out, "bad", bad)?;
    writeln!(out, "git bisect bad {}", bad.name)?;
    writeln!(out, "# status: waiting for good commit(s), bad commit known")?;
    commit(out, "good", &hunt.good)?;
    writeln!(out, "git bisect good {}", hunt.good.name)
}

/// `# bad: [5adc5be7cd1bcef6bb64f5255d2a33f20a3cf5be] Bias the placement`.
fn commit(out: &mut dyn Write, word: &str, change: &Change) -> io::Result<()> {
    let title = plain(&change.title, true);
    let line = format!("# {word}: [{}] {}", change.name, title.trim());
    writeln!(out, "{}", line.trim_end())
}

/// The step of the largest effect; one without a proof counts as the smallest.
fn largest(steps: &[Step]) -> Option<&Step> {
    let effect = |step: &Step| {
        let judged = step.proof.as_ref().and_then(headline);
        judged.map_or(f64::NEG_INFINITY, |judged| judged.effect)
    };
    steps.iter().max_by(|a, b| effect(a).total_cmp(&effect(b)))
}

/// What the candidates that were tried are, without the ends.
fn marks(bisection: &Bisection, step: Option<&Step>) -> Vec<(Option<usize>, Mark)> {
    let hunt = &bisection.hunt;
    let holds = step.map(|step| holds(hunt, &step.among));
    let mark = |tried: &Tried| match (tried.standing, &holds) {
        (Standing::Broken | Standing::CannotTell, _) => Some(Mark::Skip),
        (_, Some(holds)) => Some(holds.mark(tried.candidate)),
        // In an unfinished search only the whole has ends that git knows.
        (_, None) if tried.between != (None, hunt.bad()) => None,
        (Standing::Old, None) => Some(Mark::Good),
        (Standing::New, None) => Some(Mark::Bad),
        (Standing::Neither, None) => Some(Mark::Skip),
    };
    let others = bisection.tried.iter().filter(|tried| tried.candidate != hunt.bad());
    others.filter_map(|tried| Some((Some(tried.candidate), mark(tried)?))).collect()
}

/// The culprit and what it stands on were measured in the proof, if not before.
fn add_proof(marks: &mut Vec<(Option<usize>, Mark)>, hunt: &Hunt, step: &Step) {
    let Some(culprit) = step.culprit() else { return };
    for (at, mark) in [(step.parent, Mark::Good), (Some(culprit), Mark::Bad)] {
        let known = at.is_none() || at == Some(hunt.bad()) || marks.contains(&(at, mark));
        if !known {
            marks.retain(|(other, _)| *other != at);
            marks.push((at, mark));
        }
    }
}

fn end(out: &mut dyn Write, hunt: &Hunt, step: &Step) -> io::Result<()> {
    if let Some(culprit) = only(step) {
        if !step.is_proved() {
            writeln!(out, "# not proved: it was not seen to be worse than what it stands on")?;
        }
        return commit(out, "first bad commit", hunt.change(Some(culprit)));
    }
    writeln!(out, "# only skipped commits left to test")?;
    step.among
        .iter()
        .rev()
        .try_for_each(|at| commit(out, "possible first bad commit", hunt.change(Some(*at))))
}

/// Which candidates have suspects in their history.
struct Holds {
    first: Vec<bool>,
    last: Vec<bool>,
}

impl Holds {
    fn mark(&self, candidate: usize) -> Mark {
        let is = |which: &[bool]| which.get(candidate).copied().unwrap_or(false);
        match (is(&self.first), is(&self.last)) {
            (_, true) => Mark::Bad,
            (false, false) => Mark::Good,
            (true, false) => Mark::Skip,
        }
    }
}

/// Which candidates hold any of the suspects, and which the last of them.
fn holds(hunt: &Hunt, among: &[usize]) -> Holds {
    let last = among.iter().max().copied();
    Holds {
        first: descendants(hunt, |at| among.contains(&at)),
        last: descendants(hunt, |at| Some(at) == last),
    }
}

/// Which candidates are, or stand on, such ones.
fn descendants(hunt: &Hunt, is: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut found = Vec::with_capacity(hunt.candidates.len());
    for (at, candidate) in hunt.candidates.iter().enumerate() {
        let stands_on = candidate.parents.iter().any(|parent| found.get(*parent) == Some(&true));
        found.push(is(at) || stands_on);
    }
    found
}
