//! Writers are held back for dirty memory (`mm/page-writeback.c`).

use super::amount::{Amount, Phase};
use super::function::leads_through;
use super::told::Told;
use super::waits::{self, Waits};

const THROTTLE: &[&str] = &["balance_dirty_pages*"];

/// The workload's waits in `balance_dirty_pages`.
pub(super) fn amount(phase: &Phase<'_>) -> Option<Amount> {
    let waits = Waits::of(phase.account, |frames| leads_through(frames, THROTTLE))?;
    Some(waits.amount(phase, 0))
}

/// What it says.
pub(super) fn sentence(told: &Told<'_>) -> String {
    format!(
        "writers are held back in `balance_dirty_pages` until dirty memory is written: {}",
        waits::summary(told)
    )
}
