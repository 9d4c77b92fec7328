//! The journal commits, or has no room left.
//!
//! sync(2) and fsync(2) wait for one commit by design. So beneath them a wait for a commit does not count, and one
//! for room in the log does. Unmounting empties the log by design. Where the writer itself is held up, all
//! waits for the journal count.

use model::account::{BlockedAt, EndedBy, Waker};

use super::amount::{Amount, Holds, Phase};
use super::function::leads_through;
use super::told::Told;
use super::waits::{self, Waits};
use super::writeback;

/// What a filesystem's journal is called, and where one waits for it.
struct Journal {
    name: &'static str,
    /// For room in the log, which old entries have to be written out of.
    room: &'static [&'static str],
    /// For a commit, or for a transaction that is being committed.
    commit: &'static [&'static str],
    /// The threads that commit.
    tasks: &'static [&'static str],
}

/// The journals: `fs/jbd2` (ext4, ocfs2) and its forerunner `fs/jbd`, `fs/xfs/xfs_log*.c`,
/// `fs/reiserfs/journal.c`, `fs/btrfs/transaction.c`, `fs/f2fs/checkpoint.c`, `fs/nilfs2/segment.c`.
const JOURNALS: &[Journal] = &[
    Journal {
        name: "jbd2",
        room: &[
            "jbd2_log_do_checkpoint",
            "__jbd2_log_wait_for_space",
            "log_do_checkpoint",
            "__log_wait_for_space",
        ],
        commit: &[
            "jbd2_log_wait_commit",
            "add_transaction_credits",
            "wait_transaction_locked",
            "wait_transaction_switching",
            "start_this_handle",
            // For a buffer that the commit is writing.
            "do_get_write_access",
            "jbd2_journal_commit_transaction",
            "jbd2_complete_transaction",
            "log_wait_commit",
            "journal_commit_transaction",
        ],
        tasks: &["jbd2", "kjournald"],
    },
    Journal {
        name: "xfs log",
        room: &["xlog_grant_head_wait"],
        commit: &[
            "xlog_wait*",
            "xlog_force_lsn",
            "xfs_log_force*",
            "xlog_cil_push*",
            "xlog_state_get_iclog_space",
        ],
        tasks: &[],
    },
    Journal {
        name: "reiserfs journal",
        room: &["flush_journal_list", "flush_used_journal_lists"],
        commit: &["do_journal_begin_r", "queue_log_writer", "flush_commit_list"],
        tasks: &[],
    },
    Journal {
        name: "btrfs transaction",
        room: &[],
        commit: &["wait_current_trans", "btrfs_commit_transaction"],
        tasks: &["btrfs-transaction", "btrfs-transacti"],
    },
    Journal {
        name: "f2fs checkpoint",
        room: &[],
        commit: &["f2fs_write_checkpoint", "f2fs_issue_checkpoint"],
        tasks: &["f2fs_ckpt"],
    },
    Journal {
        name: "nilfs2 segment constructor",
        room: &[],
        commit: &["nilfs_segctor*", "nilfs_construct_segment"],
        tasks: &["segctord"],
    },
];

/// Where a journal is emptied because it is not used any more.
const EMPTIED: &[&str] =
    &["jbd2_journal_destroy", "jbd2_journal_flush", "journal_destroy", "generic_shutdown_super"];

/// The workload's waits for a journal, also those for a task that waits for it in turn.
pub(super) fn amount(phase: &Phase<'_>) -> Option<Amount> {
    let workload = phase.account.workload.as_ref()?;
    let mut waits = Waits::default();
    let counts = |place: &&BlockedAt| !leads_through(&place.frames, EMPTIED);
    for place in workload.blocked.iter().filter(counts) {
        let commits_count = !writeback::for_durability(&place.frames);
        claim(&mut waits, place, commits_count, place.ns);
    }
    Some(waits.amount(phase, 0))
}

/// Beneath sync(2) and fsync(2) the waits for commits: how these calls work, so that they count only where another side
/// has less of them.
pub(super) fn commits_beneath_sync(phase: &Phase<'_>) -> Option<Amount> {
    let workload = phase.account.workload.as_ref()?;
    let mut waits = Waits::default();
    for place in workload.blocked.iter().filter(|place| writeback::for_durability(&place.frames)) {
        let mut for_room = Waits::default();
        claim(&mut for_room, place, false, place.ns);
        if for_room.ns == 0 && !leads_through(&place.frames, EMPTIED) {
            claim(&mut waits, place, true, place.ns);
        }
    }
    let amount = waits.amount(phase, 0);
    Some(Amount { holds: amount.holds.min(Holds::Compared), ..amount })
}

/// Adds what of a wait, at most `most` ns, is one for a journal.
fn claim<'a>(waits: &mut Waits<'a>, place: &'a BlockedAt, commits_count: bool, most: u64) {
    if for_journal(&place.frames, commits_count) {
        waits.add(place, place.ns.min(most), place.times);
        return;
    }
    for ended in &place.ended_by {
        let most = ended.ns.min(most);
        if for_journal(&ended.frames, commits_count) || (commits_count && commits(ended)) {
            waits.add(place, most, ended.times);
        } else {
            let blocked = ended.meanwhile.iter().flat_map(|meanwhile| &meanwhile.blocked);
            blocked.for_each(|inner| claim(waits, inner, commits_count, most));
        }
    }
}

fn for_journal(frames: &[String], commits_count: bool) -> bool {
    JOURNALS.iter().any(|journal| {
        leads_through(frames, journal.room)
            || (commits_count && leads_through(frames, journal.commit))
    })
}

/// Whether it is the thread that commits that ended the wait, seen at several places.
fn commits(ended: &EndedBy) -> bool {
    let Waker::Task(name) = &ended.waker else { return false };
    ended.frames.is_empty() && JOURNALS.iter().any(|it| it.tasks.contains(&name.as_str()))
}

/// What it says.
pub(super) fn sentence(told: &Told<'_>) -> String {
    let frames = &told.amount.frames;
    let has_no_room = JOURNALS.iter().find(|journal| leads_through(frames, journal.room));
    let commits = JOURNALS.iter().find(|journal| leads_through(frames, journal.commit));
    let what = match (has_no_room, commits) {
        (Some(journal), _) => {
            format!("the journal ({}) has no room left and has to be emptied first", journal.name)
        }
        (None, Some(journal)) => {
            format!("the journal ({}) commits, and its users wait for that", journal.name)
        }
        (None, None) => "the journal's thread commits, and others wait for it".to_owned(),
    };
    format!("{what}: {}", waits::summary(told))
}
