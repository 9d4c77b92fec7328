//! Mechanisms in trials by themselves.

use model::account::{Account, EndedBy, Meanwhile, Overlap, SeenFrom, Waker};
use model::trace::Span;
use model::{Finding, Mechanism, Surety};

use super::of_trial;
use super::testing::*;

fn found(account: Account) -> Vec<Finding> {
    of_trial(&trial(&[account]))
}

fn only(account: Account) -> Finding {
    let mut findings = found(account);
    assert_eq!(findings.len(), 1, "{findings:#?}");
    findings.remove(0)
}

#[test]
fn each_mechanism_is_found_alone_from_a_tenth_of_the_phase_on() {
    for (mechanism, made) in EACH {
        let finding = only(made(100, 40));
        assert_eq!(finding.mechanism, mechanism);
        assert_eq!((finding.ns, finding.share_milli), (Some(40 * MS), Some(400)), "{mechanism}");
        assert!(!finding.sentence.is_empty() && !finding.numbers.is_empty(), "{mechanism}");
        let baselines = finding.numbers.iter().filter(|number| number.baseline.is_some());
        assert_eq!(baselines.count(), 0);
        for little in [0, 9] {
            assert_eq!(found(made(100, little)), [], "{mechanism}");
        }
    }
}

#[test]
fn a_short_phase_has_no_findings() {
    assert_eq!(found(throttling(5)).len(), 1);
    assert_eq!(found(throttling(4)), []);
}

/// A phase that waited for half of its time.
fn throttling(wall_ms: u64) -> Account {
    waiting(wall_ms, wait("balance_dirty_pages", wall_ms / 2))
}

#[test]
fn findings_stand_by_phase_and_then_by_share() {
    let mut both = throttling(100);
    both.workload.as_mut().unwrap().blocked.push(wait("try_to_free_pages", 90));
    let phases = [lock_convoy(100, 20), both, free_list(100, 50)];
    let found = of_trial(&trial(&phases));
    let mechanisms: Vec<_> = found.iter().map(|finding| finding.mechanism).collect();
    assert_eq!(
        mechanisms,
        [
            Mechanism::LockConvoy,
            Mechanism::Reclaim,
            Mechanism::DirtyThrottling,
            Mechanism::FreeListSearch
        ]
    );
    assert!(found.iter().all(|finding| finding.phase.as_deref() == Some("write 1")));
}

#[test]
fn one_disk_at_a_time_says_who_writes() {
    let by_caller = only(one_disk(100, 90));
    assert_eq!(
        by_caller.sentence,
        "the disks are written one after the other in `sync`: 1.02 of 13 disks busy at a time; the caller writes each \
         by itself and waits for it, and no flusher helps"
    );
    assert_eq!(by_caller.frames, frames(SYNC));
    let mut by_flusher = one_disk(100, 90);
    by_flusher.issued = vec![issued("kworker/flush", 80), issued("ffsb", 20)];
    let by_flusher = only(by_flusher);
    assert!(by_flusher.sentence.ends_with("no other flusher helps"), "{}", by_flusher.sentence);
    let shares: Vec<f64> = by_flusher.numbers[2..].iter().map(|number| number.value).collect();
    assert_eq!(shares, [0.8, 0.2]);
    let mut by_nobody = one_disk(100, 90);
    by_nobody.issued = vec![model::account::IssuedBy { kernel: true, ..issued("unknown", 104) }];
    let by_nobody = only(by_nobody);
    assert_eq!(by_nobody.numbers.len(), 2);
    assert!(by_nobody.sentence.ends_with("no flusher helps with the others meanwhile"));
}

#[test]
fn a_caller_that_goes_from_disk_to_disk_by_itself_is_no_finding() {
    let overlap = one_disk(100, 90).overlap.unwrap();
    assert_eq!(found(sync(100, "folio_wait_bit blkdev_fsync do_fsync", overlap, "mke2fs")), []);
    let one = Overlap { disks: 1, ..overlap };
    assert_eq!(found(sync(100, SYNC, one, "dd")), []);
    let half = Overlap { one_disk_ns: overlap.waited_ns / 2, no_flusher_ns: 0, ..overlap };
    assert_eq!(found(sync(100, SYNC, half, "dd")), []);
}

#[test]
fn flushers_are_idle_only_while_somebody_waits_for_writeback() {
    let overlap = idle().overlap.unwrap();
    assert_eq!(only(idle()).mechanism, Mechanism::IdleFlushers);
    assert_eq!(found(sync(100, "io_schedule blkdev_direct_IO ksys_write", overlap, "dd")), []);
    let one = Overlap { disks: 1, ..overlap };
    assert_eq!(found(sync(100, SYNC, one, "dd")), []);
    let longer = Overlap { waited_ns: overlap.no_flusher_ns * 2 + MS, ..overlap };
    assert_eq!(found(sync(100, SYNC, longer, "dd")), []);
}

fn idle() -> Account {
    EACH[1].1(100, 40)
}

#[test]
fn a_free_list_search_is_named_by_its_largest_function() {
    let finding = only(free_list(100, 90));
    assert_eq!(
        finding.sentence,
        "the page allocator searches its free lists for 90 ms: `get_page_from_free_area` alone executes 40.5 million \
         instructions, 81 % of the machine's"
    );
    assert_eq!(finding.frames[0], "get_page_from_free_area.isra.0");
    assert_eq!(finding.surety, Surety::Measured);
}

#[test]
fn without_counts_the_samples_tell_of_the_search() {
    let mut account = free_list(100, 90);
    account.functions.clear();
    let finding = only(account.clone());
    assert_eq!((finding.ns, finding.surety), (Some(90 * MS), Surety::Sampled));
    assert!(finding.sentence.ends_with("`get_page_from_free_area`"), "{}", finding.sentence);
    account.workload.as_mut().unwrap().running.iter_mut().for_each(|part| part.frames.clear());
    assert_eq!(found(account), []);
}

#[test]
fn a_commit_beneath_a_sync_is_no_finding_and_a_full_log_is() {
    let commit = "jbd2_log_wait_commit ext4_sync_fs ksys_sync";
    assert_eq!(found(waiting(100, wait(commit, 90))), []);
    let unmount =
        "jbd2_log_do_checkpoint jbd2_journal_destroy ext4_put_super generic_shutdown_super";
    assert_eq!(found(waiting(100, wait(unmount, 90))), []);
    let full = "__jbd2_log_wait_for_space~[jbd2] ext4_sync_fs ksys_sync";
    let finding = only(waiting(100, wait(full, 80)));
    assert_eq!(
        finding.sentence,
        "the journal (jbd2) has no room left and has to be emptied first: 2 waits, together 80 ms, the longest 60 ms"
    );
    assert_eq!(finding.longest, Some(Span { from_ns: 2 * MS, to_ns: 62 * MS }));
    assert_eq!(finding.frames, frames(full));
}

#[test]
fn a_journal_is_found_behind_a_worker() {
    let full = wait("jbd2_log_do_checkpoint __jbd2_log_wait_for_space", 40);
    let commit = wait("jbd2_log_wait_commit", 30);
    let mut outer = ended_by(wait(SYNC, 80), Waker::Task("kworker/flush".to_owned()));
    let blocked = vec![full.clone(), commit];
    outer.ended_by[0].meanwhile =
        Some(Meanwhile { running_ns: 10 * MS, blocked, ..Meanwhile::default() });
    let finding = only(waiting(100, outer));
    assert_eq!((finding.mechanism, finding.ns), (Mechanism::Journal, Some(40 * MS)));
    assert_eq!(finding.frames, full.frames);
}

#[test]
fn what_a_commit_ends_is_a_wait_for_the_journal() {
    let outer = ended_by(wait("folio_wait_bit ksys_write", 80), Waker::Task("jbd2".to_owned()));
    assert_eq!(only(waiting(100, outer.clone())).mechanism, Mechanism::Journal);
    let mut elsewhere = outer.clone();
    elsewhere.ended_by[0].frames = frames("wake_up_bit end_buffer_async");
    assert_eq!(found(waiting(100, elsewhere)), []);
    let mut known = ended_by(outer, Waker::Disk);
    known.ended_by[0] = EndedBy {
        frames: frames("wake_up_bit jbd2_journal_commit_transaction kjournald2"),
        ..known.ended_by[0].clone()
    };
    assert_eq!(only(waiting(100, known)).mechanism, Mechanism::Journal);
}

#[test]
fn every_filesystem_has_its_journal_s_name() {
    for (path, name) in [
        ("xlog_grant_head_wait~[xfs] xfs_log_reserve~[xfs] ksys_write", "(xfs log) has no room"),
        ("xlog_wait_on_iclog xfs_log_force_seq", "(xfs log) commits"),
        ("queue_log_writer do_journal_begin_r~[reiserfs]", "(reiserfs journal) commits"),
        ("wait_current_trans start_transaction~[btrfs]", "(btrfs transaction) commits"),
        ("f2fs_issue_checkpoint f2fs_sync_fs", "(f2fs checkpoint) commits"),
        ("nilfs_segctor_sync nilfs_transaction_begin", "(nilfs2 segment constructor) commits"),
    ] {
        let finding = only(waiting(100, wait(path, 50)));
        assert!(finding.sentence.contains(name), "{}", finding.sentence);
    }
}

#[test]
fn a_convoy_has_at_least_two_tasks_and_a_filesystem_s_lock() {
    let finding = only(lock_convoy(100, 40));
    assert!(
        finding.sentence.starts_with(
            "4 tasks stand in line for a lock of the filesystem that `xfs_ilock` takes: 2 waits"
        ),
        "{}",
        finding.sentence
    );
    let mut alone = lock_convoy(100, 40);
    alone.tasks[0].tasks = 1;
    assert_eq!(found(alone), []);
    let mut kernel = lock_convoy(100, 40);
    kernel.tasks[0].kernel = true;
    assert_eq!(found(kernel), []);
    let other = waiting(100, wait("rwsem_down_read_slowpath down_read do_user_addr_fault", 40));
    assert_eq!(found(Account { tasks: lock_convoy(100, 40).tasks, ..other }), []);
}

#[test]
fn amplification_is_of_a_whole_round() {
    let amplified = EACH[7].1(100, 40);
    let finding = only(amplified.clone());
    assert_eq!(finding.surety, Surety::Likely);
    assert_eq!(
        finding.sentence,
        "3 bytes go to the disks for each byte that is written: 60 bytes for 20 bytes"
    );
    let mut written = account(100);
    written.written_bytes = Some(40);
    assert_eq!(of_trial(&trial(&[amplified.clone(), written.clone()])), []);
    written.round = Some(2);
    assert_eq!(of_trial(&trial(&[amplified, written])).len(), 1);
}

#[test]
fn what_was_seen_from_inside_is_sampled() {
    let mut accounts = trial(&[waiting(100, wait("balance_dirty_pages", 40))]);
    accounts.seen_from = SeenFrom::Inside;
    let finding = of_trial(&accounts).remove(0);
    assert_eq!(finding.surety, Surety::Sampled);
    assert!(finding.sentence.contains("seen in 2 samples"), "{}", finding.sentence);
}

#[test]
fn what_was_not_seen_is_no_finding() {
    for (_, made) in EACH {
        let mut account = made(100, 40);
        account.workload = None;
        account.overlap = None;
        account.machine = None;
        assert_eq!(found(account), []);
    }
}
