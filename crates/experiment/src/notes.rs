//! What a comparison has to add to its figures.

use std::collections::BTreeSet;

use model::fingerprint::Deviation;
use model::{Question, Trial};

use crate::unlike::unlike;

/// What the trials noted, once each, and in what the variants are unlike though nobody asked.
pub(crate) fn notes(question: &Question, trials: &[Vec<Trial>]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for note in trials.iter().flatten().flat_map(|trial| &trial.notes) {
        if !notes.contains(note) {
            notes.push(note.clone());
        }
    }
    let Some((baseline, others)) = trials.split_first() else { return notes };
    for (variant, trials) in question.variants.iter().skip(1).zip(others) {
        notes.extend(unlike_note(&variant.name, baseline, trials));
    }
    notes
}

/// A sentence on what the pairs' fingerprints differ in besides what was varied.
fn unlike_note(name: &str, baseline: &[Trial], trials: &[Trial]) -> Option<String> {
    let mut items = BTreeSet::new();
    for trial in trials {
        let partner = baseline.iter().find(|other| other.spec.seed == trial.spec.seed);
        items.extend(partner.iter().flat_map(|partner| unlike(trial, partner)).map(told));
    }
    let items: Vec<String> = items.into_iter().collect();
    (!items.is_empty()).then(|| {
        format!(
            "`{name}` differs from the baseline in more than was varied, and any of it may be the \
             cause: {}",
            items.join("; ")
        )
    })
}

fn told(deviation: Deviation) -> String {
    let side = |value: Option<String>| value.unwrap_or_else(|| "absent".to_owned());
    format!("{} {}, there {}", deviation.item, side(deviation.there), side(deviation.here))
}
