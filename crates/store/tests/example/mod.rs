//! A trial, a comparison and a bisection that use every field.
#![allow(dead_code, unused_imports, reason = "no test uses all of it")]

use std::path::Path;

use model::{
    Action, Broken, BrokenKind, DiskUse, FORMAT, Fingerprint, Limits, Measurements, Outcome,
    PhaseRun, Settings, SlowCall, Trial, TrialSpec, case::Phase,
};
use store::StoreError;

mod bisection;
mod comparison;

pub(crate) use bisection::{bisection, hunt};
pub(crate) use comparison::{comparison, question, variant};

/// The error's text without the folder that differs from run to run.
pub(crate) fn text<T: std::fmt::Debug>(root: &Path, result: Result<T, StoreError>) -> String {
    let text = result.expect_err("it is refused").to_string();
    text.replace(&root.display().to_string(), "ROOT")
}

/// A trial of a set, under a seed and with a setting.
pub(crate) fn member(set: &str, id: &str, seed: u64, pair: &str) -> Trial {
    let mut trial = Trial { set: set.to_owned(), ..trial(id) };
    trial.spec.seed = seed;
    trial.spec.settings.set_pair(pair).expect("a valid setting");
    trial
}

pub(crate) fn trial(id: &str) -> Trial {
    Trial {
        format: FORMAT,
        id: id.to_owned(),
        set: String::new(),
        started: "2026-01-31T14:25:01Z".to_owned(),
        host_ns: 12_345_678_901,
        spec: spec(),
        fingerprint: fingerprint(),
        notes: vec!["the plugin is missing, so instructions are not counted".to_owned()],
        outcome: Outcome::Measured(measurements()),
    }
}

pub(crate) fn broken(id: &str) -> Trial {
    Trial {
        notes: Vec::new(),
        outcome: Outcome::Broken(Broken {
            kind: BrokenKind::Panic,
            reason: "the kernel panicked: VFS: Unable to mount root fs".to_owned(),
            console: vec!["[    0.9] Kernel panic - not syncing".to_owned()],
        }),
        ..trial(id)
    }
}

fn spec() -> TrialSpec {
    let mut settings = Settings::default();
    for pair in [
        "kernel=installed:6.1.0-57-amd64",
        "fs=xfs",
        "mkfs=-l size=8m",
        "sysctl.vm.dirty_bytes=1048576",
    ] {
        settings.set_pair(pair).expect("a valid setting");
    }
    let phase = |name: &str, round, action| Phase { name: name.to_owned(), round, action };
    let file = "toto".to_owned();
    TrialSpec {
        case: "dd-sync".to_owned(),
        headline: "write".to_owned(),
        phases: vec![
            phase("mkfs", None, Action::Mkfs),
            phase("mount", None, Action::Mount),
            phase("write", Some(1), Action::Write { file }),
            phase("sync", Some(1), Action::Sync),
            phase("umount", None, Action::Umount),
            phase("raw", None, Action::DiskWrite),
        ],
        ffsb: None,
        include: Vec::new(),
        settings,
        place: "exact".to_owned(),
        seed: u64::MAX,
        limits: Limits::default(),
    }
}

fn fingerprint() -> Fingerprint {
    let mut fingerprint = Fingerprint::default();
    fingerprint.set("kernel.release", "6.1.0-57-amd64");
    fingerprint.set("qemu", "7.2.22");
    fingerprint
}

fn measurements() -> Measurements {
    let disk = DiskUse {
        name: "nullb0".to_owned(),
        reads: 3,
        read_bytes: 12_288,
        writes: 200,
        written_bytes: 104_857_600,
        flushes: Some(1),
        busy_ms: 2_500,
    };
    let slow = SlowCall { at_ns: 1_000_000_001, took_ns: 12_340_000, offset: 47_185_920 };
    let write = PhaseRun {
        name: "write".to_owned(),
        round: Some(1),
        wall_ns: 2_345_678_901,
        user_ns: 12_000_000,
        system_ns: 800_000_000,
        minor_faults: 120,
        major_faults: 1,
        voluntary_switches: 30,
        involuntary_switches: 2,
        bytes: Some(104_857_600),
        read_bytes: Some(0),
        write_bytes: Some(104_857_600),
        disks: vec![disk],
        write_latency: vec![(1_500, 102_000), (13_000_000, 400)],
        slowest: vec![slow],
        instructions: Some(1_172_839_450),
        kernel_instructions: Some(1_100_000_000),
        ..PhaseRun::default()
    };
    let sync = PhaseRun {
        name: "sync".to_owned(),
        round: Some(1),
        wall_ns: 98_765,
        ..PhaseRun::default()
    };
    Measurements {
        phases: vec![write, sync],
        witness: "2f0cd6ac-9c7b-4e42-8d24-1d3f1c6b8a55".to_owned(),
        clock: "tsc".to_owned(),
    }
}
