//! What a comparison has to add to its figures.

use std::collections::BTreeSet;

use model::fingerprint::Deviation;
use model::{Extent, Question, Trial};

use crate::unlike::unlike;

/// What the trials noted, once each, and in what the variants are unlike though nobody asked.
pub(crate) fn notes(question: &Question, trials: &[Vec<Trial>]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for note in trials.iter().flatten().flat_map(|trial| &trial.notes) {
        if !notes.contains(note) {
            notes.push(note.clone());
        }
    }
    notes.extend(directories(question, trials));
    notes.extend(the_same(question));
    let Some((baseline, others)) = trials.split_first() else { return notes };
    for (variant, trials) in question.variants.iter().skip(1).zip(others) {
        notes.extend(unlike_note(&variant.name, baseline, trials));
    }
    notes
}

/// On what each directory lies.
fn directories(question: &Question, trials: &[Vec<Trial>]) -> Vec<String> {
    let mut told = Vec::new();
    for (variant, trials) in question.variants.iter().zip(trials) {
        let item = |name| trials.first().and_then(|trial| trial.fingerprint.get(name));
        if let (Some(filesystem), Some(device)) = (item("dir.filesystem"), item("dir.device")) {
            let text = format!("{} lies on {filesystem}, {device}", variant.place);
            if !told.contains(&text) {
                told.push(text);
            }
        }
    }
    told
}

/// Variants that are the same: what differs between them is noise. Stored sets that ask for the same
/// are not, for another kernel may have run them.
fn the_same(question: &Question) -> Vec<String> {
    let Some((baseline, others)) = question.variants.split_first() else { return Vec::new() };
    if matches!(question.extent, Extent::Stored(_)) {
        return Vec::new();
    }
    let same = others
        .iter()
        .filter(|other| other.place == baseline.place && other.settings == baseline.settings);
    same.map(|other| {
        format!("`{}` and `{}` are the same: what differs is noise", baseline.name, other.name)
    })
    .collect()
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

#[cfg(test)]
mod tests {
    use model::{Settings, Variant};

    use super::*;

    #[test]
    fn the_same_variant_twice_is_told_but_not_of_stored_sets() {
        let variant = |name: &str| Variant {
            name: name.to_owned(),
            place: "dir:/mnt".to_owned(),
            settings: Settings::default(),
        };
        let question = |extent| Question {
            case: "case".to_owned(),
            headline: "write".to_owned(),
            variants: vec![variant("a"), variant("b")],
            threshold: 0.02,
            confidence: 0.95,
            extent,
        };
        let trials = [Vec::new(), Vec::new()];
        let told = notes(&question(Extent::Pairs(6)), &trials);
        assert_eq!(told, ["`a` and `b` are the same: what differs is noise"]);
        assert!(notes(&question(Extent::Stored(6)), &trials).is_empty());
    }
}
