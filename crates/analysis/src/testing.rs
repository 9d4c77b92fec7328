//! Trials, series and sides for this room's tests.

use model::settings::Settings;
use model::{
    Broken, BrokenKind, Fingerprint, Limits, Measurements, Outcome, PhaseRun, Sample, Series, Side,
    Trial, TrialSpec, Variant,
};

/// A measured trial of phases given as name, round and elapsed ns.
pub(crate) fn trial(id: &str, seed: u64, phases: &[(&str, Option<u32>, u64)]) -> Trial {
    let phases = phases.iter().map(|(name, round, wall_ns)| PhaseRun {
        name: (*name).to_owned(),
        round: *round,
        wall_ns: *wall_ns,
        ..PhaseRun::default()
    });
    let measured = Measurements { phases: phases.collect(), ..Measurements::default() };
    with_outcome(id, seed, Outcome::Measured(measured))
}

/// A broken trial.
pub(crate) fn broken(id: &str, seed: u64) -> Trial {
    let broken =
        Broken { kind: BrokenKind::Workload, reason: "no mkfs".to_owned(), console: Vec::new() };
    with_outcome(id, seed, Outcome::Broken(broken))
}

fn with_outcome(id: &str, seed: u64, outcome: Outcome) -> Trial {
    Trial {
        format: model::FORMAT,
        id: id.to_owned(),
        set: String::new(),
        started: "2026-01-01T00:00:00Z".to_owned(),
        host_ns: 0,
        spec: TrialSpec {
            case: "dd-sync".to_owned(),
            headline: "sync".to_owned(),
            phases: Vec::new(),
            ffsb: None,
            include: Vec::new(),
            settings: Settings::default(),
            place: "exact".to_owned(),
            seed,
            limits: Limits::default(),
        },
        fingerprint: Fingerprint::default(),
        notes: Vec::new(),
        outcome,
    }
}

/// A series of seeds and elapsed ns.
pub(crate) fn series(phase: &str, rounds: Option<(u32, u32)>, values: &[(u64, f64)]) -> Series {
    let sample = |(seed, wall_ns): &(u64, f64)| Sample {
        seed: *seed,
        trial: format!("t{seed}"),
        wall_ns: *wall_ns,
        user_ns: 0.0,
        system_ns: 0.0,
        instructions: None,
    };
    Series { phase: phase.to_owned(), rounds, values: values.iter().map(sample).collect() }
}

/// A side that is not broken.
pub(crate) fn side(name: &str, series: Vec<Series>) -> Side {
    let variant =
        Variant { name: name.to_owned(), place: "exact".to_owned(), settings: Settings::default() };
    Side { variant, kernel: None, series, broken: None }
}
