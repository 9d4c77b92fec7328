//! The reason as JSON for scripts.

use std::io::{self, Write};

use model::{Accounts, Comparison, FORMAT, Observation, Trial};
use serde::Serialize;

use super::SideSeen;
use crate::json::document;

#[derive(Serialize)]
struct Document<'c> {
    format: u32,
    comparison: &'c Comparison,
    accounts: Vec<Side<'c>>,
}

#[derive(Serialize)]
struct Side<'c> {
    side: &'c str,
    seed: u64,
    accounts: &'c Accounts,
    #[serde(skip_serializing_if = "Option::is_none")]
    observation: Option<&'c Observation>,
}

impl<'c> Side<'c> {
    fn of(side: &SideSeen<'c>) -> Side<'c> {
        Side {
            side: side.name,
            seed: side.seed,
            accounts: side.accounts,
            observation: side.observation,
        }
    }
}

#[derive(Serialize)]
struct OfTrial<'t> {
    format: u32,
    trial: &'t Trial,
    accounts: &'t Accounts,
    #[serde(skip_serializing_if = "Option::is_none")]
    observation: Option<&'t Observation>,
}

/// Writes `{"format":1,"comparison":{…},"accounts":[{"side":…,"seed":…,"accounts":{…},"observation":{…}}]}`.
///
/// The reasons are the `explanations` of `comparison`, in nanoseconds; a difference is the variant's less the
/// baseline's. `accounts` are the single trials that are shown beside them; `observation` is left out where
/// there is none.
///
/// # Errors
/// The writer's.
pub fn json(
    out: &mut dyn Write,
    comparison: &Comparison,
    sides: &[SideSeen<'_>],
) -> io::Result<()> {
    let accounts = sides.iter().map(Side::of).collect();
    document(out, &Document { format: FORMAT, comparison, accounts })
}

/// Writes `{"format":1,"trial":{…},"accounts":{…},"observation":{…}}`; `observation` is left out where there is
/// none.
///
/// # Errors
/// The writer's.
pub fn json_trial(
    out: &mut dyn Write,
    trial: &Trial,
    accounts: &Accounts,
    observation: Option<&Observation>,
) -> io::Result<()> {
    document(out, &OfTrial { format: FORMAT, trial, accounts, observation })
}
