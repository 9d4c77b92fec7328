//! Several disks have data to be written, and one at a time is.
//!
//! With one disk at a time, sync(2) takes as long as all of them together; with flushers at work for each, as
//! long as the slowest.

use model::account::{Account, IssuedBy};
use model::trace::RequestKind;

use super::amount::{Amount, Holds, Phase};
use super::figure;
use super::told::Told;
use super::writeback;
use crate::account::{BLOCK, NOBODY_KNOWS};

/// The figure by which sides are told apart.
const BUSY: &str = "disks busy at a time";
const DISKS: &str = "disks with requests";
const FLUSHERS: &str = "share of bytes by flushers";
const CALLER: &str = "share of bytes by the caller";

/// Waiting while one disk had requests and others had theirs still to come.
///
/// A caller that goes from disk to disk by itself, as mkfs on one after the other does, has not got data for all
/// of them at once: outside sync(2) it counts in a comparison alone.
pub(super) fn amount(phase: &Phase<'_>) -> Option<Amount> {
    let account = phase.account;
    let overlap = account.overlap.as_ref()?;
    let mut amount = phase.amount(overlap.one_disk_ns);
    amount.holds = match account.workload.as_ref() {
        _ if !holds(account) => Holds::No,
        Some(workload) if writeback::mostly_in_sync(workload) => Holds::Yes,
        _ => Holds::Compared,
    };
    amount.frames = writeback::longest_path(account).to_vec();
    let amount = amount.with(BUSY, "disks", overlap.busy_milli as f64 / 1000.0).with(
        DISKS,
        "disks",
        f64::from(overlap.disks),
    );
    Some(match issued(account) {
        Some((flushers, caller)) => amount.with(FLUSHERS, "", flushers).with(CALLER, "", caller),
        None => amount,
    })
}

/// Whether one disk at a time is what the larger part of the phase's waiting was.
pub(super) fn holds(account: &Account) -> bool {
    account
        .overlap
        .is_some_and(|overlap| overlap.disks >= 2 && overlap.one_disk_ns * 2 > overlap.waited_ns)
}

/// Where both sides write one disk at a time, that is not why one of them is slower: more than a fifth more disks
/// have to be busy on the other one.
pub(super) fn apart(suffers: &Amount, other: &Amount) -> bool {
    let busy = |amount: &Amount| amount.figure(BUSY).unwrap_or(0.0);
    busy(other) > busy(suffers) * 1.2
}

/// Which shares of the written bytes flushers and programs handed to the disks, of those of which it is known who did;
/// `None` where it is of none.
fn issued(account: &Account) -> Option<(f64, f64)> {
    let known = |issued: &&IssuedBy| {
        issued.kind == RequestKind::Write && ![NOBODY_KNOWS, BLOCK].contains(&issued.by.as_str())
    };
    let bytes = |by: fn(&IssuedBy) -> bool| -> u64 {
        let issued = account.issued.iter().filter(known).filter(|issued| by(issued));
        issued.map(|issued| issued.bytes).sum()
    };
    let all = bytes(|_| true) as f64;
    let flushers = bytes(|issued| issued.kernel && is_flusher(&issued.by)) as f64;
    let caller = bytes(|issued| !issued.kernel) as f64;
    (all > 0.0).then(|| (flushers / all, caller / all))
}

/// Whether a kernel thread writes back what others left dirty: `kworker/flush`, before 2010 `pdflush`.
fn is_flusher(name: &str) -> bool {
    name.contains("flush") || name.starts_with("bdi-")
}

/// What it says.
pub(super) fn sentence(told: &Told<'_>) -> String {
    let share = |name| told.figure(name).unwrap_or(0.0);
    let why = if share(FLUSHERS) >= 0.1 {
        "the caller waits for the flusher of one disk before that of the next is set to work, and no other flusher \
         helps"
    } else if share(CALLER) >= 0.5 {
        "the caller writes each by itself and waits for it, and no flusher helps"
    } else {
        "no flusher helps with the others meanwhile"
    };
    format!(
        "the disks are written one after the other{}: {} of {} disks busy at a time{}; {why}",
        writeback::in_call(&told.amount.frames),
        figure::digits(share(BUSY)),
        figure::digits(share(DISKS)),
        told.beside(BUSY, figure::digits),
    )
}
