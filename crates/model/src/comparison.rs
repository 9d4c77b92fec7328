//! Comparisons: several variants under the same seeds, and the verdict on each phase.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::explanation::Explanation;
use crate::settings::Settings;

/// One side of a comparison: the case's settings with some changed, at a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// What sets it apart, as given: `fs=reiserfs`.
    pub name: String,
    /// Where its trials run, as given to `--on`.
    pub place: String,
    /// All settings.
    pub settings: Settings,
}

/// What is asked of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// The case's name.
    pub case: String,
    /// The phase by which the case is judged.
    pub headline: String,
    /// The variants; the first is the baseline to which the others are compared.
    pub variants: Vec<Variant>,
    /// The least change that matters, as a share of the baseline: 0.02 is 2 %. Above 0, below 1.
    pub threshold: f64,
    /// The probability, over all variants together, with which no verdict on a phase is false: 0.95.
    pub confidence: f64,
    /// How many pairs are made.
    pub extent: Extent,
}

/// How many pairs a comparison makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extent {
    /// Exactly so many, judged once.
    Pairs(u32),
    /// Until the headline's verdict stands, at most so many.
    UntilClear(u32),
    /// As many as two stored sets have in common, judged once.
    Stored(u32),
}

/// Why a comparison made no more pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// The headline's verdict stands for every variant.
    Clear,
    /// There are as many pairs as were asked for.
    Enough,
    /// The time was over.
    Late,
    /// A clear verdict would need many times the pairs that could be made.
    Hopeless,
    /// It was interrupted, or a trial could not be run or kept.
    Early,
}

/// What a comparison found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The format's number.
    pub format: u32,
    /// Its name in the archive.
    pub id: String,
    /// When it began: RFC 3339, UTC.
    pub started: String,
    /// What was asked.
    pub question: Question,
    /// Why no more pairs were made.
    pub ended: Ended,
    /// The sides in the order of the variants: the baseline first.
    pub sides: Vec<Side>,
    /// The verdicts on every side but the baseline, in the same order.
    pub contrasts: Vec<Contrast>,
    /// Why variants differ from the baseline, for those that were looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub explanations: Vec<Explanation>,
    /// Where something had to fall back, or a figure wants a word, in sentences.
    pub notes: Vec<String>,
}

/// What one variant measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Side {
    /// The variant.
    pub variant: Variant,
    /// The kernel's release that the trials ran on, where they say it.
    pub kernel: Option<String>,
    /// Its series, in the order of the phases.
    pub series: Vec<Series>,
    /// The first broken trial, which takes the side out of the comparison.
    pub broken: Option<BrokenSide>,
}

/// Why a side cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrokenSide {
    /// The broken trial.
    pub trial: String,
    /// Its reason.
    pub reason: String,
}

/// The values of one phase over the trials of a side.
///
/// A phase that is done in rounds makes two series: the first round, which finds everything new, and
/// the later ones together. Where a round has several phases, its whole makes series as well, under the
/// name [`crate::case::ROUND`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// The phase's name.
    pub phase: String,
    /// The rounds that it holds, first and last; `None` outside rounds.
    pub rounds: Option<(u32, u32)>,
    /// One entry a seed, in the order of the seeds.
    pub values: Vec<Sample>,
}

/// A phase under one seed; of several rounds, the arithmetic mean a round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The seed: pairs are made by it.
    pub seed: u64,
    /// The trial.
    pub trial: String,
    /// Elapsed time, ns: what is judged. Less is better.
    pub wall_ns: f64,
    /// Time in user mode, ns.
    pub user_ns: f64,
    /// Time in the kernel on the workload's behalf, ns.
    pub system_ns: f64,
    /// Instructions of the machine, where they were counted.
    pub instructions: Option<f64>,
}

/// One side against the baseline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Contrast {
    /// Both were measured: a judgement for each series that both have, in the baseline's order.
    Judged(Vec<Judgement>),
    /// They cannot be compared, and why.
    NotComparable(String),
}

/// What a phase's pairs say. Effects are natural logarithms of the ratio variant / baseline of
/// times: 0.02 is about 2 % slower.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// The phase's name.
    pub phase: String,
    /// The rounds, as in [`Series`].
    pub rounds: Option<(u32, u32)>,
    /// The verdict.
    pub verdict: Verdict,
    /// Pairs: seeds under which both sides were measured.
    pub pairs: u32,
    /// The median of the paired log ratios.
    pub effect: f64,
    /// The effect's interval; `None` where too few pairs bear one.
    pub interval: Option<(f64, f64)>,
    /// The probability with which such an interval covers the truth at this look.
    pub confidence: f64,
    /// Two-sided p-value of the exact sign-flip test of no effect; never 0.
    pub p: f64,
    /// The smallest effect that would have been called worse or better in 8 of 10 such
    /// comparisons; `None` where too few pairs tell.
    pub smallest: Option<f64>,
    /// Pairs that a clear verdict would probably need, where this one is none; `None` where the
    /// verdict is clear or the number is beyond all use.
    pub needed: Option<u32>,
}

/// The verdict on a phase of a variant, as against the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Slower: the interval lies beyond the threshold.
    Worse,
    /// Faster: the interval lies beyond the threshold on the other side.
    Better,
    /// The interval lies within the threshold on both sides.
    Same,
    /// None of these.
    CannotTell,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Worse => "worse",
            Verdict::Better => "better",
            Verdict::Same => "same",
            Verdict::CannotTell => "cannot tell",
        })
    }
}

/// `write`, `write 1` or `write 2-4`: how a series is called in tables.
#[must_use]
pub fn series_label(phase: &str, rounds: Option<(u32, u32)>) -> String {
    match rounds {
        None => phase.to_owned(),
        Some((first, last)) if first == last => format!("{phase} {first}"),
        Some((first, last)) => format!("{phase} {first}-{last}"),
    }
}

impl Series {
    /// See [`series_label`].
    #[must_use]
    pub fn label(&self) -> String {
        series_label(&self.phase, self.rounds)
    }
}

impl Judgement {
    /// See [`series_label`].
    #[must_use]
    pub fn label(&self) -> String {
        series_label(&self.phase, self.rounds)
    }
}

impl Contrast {
    /// The judgement by which the case is judged: that on the headline phase, of its later rounds
    /// where it has several.
    #[must_use]
    pub fn headline(&self, phase: &str) -> Option<&Judgement> {
        match self {
            Contrast::Judged(judgements) => judgements.iter().rfind(|judged| judged.phase == phase),
            Contrast::NotComparable(_) => None,
        }
    }
}
