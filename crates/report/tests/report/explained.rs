//! Reasons to show. All of it is made up: paths, figures, names.

use model::account::{
    Account, Accounts, BlockedAt, EndedBy, IssuedBy, MachineTime, Meanwhile, Overlap, RanAt,
    ReadyBehind, TaskTime, Waker, WorkloadTime,
};
use model::explanation::FunctionDifference;
use model::explanation::KindsDifference;
use model::observation::{DiskDone, DiskView, DisksView, PhaseView};
use model::trace::{MemoryAt, RequestKind, Span};
use model::{
    Bisection, Comparison, Explanation, FORMAT, Finding, Found, FunctionCount, Mechanism, Number,
    Observation, Part, PartKind, PhaseExplained, Surety,
};

use crate::{bisected, compared};

const MIB: u64 = 1 << 20;
const MS: u64 = 1_000_000;

const SYNC: &str = "folio_wait_bit_common < folio_wait_writeback < __filemap_fdatawait_range < \
                    sync_inodes_sb < iterate_supers < ksys_sync < __x64_sys_sync < do_syscall_64";
const FLUSH: &str = "blk_mq_get_tag < __blk_mq_alloc_requests < blk_mq_submit_bio < submit_bio < \
                     ext4_io_submit [ext4] < ext4_writepages [ext4] < wb_workfn < kthread";
const DONE: &str = "end_bio_bh_io_sync < blk_update_request < null_cmd_timer_expired [null_blk]";
const LOCK: &str = "rwsem_down_read_slowpath < down_read < iterate_supers < ksys_sync";
const RAN: &str = "ext4_mb_find_by_goal [ext4] < ext4_mb_new_blocks [ext4] < ext4_map_blocks [ext4] \
                   < ext4_writepages [ext4] < do_writepages < sync_inodes_sb < ksys_sync";
const SEARCH: &str = "get_page_from_freelist < __alloc_pages < __folio_alloc < \
                      __filemap_get_folio < blkdev_write_begin < generic_perform_write < \
                      blkdev_write_iter < vfs_write < ksys_write";

pub(crate) fn frames(path: &str) -> Vec<String> {
    path.split(" < ").map(str::to_owned).collect()
}

pub(crate) fn part(kind: PartKind, path: &str, chain: &[&str], times: (f64, f64)) -> Part {
    let frames = frames(path);
    Part {
        kind,
        what: frames[0].clone(),
        frames,
        chain: chain.iter().map(|who| (*who).to_owned()).collect(),
        baseline_ns: times.0 * 1e6,
        variant_ns: times.1 * 1e6,
        by_chance: false,
    }
}

fn number(name: &str, unit: &str, baseline: f64, value: f64) -> Number {
    Number { name: name.to_owned(), unit: unit.to_owned(), baseline: Some(baseline), value }
}

pub(crate) fn finding(mechanism: Mechanism, share_milli: u64, sentence: &str) -> Finding {
    Finding {
        mechanism,
        phase: Some("sync".to_owned()),
        sentence: sentence.to_owned(),
        ns: Some(share_milli * 2 * MS),
        share_milli: Some(share_milli),
        numbers: Vec::new(),
        frames: Vec::new(),
        longest: None,
        surety: Surety::Measured,
    }
}

fn one_disk() -> Finding {
    let sentence = "disks were written one after the other while sync waited: 1.02 disks were busy at \
                    a time, 3.87 with the baseline, and no flusher was at work";
    Finding {
        numbers: vec![
            number("disks busy at a time", "disks", 3.874, 1.02),
            number("waited with one disk busy", "s", 0.112, 1.84),
            number("requests of flushers", "times", 512.0, 0.0),
            number("written to disks", "bytes", 104_857_600.0, 105_906_176.0),
        ],
        frames: frames(SYNC),
        longest: Some(Span { from_ns: 60 * MS, to_ns: 1_260 * MS }),
        ..finding(Mechanism::OneDiskAtATime, 841, sentence)
    }
}

/// A `sync` that writes its disks one after the other.
pub(crate) fn sync_phase() -> PhaseExplained {
    use PartKind::{Blocked, Ready, Running};
    let mut chance = part(Running, RAN, &[], (181.2, 172.0));
    chance.by_chance = true;
    PhaseExplained {
        kinds: Some(KindsDifference { running_ns: 5e6, ready_ns: 0.0, blocked_ns: 2_005e6 }),
        phase: "sync".to_owned(),
        rounds: None,
        baseline_ns: 640e6,
        variant_ns: 2650e6,
        parts: vec![
            part(Blocked, SYNC, &["disk"], (310.0, 2010.0)),
            part(Blocked, LOCK, &["kworker/flush", "disk"], (102.5, 421.0)),
            part(Ready, "jbd2", &[], (40.0, 36.5)),
            chance,
        ],
        rest_ns: 4.2e6,
        functions: functions(&[
            ("ext4_mb_find_by_goal [ext4]", 3_120_000.0, 21_470_000.0),
            ("null_handle_cmd [null_blk]", 1_510_000.0, 1_980_000.0),
            ("copy_user_generic (kernel)", 900_000.0, 880_000.0),
        ]),
        machine: Some((37.6e6, 1972.4e6)),
        findings: vec![
            one_disk(),
            Finding {
                surety: Surety::Likely,
                ..finding(
                    Mechanism::Journal,
                    29,
                    "the journal committed 4 times, once with the baseline",
                )
            },
        ],
        unexplained_milli: 130,
    }
}

fn functions(all: &[(&str, f64, f64)]) -> Vec<FunctionDifference> {
    let one = |(name, baseline, variant): &(&str, f64, f64)| FunctionDifference {
        name: (*name).to_owned(),
        baseline: *baseline,
        variant: *variant,
    };
    all.iter().map(one).collect()
}

pub(crate) fn explanation(phases: Vec<PhaseExplained>) -> Explanation {
    let trial = |seed: u64, side: &str| format!("20260131-1425{seed:02}-{side}");
    Explanation {
        variant: 1,
        seeds: vec![1, 2, 3],
        trials: (1..=3).map(|seed| (trial(seed, "00aa"), trial(seed, "00bb"))).collect(),
        same_times: true,
        phases,
        ..Explanation::default()
    }
}

/// A comparison that says why.
pub(crate) fn ffsb() -> Comparison {
    let mut compared = compared::worse();
    compared.explanations = vec![explanation(vec![sync_phase()])];
    compared.explanations[0].notes =
        vec!["the symbols of one program are not available: it is stripped".to_owned()];
    compared
}

/// The same without any finding.
pub(crate) fn no_finding() -> Comparison {
    let mut compared = ffsb();
    let phase = &mut compared.explanations[0].phases[0];
    phase.findings.clear();
    phase.unexplained_milli = 1000;
    compared
}

fn search_phase() -> PhaseExplained {
    let sentence = "the page allocator searched long free lists: get_page_from_freelist ran \
                    811.3 ms more";
    let finding = Finding {
        phase: Some("mke2fs 1".to_owned()),
        numbers: vec![number("instructions of the search", "instructions", 2.1e6, 407.7e6)],
        frames: frames(SEARCH),
        ns: Some(811 * MS),
        ..finding(Mechanism::FreeListSearch, 986, sentence)
    };
    PhaseExplained {
        kinds: None,
        phase: "mke2fs".to_owned(),
        rounds: Some((1, 1)),
        baseline_ns: 190.7e6,
        variant_ns: 1010.8e6,
        parts: vec![
            part(PartKind::Running, SEARCH, &[], (4.2, 815.5)),
            part(PartKind::Blocked, DONE, &["disk"], (150.0, 158.5)),
        ],
        rest_ns: 0.3e6,
        functions: functions(&[("get_page_from_freelist", 2_100_000.0, 407_750_000.0)]),
        machine: Some((812.0e6, 8.1e6)),
        findings: vec![finding],
        unexplained_milli: 11,
    }
}

/// A bisection whose proof says why.
pub(crate) fn mke2fs() -> Bisection {
    let mut found = bisected::culprit();
    let Found::Steps(steps) = &mut found.found else { panic!("steps") };
    let proof = steps[0].proof.as_mut().expect("a proof");
    proof.explanations = vec![explanation(vec![search_phase()])];
    found
}

fn wait(path: &str, ns: u64, times: u64, ended_by: Vec<EndedBy>) -> BlockedAt {
    BlockedAt {
        frames: frames(path),
        state: "D".to_owned(),
        ns,
        times,
        longest_at_ns: 61 * MS,
        longest_ns: ns / times.max(1) * 2,
        ended_by,
    }
}

fn ended(waker: Waker, ns: u64, times: u64, path: &str) -> EndedBy {
    EndedBy { waker, ns, times, frames: frames(path), meanwhile: None }
}

/// A flusher that waits for a disk while it is waited for.
fn flusher(ns: u64, times: u64) -> EndedBy {
    let behind =
        wait(FLUSH, ns * 9 / 10, times * 3, vec![ended(Waker::Disk, ns * 9 / 10, times * 3, DONE)]);
    EndedBy {
        meanwhile: Some(Meanwhile {
            running_ns: ns / 10 - ns / 100,
            ready_ns: ns / 100,
            blocked: vec![behind],
        }),
        ..ended(Waker::Task("kworker/flush".to_owned()), ns, times, "wake_up_bit < end_writeback")
    }
}

fn workload(factor: u64) -> WorkloadTime {
    let disk = vec![ended(Waker::Disk, 400 * MS * factor, 80, DONE)];
    WorkloadTime {
        running: vec![
            RanAt { frames: frames(RAN), ns: 170 * MS },
            RanAt { frames: frames("clear_page_erms < clear_huge_page"), ns: 12 * MS },
            RanAt { frames: Vec::new(), ns: MS },
        ],
        ready: vec![ReadyBehind { holder: "jbd2".to_owned(), ns: 36 * MS }],
        blocked: vec![
            wait(SYNC, 400 * MS * factor, 80, disk),
            wait(
                LOCK,
                105 * MS,
                4,
                vec![flusher(100 * MS, 3), ended(Waker::Unknown, 5 * MS, 1, "x")],
            ),
        ],
        unseen_ns: 2 * MS,
    }
}

fn task(
    name: &str,
    kernel: bool,
    tasks: u32,
    [running, ready, blocked, idle]: [u64; 4],
) -> TaskTime {
    TaskTime {
        name: name.to_owned(),
        kernel,
        tasks,
        running_ns: running * MS,
        ready_ns: ready * MS,
        blocked_ns: blocked * MS,
        idle_ns: idle * MS,
        waits: Vec::new(),
    }
}

/// What each of five disks was given: one after the other, or all at once.
fn issued(wall_ns: u64, staircase: bool) -> Vec<IssuedBy> {
    let writes = (0..5_u32).map(|disk| {
        let (from, to) = (wall_ns * u64::from(disk) / 5, wall_ns * (u64::from(disk) + 1) / 5);
        IssuedBy {
            disk,
            by: if staircase { "ffsb" } else { "kworker/flush" }.to_owned(),
            kernel: !staircase,
            kind: RequestKind::Write,
            requests: 160,
            bytes: 20 * MIB,
            first_ns: if staircase { from } else { u64::from(disk) * MS },
            last_ns: if staircase { to } else { wall_ns - u64::from(disk) * MS },
        }
    });
    let journal = IssuedBy {
        disk: 0,
        by: "jbd2".to_owned(),
        kernel: true,
        kind: RequestKind::Flush,
        requests: 4,
        bytes: 0,
        first_ns: wall_ns / 2,
        last_ns: wall_ns / 2 + MS,
    };
    writes.chain([journal]).collect()
}

fn disks(busy_milli: u64) -> DisksView {
    let disk = |at: u32| DiskView {
        name: format!("nullb{at}"),
        busy_ns: 300 * MS,
        in_flight_milli: 900,
        done: vec![DiskDone { kind: RequestKind::Write, requests: 160, bytes: 20 * MIB }],
    };
    DisksView {
        busy_milli,
        in_flight_milli: busy_milli * 2,
        idle_wait_ns: Some(3 * MS),
        disks: (0..5).map(disk).collect(),
        busy_over_time: (0..20).map(|n| (busy_milli * (20 - n) / 12).min(5000)).collect(),
    }
}

/// A `sync` of a trial: one disk at a time, or all of them.
fn sync_account(wall_ns: u64, staircase: bool) -> Account {
    let busy_milli = if staircase { 1020 } else { 3874 };
    let time = workload(if staircase { 4 } else { 1 });
    let waited_ns = time.blocked_ns();
    Account {
        phase: "sync".to_owned(),
        round: None,
        timed_ns: wall_ns,
        wall_ns,
        machine: Some(MachineTime {
            instructions: 110_000_000,
            busy_ns: 220 * MS,
            idle_ns: wall_ns - 220 * MS,
        }),
        functions: (0..20)
            .map(|n| FunctionCount {
                name: if n == 0 {
                    "ext4_mb_find_by_goal [ext4]".to_owned()
                } else {
                    format!("function_{n}")
                },
                instructions: 40_000_000 >> n,
            })
            .collect(),
        workload: Some(time),
        tasks: vec![
            task("ffsb", false, 4, [183, 36, 1705, 0]),
            task("kworker/flush", true, 2, [12, 2, 80, 1832]),
        ],
        disks: Some(disks(busy_milli)),
        issued: issued(wall_ns, staircase),
        overlap: Some(Overlap {
            waited_ns,
            no_disk_ns: 3 * MS,
            one_disk_ns: if staircase { waited_ns - 90 * MS } else { 11 * MS },
            no_flusher_ns: if staircase { waited_ns - 120 * MS } else { 0 },
            disks: 5,
            busy_milli,
        }),
        written_bytes: None,
    }
}

fn short(phase: &str, wall_ns: u64) -> Account {
    Account { phase: phase.to_owned(), timed_ns: wall_ns, wall_ns, ..Account::default() }
}

/// What a pass from outside saw of a trial.
pub(crate) fn accounts(staircase: bool) -> Accounts {
    let wall_ns = if staircase { 1926 } else { 726 } * MS;
    let mut mine = one_disk();
    mine.numbers.iter_mut().for_each(|number| number.baseline = None);
    Accounts {
        format: FORMAT,
        same_times: true,
        sampled_every: Some(10_000),
        phases: vec![
            short("mkfs", 9 * MS),
            sync_account(wall_ns, staircase),
            short("umount", 2 * MS),
        ],
        findings: if staircase { vec![mine] } else { Vec::new() },
        ..Accounts::default()
    }
}

/// The memory meanwhile.
pub(crate) fn observation() -> Observation {
    let memory = |n: u64| MemoryAt {
        at_ns: n * 90 * MS,
        dirty: Some((20 - n) * 5 * MIB),
        writeback: Some(n % 4 * MIB),
        ..MemoryAt::default()
    };
    let phase = PhaseView {
        phase: "sync".to_owned(),
        memory: (0..8).map(memory).collect(),
        ..PhaseView::default()
    };
    Observation { format: FORMAT, phases: vec![phase], ..Observation::default() }
}
