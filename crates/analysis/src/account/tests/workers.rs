use super::*;

/// Tasks' names with running, ready, blocked and idle ns.
fn times(account: &Account) -> Vec<(&str, [u64; 4])> {
    let tasks = account.tasks.iter();
    let told = tasks.map(|task| {
        let times = [task.running_ns, task.ready_ns, task.blocked_ns, task.idle_ns];
        (task.name.as_str(), times)
    });
    told.collect()
}

#[test]
fn a_worker_has_another_name_with_each_work() {
    let mut scene = Scene::new(0..1000);
    let (worker, other) = (scene.kernel_thread("kworker/0:1H"), scene.kernel_thread("kthreadd"));
    let leave = |scene: &mut Scene, at, path| scene.switch(at, 0, worker, 'I', path, other);
    let come = |scene: &mut Scene, at| scene.switch(at, 0, other, 'R', "kthreadd", worker);
    let idle = "worker_thread kthread";
    // By where it left; by a wake in the midst; by a sample; by who woke it, and then going on; not at all.
    scene.switch(100, 0, worker, 'D', "wait wb_workfn process_one_work worker_thread", other);
    scene.wake(150, 0, worker, "wake");
    come(&mut scene, 160);
    leave(&mut scene, 200, idle);
    come(&mut scene, 300);
    scene.wake(310, 0, 7, "wake_up ext4_end_io_rsv_work process_one_work worker_thread");
    leave(&mut scene, 320, idle);
    come(&mut scene, 400);
    scene.sample(405, 0, "memcpy null_queue_rq blk_mq_run_work_fn process_one_work worker_thread");
    leave(&mut scene, 410, idle);
    scene.wake(490, 0, worker, "kick_pool kblockd_mod_delayed_work_on blk_flush_plug");
    come(&mut scene, 500);
    scene.switch(502, 0, worker, 'R', "process_one_work worker_thread", other);
    come(&mut scene, 503);
    leave(&mut scene, 506, idle);
    scene.wake(590, 0, worker, "kick_pool __queue_work call_timer_fn");
    come(&mut scene, 600);
    leave(&mut scene, 601, idle);
    let account = account(&scene);
    let times = times(&account);
    assert_eq!(times[0].0, "kthreadd");
    let expected = [
        ("kworker/flush", [140, 10, 50, 100]),
        ("kworker/ext4_end_io_rsv_work", [20, 0, 0, 80]),
        ("kworker/kblockd", [10 + 2 + 3, 10 + 1, 0, 80 + 84]),
        ("kworker", [1, 10, 0, 399]),
    ];
    assert_eq!(times[1..], expected);
    assert!(account.tasks.iter().all(|task| task.kernel && task.tasks == 1));
    assert_eq!(account.workload, None);
}
