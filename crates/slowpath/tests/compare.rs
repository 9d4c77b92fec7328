//! `compare` finds what was planted, says how sure that is, and runs no trial twice.

mod lab;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use lab::comparison::{Compared, SMALL, compare, kernel_setting, place};
use lab::{Bench, Ran, document, main_kernel, one_line, text};
use serde_json::Value;

/// What is known of the disks: `docs/disks.md` has their rates, and `disk_rate.rs` holds that they are
/// within 5 % of what they were given.
const TRUTH: f64 = 10.0 / 15.0;
const TOLERANCE: f64 = 0.05;

const FASTER: &str = "disk.mbps=10,15";
const SLOWER: &str = "disk.mbps=15,10";

/// Comparisons of simulated disks, all with one store.
struct Disks {
    bench: Bench,
    kernel: String,
}

impl Disks {
    fn new() -> Option<Disks> {
        let kernel = kernel_setting(&main_kernel()?);
        Some(Disks { bench: Bench::new(), kernel })
    }

    fn compare(&self, vary: &str, more: &[&str]) -> Ran {
        let settings = [&SMALL[..], &[self.kernel.as_str()]].concat();
        self.bench.run(&compare("disk-rate", vary, &settings, more))
    }

    /// A comparison for which nothing needs to be run any more.
    #[track_caller]
    fn compare_again(&self, vary: &str, more: &[&str]) -> Ran {
        let before = self.bench.trials();
        let ran = self.compare(vary, more);
        self.bench.assert_kept(&before);
        ran
    }
}

/// One comparison, and everything that can be asked once its trials are there.
#[test]
fn a_planted_effect_is_found_and_its_trials_serve_again() {
    let Some(disks) = Disks::new() else { return };
    let found = a_faster_disk_is_better(&disks);
    each_seed_has_a_boot_of_its_own_and_variants_share_it(&disks, &found);
    the_other_way_round_it_is_worse(&disks, &found);
    asked_again_it_says_the_same(&disks, &found);
    it_can_be_shown_and_listed(&disks, &found);
    what_is_asked_decides_the_verdict(&disks);
    git_bisect_gets_codes_of_its_own(&disks);
}

fn a_faster_disk_is_better(disks: &Disks) -> Compared {
    let file = disks.bench.path("found.json");
    let path = file.to_str().expect("a plain path");
    let ran = disks.compare(FASTER, &["--seeds", "6", "--json", path]).exits(0);
    let said = one_line(&ran.out);
    assert!(said.starts_with("better: with disk.mbps=15 `disk-write 1` takes "), "{said}");
    assert_eq!(ran.err, "", "no progress in a pipe");
    let found = Compared(document(&file));
    assert_eq!(found.0["format"], 1);
    let headline = found.headline("disk.mbps=15");
    assert_eq!((&headline["verdict"], &headline["pairs"]), (&"better".into(), &6.into()));
    assert_truth(headline);
    assert_results(&found);
    assert_eq!(disks.bench.trials().len(), 12);
    found
}

/// The interval reaches the truth, as far as that is known, and does not stray from it.
#[track_caller]
fn assert_truth(headline: &Value) {
    let end = |at: usize| headline["interval"][at].as_f64().expect("an end");
    let (low, high) = (end(0), end(1));
    let least = TRUTH * (1.0 - TOLERANCE);
    let most = TRUTH * (1.0 + TOLERANCE);
    assert!(low <= most && high >= least, "{low} to {high} is beside {least} to {most}");
    assert!(low > 0.9 * TRUTH && high < 1.1 * TRUTH, "{low} to {high} is wide of {TRUTH}");
    let effect = headline["effect"].as_f64().expect("an effect");
    assert!(low <= effect && effect <= high);
    assert!(headline["p"].as_f64().is_some_and(|p| p > 0.03 && p < 0.04), "{headline:#}");
}

/// hyperfine's fields, for each variant, of the values that the comparison rests on.
#[track_caller]
fn assert_results(found: &Compared) {
    let results = found.0["results"].as_array().expect("results");
    assert_eq!(results.len(), 2, "one phase of two variants");
    for (at, result) in results.iter().enumerate() {
        let name = text(&found.0["comparison"]["sides"][at]["variant"], "name");
        let command = format!("disk-rate: disk-write 1 [{name}]");
        assert_eq!(result["command"], command.as_str());
        assert_eq!(result["parameters"]["variant"], name);
        assert_eq!(result["exit_codes"], serde_json::json!([0, 0, 0, 0, 0, 0]));
        let times = result["times"].as_array().expect("times");
        let mut times: Vec<f64> = times.iter().filter_map(Value::as_f64).collect();
        assert_eq!(times.len(), 6);
        let is = |field: &str, wanted: f64| {
            let value = result[field].as_f64().unwrap_or_else(|| panic!("no {field}"));
            assert!((value - wanted).abs() < 1e-9, "{field} is {value}, not {wanted}");
        };
        is("mean", times.iter().sum::<f64>() / 6.0);
        times.sort_by(f64::total_cmp);
        is("min", times[0]);
        is("max", times[5]);
        is("median", f64::midpoint(times[2], times[3]));
        for field in ["stddev", "user", "system"] {
            assert!(result[field].as_f64().is_some_and(|v| v >= 0.0), "{field}: {result:#}");
        }
    }
}

/// What a boot is known by.
fn boot(trial: &Value) -> [String; 3] {
    ["cmdline", "date", "mem"].map(|item| text(&trial["fingerprint"], item).to_owned())
}

fn each_seed_has_a_boot_of_its_own_and_variants_share_it(disks: &Disks, found: &Compared) {
    let [here, there] = found.trials().try_into().expect("two variants");
    let mut boots = HashSet::new();
    for ((seed, one), (other_seed, other)) in here.iter().zip(&there) {
        assert_eq!(seed, other_seed, "pairs are made by seed");
        let (one, other) = (disks.bench.trial(one), disks.bench.trial(other));
        assert_eq!((one["spec"]["seed"].as_u64(), &one["set"]), (Some(*seed), &found.id().into()));
        assert_eq!(one["fingerprint"], other["fingerprint"], "seed {seed}");
        boots.insert(boot(&one));
    }
    assert_eq!(boots.len(), 6, "{boots:#?}");
}

fn the_other_way_round_it_is_worse(disks: &Disks, found: &Compared) {
    let ran = disks.compare_again(SLOWER, &["--seeds", "6"]).exits(1);
    assert!(ran.out.starts_with("worse: "), "{}", ran.out);
    let turned = Compared::of(&disks.compare_again(SLOWER, &["--seeds", "6", "--json", "-"]));
    let effect = |compared: &Compared, variant: &str| {
        compared.headline(variant)["effect"].as_f64().expect("an effect")
    };
    let product = effect(found, "disk.mbps=15") * effect(&turned, "disk.mbps=10");
    assert!((product - 1.0).abs() < 1e-9, "{product}");
}

fn asked_again_it_says_the_same(disks: &Disks, found: &Compared) {
    let again = disks.compare_again(FASTER, &["--seeds", "6", "--json", "-"]).exits(0);
    let again = Compared::of(&again);
    assert_ne!(again.id(), found.id(), "another comparison of the same trials");
    assert_eq!(again.0["verdicts"], found.0["verdicts"]);
    assert_eq!(again.0["results"], found.0["results"]);
    // Where the number of pairs is left open, the first look is enough here.
    let open = Compared::of(&disks.compare_again(FASTER, &["--json", "-"]).exits(0));
    assert_eq!(open.trials(), found.trials());
    assert_eq!(open.0["comparison"]["ended"], "clear");
}

fn it_can_be_shown_and_listed(disks: &Disks, found: &Compared) {
    let shown = disks.bench.run(&["show", found.id(), "--json"]).exits(0).json();
    assert_eq!(shown, found.0);
    let page = disks.bench.run(&["show", found.id()]).exits(0).out;
    assert!(page.starts_with("better: "), "{page}");
    let list = disks.bench.run(&["comparisons"]).exits(0).out;
    let line = list.lines().find(|line| line.contains(found.id())).expect("it is listed");
    assert!(line.contains("disk.mbps=10,15") && line.contains("better"), "{line}");
}

fn what_is_asked_decides_the_verdict(disks: &Disks) {
    let few = disks.compare_again(FASTER, &["--seeds", "5"]).exits(3);
    let said = one_line(&few.out);
    assert!(said.starts_with("cannot tell: "), "{said}");
    assert!(said.contains("5 pairs are too few") && said.contains("at least 6 pairs"), "{said}");
    // 2 in 64 is the least probability that six pairs can have.
    let surer = disks.compare_again(FASTER, &["--seeds", "6", "--confidence", "99%"]).exits(3);
    assert!(surer.out.starts_with("cannot tell: "), "{}", surer.out);
    // A disk with half as much again is faster by less than that.
    let tolerant = disks.compare_again(FASTER, &["--seeds", "6", "--threshold", "60%"]).exits(0);
    assert!(tolerant.out.starts_with("same: "), "{}", tolerant.out);
}

fn git_bisect_gets_codes_of_its_own(disks: &Disks) {
    let bisect = |vary: &str, more: &[&str]| {
        disks.compare_again(vary, &[more, &["--for-git-bisect"]].concat())
    };
    bisect(FASTER, &["--seeds", "6"]).exits(0);
    bisect(SLOWER, &["--seeds", "6"]).exits(1);
    bisect(FASTER, &["--seeds", "5"]).exits(125);
    // No commit is condemned for a slip of ours, or for what is missing here.
    bisect("disk.mbps=10", &[]).exits(129);
    bisect(FASTER, &["--threshold", "0"]).exits(129);
    bisect(FASTER, &["--qemu", "/nonexistent/qemu"]).exits(129);
}

#[test]
fn a_broken_variant_is_named_and_the_others_get_their_verdicts() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let kernel = kernel_setting(&kernel);
    let settings = ["mem=512M", "size=1M", "disk.size=16M", "rounds=1", &kernel];
    let run = |vary: &str, more: &[&str]| {
        bench.run(&compare("dd-sync", vary, &settings, &[more, &["--json", "-"]].concat()))
    };
    // Two verdicts share the error: six pairs bear them at 90 %.
    let ran = run("mkfs=,--nonsense,-m 0", &["--seeds", "6", "--confidence", "90%"]).exits(5);
    let found = Compared::of(&ran);
    let broken = found.headline("mkfs=--nonsense");
    assert_eq!(broken["verdict"], "not-comparable");
    let why = text(broken, "not_comparable");
    assert!(why.contains("mkfs.ext4 failed with status 1"), "{why}");
    assert!(why.contains("the variant `mkfs=--nonsense`"), "{why}");
    // What broke under the first seed is not run under the others.
    let broken = bench.trials().iter().filter(|trial| trial["outcome"] == "broken").count();
    assert_eq!((broken, bench.trials().len()), (1, 13));
    // What is reserved for root does not touch the writes.
    assert_eq!(found.verdict("mkfs=-m 0"), "same");
    let page = one_line(&bench.run(&["show", found.id()]).exits(0).out);
    assert!(page.starts_with("not comparable: mkfs=--nonsense: "), "{page}");
    assert!(page.contains("slowpath show 2") && page.contains("same: with "), "{page}");

    // A baseline that breaks leaves nothing to compare to: git is stopped, not told to skip commit after commit.
    let ran = run("mkfs=--nonsense,", &["--seeds", "1", "--for-git-bisect"]).exits(129);
    let why = Compared::of(&ran).headline("mkfs=")["not_comparable"].to_string();
    assert!(why.contains("the baseline `mkfs=--nonsense`"), "{why}");
}

#[test]
fn two_variants_are_judged_each_and_the_worse_gives_the_exit_code() {
    let bench = Bench::new();
    let on = place(&bench.folder("data"));
    let settings = ["rounds=1"];
    let more = ["--on", &on, "--headline", "write", "--json", "-"];
    let ran = bench.run(&compare("dd-sync", "size=1M,64k,16M", &settings, &more)).exits(1);
    let found = Compared::of(&ran);
    assert_eq!((found.verdict("size=64k"), found.verdict("size=16M")), ("better", "worse"));
    let ended = bench.run(&["show", found.id()]).exits(0).out;
    let (better, worse) = (ended.find("better: with size=64k"), ended.find("worse: with size=16M"));
    assert!(better == Some(0) && worse.is_some(), "{ended}");
}

#[test]
fn another_phase_can_be_the_one_that_counts() {
    let bench = Bench::new();
    let on = place(&bench.folder("data"));
    let judged = |headline: &str| {
        let more = ["--on", &on, "--seeds", "6", "--headline", headline, "--json", "-"];
        let ran = bench.run(&compare("dd-sync", "size=64k,64M", &["rounds=1"], &more));
        Compared::of(&ran).headline("size=64M").clone()
    };
    let write = judged("write");
    assert_eq!((text(&write, "phase"), text(&write, "verdict")), ("write 1", "worse"));
    assert_eq!(text(&judged("sync"), "phase"), "sync 1");
}

/// Single bytes: however fast a machine is, six pairs take longer than the time that they get.
#[test]
fn when_the_time_is_over_what_is_there_is_judged() {
    for (budget, most) in [("1s", 11), ("1ns", 0)] {
        let bench = Bench::new();
        let on = place(&bench.folder("data"));
        let more = ["--on", &on, "--budget", budget];
        let arguments = compare("dd-sync", "block=1,2", &["size=2M", "rounds=1"], &more);
        let began = Instant::now();
        let ran = bench.run(&arguments).exits(3);
        // Nobody waits for so long: only a comparison that forgot its budget does.
        assert!(began.elapsed() < Duration::from_secs(120));
        let said = one_line(&ran.out);
        assert!(said.starts_with("cannot tell: "), "{said}");
        assert!(said.contains("the time was over; --budget gives more"), "{said}");
        assert!(bench.trials().len() <= most, "{budget}");
    }
}
