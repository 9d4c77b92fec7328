//! Which trials are run, in which order.

use model::{Case, Limits, Settings, TrialSpec, Variant};

/// The trials to run, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// One entry a trial.
    pub trials: Vec<TrialSpec>,
}

impl Plan {
    /// `repeat` trials for each seed, seed by seed.
    #[must_use]
    pub fn repeats(
        case: &Case,
        settings: &Settings,
        place: &str,
        seeds: &[u64],
        repeat: u32,
        limits: Limits,
    ) -> Plan {
        let spec = |seed: u64| spec(case, settings, place, seed, limits);
        let trials =
            seeds.iter().flat_map(|seed| (0..repeat).map(move |_| *seed)).map(spec).collect();
        Plan { trials }
    }
}

/// The trial of a variant under a seed.
#[must_use]
pub fn variant_spec(case: &Case, variant: &Variant, seed: u64, limits: Limits) -> TrialSpec {
    spec(case, &variant.settings, &variant.place, seed, limits)
}

fn spec(case: &Case, settings: &Settings, place: &str, seed: u64, limits: Limits) -> TrialSpec {
    TrialSpec {
        case: case.name.clone(),
        headline: case.headline.clone(),
        phases: case.phases(settings.rounds),
        ffsb: case.ffsb.clone(),
        include: case.include.clone(),
        settings: settings.clone(),
        place: place.to_owned(),
        seed,
        limits,
    }
}
