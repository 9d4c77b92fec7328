//! Bisections: the changes between a good and a bad end, and which of them made the case slow.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::comparison::{Comparison, Verdict};
use crate::settings::{SettingError, Settings};

/// What is asked of a bisection. Both ends and every candidate are the same settings, each with its
/// own change on top.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hunt {
    /// The case's name.
    pub case: String,
    /// The phase by which it is judged.
    pub headline: String,
    /// Where trials run, as given to `--on`.
    pub place: String,
    /// All settings that the ends and the candidates have in common.
    pub settings: Settings,
    /// What the candidates are.
    pub kind: ChangeKind,
    /// The end before the slowdown.
    pub good: Change,
    /// What may have brought it, each behind those that it stands on; the last is the bad end.
    pub candidates: Vec<Candidate>,
    /// Where candidates are commits: the paths that they touch; empty where all are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Fixes to try on the bad end: each a change of settings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixes: Vec<Change>,
    /// The least change that matters, as a share: 0.02 is 2 %. Above 0, below 1.
    pub threshold: f64,
    /// The probability with which no verdict on the ends and in the proof is false: 0.95.
    pub confidence: f64,
    /// Seeds under which each candidate is run at least, 2 or more.
    pub seeds: u32,
    /// Pairs at most, wherever two sides are compared.
    pub most: u32,
    /// What had to be decided otherwise than asked, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What the candidates of a bisection are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// Commits of a git repository; names are full object names.
    Commit,
    /// Kernel packages; names are releases.
    Package,
    /// Settings, each standing on all before it or in their place.
    Setting,
}

/// A point in the history: what it is called and what it changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Its name: a commit's 40 digits, a release, `sysctl.vm.dirty_ratio=10`.
    pub name: String,
    /// A commit's subject; empty where the name says all.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The settings that make it, as `KEY` and `VALUE`, on top of the common ones.
    pub set: Vec<(String, String)>,
}

/// One change that may have made the case slow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// What it is.
    #[serde(flatten)]
    pub change: Change,
    /// The candidates on which it stands, by their index; all are smaller than its own. One that stands
    /// on the good end alone has none.
    pub parents: Vec<usize>,
}

/// What a bisection found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bisection {
    /// The format's number.
    pub format: u32,
    /// Its name in the archive, which its trials bear as their set.
    pub id: String,
    /// When it began: RFC 3339, UTC.
    pub started: String,
    /// What was asked.
    pub hunt: Hunt,
    /// The bad end against the good one.
    pub ends: Comparison,
    /// The candidates that were tried, in the order of trying.
    pub tried: Vec<Tried>,
    /// What came of it.
    pub found: Found,
    /// The bad end (the baseline) against itself with each single culprit taken back and with each fix; one
    /// comparison for each of these.
    pub remedies: Vec<Remedy>,
    /// Where something had to fall back, or a figure wants a word, in sentences.
    pub notes: Vec<String>,
}

/// A candidate that was tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// Which one.
    pub candidate: usize,
    /// What it is like.
    pub standing: Standing,
    /// Seeds under which it was measured.
    pub seeds: u32,
    /// How far it lies on the way from the older end (0) to the newer one (1), in logarithms of the time;
    /// `None` where it was not measured.
    pub position: Option<f64>,
    /// The position's interval, where one could be given.
    pub interval: Option<(f64, f64)>,
    /// Why it is broken or could not be told, in a sentence.
    pub reason: Option<String>,
    /// Its trials; the broken one first.
    pub trials: Vec<String>,
    /// Candidates that were still suspected when it was tried, itself among them.
    pub suspects: usize,
    /// The ends against which it was judged: candidates, or the good end (`None`) and a candidate.
    pub between: (Option<usize>, usize),
}

/// What a candidate is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Like the older end.
    Old,
    /// Like the newer end.
    New,
    /// Apart from both: the slowdown comes in steps.
    Neither,
    /// It does not build, boot or run.
    Broken,
    /// Even many seeds do not tell.
    CannotTell,
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Standing::Old => "old",
            Standing::New => "new",
            Standing::Neither => "neither",
            Standing::Broken => "broken",
            Standing::CannotTell => "cannot tell",
        })
    }
}

/// What came of a bisection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Found {
    /// The bad end is not worse than the good one: nothing to look for.
    NoDifference,
    /// An end could not be measured, and why.
    BrokenEnd(String),
    /// Where the slowdown came in: one step, or several, each with its culprit; in the order of history.
    Steps(Vec<Step>),
    /// It was interrupted, the time was over, or a trial could not be run or kept.
    Unfinished,
}

/// A step of the slowdown, and what made it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The candidates among which the one is that made it: a single one unless others could not be tried. In the order of
    /// history.
    pub among: Vec<usize>,
    /// What the culprit stands on: a candidate, or the good end.
    pub parent: Option<usize>,
    /// The only suspect against what it stands on; `None` where there are several. Where it is not worse there, it is no
    /// culprit: the search was led astray by chance.
    pub proof: Option<Comparison>,
    /// What git knows of the culprit.
    pub commit: Option<CommitFacts>,
}

impl Step {
    /// The one change that made it, where the proof holds.
    #[must_use]
    pub fn culprit(&self) -> Option<usize> {
        match self.among.as_slice() {
            [one] if self.is_proved() => Some(*one),
            _ => None,
        }
    }

    /// Whether the only suspect is worse than what it stands on.
    #[must_use]
    pub fn is_proved(&self) -> bool {
        let verdict = |proof: &Comparison| {
            let contrast = proof.contrasts.first()?;
            contrast.headline(&proof.question.headline).map(|judged| judged.verdict)
        };
        self.proof.as_ref().and_then(verdict) == Some(Verdict::Worse)
    }
}

/// The bad end against itself with something done about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Remedy {
    /// What was done.
    pub what: RemedyKind,
    /// The bad end (the baseline) against the bad end with it; `None` where it could not be done.
    pub comparison: Option<Comparison>,
    /// Why it could not be done, or not be measured, in a sentence.
    pub reason: Option<String>,
}

/// What was done about a slowdown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RemedyKind {
    /// The culprit, a candidate, was reverted.
    Revert(usize),
    /// A fix of [`Hunt::fixes`], by its index.
    Fix(usize),
}

/// What git knows of a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitFacts {
    /// Its full object name.
    pub id: String,
    /// The first line of its message.
    pub subject: String,
    /// `Name <address>`.
    pub author: String,
    /// When it was written: RFC 3339 with the author's time zone.
    pub date: String,
    /// The files that it changes, against its first parent.
    pub files: Vec<String>,
    /// Whom the tree's own `scripts/get_maintainer.pl` names, a line each, as it prints them; empty where it
    /// could not be asked.
    pub maintainers: Vec<String>,
}

impl Hunt {
    /// The settings of a change of this hunt.
    ///
    /// # Errors
    /// A setting that cannot be taken.
    pub fn settings_of(&self, change: &Change) -> Result<Settings, SettingError> {
        let mut settings = self.settings.clone();
        for (key, value) in &change.set {
            settings.set(key, value)?;
        }
        Ok(settings)
    }

    /// The change at a point: a candidate's, or the good end's.
    #[must_use]
    pub fn change(&self, at: Option<usize>) -> &Change {
        at.and_then(|at| self.candidates.get(at)).map_or(&self.good, |candidate| &candidate.change)
    }

    /// The bad end's index; 0 where there is no candidate.
    #[must_use]
    pub fn bad(&self) -> usize {
        self.candidates.len().saturating_sub(1)
    }
}

/// Candidates that stand on one another, each on the one before and the first on the good end alone.
pub fn chain(changes: impl IntoIterator<Item = Change>) -> Vec<Candidate> {
    let on_the_last = |(at, change): (usize, Change)| Candidate {
        change,
        parents: at.checked_sub(1).into_iter().collect(),
    };
    changes.into_iter().enumerate().map(on_the_last).collect()
}

impl Change {
    /// As people call it: a commit's first 12 digits, else the whole name.
    #[must_use]
    pub fn short(&self, kind: ChangeKind) -> &str {
        match kind {
            ChangeKind::Commit => self.name.get(..12).unwrap_or(&self.name),
            ChangeKind::Package | ChangeKind::Setting => &self.name,
        }
    }
}
