//! Mechanisms by which writing becomes slow, and what shows them.
//!
//! [`TABLE`] has a line for each, and each has a file of its own, with a function from a phase's account to the
//! time that went into it there. The same function finds it in a trial by itself and in a difference:
//!
//! - **In a trial**, a mechanism is a finding of a phase of at least 5 ms of which it took a tenth, where its own
//!   conditions hold.
//! - **In a difference**, it is one of a phase that the timing found worse or better, where its conditions hold on the
//!   slower side, its time differs in the direction of the phase's under every one of at least three seeds, and it
//!   makes a fifth of the mean difference. Where the passes looked from inside, it also has to be larger than what
//!   they shifted the phase by. The rest stays unexplained.
//!
//! | mechanism | what shows it | in the kernel | limits |
//! |---|---|---|---|
//! | one disk at a time | most of the waiting is while one disk has requests and others have theirs to come | `fs/sync.c`, `fs/fs-writeback.c` | in a trial by itself only beneath sync(2): otherwise the caller may go from disk to disk; two sides that both do it are not told apart by it |
//! | flushers idle | at least half of the waiting is for requests of the caller's own while no flusher is at work | `fs/fs-writeback.c` | not where one disk at a time is; with one disk in a difference alone; two sides that both do it are not told apart by it; needs a call path that writes back or waits for that |
//! | free-list search | instructions in the allocator's search functions | `mm/page_alloc.c` | cache misses do not show; functions that the compiler put into others count there; without counts, samples of the workload alone |
//! | journal | waits at its functions, or for tasks that wait there | `fs/jbd2`, `fs/xfs/xfs_log*.c`, `fs/reiserfs/journal.c`, `fs/btrfs/transaction.c`, `fs/f2fs/checkpoint.c`, `fs/nilfs2/segment.c` | beneath sync(2) and fsync(2) waits for a commit only in a difference: one is part of these calls; none beneath an unmount |
//! | dirty throttling | waits in `balance_dirty_pages` | `mm/page-writeback.c` | says that writers were ahead of the disks, not why the disks were slow |
//! | reclaim | waits and running in direct reclaim and compaction | `mm/vmscan.c`, `mm/compaction.c` | what it ran is a share of samples |
//! | lock convoy | at least two tasks of the workload wait for locks that a filesystem takes | `kernel/locking`, the filesystems | does not tell one lock from another of the same path; locks that the VFS takes are not among them |
//! | write amplification | bytes written to disks against bytes that the workload wrote, over the phase's round | the filesystems | an estimate: as if each byte took as long; what an earlier round left over counts here |

mod amount;
mod amplification;
mod chosen;
mod difference;
mod figure;
mod free_list;
pub(crate) mod function;
mod idle_flushers;
mod journal;
mod lock_convoy;
mod one_disk;
mod reclaim;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod throttling;
mod told;
mod waits;
mod writeback;

pub use amount::{Amount, Figure, Holds, Phase};
pub use told::{Told, Who};

pub(crate) use chosen::Chosen;
pub(crate) use difference::{Difference, unexplained};
pub(crate) use function::normal;

use std::cmp::Reverse;

use model::account::{Account, Accounts};
use model::{Finding, Mechanism};

/// A mechanism, and how to see it.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Which.
    pub mechanism: Mechanism,
    /// Whether its time is the workload's running or its waiting: findings of one kind may overlap.
    pub time: Time,
    /// How much of a phase it took; `None` where that cannot be seen.
    pub amount: fn(&Phase<'_>) -> Option<Amount>,
    /// Of two sides, the one that suffers first: whether the mechanism tells them apart.
    pub apart: fn(&Amount, &Amount) -> bool,
    /// What happened, in a sentence without its first capital and its full stop.
    pub sentence: fn(&Told<'_>) -> String,
}

/// A kind of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// On a CPU.
    Running,
    /// Not on one.
    Waiting,
}

/// The mechanisms.
pub const TABLE: &[Entry] = &[
    Entry {
        apart: one_disk::apart,
        ..waiting(Mechanism::OneDiskAtATime, one_disk::amount, one_disk::sentence)
    },
    Entry {
        apart: idle_flushers::apart,
        ..waiting(Mechanism::IdleFlushers, idle_flushers::amount, idle_flushers::sentence)
    },
    Entry {
        time: Time::Running,
        ..waiting(Mechanism::FreeListSearch, free_list::amount, free_list::sentence)
    },
    waiting(Mechanism::Journal, journal::amount, journal::sentence),
    waiting(Mechanism::Journal, journal::commits_beneath_sync, journal::sentence),
    waiting(Mechanism::DirtyThrottling, throttling::amount, throttling::sentence),
    waiting(Mechanism::Reclaim, reclaim::amount, reclaim::sentence),
    waiting(Mechanism::LockConvoy, lock_convoy::amount, lock_convoy::sentence),
    Entry {
        apart: amplification::apart,
        ..waiting(Mechanism::WriteAmplification, amplification::amount, amplification::sentence)
    },
];

/// An entry of waiting that any difference in its time tells apart.
const fn waiting(
    mechanism: Mechanism,
    amount: fn(&Phase<'_>) -> Option<Amount>,
    sentence: fn(&Told<'_>) -> String,
) -> Entry {
    const ANY: fn(&Amount, &Amount) -> bool = |_, _| true;
    Entry { mechanism, time: Time::Waiting, amount, apart: ANY, sentence }
}

/// The shortest phase that is looked at, ns.
const SHORTEST_NS: u64 = 5_000_000;

/// The least share of a phase that a mechanism has to take: a tenth.
const LEAST_SHARE: f64 = 0.1;

/// What the time of a trial's phases went into: by phase, in their order, the largest share first.
#[must_use]
pub fn of_trial(accounts: &Accounts) -> Vec<Finding> {
    let long = accounts.phases.iter().filter(|account| account.wall_ns >= SHORTEST_NS);
    long.flat_map(|account| of_phase(&Phase { all: accounts, account })).collect()
}

fn of_phase(phase: &Phase<'_>) -> Vec<Finding> {
    let account: &Account = phase.account;
    let whole = account.wall_ns as f64;
    let finding = |entry: &Entry| {
        let amount = (entry.amount)(phase)?;
        let is_one = amount.holds == Holds::Yes && amount.ns >= whole * LEAST_SHARE;
        let told = Told { amount: &amount, other: None, who: Who::Trial };
        is_one.then(|| told.finding(entry, account.label(), amount.ns, whole))
    };
    let mut findings: Vec<Finding> = TABLE.iter().filter_map(finding).collect();
    findings.sort_by_key(|finding| Reverse(finding.share_milli));
    findings
}
