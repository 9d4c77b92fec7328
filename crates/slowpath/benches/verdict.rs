//! What comparisons cost and how often they are right, in the exact lab and in a directory:
//! `cargo bench -p slowpath --bench verdict` with SLOWPATH_LAB set. It takes about half an hour. Nothing here passes
//! or fails.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use analysis::interval::{interval, median};
use analysis::pairs::differences;
use model::{Comparison, Judgement, Verdict};
use serde_json::Value;

/// Twelve disks, 96 MiB in writes of 4 KiB, then `sync`.
const MANY: [&str; 5] = ["disks=12", "size=8M", "block=4k", "disk.size=64M", "rounds=1"];

/// The disks' bandwidth before a change, MiB/s, and what it is changed to: by 3, 10 and 50 %.
const PLANTED: (u32, [u32; 3]) = (100, [103, 110, 150]);

/// Pairs of which disjoint groups are judged.
const PAIRS: u32 = 48;

/// Pairs in such a group.
const GROUP: usize = 6;

fn main() {
    let bench = Bench::new();
    let Some(kernel) = lab_kernel("debian-6.12").or_else(|| lab_kernel("debian-6.1")) else {
        println!("no kernel in SLOWPATH_LAB: only the directory is tried (scripts/fetch-lab)");
        bench.itself();
        return;
    };
    let kernel = format!("kernel={}", kernel.display());
    bench.many(&kernel);
    for case in ["dd-sync", "disk-rate"] {
        PLANTED.1.iter().for_each(|mbps| bench.planted(case, &kernel, *mbps));
    }
    bench.itself();
}

fn lab_kernel(name: &str) -> Option<PathBuf> {
    let lab = env::var_os("SLOWPATH_LAB").map(PathBuf::from)?;
    Some(lab.join(name)).filter(|folder| folder.is_dir())
}

/// The program under test, with a store and a cache of its own.
struct Bench {
    program: PathBuf,
    scratch: tempfile::TempDir,
}

impl Bench {
    fn new() -> Bench {
        let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/release");
        let folder = env::var_os("SLOWPATH_PROGRAMS").map_or(target, PathBuf::from);
        let scratch = tempfile::tempdir().expect("a temporary folder");
        Bench { program: folder.join("slowpath"), scratch }
    }

    fn compare(&self, case: &str, set: &[&str], more: &[&str]) -> Comparison {
        let mut command = Command::new(&self.program);
        command.args(["compare", case, "--json", "-"]).args(more);
        command.arg("--store").arg(self.scratch.path().join("store"));
        command.arg("--cache").arg(self.scratch.path().join("cache"));
        set.iter().for_each(|pair| {
            command.args(["--set", pair]);
        });
        let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
        let output = output.expect("slowpath starts");
        let mut document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        serde_json::from_value(document["comparison"].take()).expect("a comparison")
    }

    /// Two variants under 24 seeds on twelve disks, nothing being there before.
    fn many(&self, kernel: &str) {
        let set = [&[kernel][..], &MANY].concat();
        let began = Instant::now();
        let found = self.compare("dd-sync", &set, &["--vary", "disk.mbps=40,44", "--seeds", "24"]);
        let took = began.elapsed().as_secs_f64();
        println!("12 disks, 2 variants x 24 seeds, with all boots   {took:.0} s");
        for judged in judgements(&found) {
            println!("  {}", told(judged));
        }
    }

    /// A bandwidth that was changed: the pairs that a verdict took, and how often intervals of six
    /// pairs cover what many pairs say.
    fn planted(&self, case: &str, kernel: &str, mbps: u32) {
        let vary = format!("disk.mbps={},{mbps}", PLANTED.0);
        let set = match case {
            "dd-sync" => vec![kernel, "rounds=1", "size=64M", "disk.size=256M"],
            _ => vec![kernel, "size=64M"],
        };
        let found = self.compare(case, &set, &["--vary", &vary]);
        println!("{case}, {vary}, until clear");
        judgements(&found).iter().for_each(|judged| println!("  {}", told(judged)));
        let pairs = PAIRS.to_string();
        let found = self.compare(case, &set, &["--vary", &vary, "--seeds", &pairs]);
        println!("{case}, {vary}, {PAIRS} pairs in groups of {GROUP}");
        let [here, there] = found.sides.as_slice() else { panic!("two sides") };
        for (here, there) in here.series.iter().zip(&there.series) {
            covered(&here.label(), &differences(here, there));
        }
    }

    /// A directory against itself, twenty times.
    fn itself(&self) {
        let folder = self.scratch.path().join("written");
        std::fs::create_dir(&folder).expect("a folder");
        let place = folder.display();
        let vary = format!("on=dir:{place},dir:{place}");
        let set = ["size=16M", "block=4k", "rounds=2"];
        let (mut headlines, mut wrong_phases, mut phases) = (0, 0, 0);
        for _ in 0..20 {
            let found = self.compare("dd-sync", &set, &["--vary", &vary]);
            let wrong =
                |judged: &&Judgement| matches!(judged.verdict, Verdict::Worse | Verdict::Better);
            let headline = found.contrasts[0].headline(&found.question.headline);
            headlines += headline.iter().filter(|judged| wrong(judged)).count();
            wrong_phases += judgements(&found).iter().filter(wrong).count();
            phases += judgements(&found).len();
        }
        println!("a directory against itself, 20 comparisons: {headlines} false headlines");
        println!("  and {wrong_phases} false of {phases} phases");
    }
}

fn judgements(found: &Comparison) -> &[Judgement] {
    match found.contrasts.first() {
        Some(model::Contrast::Judged(judgements)) => judgements,
        _ => panic!("not comparable"),
    }
}

fn told(judged: &Judgement) -> String {
    let percent = |log: f64| 100.0 * log.exp_m1();
    let (low, high) =
        judged.interval.map_or((f64::NAN, f64::NAN), |(l, h)| (percent(l), percent(h)));
    format!(
        "{:10} {:12} {:+7.2} % ({low:+.2} to {high:+.2}) after {} pairs",
        judged.label(),
        judged.verdict.to_string(),
        percent(judged.effect),
        judged.pairs
    )
}

/// How many intervals of disjoint groups cover the median of all pairs.
fn covered(label: &str, pairs: &[f64]) {
    let truth = median(pairs).expect("pairs");
    let groups = pairs.chunks_exact(GROUP);
    let all = groups.len();
    let covering =
        groups.filter_map(|group| interval(group, 0.05)).filter(|i| i.contains(truth)).count();
    println!("  {label:10} {:+7.2} %  covered by {covering} of {all}", 100.0 * truth.exp_m1());
}
