//! How fast the ffsb engine makes files, beside fio at the same shape in the same minutes:
//! `CARGO_TARGET_DIR=target/agent cargo bench -p agent` (`make bench` does it). Files go to a fresh folder below SLOWPATH_BENCH_DIR, or the
//! temporary folder; it takes about 8 GB there and two minutes. Nothing here passes or fails.
//!
//! The shape: 2 threads that each make files of 1 MiB in writes of 4 KiB, through the page cache,
//! without fsync. Both begin with nothing that waits to be written. fio is at its fastest here: it
//! keeps no times of its calls, and neither fills nor drops memory between them, while the engine
//! reads the clock for each call, as it always does.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![allow(
    dead_code,
    unused_imports,
    reason = "the engine is private to its crate: its files, with their tests, are taken in here"
)]

#[path = "../src/clock.rs"]
mod clock;
#[path = "../src/failure.rs"]
mod failure;
#[path = "../src/ffsb/mod.rs"]
mod ffsb;
#[path = "../src/gaps.rs"]
mod gaps;
#[path = "../src/pages.rs"]
mod pages;

use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

use model::ffsb::{Fileset, Op, OpWeight, Profile, ThreadGroup};
use serde_json::Value;

const THREADS: u32 = 2;
const FILE: u64 = 1 << 20;
const BLOCK: u64 = 4096;
/// Each side runs so many times, by turns.
const ROUNDS: usize = 7;
const SECONDS: u64 = 5;

/// Files that fio may make in a thread: more than it can in the time.
const FIO_FILES: u64 = 8000;

fn main() {
    let base = env::var_os("SLOWPATH_BENCH_DIR").map_or_else(env::temp_dir, Into::into);
    println!(
        "{THREADS} threads, files of 1 MiB in writes of 4 KiB, {SECONDS} s, below {}",
        base.display()
    );
    let (mut rates, mut costs) = (Vec::new(), Vec::new());
    for round in 1..=ROUNDS {
        // Whoever is first has the advantage or the harm of it by turns.
        let mut engine = None;
        if round % 2 == 1 {
            engine = Some(fresh(&base, engine_speed));
        }
        let fio = fresh(&base, fio_speed);
        let engine = engine.unwrap_or_else(|| fresh(&base, engine_speed));
        println!("round {round}: engine {}", engine.shown());
        match fio {
            Some(fio) => {
                println!("         fio    {}", fio.shown());
                rates.push(engine.bytes_a_second / fio.bytes_a_second);
                costs.push(engine.cpu_ns_a_write / fio.cpu_ns_a_write);
            }
            None => println!("         fio is not installed: apt-get install fio"),
        }
    }
    show("rates", rates, "above 1 the engine is faster");
    show("CPU time of a write", costs, "below 1 the engine is cheaper");
}

fn show(what: &str, mut ratios: Vec<f64>, meaning: &str) {
    ratios.sort_by(f64::total_cmp);
    if let (Some(least), Some(most)) = (ratios.first(), ratios.last()) {
        let median = ratios[ratios.len() / 2];
        println!("{what}, engine / fio: {least:.3} to {most:.3}, median {median:.3} ({meaning})");
    }
}

/// How fast it went, and what it cost: on a busy machine the second says more.
struct Speed {
    bytes_a_second: f64,
    cpu_ns_a_write: f64,
}

impl Speed {
    fn new(bytes: f64, seconds: f64, cpu_ns: f64) -> Self {
        Speed { bytes_a_second: bytes / seconds, cpu_ns_a_write: cpu_ns / bytes * BLOCK as f64 }
    }

    fn shown(&self) -> String {
        let (rate, cost) = (self.bytes_a_second, self.cpu_ns_a_write);
        let mib = f64::from(1 << 20);
        format!(
            "{:7.0} writes/s {:7.1} MiB/s {cost:6.0} ns of CPU a write",
            rate / BLOCK as f64,
            rate / mib
        )
    }
}

/// User and system time so far, ns.
fn cpu_ns(of: i32) -> f64 {
    // SAFETY: all zeros are a valid `rusage`.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel stores into `usage`.
    unsafe { libc::getrusage(of, &raw mut usage) };
    let ns = |time: libc::timeval| time.tv_sec as f64 * 1e9 + time.tv_usec as f64 * 1e3;
    ns(usage.ru_utime) + ns(usage.ru_stime)
}

/// Runs something in a fresh folder, with nothing left to be written before and no file after.
fn fresh<T>(base: &Path, run: fn(&Path) -> T) -> T {
    let folder = tempfile::tempdir_in(base).expect("a folder for the files");
    rustix::fs::sync();
    run(folder.path())
}

fn engine_speed(folder: &Path) -> Speed {
    let fileset = Fileset {
        num_dirs: 1,
        min_filesize: FILE,
        max_filesize: FILE,
        create_blocksize: BLOCK,
        ..Fileset::default()
    };
    let group = ThreadGroup {
        num_threads: THREADS,
        read_blocksize: BLOCK,
        write_blocksize: BLOCK,
        weights: vec![OpWeight { op: Op::Create, weight: 1 }],
        ..ThreadGroup::default()
    };
    let profile =
        Profile { filesystems: vec![fileset], threadgroups: vec![group], ..Profile::default() };
    let mut filesets = ffsb::Filesets::build(&profile, &[folder.to_owned()], 1).expect("a fileset");
    let (began, cpu) = (clock::now_ns(), cpu_ns(libc::RUSAGE_SELF));
    let outcome = filesets
        .run(&profile, SECONDS * 1_000_000_000, &gaps::Gaps::new())
        .expect("a run without failures");
    let seconds = (clock::now_ns() - began) as f64 / 1e9;
    Speed::new(outcome.written_bytes as f64, seconds, cpu_ns(libc::RUSAGE_SELF) - cpu)
}

/// `None` without fio.
fn fio_speed(folder: &Path) -> Option<Speed> {
    let mut command = Command::new("fio");
    command.args(["--name=create", "--thread", "--ioengine=sync", "--rw=write", "--bs=4k"]);
    command.args(["--filesize=1m", "--openfiles=1", "--file_service_type=sequential"]);
    command.args(["--create_on_open=1", "--fallocate=none", "--invalidate=0", "--fadvise_hint=0"]);
    command.args(["--gtod_reduce=1", "--zero_buffers", "--group_reporting"]);
    command.args(["--output-format=json", "--filename_format=$jobnum/file$filenum"]);
    command.arg(format!("--numjobs={THREADS}")).arg(format!("--runtime={SECONDS}"));
    command.arg(format!("--nrfiles={FIO_FILES}")).arg(format!("--size={FIO_FILES}m"));
    command.arg(format!("--directory={}", folder.display()));
    for thread in 0..THREADS {
        fs::create_dir(folder.join(thread.to_string())).expect("a folder for a thread");
    }
    let cpu = cpu_ns(libc::RUSAGE_CHILDREN);
    let output = match command.output() {
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        output => output.expect("fio runs"),
    };
    let said = String::from_utf8_lossy(&output.stdout);
    let start = said.find('{').unwrap_or(0);
    let report: Value = serde_json::from_str(&said[start..]).expect("fio's report");
    let write = &report["jobs"][0]["write"];
    let figure = |name: &str| write[name].as_f64().expect("a figure of fio's");
    let cpu = cpu_ns(libc::RUSAGE_CHILDREN) - cpu;
    Some(Speed::new(figure("io_bytes"), figure("runtime") / 1e3, cpu))
}
