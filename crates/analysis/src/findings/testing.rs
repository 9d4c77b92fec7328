//! Accounts made by hand.

use model::account::{
    Account, Accounts, BlockedAt, EndedBy, IssuedBy, MachineTime, Overlap, RanAt, TaskTime, Waker,
    WorkloadTime,
};
use model::trace::RequestKind;
use model::{FunctionCount, Mechanism};

pub(crate) const MS: u64 = 1_000_000;
const MIB: u64 = 1 << 20;

/// Makes a phase of so many ms, of which a mechanism took so many.
pub(crate) type Made = fn(u64, u64) -> Account;

/// Each mechanism at work by itself.
pub(crate) const EACH: [(Mechanism, Made); 8] = [
    (Mechanism::OneDiskAtATime, one_disk),
    (Mechanism::IdleFlushers, idle_flushers),
    (Mechanism::FreeListSearch, free_list),
    (Mechanism::Journal, journal),
    (Mechanism::DirtyThrottling, throttling),
    (Mechanism::Reclaim, reclaim),
    (Mechanism::LockConvoy, lock_convoy),
    (Mechanism::WriteAmplification, amplification),
];

pub(crate) const SYNC: &str =
    "wb_wait_for_completion sync_inodes_sb iterate_supers ksys_sync __do_sys_sync";

/// The first round's `write`, in which the workload ran all the time.
pub(crate) fn account(wall_ms: u64) -> Account {
    let wall_ns = wall_ms * MS;
    let running = vec![RanAt { frames: frames("copy_page_from_iter ksys_write"), ns: wall_ns }];
    Account {
        phase: "write".to_owned(),
        round: Some(1),
        timed_ns: wall_ns,
        wall_ns,
        workload: Some(WorkloadTime { running, ..WorkloadTime::default() }),
        ..Account::default()
    }
}

/// The same with a wait in it.
pub(crate) fn waiting(wall_ms: u64, wait: BlockedAt) -> Account {
    let mut account = account(wall_ms);
    let workload = account.workload.as_mut().unwrap();
    workload.running[0].ns -= wait.ns;
    workload.blocked.push(wait);
    account
}

/// A call path of functions, innermost first, parted by blanks; `~` stands for a blank in a name.
pub(crate) fn frames(path: &str) -> Vec<String> {
    path.split_whitespace().map(|frame| frame.replace('~', " ")).collect()
}

/// Two waits, the second three times as long as the first.
pub(crate) fn wait(path: &str, ms: u64) -> BlockedAt {
    BlockedAt {
        frames: frames(path),
        state: "D".to_owned(),
        ns: ms * MS,
        times: 2,
        longest_at_ns: 2 * MS,
        longest_ns: ms * MS / 4 * 3,
        ended_by: Vec::new(),
    }
}

/// What ended all of a wait.
pub(crate) fn ended_by(wait: BlockedAt, waker: Waker) -> BlockedAt {
    let ended = EndedBy { waker, ns: wait.ns, times: wait.times, ..EndedBy::default() };
    BlockedAt { ended_by: vec![ended], ..wait }
}

pub(crate) fn trial(phases: &[Account]) -> Accounts {
    Accounts { format: model::FORMAT, phases: phases.to_vec(), ..Accounts::default() }
}

pub(crate) fn issued(by: &str, mib: u64) -> IssuedBy {
    IssuedBy {
        disk: 0,
        by: by.to_owned(),
        kernel: by.starts_with("kworker"),
        kind: RequestKind::Write,
        requests: mib,
        bytes: mib * MIB,
        first_ns: 0,
        last_ns: MS,
    }
}

/// A `sync` of 13 disks.
pub(crate) fn sync(wall_ms: u64, wait: &str, overlap: Overlap, by: &str) -> Account {
    let waited = overlap.waited_ns / MS;
    let account = waiting(wall_ms, self::wait(wait, waited));
    let issued = vec![issued(by, 104)];
    Account { phase: "sync".to_owned(), overlap: Some(overlap), issued, ..account }
}

/// Of several disks, so many ms for one at a time.
pub(crate) fn one_disk(wall_ms: u64, ms: u64) -> Account {
    let waited_ns = ms.max(20) * MS;
    let overlap = Overlap {
        waited_ns,
        one_disk_ns: ms * MS,
        no_flusher_ns: ms * MS,
        disks: 13,
        busy_milli: if ms > 10 { 1020 } else { 4300 },
        ..Overlap::default()
    };
    sync(wall_ms, SYNC, overlap, if ms > 10 { "ffsb" } else { "kworker/flush" })
}

fn idle_flushers(wall_ms: u64, ms: u64) -> Account {
    let overlap = Overlap {
        waited_ns: ms.max(20) * MS,
        no_flusher_ns: ms * MS,
        disks: 3,
        busy_milli: 2500,
        ..Overlap::default()
    };
    sync(wall_ms, SYNC, overlap, "dd")
}

pub(crate) fn free_list(wall_ms: u64, ms: u64) -> Account {
    let mut account = account(wall_ms);
    let count =
        |name: &str, ms: u64| FunctionCount { name: name.to_owned(), instructions: ms * MS / 2 };
    let parted = ms / 10;
    account.functions = vec![
        count("get_page_from_free_area.isra.0", ms - parted),
        count("copy_page_from_iter", wall_ms - ms),
        count("rmqueue_bulk", parted),
    ];
    account.machine =
        Some(MachineTime { instructions: wall_ms * MS / 2, busy_ns: wall_ms * MS, idle_ns: 0 });
    let path = frames("get_page_from_free_area.isra.0 get_page_from_freelist ksys_write");
    let running = &mut account.workload.as_mut().unwrap().running;
    running[0].ns -= ms * MS;
    running.push(RanAt { frames: path, ns: ms * MS });
    account
}

fn journal(wall_ms: u64, ms: u64) -> Account {
    let path = "wait_transaction_locked~[jbd2] add_transaction_credits~[jbd2] \
                start_this_handle~[jbd2] ext4_da_write_begin~[ext4] ksys_write";
    waiting(wall_ms, wait(path, ms))
}

fn throttling(wall_ms: u64, ms: u64) -> Account {
    waiting(wall_ms, wait("balance_dirty_pages balance_dirty_pages_ratelimited_flags", ms))
}

fn reclaim(wall_ms: u64, ms: u64) -> Account {
    let ran = ms / 5 * 2;
    let mut account =
        waiting(wall_ms, wait("reclaim_throttle shrink_node do_try_to_free_pages", ms - ran));
    let running = &mut account.workload.as_mut().unwrap().running;
    running[0].ns -= ran * MS;
    let path = frames("folio_referenced shrink_node do_try_to_free_pages");
    running.push(RanAt { frames: path, ns: ran * MS });
    account
}

pub(crate) fn lock_convoy(wall_ms: u64, ms: u64) -> Account {
    let path = "rwsem_down_write_slowpath down_write xfs_ilock~[xfs] xfs_file_buffered_write~[xfs]";
    let mut account = waiting(wall_ms, wait(path, ms));
    let waits = vec![wait(path, 3 * ms)];
    let task = TaskTime { name: "ffsb".to_owned(), tasks: 4, waits, ..TaskTime::default() };
    account.tasks.push(task);
    account
}

fn amplification(wall_ms: u64, ms: u64) -> Account {
    let mut account = waiting(wall_ms, wait("folio_wait_bit ext4_write_begin ksys_write", 60));
    let overlap = Overlap { waited_ns: 60 * MS, disks: 1, busy_milli: 1000, ..Overlap::default() };
    account.overlap = Some(overlap);
    account.written_bytes = Some(60 - ms);
    let bytes = 60;
    account.issued = vec![IssuedBy { bytes, ..issued("kworker/flush", 0) }];
    account
}
