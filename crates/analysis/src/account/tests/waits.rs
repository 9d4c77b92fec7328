use model::account::{EndedBy, ReadyBehind, Waker};
use model::{PhaseRun, SeenFrom};

use super::*;

const COMPLETION: &str = "wake_bit folio_wake_bit bio_endio blk_update_request common_interrupt";

fn wakers(block: &BlockedAt) -> Vec<(Waker, u64, u64)> {
    block.ended_by.iter().map(|end| (end.waker.clone(), end.ns, end.times)).collect()
}

fn task(name: &str) -> Waker {
    Waker::Task(name.to_owned())
}

/// Report 3's shape: the caller waits for a flusher, the flusher for a disk.
#[test]
fn the_caller_waits_for_a_flusher_and_that_one_for_a_disk() {
    let mut scene = Scene::new(0..1000);
    let (main, idle) = (scene.program("slowpath-agent"), scene.idle());
    let flusher = scene.kernel_thread("kworker/u4:5");
    let work = "wbt_wait ext4_writepages wb_workfn process_one_work worker_thread";
    scene.switch(1, 0, flusher, 'I', "worker_thread kthread", main);
    scene.wake(90, 0, flusher, "kick_pool wb_queue_work sync_inodes_sb ksys_sync");
    scene.switch(100, 0, main, 'D', "wb_wait_for_completion sync_inodes_sb ksys_sync", flusher);
    scene.switch(150, 0, flusher, 'D', work, idle);
    scene.wake(400, 0, flusher, COMPLETION);
    scene.switch(410, 0, idle, 'R', "", flusher);
    scene.switch(450, 0, flusher, 'D', work, idle);
    scene.wake(800, 0, flusher, COMPLETION);
    scene.switch(810, 0, idle, 'R', "", flusher);
    scene.wake(880, 0, main, "wake_up_all finish_writeback_work wb_workfn process_one_work");
    scene.switch(900, 0, flusher, 'I', "worker_thread kthread", main);

    let account = account(&scene);
    let workload = workload(&account);
    assert_eq!((workload.running_ns(), workload.unseen_ns), (99 + 100, 1));
    let flushed = |ns| vec![ReadyBehind { holder: "kworker/flush".to_owned(), ns }];
    assert_eq!(workload.ready, flushed(20));
    assert_eq!(short(&workload.blocked), [("wb_wait_for_completion", "D", 780, 1)]);
    let block = &workload.blocked[0];
    assert_eq!(block.frames, ["wb_wait_for_completion", "sync_inodes_sb", "ksys_sync"]);
    assert_eq!((block.longest_at_ns, block.longest_ns), (100, 780));
    assert_eq!(wakers(block), [(task("kworker/flush"), 780, 1)]);
    assert_eq!(block.ended_by[0].frames[..2], ["wake_up_all", "finish_writeback_work"]);
    let meanwhile = block.ended_by[0].meanwhile.as_ref().unwrap();
    assert_eq!((meanwhile.running_ns, meanwhile.ready_ns), (50 + 40 + 70, 20));
    assert_eq!(short(&meanwhile.blocked), [("wbt_wait", "D", 250 + 350, 2)]);
    assert_eq!((meanwhile.blocked[0].longest_at_ns, meanwhile.blocked[0].longest_ns), (450, 350));
    assert_eq!(wakers(&meanwhile.blocked[0]), [(Waker::Disk, 600, 2)]);
    assert_eq!(meanwhile.blocked[0].ended_by[0].meanwhile, None);

    let flusher = account.tasks.iter().find(|task| task.name == "kworker/flush").unwrap();
    assert_eq!((flusher.kernel, flusher.tasks, flusher.running_ns), (true, 1, 50 + 40 + 90));
}

#[test]
fn two_threads_share_and_their_parent_waits_for_them() {
    let mut scene = Scene::new(0..1000);
    let main = scene.program("slowpath-agent");
    let (a, b, idle) = (scene.program("a"), scene.program("b"), scene.idle());
    scene.switch(100, 0, main, 'S', "futex_wait_queue futex_wait do_futex", a);
    scene.switch(200, 0, a, 'D', "bio_wait", b);
    scene.switch(300, 0, b, 'D', "down_write", idle);
    scene.wake(500, 0, a, COMPLETION);
    scene.switch(500, 0, idle, 'R', "", a);
    scene.wake(550, 0, b, "up_write");
    scene.switch(600, 0, a, 'X', "do_exit", b);
    scene.switch(700, 0, b, 'X', "do_exit", idle);
    scene.wake(951, 0, main, "wake_up_q");
    scene.switch(960, 0, idle, 'R', "", main);

    let account = account(&scene);
    let workload = workload(&account);
    let ran = 100 + 100 + 100 + 100 + 100 + 40;
    assert_eq!((workload.running_ns(), workload.unseen_ns), (ran, 0));
    let idle = ReadyBehind { holder: "interrupts and idle".to_owned(), ns: 9 };
    assert_eq!(workload.ready, [idle]);
    // From 300 to 500 both sleep. After 700 nobody is left whom the parent could wait for.
    let expected =
        [("futex_wait_queue", "S", 251, 1), ("bio_wait", "D", 100, 1), ("down_write", "D", 100, 1)];
    assert_eq!(short(&workload.blocked), expected);
    let times: Vec<_> = workload.blocked.iter().map(|b| (b.longest_at_ns, b.longest_ns)).collect();
    assert_eq!(times, [(100, 851), (200, 300), (300, 250)]);
    // Of its 250 ns that the other one ended, 100 count: that slept for 200, then ran for 50.
    let meanwhile = workload.blocked[2].ended_by[0].meanwhile.as_ref().unwrap();
    assert_eq!((meanwhile.running_ns, meanwhile.ready_ns), (20, 0));
    assert_eq!(short(&meanwhile.blocked), [("bio_wait", "D", 80, 1)]);
    let names: Vec<_> = account.tasks.iter().map(|task| task.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "slowpath-agent"]);
}

#[test]
fn a_program_waits_for_its_child_and_its_share_is_the_child_s() {
    for (frame, states) in [("do_wait", [200, 0]), ("poll", [100, 100])] {
        let mut scene = Scene::new(0..300);
        let (sh, dd, idle) = (scene.program("sh"), scene.program("dd"), scene.idle());
        scene.switch(50, 0, sh, 'S', frame, dd);
        scene.switch(100, 0, dd, 'D', "bio_wait", idle);
        let account = account(&scene);
        let ns = |first| {
            let all = workload(&account).blocked.iter();
            all.filter(|at| at.frames[0] == first).map(|at| at.ns).sum::<u64>()
        };
        assert_eq!([ns("bio_wait"), ns(frame)], states);
    }
}

#[test]
fn the_phase_s_end_ends_a_wait_for_nobody_knows_what() {
    let mut scene = Scene::new(0..100);
    let (dd, idle) = (scene.program("dd"), scene.idle());
    scene.switch(10, 0, dd, 'D', "bio_wait", idle);
    scene.wake(101, 0, dd, COMPLETION);
    scene.switch(105, 0, idle, 'R', "", dd);
    assert_eq!(wakers(&workload(&account(&scene)).blocked[0]), [(Waker::Unknown, 90, 1)]);
    scene.trace.phases[0].to_ns = 101;
    assert_eq!(wakers(&workload(&account(&scene)).blocked[0]), [(Waker::Disk, 91, 1)]);
}

#[test]
fn several_wakers_each_have_their_own() {
    let mut scene = Scene::new(0..1000);
    let (dd, jbd2, idle) = (scene.program("dd"), scene.kernel_thread("jbd2/a-8"), scene.idle());
    let timer = "hrtimer_wakeup hrtimer_run_queues timer_interrupt common_interrupt";
    let mut wait = |from, on_cpu, path| {
        scene.switch(from, 0, dd, 'D', "wait", on_cpu);
        scene.wake(from + 50, 0, dd, path);
        scene.switch(from + 60, 0, on_cpu, 'R', "", dd);
    };
    wait(100, idle, COMPLETION);
    wait(200, idle, timer);
    wait(300, jbd2, timer);
    wait(400, jbd2, "wake_up jbd2_journal_commit_transaction");
    wait(500, jbd2, "wake_up_bit jbd2_journal_commit_transaction");
    let account = account(&scene);
    let block = &workload(&account).blocked[0];
    let expected = [(task("jbd2"), 100, 2), (Waker::Interrupt, 100, 2), (Waker::Disk, 50, 1)];
    assert_eq!(wakers(block), expected);
    let [jbd2, timer, _]: &[EndedBy; 3] = block.ended_by[..].try_into().unwrap();
    assert_eq!((jbd2.frames.len(), timer.frames.len()), (0, 4));
    assert_eq!(jbd2.meanwhile.as_ref().unwrap().running_ns, 100);
    assert_eq!((block.longest_at_ns, block.longest_ns), (100, 50));
}

/// Of what a waker did before it was first seen, nobody knows.
#[test]
fn a_waker_that_was_just_born_was_not_running_before() {
    let mut scene = Scene::new(0..100);
    let (dd, kid, idle) = (scene.program("dd"), scene.kernel_thread("kid"), scene.idle());
    scene.switch(10, 0, dd, 'D', "wait", idle);
    scene.switch(50, 0, idle, 'R', "", kid);
    scene.wake(80, 0, dd, "complete");
    scene.switch(90, 0, kid, 'S', "kthread_fn", dd);
    let account = account(&scene);
    let meanwhile = workload(&account).blocked[0].ended_by[0].meanwhile.clone().unwrap();
    assert_eq!((meanwhile.running_ns, meanwhile.ready_ns), (30, 0));
    assert_eq!(short(&meanwhile.blocked), [("", "?", 40, 1)]);
}

#[test]
fn call_paths_share_the_time_that_was_measured() {
    let mut scene = Scene::new(0..100);
    let (dd, kernel) = (scene.program("dd"), scene.kernel_thread("kswapd0"));
    scene.switch(61, 0, dd, 'R', "copy", kernel);
    scene.switch(70, 0, kernel, 'S', "kswapd", dd);
    for at in [5, 20, 30, 80] {
        scene.sample(at, 0, "copy_page generic_perform_write do_syscall_64");
    }
    scene.sample(50, 0, "tick common_interrupt asm_common_interrupt");
    scene.sample(65, 0, "shrink_folio_list kswapd kthread");
    scene.sample(100, 0, "of_the_next_phase");
    scene.trace.sampled_every = Some(1000);
    let accounts = outside(&measured(100), &scene.trace);
    assert_eq!((accounts.sampled_every, accounts.seen_from), (Some(1000), SeenFrom::Outside));
    let workload = workload(&accounts.phases[0]);
    let ran: Vec<_> = workload.running.iter().map(|ran| (ran.frames.join(" "), ran.ns)).collect();
    let expected = [
        ("copy_page generic_perform_write".to_owned(), 73),
        ("tick common_interrupt asm_common_interrupt".to_owned(), 18),
    ];
    assert_eq!(ran, expected);
    assert_eq!(workload.ready, [ReadyBehind { holder: "kswapd0".to_owned(), ns: 9 }]);
}

#[test]
fn what_was_not_seen_is_missing() {
    let mut scene = Scene::new(10..110);
    scene.trace.notes.push("The kernel has no BTF.".to_owned());
    let mut timed = measured(90);
    timed.phases[0].ffsb =
        Some(model::ffsb::Outcome { written_bytes: 4096, ..model::ffsb::Outcome::default() });
    timed.phases.push(PhaseRun::default());
    let accounts = outside(&timed, &scene.trace);
    assert_eq!((accounts.phases.len(), accounts.notes.len()), (1, 2));
    let account = &accounts.phases[0];
    assert_eq!((account.timed_ns, account.wall_ns), (90, 100));
    assert_eq!((account.workload.as_ref(), account.machine), (None, None));
    assert_eq!((account.disks.as_ref(), account.overlap), (None, None));
    assert_eq!(account.written_bytes, Some(4096));
    timed.phases[0].bytes = Some(7);
    assert_eq!(outside(&timed, &scene.trace).phases[0].written_bytes, Some(7));
}
