//! What was seen of trials, to be shown.

use model::observation::{
    DiskDone, DiskView, DisksView, Inside, PhaseView, SampledSeries, Shift, StackGroup, Stall,
    StallLimit, WaitedFor,
};
use model::trace::{MemoryAt, RequestKind};
use model::{FORMAT, Gap, Nanos, Observation};

const MIB: u64 = 1 << 20;

fn frames(path: &str) -> Vec<String> {
    path.split(" < ").map(str::to_owned).collect()
}

fn group(state: &str, count: u32, tasks: &[&str], ns: u64, times: u64, path: &str) -> StackGroup {
    StackGroup {
        frames: if path.is_empty() { Vec::new() } else { frames(path) },
        state: state.to_owned(),
        tasks: tasks.iter().map(|task| (*task).to_owned()).collect(),
        count,
        ns,
        times,
    }
}

fn memory(at_ns: u64, dirty: u64, writeback: u64) -> MemoryAt {
    MemoryAt {
        at_ns,
        free: Some(1900 * MIB - dirty * MIB),
        cache: Some(90 * MIB + dirty * MIB),
        dirty: Some(dirty * MIB),
        writeback: Some(writeback * MIB),
    }
}

fn disk(name: &str, busy_ns: u64, written: u64) -> DiskView {
    let done = |kind, bytes| DiskDone { kind, requests: bytes / 131_072 + 1, bytes };
    DiskView {
        name: name.to_owned(),
        busy_ns,
        in_flight_milli: 700,
        done: vec![done(RequestKind::Read, 12_288), done(RequestKind::Write, written)],
    }
}

fn disks(busy_milli: u64, busy_over_time: Vec<u64>) -> DisksView {
    DisksView {
        busy_milli,
        in_flight_milli: busy_milli * 3,
        idle_wait_ns: Some(412_000_000),
        disks: vec![disk("nullb0", 700_000_000, 64 * MIB), disk("nullb1", 0, 36 * MIB)],
        busy_over_time,
    }
}

const LOCK: &str = "rwsem_down_write_slowpath < down_write < ext4_buffered_write_iter < \
                    ext4_file_write_iter < vfs_write < ksys_write < __x64_sys_write < \
                    do_syscall_64 < entry_SYSCALL_64_after_hwframe";
const JOURNAL: &str = "jbd2_journal_commit_transaction [jbd2] < kjournald2 [jbd2] < kthread";
const SYNC: &str = "folio_wait_bit_common < folio_wait_writeback < __filemap_fdatawait_range < \
                    sync_inodes_sb < iterate_supers < ksys_sync";
const DONE: &str = "end_bio_bh_io_sync < blk_update_request < null_cmd_timer_expired [null_blk] < \
                    __hrtimer_run_queues < hrtimer_interrupt";

fn stall(at_ns: u64, took_ns: u64) -> Stall {
    Stall {
        phase: "write 2".to_owned(),
        gap: Some(Gap { at_ns, took_ns }),
        waiting: vec![
            group("D", 3, &["ffsb", "ffsb-helper"], 3 * took_ns - 700, 3, LOCK),
            group("D", 1, &["jbd2"], took_ns - 8_000, 41, JOURNAL),
        ],
        running: vec![group(
            "R",
            1,
            &["kworker/flush"],
            12_000_000,
            9,
            "mpage_prepare_extent < kthread",
        )],
        waited_for: Some(WaitedFor {
            task: "jbd2".to_owned(),
            interrupt: false,
            frames: frames("wake_up_bit < jbd2_journal_commit_transaction [jbd2] < kthread"),
        }),
        memory: vec![memory(at_ns, 12, 0), memory(at_ns + took_ns, 40, 7)],
        disks: Some(disks(310, Vec::new())),
    }
}

fn limits() -> Vec<StallLimit> {
    let limit = |phase: &str, ns| StallLimit { phase: phase.to_owned(), limit: Nanos(ns) };
    vec![limit("write", 20_000_000)]
}

fn shift(phase: &str, timed_ns: u64, observed_ns: u64) -> Shift {
    Shift { phase: phase.to_owned(), timed_ns, observed_ns }
}

fn inside() -> Inside {
    Inside {
        every: Nanos(100_000_000),
        samples: 49,
        shifts: vec![
            shift("mkfs", 48_123_456, 48_200_000),
            shift("mount", 987_654, 991_000),
            shift("write 1", 2_345_678_901, 2_371_000_000),
            shift("sync 1", 98_765_432, 90_864_197),
            shift("write 2", 2_401_000_000, 2_442_000_000),
        ],
        largest_shift_milli: 80,
        series: Vec::new(),
    }
}

/// The `n`th place at which a sync waits.
fn sync(n: u64) -> StackGroup {
    let path = SYNC.replacen("folio_wait_bit_common", &format!("wait_for_{n}"), 1);
    group("D", 1, &["sync"], 50_000_000 / n, 12, &path)
}

/// Two phases: the one stalled on a lock, the other waiting for a disk.
pub(crate) fn outside() -> Observation {
    let write = PhaseView {
        phase: "write 2".to_owned(),
        waits: vec![
            group("D", 3, &["ffsb", "ffsb-helper"], 3_900_000_000, 88, LOCK),
            group("S", 1, &["ffsb"], 12_000_000, 1, "hrtimer_nanosleep < do_nanosleep"),
        ],
        disks: Some(disks(480, (0..40).map(|n| if n < 20 { 0 } else { n * 50 }).collect())),
        memory: (0..20).map(|n| memory(n * 120_000_000, n * 2, n / 3)).collect(),
        ..PhaseView::default()
    };
    let sync = PhaseView {
        phase: "sync 1".to_owned(),
        waits: (1..=5).map(sync).collect(),
        disks: Some(disks(1000, vec![1000; 9])),
        memory: (0..9).map(|n| memory(n * 10_000_000, 40 - n * 5, n % 4)).collect(),
        ..PhaseView::default()
    };
    let mut second = stall(1_400_000_000, 400_000_000);
    second.waited_for =
        Some(WaitedFor { task: "swapper".to_owned(), interrupt: true, frames: frames(DONE) });
    let mut third = stall(2_000_000_000, 31_000_000);
    third.running.clear();
    third.memory.truncate(1);
    third.disks = None;
    third.waited_for = None;
    Observation {
        format: FORMAT,
        whole: Some(disks(700, vec![500; 20])),
        phases: vec![sync, write],
        stalls: vec![stall(60_000_000, 1_100_000_000), second, third],
        limits: limits(),
        inside: Some(inside()),
        same_times: Some(true),
        notes: Vec::new(),
    }
}

/// What samples show in a directory where stacks cannot be read.
pub(crate) fn directory() -> Observation {
    let waits = vec![group("D", 1, &["dd"], 1_700_000_000, 17, "")];
    let series = |name: &str, scale: u64| SampledSeries {
        name: name.to_owned(),
        unit: "bytes".to_owned(),
        points: (0..30).map(|n: u64| (n as i64 * 100_000_000, n * scale * MIB)).collect(),
    };
    let seen =
        |phase: &str, waits| PhaseView { phase: phase.to_owned(), waits, ..PhaseView::default() };
    let short = Stall {
        phase: "write 1".to_owned(),
        gap: Some(Gap { at_ns: 5_000_000, took_ns: 24_000_000 }),
        ..Stall::default()
    };
    let gap = Some(Gap { at_ns: 400_000_000, took_ns: 1_702_000_000 });
    let long = Stall { waiting: waits.clone(), gap, ..short.clone() };
    let mut inside = inside();
    inside.largest_shift_milli = 4;
    inside.series = vec![series("dirty", 3), series("writeback", 0)];
    Observation {
        format: FORMAT,
        whole: None,
        phases: vec![seen("write 1", waits), seen("sync 1", Vec::new())],
        stalls: vec![long, short],
        limits: limits(),
        inside: Some(inside),
        same_times: None,
        notes: vec![
            "kernel stacks are not available: reading /proc/PID/stack needs root".to_owned(),
            "the folder's disk is not known, so its queue could not be watched".to_owned(),
        ],
    }
}
