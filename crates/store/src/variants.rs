//! Which trials of a set are of one variant.

use model::{Settings, Trial, Variant};

/// What makes a variant.
fn side(trial: &Trial) -> (&Settings, &str) {
    (&trial.spec.settings, &trial.spec.place)
}

/// The trials by their variants: in the order of `asked`, then in that of their first trials.
pub(crate) fn by_variant(trials: Vec<Trial>, asked: &[Variant]) -> Vec<Vec<Trial>> {
    let mut variants: Vec<Vec<Trial>> = Vec::new();
    for trial in trials {
        match variants.iter_mut().find(|others| side(&others[0]) == side(&trial)) {
            Some(others) => others.push(trial),
            None => variants.push(vec![trial]),
        }
    }
    let place = |trials: &Vec<Trial>| {
        let is_it =
            |variant: &Variant| (&variant.settings, variant.place.as_str()) == side(&trials[0]);
        asked.iter().position(is_it).unwrap_or(asked.len())
    };
    variants.sort_by_key(place);
    variants
}
