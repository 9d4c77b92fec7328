//! Which trials are run, in which order.

use model::{Case, Limits, Settings, TrialSpec};

/// The trials to run, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
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
        let spec = |seed: u64| TrialSpec {
            case: case.name.clone(),
            headline: case.headline.clone(),
            phases: case.phases(settings.rounds),
            settings: settings.clone(),
            place: place.to_owned(),
            seed,
            limits,
        };
        let trials =
            seeds.iter().flat_map(|seed| (0..repeat).map(move |_| *seed)).map(spec).collect();
        Plan { trials }
    }
}
