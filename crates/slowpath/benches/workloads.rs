//! The reports' workloads in the exact lab: what waiting, the built-in cases and looking at them cost
//! on this machine, and what the final sync of `ffsb-create-4k` is made of. `make bench`, or
//! `cargo bench -p slowpath --bench workloads` with SLOWPATH_LAB set. Nothing here passes or fails.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Runs of each; the first boots the machine.
const RUNS: usize = 3;

fn main() {
    let kernel = env::var_os("SLOWPATH_LAB").map(|lab| Path::new(&lab).join("debian-6.12"));
    let Some(kernel) = kernel.filter(|folder| folder.is_dir()) else {
        println!("no kernel in SLOWPATH_LAB: nothing is measured (scripts/fetch-lab)");
        return;
    };
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let lab = Lab { kernel, scratch: scratch.path().to_owned() };
    lab.waiting();
    for case in ["dd-sync", "ffsb-create-4k", "mke2fs-aged"] {
        lab.observed(case);
    }
    for case in ["dd-sync", "ffsb-create-4k", "mke2fs-aged"] {
        lab.explained(case);
    }
    lab.final_sync();
}

struct Lab {
    kernel: PathBuf,
    scratch: PathBuf,
}

impl Lab {
    /// Runs a case, and gives what it printed as JSON and the time that it took.
    fn run(&self, case: &str, arguments: &[&str]) -> (Value, Duration) {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/release/slowpath");
        let mut command = Command::new(program);
        command.args(["run", case, "--json", "-", "--set"]);
        command.arg(format!("kernel={}", self.kernel.display())).args(arguments);
        command.arg("--store").arg(self.scratch.join("store"));
        command.arg("--cache").arg(self.scratch.join("cache"));
        let began = Instant::now();
        let output = command.output().expect("slowpath starts");
        let took = began.elapsed();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        (serde_json::from_slice(&output.stdout).expect("JSON"), took)
    }

    /// A disk of 1 MiB/s, to which 60 MiB are written back.
    fn waiting(&self) {
        let slow = ["disk.mbps=1", "size=60M", "rounds=1"].map(|setting| ["--set", setting]);
        let runs = (0..RUNS).map(|_| self.run("dd-sync", slow.as_flattened()));
        for (document, took) in runs {
            println!(
                "waiting for a slow disk: sync took {:.1} s of guest time; the trial {:.1} s here",
                seconds(phase(&document, "sync")),
                took.as_secs_f64()
            );
        }
    }

    fn observed(&self, case: &str) {
        for _ in 0..RUNS {
            let (_, took) = self.run(case, &["--observe"]);
            println!("{case}, measured and looked at: {:.1} s", took.as_secs_f64());
        }
    }

    /// What a pass that explains a trial takes against the trial itself: six trials of each of two sides, none of which
    /// boots, and then the passes of three of each.
    fn explained(&self, case: &str) {
        self.compare(case, "warm", "never");
        let timed = self.compare(case, "timed", "never");
        let explaining = self.compare(case, "timed", "always");
        let each = (explaining.as_secs_f64() / 6.0) / (timed.as_secs_f64() / 12.0);
        println!(
            "{case}: 12 trials {:.1} s, 6 explaining passes {:.1} s: a pass takes {each:.2} times its trial",
            timed.as_secs_f64(),
            explaining.as_secs_f64()
        );
    }

    fn compare(&self, case: &str, store: &str, why: &str) -> Duration {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/release/slowpath");
        let mut command = Command::new(program);
        command.args(["compare", case, "--seeds", "6", "--jobs", "1", "--why", why]);
        command.args(["--vary", "disk.mbps=40,20", "--json", "-", "--set"]);
        command.arg(format!("kernel={}", self.kernel.display()));
        command.arg("--store").arg(self.scratch.join(store));
        command.arg("--cache").arg(self.scratch.join("cache"));
        let began = Instant::now();
        let output = command.output().expect("slowpath starts");
        let took = began.elapsed();
        let judged = matches!(output.status.code(), Some(0 | 1 | 3));
        assert!(judged, "{}", String::from_utf8_lossy(&output.stderr));
        took
    }

    /// On twelve disks: the sync's share of the whole, and disks busy at a time in it.
    fn final_sync(&self) {
        let (document, _) = self.run("ffsb-create-4k", &["--set", "disks=12", "--observe"]);
        let (run, sync) = (seconds(phase(&document, "run")), seconds(phase(&document, "sync")));
        let phases = document["trials"][0]["observation"]["phases"].as_array();
        let view = phases.expect("phases").iter().find(|view| view["phase"] == "sync 1");
        let busy = view.expect("the sync")["disks"]["busy_milli"].as_f64().expect("busy disks");
        println!(
            "ffsb-create-4k on 12 disks: run {run:.2} s, final sync {sync:.2} s, {:.0} % of both; \
             {:.1} disks busy at a time in it",
            100.0 * sync / (run + sync),
            busy / 1000.0
        );
    }
}

fn phase<'d>(document: &'d Value, name: &str) -> &'d Value {
    let phases = &document["trials"][0]["outcome"]["measured"]["phases"];
    let found = phases.as_array().expect("phases").iter().find(|phase| phase["name"] == name);
    found.expect("the phase")
}

fn seconds(phase: &Value) -> f64 {
    phase["wall_ns"].as_f64().expect("a time") / 1e9
}
