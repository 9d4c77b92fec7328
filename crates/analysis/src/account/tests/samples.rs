use model::account::{RanAt, Waker};
use model::observation::DisksView;
use model::trace::Task;
use model::{Nanos, SeenFrom};

use super::super::sampled;
use super::*;
use crate::observation::{DiskSample, Samples, StackSample};

const MS: u64 = 1_000_000;

fn sample(at_ms: u64, pid: u32, name: &str, state: char, stack: &str) -> StackSample {
    let task = Task { pid, process: 1, name: name.to_owned(), kernel: pid > 100 };
    let frames = stack.split_whitespace().map(str::to_owned).collect();
    StackSample { at_ns: at_ms * MS, phase: 0, task, workload: pid < 50, state, frames }
}

fn samples(stacks: Vec<StackSample>) -> Samples {
    Samples { every: Nanos(10 * MS), stacks, ..Samples::default() }
}

fn seen(stacks: Vec<StackSample>) -> Account {
    let mut accounts = sampled(&measured(90 * MS), &measured(100 * MS), &samples(stacks));
    let account = accounts.phases.remove(0);
    adds_up(&account);
    account
}

#[test]
fn each_sample_stands_for_the_time_until_the_next() {
    let account = seen(vec![
        sample(30, 7, "dd", 'D', "schedule down_write"),
        sample(10, 7, "dd", 'R', ""),
        sample(20, 7, "dd", 'D', "schedule down_write"),
        sample(40, 7, "dd", 'D', "schedule io_schedule bio_wait"),
        sample(40, 8, "dd", 'S', "schedule poll"),
        sample(45, 7, "dd", 'R', "copy_page do_syscall_64"),
        sample(60, 120, "kworker/u4:2-flush-8:0", 'D', "schedule bio_wait"),
        sample(95, 8, "dd", 'D', "schedule down_write"),
        sample(105, 8, "dd", 'D', "schedule after_the_end"),
    ]);
    assert_eq!((account.timed_ns, account.wall_ns), (90 * MS, 100 * MS));
    let workload = workload(&account);
    let ran = |frames: &[&str], ns| RanAt {
        frames: frames.iter().map(|f| (*f).to_owned()).collect(),
        ns,
    };
    assert_eq!(workload.running, [ran(&[], 10 * MS), ran(&["copy_page"], 10 * MS)]);
    let expected = [
        ("down_write", "D", 25 * MS, 3),
        ("bio_wait", "D", 5 * MS / 2, 1),
        ("poll", "S", 5 * MS / 2, 1),
    ];
    assert_eq!(short(&workload.blocked), expected);
    assert_eq!(
        (workload.blocked[0].longest_at_ns, workload.blocked[0].longest_ns),
        (20 * MS, 20 * MS)
    );
    assert_eq!(workload.blocked[0].ended_by[0].waker, Waker::Unknown);
    // Before the first, and where only kernel threads were seen or nobody.
    assert_eq!(workload.unseen_ns, (10 + 5 + 10 + 25) * MS);
    let names: Vec<_> = account.tasks.iter().map(|task| (task.name.as_str(), task.tasks)).collect();
    assert_eq!(names, [("dd", 2), ("kworker/flush", 1)]);
    assert_eq!(account.tasks[1].blocked_ns, 10 * MS);
}

#[test]
fn the_agent_s_wait_for_its_own_counts_where_nobody_else_sleeps() {
    let account = seen(vec![
        sample(0, 7, "slowpath-agent", 'S', "schedule futex_wait"),
        sample(0, 8, "writer", 'D', "schedule down_write"),
        sample(10, 7, "slowpath-agent", 'S', "schedule futex_wait"),
    ]);
    let expected = [("down_write", "D", 10 * MS, 1), ("futex_wait", "S", 10 * MS, 1)];
    assert_eq!(short(&workload(&account).blocked), expected);
}

#[test]
fn a_thread_without_work_is_idle() {
    let account = seen(vec![
        sample(0, 120, "kworker/0:1", 'D', "schedule worker_thread kthread"),
        sample(0, 121, "kworker/0:2", 'I', ""),
        sample(0, 122, "jbd2/sda1-8", 'D', "schedule jbd2_commit"),
    ]);
    let times: Vec<_> =
        account.tasks.iter().map(|t| (t.tasks, t.blocked_ns / MS, t.idle_ns / MS)).collect();
    assert_eq!(times, [(1, 10, 0), (2, 0, 20)]);
    assert_eq!(workload(&account).unseen_ns, 100 * MS);
}

#[test]
fn without_samples_there_are_times_and_disks() {
    let disk = |at_ms, writes| DiskSample {
        at_ns: at_ms * MS,
        disk: "sda".to_owned(),
        in_flight: 1,
        writes,
        ..DiskSample::default()
    };
    let samples = Samples { disks: vec![disk(10, 0), disk(60, 9)], ..samples(vec![]) };
    let accounts = sampled(&measured(90), &measured(100 * MS), &samples);
    assert_eq!((accounts.seen_from, accounts.notes.len()), (SeenFrom::Inside, 1));
    assert!(
        accounts.notes[0].starts_with("Tasks were sampled every 10ms: "),
        "{:?}",
        accounts.notes
    );
    let account = &accounts.phases[0];
    assert_eq!((account.workload.as_ref(), account.machine, account.overlap), (None, None, None));
    let disks: &DisksView = account.disks.as_ref().unwrap();
    assert_eq!(disks.disks[0].done[0].requests, 9);
}
