//! From an amount to a finding, with its sentence.

use model::{Finding, Number};

use super::Entry;
use super::amount::{Amount, Figure};

/// What a finding's sentence is made of.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// The amount on the side that suffers from it.
    pub amount: &'a Amount,
    /// That on the side to which it is compared.
    pub other: Option<&'a Amount>,
    /// Who suffers.
    pub who: Who,
}

/// Which side suffers from a mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// There is one side alone.
    Trial,
    /// The variant: it is worse than the baseline.
    Variant,
    /// The baseline: the variant is better.
    Baseline,
}

impl Told<'_> {
    /// A figure of the side that suffers.
    pub(super) fn figure(&self, name: &str) -> Option<f64> {
        self.amount.figure(name)
    }

    /// The same of the other side, in brackets: ` (on the baseline: 4.3)`; nothing where there is none.
    pub(super) fn beside(&self, name: &str, show: impl Fn(f64) -> String) -> String {
        let value = self.other.and_then(|other| other.figure(name)).map(show);
        value.map(|value| self.bracketed(&value)).unwrap_or_default()
    }

    /// What is so of the other side, in brackets.
    pub(super) fn bracketed(&self, value: &str) -> String {
        match self.who {
            Who::Trial => String::new(),
            Who::Variant => format!(" (on the baseline: {value})"),
            Who::Baseline => format!(" (on the variant: {value})"),
        }
    }

    /// The finding: `ns` of the `whole` ns of a phase or of a difference.
    pub(super) fn finding(&self, entry: &Entry, phase: String, ns: f64, whole: f64) -> Finding {
        let sentence = (entry.sentence)(self);
        Finding {
            mechanism: entry.mechanism,
            phase: Some(phase),
            sentence: match self.who {
                Who::Baseline => format!("on the baseline, {sentence}"),
                Who::Trial | Who::Variant => sentence,
            },
            ns: Some(ns.round() as u64),
            // It may have taken more than the whole difference, where something else took less: then it explains all.
            share_milli: (whole > 0.0).then(|| (ns / whole * 1000.0).round().min(1000.0) as u64),
            numbers: self.amount.figures.iter().filter_map(|figure| self.number(figure)).collect(),
            frames: self.amount.frames.clone(),
            longest: self.amount.longest,
            surety: self.amount.surety,
        }
    }

    /// The figure on both sides; `None` where the variant has none.
    fn number(&self, figure: &Figure) -> Option<Number> {
        let other = self.other.and_then(|other| other.figure(figure.name));
        let (baseline, value) = match self.who {
            Who::Trial | Who::Variant => (other, figure.value),
            Who::Baseline => (Some(figure.value), other?),
        };
        Some(Number { name: figure.name.to_owned(), unit: figure.unit.to_owned(), baseline, value })
    }
}
