//! What the index holds of a trial.

use model::{Measurements, Outcome, Trial};

use crate::index::set_of;
use crate::key::{fingerprint_key, spec_key};

/// How a measured trial stands in the column `outcome`.
pub(crate) const MEASURED: &str = "measured";

/// A row of the table `trials`.
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) set_id: String,
    /// RFC 3339, UTC.
    pub(crate) started: String,
    pub(crate) case_name: String,
    pub(crate) place: String,
    /// In decimal digits: a seed may be larger than the database's largest number.
    pub(crate) seed: String,
    /// The kernel's release, where the fingerprint has it.
    pub(crate) kernel: Option<String>,
    /// [`MEASURED`], or the kind of breakage as `trial.json` names it.
    pub(crate) outcome: String,
    pub(crate) spec_key: String,
    pub(crate) fingerprint_key: String,
    /// Elapsed time of the headline phase; the mean of the later rounds where it has several.
    pub(crate) headline_wall_ns: Option<i64>,
}

impl Row {
    pub(crate) fn of(trial: &Trial) -> Row {
        Row {
            id: trial.id.clone(),
            set_id: set_of(trial).to_owned(),
            started: trial.started.clone(),
            case_name: trial.spec.case.clone(),
            place: trial.spec.place.clone(),
            seed: trial.spec.seed.to_string(),
            kernel: trial.fingerprint.get("kernel.release").map(str::to_owned),
            outcome: outcome(&trial.outcome),
            spec_key: spec_key(&trial.spec),
            fingerprint_key: fingerprint_key(&trial.fingerprint),
            headline_wall_ns: trial
                .measured()
                .and_then(|measurements| headline(measurements, &trial.spec.headline)),
        }
    }
}

fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Measured(_) => MEASURED.to_owned(),
        Outcome::Broken(broken) => {
            let kind = serde_json::to_value(broken.kind).ok();
            kind.as_ref().and_then(|kind| kind.as_str()).unwrap_or("broken").to_owned()
        }
    }
}

fn headline(measurements: &Measurements, phase: &str) -> Option<i64> {
    let walls = measurements.times(phase);
    let judged = if walls.len() > 1 { &walls[1..] } else { &walls };
    let sum: u128 = judged.iter().map(|wall| u128::from(*wall)).sum();
    let mean = sum.checked_div(judged.len() as u128)?;
    i64::try_from(mean).ok()
}

#[cfg(test)]
mod tests {
    use model::{BrokenKind, PhaseRun};

    use super::*;

    #[test]
    fn the_headline_is_the_mean_of_the_later_rounds() {
        let of = |walls: &[u64]| {
            let run = |wall: &u64| PhaseRun {
                name: "write".to_owned(),
                wall_ns: *wall,
                ..PhaseRun::default()
            };
            let other = PhaseRun { name: "sync".to_owned(), wall_ns: 7, ..PhaseRun::default() };
            let phases = walls.iter().map(run).chain([other]).collect();
            let measurements =
                Measurements { phases, witness: String::new(), clock: String::new() };
            headline(&measurements, "write")
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[5]), Some(5));
        assert_eq!(of(&[5, 8]), Some(8));
        assert_eq!(of(&[900, 10, 20]), Some(15));
        assert_eq!(of(&[u64::MAX]), None);
    }

    #[test]
    fn a_breakage_is_named_as_in_the_trial() {
        let broken = |kind| {
            let console = Vec::new();
            outcome(&Outcome::Broken(model::Broken { kind, reason: String::new(), console }))
        };
        assert_eq!(broken(BrokenKind::OutOfTime), "out-of-time");
        assert_eq!(broken(BrokenKind::Panic), "panic");
    }
}
