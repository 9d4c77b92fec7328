use model::account::{IssuedBy, Overlap};
use model::trace::RequestKind;

use super::*;

/// A sync that has its disks written by itself, one at a time.
#[test]
fn one_disk_at_a_time_and_no_flusher() {
    let mut scene = Scene::new(1000..2000);
    let (main, idle) = (scene.program("slowpath-agent"), scene.idle());
    let disks = ["nullb0", "nullb1", "nullb2"].map(|name| scene.disk(name));
    scene.disk("never");
    let wait = "folio_wait_bit_common folio_wait_writeback ksys_sync";
    let done = "bio_endio blk_update_request null_cmd_timer_expired common_interrupt";
    for (at, disk) in [1100, 1400, 1700].into_iter().zip(disks) {
        scene.write(disk, 4096, at, Some(at + 200));
        scene.by(main);
        scene.switch(at, 0, main, 'D', wait, idle);
        scene.wake(at + 220, 0, main, done);
        scene.switch(at + 220, 0, idle, 'R', "", main);
    }
    let account = account(&scene);
    assert_eq!(workload(&account).blocked_ns(), 660);
    let expected = Overlap {
        waited_ns: 660,
        no_disk_ns: 60,
        one_disk_ns: 400,
        no_flusher_ns: 600,
        disks: 3,
        busy_milli: 909,
    };
    assert_eq!(account.overlap, Some(expected));
    assert_eq!(account.disks.as_ref().unwrap().idle_wait_ns, Some(60));
    let first = IssuedBy {
        disk: disks[0],
        by: "slowpath-agent".to_owned(),
        kernel: false,
        kind: RequestKind::Write,
        requests: 1,
        bytes: 4096,
        first_ns: 100,
        last_ns: 300,
    };
    assert_eq!(account.issued[0], first);
}

#[test]
fn a_flusher_at_work_is_one() {
    for (state, path, no_flusher) in
        [('D', "wbt_wait wb_workfn process_one_work worker_thread", 0), ('I', "worker_thread", 150)]
    {
        let mut scene = Scene::new(0..300);
        let (dd, idle) = (scene.program("dd"), scene.idle());
        let flusher = scene.kernel_thread("kworker/u4:5");
        let disk = scene.disk("nullb0");
        scene.write(disk, 512, 100, Some(250));
        scene.by(dd);
        scene.wake(50, 0, flusher, "kick_pool wb_queue_work");
        scene.switch(60, 0, dd, 'D', "bio_wait", flusher);
        scene.switch(100, 0, flusher, state, path, idle);
        let overlap = account(&scene).overlap.unwrap();
        assert_eq!((overlap.waited_ns, overlap.no_flusher_ns), (240, no_flusher), "{state}");
    }
}

#[test]
fn requests_are_told_by_who_handed_them_on() {
    let mut scene = Scene::new(100..1000);
    let (dd, jbd2) = (scene.program("dd"), scene.kernel_thread("jbd2/nullb0-8"));
    let (one, two) = (scene.disk("nullb0"), scene.disk("nullb1"));
    scene.switch(500, 0, dd, 'D', "wait", jbd2);
    for (disk, at, done, by) in [
        (two, 50, Some(900), Some(dd)),
        (two, 100, None, None),
        (one, 200, Some(300), Some(dd)),
        (one, 250, Some(1100), Some(jbd2)),
        (one, 260, Some(280), Some(dd)),
        (one, 1000, Some(1001), Some(dd)),
    ] {
        scene.write(disk, 512, at, done);
        scene.trace.requests.last_mut().unwrap().by = by;
    }
    let account = account(&scene);
    let issued = account.issued.iter();
    let short: Vec<_> = issued
        .map(|by| (by.disk, by.by.as_str(), by.kernel, by.requests, by.first_ns, by.last_ns))
        .collect();
    let expected = [
        (one, "dd", false, 2, 100, 200),
        (one, "jbd2", true, 1, 150, 1000),
        (two, "unknown", true, 1, 0, 900),
    ];
    assert_eq!(short, expected);
    assert_eq!(account.overlap.unwrap().disks, 2);
}
