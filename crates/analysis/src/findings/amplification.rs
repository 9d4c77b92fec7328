//! More bytes go to the disks than were written: a journal's copies, metadata, whole blocks for small writes.
//!
//! How much of the waiting the further bytes are is an estimate: as if each byte took as long.

use model::Surety;
use model::account::Account;
use model::trace::RequestKind;

use super::amount::{Amount, Holds, Phase};
use super::figure;
use super::told::Told;

const RATIO: &str = "bytes on disks for each byte written";
const ON_DISKS: &str = "bytes written to disks";
const WRITTEN: &str = "bytes written by the workload";

/// Ratios from which on it counts in a comparison, and in a trial by itself.
const COMPARED: f64 = 1.5;
const ALONE: f64 = 2.0;

/// The share of the phase's waiting for disks that its round's further bytes are.
pub(super) fn amount(phase: &Phase<'_>) -> Option<Amount> {
    let overlap = phase.account.overlap.as_ref()?;
    let written = sum(phase, |account| account.written_bytes.unwrap_or(0)) as f64;
    let on_disks = sum(phase, on_disks) as f64;
    if written == 0.0 {
        return None;
    }
    let ratio = on_disks / written;
    let waited = overlap.waited_ns.saturating_sub(overlap.no_disk_ns) as f64;
    let further = if ratio > 1.0 { 1.0 - 1.0 / ratio } else { 0.0 };
    let mut amount = phase.amount((waited * further).round() as u64);
    amount.surety = Surety::Likely;
    amount.holds = match ratio {
        ratio if ratio >= ALONE => Holds::Yes,
        ratio if ratio >= COMPARED => Holds::Compared,
        _ => Holds::No,
    };
    let amount = amount.with(RATIO, "", ratio).with(ON_DISKS, "bytes", on_disks);
    Some(amount.with(WRITTEN, "bytes", written))
}

/// The sum over the phase's round, since what one of its phases writes another one may sync; outside rounds, of
/// the phase alone.
fn sum(phase: &Phase<'_>, of: impl Fn(&Account) -> u64) -> u64 {
    let Some(round) = phase.account.round else { return of(phase.account) };
    let accounts = phase.all.phases.iter().filter(|account| account.round == Some(round));
    accounts.map(of).sum()
}

fn on_disks(account: &Account) -> u64 {
    let writes = account.issued.iter().filter(|issued| issued.kind == RequestKind::Write);
    writes.map(|issued| issued.bytes).sum()
}

/// The sides' ratios have to differ by a fifth.
pub(super) fn apart(suffers: &Amount, other: &Amount) -> bool {
    let ratio = |amount: &Amount| amount.figure(RATIO).unwrap_or(0.0);
    ratio(suffers) >= ratio(other) * 1.2
}

/// What it says.
pub(super) fn sentence(told: &Told<'_>) -> String {
    let size = |name| figure::size(told.figure(name).unwrap_or(0.0));
    format!(
        "{} bytes go to the disks for each byte that is written{}: {} for {}",
        figure::digits(told.figure(RATIO).unwrap_or(0.0)),
        told.beside(RATIO, figure::digits),
        size(ON_DISKS),
        size(WRITTEN),
    )
}
