use model::account::Waker;

use super::*;

/// Threads on one lock, a flusher, a disk and samples: as large as traces become. Were it not near linear, this
/// would take hours.
#[test]
fn a_large_trace_is_no_trouble() {
    let (rounds, threads) = (1_000, 24);
    let length = rounds * 100 * (threads + 2);
    let mut scene = Scene::new(0..length);
    let writers: Vec<u32> = (0..threads).map(|at| scene.program(&format!("w{at}"))).collect();
    let (flusher, idle) = (scene.kernel_thread("kworker/u4:5"), scene.idle());
    let disk = scene.disk("nullb0");
    let mut now = 0;
    for _ in 0..rounds {
        let next = writers.iter().skip(1).chain([&flusher]);
        for (writer, next) in writers.iter().zip(next) {
            now += 100;
            for sample in 0..8 {
                scene.sample(now - 90 + sample, 0, "copy_page generic_perform_write");
            }
            scene.switch(now, 0, *writer, 'D', "wb_wait_for_completion", *next);
        }
        scene.write(disk, 4096, now, Some(now + 90));
        scene.by(flusher);
        scene.switch(now + 10, 0, flusher, 'D', "wbt_wait wb_workfn process_one_work", idle);
        scene.wake(now + 90, 0, flusher, "bio_endio blk_update_request common_interrupt");
        now += 100;
        scene.switch(now, 0, idle, 'R', "", flusher);
        for writer in &writers {
            scene.wake(now + 1, 0, *writer, "wake_up wb_workfn process_one_work");
        }
        now += 100;
        scene.switch(now, 0, flusher, 'I', "worker_thread", writers[0]);
    }
    assert!(scene.trace.switches.len() > 25_000 && scene.trace.samples.len() > 190_000);
    let account = account(&scene);
    let block = &workload(&account).blocked[0];
    assert_eq!(block.ended_by[0].waker, Waker::Task("kworker/flush".to_owned()));
    assert_eq!(block.times, rounds * threads);
}
