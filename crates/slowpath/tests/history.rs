//! Bisects a kernel's history with planted slowdowns: `make test-lab`.
//!
//! The history (`scripts/lab-history`) is Debian's source of 6.12 and, after it, commits with a merge: harmless
//! ones in several directories, one that does not compile, one that does not boot, and the slowdowns of two
//! reports to the kernel list. Kernels are built in a cache that stays between runs of this test, beside
//! the lab; each bisection has an archive of its own, so that all its trials are run. The figures that it
//! prints are measured in this run.
//!
//! It takes half an hour on two cores, so `cargo test` leaves it out.

#![allow(clippy::print_stdout, reason = "the figures are what the test is for")]

mod lab;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use lab::trial::list;
use lab::{Bench, Ran, lab_folder, text};
use serde_json::Value;

/// The history and the names of its commits.
struct History {
    repository: PathBuf,
    names: HashMap<String, String>,
}

impl History {
    fn new() -> History {
        let lab = lab_folder();
        let file = lab.join("history.txt");
        let text = fs::read_to_string(&file).unwrap_or_else(|error| {
            panic!("{}: {error}; make it: scripts/lab-history {}", file.display(), lab.display())
        });
        let pair = |line: &str| line.split_once(' ').map(|(k, v)| (k.to_owned(), v.to_owned()));
        History { repository: lab.join("history"), names: text.lines().filter_map(pair).collect() }
    }

    fn commit(&self, name: &str) -> &str {
        self.names.get(name).unwrap_or_else(|| panic!("history.txt has no {name}"))
    }

    /// Arguments that bisect a case between the base and another point of it.
    fn bisect(&self, case: &str, bad: &str, more: &[&str]) -> Vec<String> {
        let repository = self.repository.display().to_string();
        let fixed = ["bisect", case, "--repo", &repository, "--good", self.commit("base")];
        let bad = ["--bad", self.commit(bad), "--json", "-"];
        fixed.iter().chain(&bad).chain(more).map(|word| (*word).to_owned()).collect()
    }
}

/// A bench whose kernels stay for the next run.
fn bench() -> Bench {
    Bench::with_cache(lab_folder().join("history-cache"))
}

/// What a bisection found, and what it took, seconds.
struct Found {
    document: Value,
    seconds: f64,
}

fn bisected(bench: &Bench, arguments: &[String], code: i32) -> Found {
    let began = Instant::now();
    let ran = bench.run(arguments).exits(code);
    let found = Found { document: ran.json(), seconds: began.elapsed().as_secs_f64() };
    println!("{}", arguments.join(" "));
    println!(
        "  {:.0} s, {} candidates tried",
        found.seconds,
        list(&found.bisection()["tried"]).len()
    );
    for tried in list(&found.bisection()["tried"]) {
        println!("  {} {} {}", tried["candidate"], tried["standing"], tried["position"]);
    }
    found
}

impl Found {
    fn bisection(&self) -> &Value {
        &self.document["bisection"]
    }

    fn name(&self, candidate: &Value) -> &str {
        let at = candidate.as_u64().expect("an index") as usize;
        text(&list(&self.bisection()["hunt"]["candidates"])[at], "name")
    }

    fn steps(&self) -> &[Value] {
        list(&self.bisection()["found"]["steps"])
    }

    /// Whether it named this commit and no other.
    fn assert_culprit(&self, commit: &str) {
        let [step] = self.steps() else { panic!("one step: {:#?}", self.steps()) };
        let among: Vec<&str> = list(&step["among"]).iter().map(|at| self.name(at)).collect();
        assert_eq!(among, [commit]);
        assert_eq!(step["commit"]["id"], commit);
        assert!(!list(&step["commit"]["files"]).is_empty());
        assert!(!list(&step["commit"]["maintainers"]).is_empty(), "get_maintainer.pl answers");
    }

    /// Whether it took no more candidates than a search must, and met at least one that is broken.
    fn assert_effort(&self) {
        let tried = list(&self.bisection()["tried"]);
        let skipped = tried.iter().filter(|tried| tried["standing"] == "broken").count();
        let candidates = list(&self.bisection()["hunt"]["candidates"]).len();
        let most = candidates.next_power_of_two().ilog2() as usize + skipped + 2;
        println!("  {} of {candidates} tried, {skipped} broken, at most {most}", tried.len());
        assert!(candidates >= 40 && skipped >= 1, "{candidates} candidates, {skipped} broken");
        assert!(tried.len() <= most, "{} candidates, at most {most}", tried.len());
    }

    /// The verdict on a phase of a comparison's only contrast, and exp of its effect.
    fn judged(comparison: &Value, phase: &str) -> (String, f64) {
        let [contrast] = list(&comparison["contrasts"]) else { panic!("{comparison:#}") };
        let judged = list(&contrast["judged"]).iter().rfind(|judged| judged["phase"] == phase);
        let judged = judged.unwrap_or_else(|| panic!("{phase} is judged: {contrast:#}"));
        (text(judged, "verdict").to_owned(), judged["effect"].as_f64().expect("a number").exp())
    }

    /// How many times as long a phase takes with the slowdown as without: the median over the pairs of bad and
    /// good, and of bad and bad with the culprit reverted. (Six pairs alone give a phase of a `sync`
    /// within a tenth or two.)
    fn factor(&self, phase: &str) -> f64 {
        let ends = ratios(&self.bisection()["ends"], phase, 1, 0);
        let reverted = ratios(&list(&self.bisection()["remedies"])[0]["comparison"], phase, 0, 1);
        let all = median([&ends[..], &reverted].concat());
        let (ends, reverted) = (median(ends), median(reverted));
        println!(
            "  {phase}: {all:.2} times ({ends:.2} against good, {reverted:.2} against reverted)"
        );
        all
    }

    /// Whether the culprit is worse than what it stands on, and each remedy better than the bad end.
    fn assert_proved(&self, remedies: usize) {
        let headline = text(&self.bisection()["hunt"], "headline");
        let (verdict, factor) = Found::judged(&self.steps()[0]["proof"], headline);
        println!("  against its parent: {verdict}, {factor:.2} times");
        assert_eq!(verdict, "worse");
        let made = list(&self.bisection()["remedies"]);
        assert_eq!(made.len(), remedies);
        for remedy in made {
            let (verdict, factor) = Found::judged(&remedy["comparison"], headline);
            println!("  {}: {verdict}, {factor:.2} times", remedy["what"]);
            assert_eq!(verdict, "better");
        }
    }
}

impl Found {
    /// What explains the phase's difference between the culprit and its parent.
    fn explained(&self, phase: &str) -> &Value {
        let [explanation] = list(&self.steps()[0]["proof"]["explanations"]) else {
            panic!("one explanation: {:#}", self.steps()[0]["proof"])
        };
        assert_eq!(explanation["same_times"], true, "looking costs no guest time");
        let phases = list(&explanation["phases"]);
        let found = phases.iter().find(|explained| explained["phase"] == phase);
        found.unwrap_or_else(|| panic!("{phase} is explained: {phases:#?}"))
    }

    /// The one finding on the phase's difference.
    fn finding(&self, phase: &str, mechanism: &str) -> &Value {
        let findings = list(&self.explained(phase)["findings"]);
        let [finding] = findings else { panic!("one finding, {mechanism}: {findings:#?}") };
        println!("  {phase}: {} ({} thousandths)", finding["sentence"], finding["share_milli"]);
        assert_eq!(finding["mechanism"], mechanism);
        finding
    }
}

/// A number of a finding: the baseline's and the variant's.
fn number(finding: &Value, name: &str) -> (f64, f64) {
    let found = list(&finding["numbers"]).iter().find(|number| number["name"] == name);
    let found = found.unwrap_or_else(|| panic!("{name}: {finding:#}"));
    let value = |side: &str| found[side].as_f64().unwrap_or_else(|| panic!("{name}: {found:#}"));
    println!(
        "  {name}: {:.2} on the good side, {:.2} on the bad one",
        value("baseline"),
        value("value")
    );
    (value("baseline"), value("value"))
}

/// The disks are written one at a time in the sync, and nothing else is blamed.
fn assert_one_disk_at_a_time(found: &Found) {
    let finding = found.finding("sync", "one-disk-at-a-time");
    assert!(text(finding, "sentence").contains("flusher helps"), "{finding:#}");
    let (good, bad) = number(finding, "disks busy at a time");
    assert!(good >= 3.0 && (0.8..=1.3).contains(&bad), "{good}, {bad}");
}

/// The function that searches the free lists comes first, with nine tenths of the difference.
fn assert_free_list_search(found: &Found) {
    let finding = found.finding("mke2fs", "free-list-search");
    assert!(finding["share_milli"].as_u64() >= Some(900), "{finding:#}");
    let functions = list(&found.explained("mke2fs")["functions"]);
    let difference = |function: &Value| {
        let count = |side: &str| function[side].as_f64().expect("instructions");
        count("variant") - count("baseline")
    };
    let all: f64 = functions.iter().map(difference).sum();
    let (first, share) = (&functions[0], difference(&functions[0]) / all);
    println!("  {}: {:.1} % of the instructions that differ", first["name"], 100.0 * share);
    // The compiler puts the one that was changed, get_page_from_free_area(), into those that call it.
    let searches = ["get_page_from_free_area", "__rmqueue", "rmqueue"];
    assert!(searches.iter().any(|name| text(first, "name").starts_with(name)), "{first:#}");
    let named = text(first, "name").split(' ').next().expect("a name");
    assert!(text(finding, "sentence").contains(named), "{finding:#}");
    assert!(share >= 0.9, "{functions:#?}");
}

/// How many times as long a sync takes with the culprit as with its parent, after the same stream to each of twelve
/// disks.
fn factor_of_a_stream(bench: &Bench, history: &History) -> f64 {
    let repository = history.repository.display().to_string();
    let vary =
        format!("kernel={},{}", history.commit("sync-parent"), history.commit("sync-culprit"));
    let settings = ["disks=12", "size=8M", "block=4k", "rounds=1", "disk.size=64M"];
    let mut arguments = vec!["compare", "dd-sync", "--repo", &repository, "--vary", &vary];
    arguments.extend(["--headline", "sync", "--seeds", "6", "--json", "-"]);
    arguments.extend(settings.iter().flat_map(|setting| ["--set", *setting]));
    let compared = bench.run(&arguments).exits(1).json();
    let factor = median(ratios(&compared["comparison"], "sync", 1, 0));
    println!("  sync of twelve equal streams: {factor:.2} times");
    factor
}

/// The ratios of a phase's times, side `slow` over side `fast`, under each seed.
fn ratios(comparison: &Value, phase: &str, slow: usize, fast: usize) -> Vec<f64> {
    let times = |side: usize| -> HashMap<u64, f64> {
        let series = list(&list(&comparison["sides"])[side]["series"]);
        let series = series.iter().rfind(|series| series["phase"] == phase).expect("the phase");
        let sample = |value: &Value| Some((value["seed"].as_u64()?, value["wall_ns"].as_f64()?));
        list(&series["values"]).iter().filter_map(sample).collect()
    };
    let (slow, fast) = (times(slow), times(fast));
    slow.iter().filter_map(|(seed, time)| Some(time / fast.get(seed)?)).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    (values[half] + values[(values.len() - 1) / 2]) / 2.0
}

/// The words that a bisection is shown in.
fn shown(bench: &Bench, found: &Found, option: &str) -> String {
    let id = text(found.bisection(), "id");
    bench.run(&["show", id, option]).exits(0).out
}

#[test]
fn the_sync_slowdown_is_found_among_broken_and_harmless_commits() {
    let (bench, history) = (bench(), History::new());
    let fix = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/lab/history/fix-sync.patch");
    let fix = fix.display().to_string();
    // As on filesystems that are in use: ext4's own thread lays out the inode tables of new ones meanwhile.
    let mkfs = "mkfs=-E lazy_itable_init=0,lazy_journal_init=0";
    let arguments = history.bisect("ffsb-create-4k", "tip", &["--try", &fix, "--set", mkfs]);
    let found = bisected(&bench, &arguments, 0);
    found.assert_culprit(history.commit("sync-culprit"));
    found.assert_effort();
    found.assert_proved(2);
    assert!(found.factor("round") >= 1.5);
    assert!(found.factor("sync") >= 2.0);
    assert!(factor_of_a_stream(&bench, &history) >= 2.0);
    assert_one_disk_at_a_time(&found);
    assert_mail(&shown(&bench, &found, "--mail"), history.commit("sync-culprit"));
    assert_replays(&history, &shown(&bench, &found, "--bisect-log"));
    assert!(shown(&bench, &found, "--recipe").contains("kind = \"recipe\""));
}

#[test]
fn the_allocator_slowdown_is_found_on_the_merged_branch() {
    let (bench, history) = (bench(), History::new());
    let found = bisected(&bench, &history.bisect("mke2fs-aged", "tip", &[]), 0);
    found.assert_culprit(history.commit("pfn-culprit"));
    found.assert_effort();
    found.assert_proved(1);
    assert!(found.factor("mke2fs") >= 3.0);
    assert_free_list_search(&found);
    // Again, from an archive that has it all: nothing is run.
    let again = bisected(&bench, &history.bisect("mke2fs-aged", "tip", &[]), 0);
    // What is broken is found out again: it may have been this machine's fault.
    let measured = |found: &Found| -> Vec<Value> {
        let tried = list(&found.bisection()["tried"]).iter();
        tried.filter(|tried| tried["standing"] != "broken").cloned().collect()
    };
    assert_eq!(measured(&again), measured(&found), "the same trials");
}

#[test]
fn harmless_changes_have_no_culprit() {
    let (bench, history) = (bench(), History::new());
    for number in 1..=10 {
        // The noisier case, and the one that resolves most.
        let case = if number % 2 == 1 { "ffsb-create-4k" } else { "mke2fs-aged" };
        let tip = format!("harmless-{number}");
        let found = bisected(&bench, &history.bisect(case, &tip, &[]), 3);
        assert_eq!(found.bisection()["found"], "no-difference", "{tip}");
    }
}

#[test]
fn debian_s_packages_end_in_a_verdict() {
    let bench = bench();
    let arguments = [
        "bisect",
        "dd-sync",
        "--vary",
        "kernel=debian:6.1..6.12",
        "--set",
        "rounds=2",
        "--json",
        "-",
    ];
    let ran = bench.run(&arguments);
    let found = ran.json();
    let found = &found["bisection"]["found"];
    println!("debian:6.1..6.12: exit {:?}, {found}", ran.code);
    assert!(matches!(ran.code, Some(0 | 3)), "{}", ran.err);
    assert!(found == "no-difference" || found["steps"].is_array(), "{found}");
}

#[test]
fn a_clean_build_is_the_same_bytes_as_an_incremental_one() {
    let history = History::new();
    let repository = history.repository.display().to_string();
    let run = |commit: &str| {
        let kernel = format!("kernel={}", history.commit(commit));
        let small = [kernel.as_str(), "rounds=1", "size=1M", "disk.size=8M"];
        let mut arguments = vec!["run", "dd-sync", "--repo", &repository, "--json", "-"];
        arguments.extend(small.iter().flat_map(|setting| ["--set", *setting]));
        bench().run(&arguments).exits(0).trial()
    };
    run("base");
    let incremental = run("tip");
    let cache = lab_folder().join("history-cache");
    // The kernels that are there are put aside, and what was compiled is removed.
    let (built, aside) = (cache.join("built"), cache.join("built-aside"));
    fs::rename(&built, &aside).expect("the kernels are put aside");
    for folder in fs::read_dir(cache.join("source")).expect("sources").flatten() {
        for entry in fs::read_dir(folder.path()).expect("a source").flatten() {
            if entry.file_name().to_string_lossy().starts_with("build-") {
                fs::remove_dir_all(entry.path()).expect("the build folder is removed");
            }
        }
    }
    let clean = run("tip");
    fs::remove_dir_all(&built)
        .and_then(|()| fs::rename(&aside, &built))
        .expect("they are put back");
    let hash = |trial: &Value| text(&trial["fingerprint"], "kernel.sha256").to_owned();
    assert_eq!(hash(&incremental), hash(&clean));
    assert_eq!(incremental["outcome"], clean["outcome"], "and so are the nanoseconds");
}

fn assert_mail(mail: &str, culprit: &str) {
    // A subject may have the 78 columns of a header.
    let wide = |line: &&str| line.chars().count() > 72 && !line.starts_with("Subject: ");
    assert_eq!(mail.lines().find(wide), None, "72 columns:\n{mail}");
    let short = &culprit[..12];
    for part in [short, "#regzbot introduced: ", "slowpath compare", "reverted", "Why:"] {
        assert!(mail.contains(part), "`{part}` is not in the mail:\n{mail}");
    }
    println!("{mail}");
}

/// Whether git takes the log, and comes to the same end.
fn assert_replays(history: &History, log: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    // In a bare repository git searches without checking out.
    let clone = folder.path().join("clone");
    let mut command = Command::new("git");
    command.args(["clone", "--quiet", "--bare", "--shared"]).arg(&history.repository).arg(&clone);
    Ran::of(command).exits(0);
    let file = folder.path().join("log");
    fs::write(&file, log).expect("the log");
    let mut command = Command::new("git");
    command.arg("-C").arg(&clone).args(["bisect", "replay"]).arg(&file);
    let replayed = Ran::of(command).exits(0);
    let all = format!("{}{}", replayed.out, replayed.err);
    let first = format!("{} is the first bad commit", history.commit("sync-culprit"));
    assert!(all.contains(&first), "{all}\n{log}");
}
