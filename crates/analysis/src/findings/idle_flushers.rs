//! The caller writes back by itself while the threads whose work that is do nothing.

use super::amount::{Amount, Holds, Phase};
use super::figure;
use super::one_disk;
use super::told::Told;
use super::writeback;

const WAITED: &str = "time waited";
const ALONE: &str = "time waited without a flusher";

/// Waiting for requests of the workload's own while no flusher ran, could run or had requests.
///
/// On a single disk some kernels have the caller write by design, so that counts in a comparison alone. Where the
/// disks are written one at a time, it is part of that.
pub(super) fn amount(phase: &Phase<'_>) -> Option<Amount> {
    let account = phase.account;
    let overlap = account.overlap.as_ref()?;
    let mut amount = phase.amount(overlap.no_flusher_ns);
    amount.frames = writeback::longest_path(account).to_vec();
    let alone = overlap.no_flusher_ns > 0 && overlap.no_flusher_ns * 2 >= overlap.waited_ns;
    amount.holds = if !alone || amount.frames.is_empty() || one_disk::holds(account) {
        Holds::No
    } else if overlap.disks >= 2 {
        Holds::Yes
    } else {
        Holds::Compared
    };
    Some(
        amount
            .with(ALONE, "s", overlap.no_flusher_ns as f64 / 1e9)
            .with(WAITED, "s", overlap.waited_ns as f64 / 1e9)
            .with("disks with requests", "disks", f64::from(overlap.disks)),
    )
}

/// Where both sides write back by themselves for like shares of their waiting, that is not why one of them is slower.
pub(super) fn apart(suffers: &Amount, other: &Amount) -> bool {
    let share = |amount: &Amount| {
        amount
            .figure(ALONE)
            .zip(amount.figure(WAITED))
            .map_or(0.0, |(alone, waited)| alone / waited)
    };
    other.holds == Holds::No || share(suffers) > share(other) * 1.2
}

/// What it says.
pub(super) fn sentence(told: &Told<'_>) -> String {
    let time = |name| figure::time(told.figure(name).unwrap_or(0.0) * 1e9);
    format!(
        "the caller writes back by itself{} while the flushers do nothing: so it is for {} of the {} that it waits{}",
        writeback::in_call(&told.amount.frames),
        time(ALONE),
        time(WAITED),
        told.beside(ALONE, |seconds| figure::time(seconds * 1e9)),
    )
}
