//! Trials to show.

use model::{
    Action, Broken, BrokenKind, Case, DiskUse, FORMAT, Fingerprint, Limits, Measurements, Outcome,
    PhaseRun, Settings, SlowCall, Step, Trial, TrialSpec,
};

const ID: &str = "20260131-142501-3fa9";

fn step(name: &str, action: Action) -> Step {
    Step { name: name.to_owned(), action }
}

fn spec(pairs: &[&str]) -> TrialSpec {
    let mut settings = Settings::default();
    for pair in pairs {
        settings.set_pair(pair).expect("a valid setting");
    }
    let file = "toto".to_owned();
    let case = Case {
        name: "dd-sync".to_owned(),
        about: String::new(),
        headline: "write".to_owned(),
        settings: Settings::default(),
        before: vec![step("mkfs", Action::Mkfs), step("mount", Action::Mount)],
        round: vec![step("write", Action::Write { file }), step("sync", Action::Sync)],
        after: Vec::new(),
        ffsb: None,
        include: Vec::new(),
    };
    TrialSpec {
        phases: case.phases(settings.rounds),
        case: case.name,
        headline: case.headline,
        ffsb: None,
        include: Vec::new(),
        settings,
        place: "exact".to_owned(),
        seed: 0,
        limits: Limits::default(),
    }
}

fn fingerprint() -> Fingerprint {
    let mut fingerprint = Fingerprint::default();
    for (item, value) in [
        ("agent", "0b3f9c1d52aa"),
        ("cpu", "Nehalem-v1"),
        ("cpus", "1"),
        ("insn.ns", "2"),
        ("kernel.release", "6.12.57-amd64"),
        ("kernel.sha256", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
        ("mem", "2G"),
        ("qemu", "10.0.2"),
        ("restored", "no"),
    ] {
        fingerprint.set(item, value);
    }
    fingerprint
}

fn write(round: u32, wall_ns: u64) -> PhaseRun {
    PhaseRun {
        name: "write".to_owned(),
        round: Some(round),
        wall_ns,
        user_ns: 12_000_000,
        system_ns: 804_000_000,
        minor_faults: 120,
        major_faults: 1,
        voluntary_switches: 30,
        involuntary_switches: 2,
        bytes: Some(104_857_600),
        read_bytes: Some(0),
        write_bytes: Some(104_857_600),
        disks: vec![DiskUse {
            name: "nullb0".to_owned(),
            reads: 3,
            read_bytes: 12_288,
            writes: 201,
            written_bytes: 104_857_600,
            flushes: Some(0),
            busy_ms: 2_310,
        }],
        write_latency: latencies(),
        slowest: vec![
            SlowCall { at_ns: 1_203_004_500, took_ns: 12_345_678, offset: 47_185_920 },
            SlowCall { at_ns: 3_000_200, took_ns: 940_100, offset: 131_072 },
        ],
        instructions: Some(1_172_839_450),
        kernel_instructions: Some(1_100_000_000),
        ..PhaseRun::default()
    }
}

/// 16 buckets, which do not fit into a histogram's rows.
fn latencies() -> Vec<(u64, u64)> {
    let mut buckets: Vec<_> = (11..25).map(|n| (n * 100, 7_000 + n)).collect();
    buckets.extend([(950_000, 300), (13_000_000, 1)]);
    buckets
}

fn other(name: &str, round: Option<u32>, wall_ns: u64) -> PhaseRun {
    PhaseRun {
        name: name.to_owned(),
        round,
        wall_ns,
        system_ns: wall_ns / 2,
        ..PhaseRun::default()
    }
}

/// A whole trial of two rounds.
pub(crate) fn measured() -> Trial {
    let phases = vec![
        other("mkfs", None, 48_123_456),
        other("mount", None, 987_654),
        write(1, 2_345_678_901),
        other("sync", Some(1), 98_765_432),
        write(2, 2_401_000_000),
        other("sync", Some(2), 850),
    ];
    Trial {
        format: FORMAT,
        id: ID.to_owned(),
        set: String::new(),
        started: "2026-01-31T14:25:01Z".to_owned(),
        host_ns: 12_345_678_901,
        spec: spec(&["fs=xfs", "rounds=2", "mkfs=-l size=8m", "sysctl.vm.dirty_bytes=1048576"]),
        fingerprint: fingerprint(),
        notes: vec!["the snapshot does not fit this QEMU, so the guest was booted".to_owned()],
        outcome: Outcome::Measured(Measurements {
            phases,
            witness: "2f0cd6ac-9c7b-4e42-8d24-1d3f1c6b8a55".to_owned(),
            clock: "tsc".to_owned(),
        }),
    }
}

/// A trial that panicked, with a console that would clear the screen.
pub(crate) fn broken() -> Trial {
    let mut console: Vec<_> = (1..14).map(|n| format!("[    0.{n:02}] line {n}")).collect();
    console.push("\x1b[2J\x1b[31m[    0.90] Kernel panic - not syncing: VFS\x1b[0m\r".to_owned());
    Trial {
        id: "20260131-142630-0a01".to_owned(),
        notes: Vec::new(),
        outcome: Outcome::Broken(Broken {
            kind: BrokenKind::Panic,
            reason: "the kernel panicked: VFS: Unable to mount root fs; is the filesystem's \
                     module missing from the kernel's modules folder?"
                .to_owned(),
            console,
        }),
        ..measured()
    }
}

/// `count` runs of one spec that measured the same.
pub(crate) fn repeated(count: usize) -> Vec<Trial> {
    let run = |n| Trial { id: format!("{}{n}", &ID[..19]), notes: Vec::new(), ..measured() };
    (0..count).map(run).collect()
}

/// What a trial measured, to be changed.
pub(crate) fn measurements(trial: &mut Trial) -> &mut Measurements {
    match &mut trial.outcome {
        Outcome::Measured(measurements) => measurements,
        Outcome::Broken(_) => panic!("a measured trial is wanted"),
    }
}
