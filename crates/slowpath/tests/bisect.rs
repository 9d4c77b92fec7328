//! Bisections of what needs no kernel to be built: values of a setting, lists of changes, and git's own search.
//! `history.rs` bisects kernels.

mod lab;

use std::fs;
use std::path::Path;
use std::process::Command;

use lab::comparison::{SMALL, compare, kernel_setting};
use lab::running::{finished, kill, start, wait_for_trials};
use lab::trial::list;
use lab::{Bench, Ran, document, main_kernel, one_line, text};
use serde_json::Value;

/// Arguments that bisect a case on a kernel, as JSON.
fn bisect(case: &str, kernel: &Path, search: &[&str], settings: &[&str]) -> Vec<String> {
    let kernel = kernel_setting(kernel);
    let settings = settings.iter().copied().chain([kernel.as_str()]);
    let settings = settings.flat_map(|setting| ["--set", setting]);
    let words = ["bisect", case, "--json", "-"].into_iter().chain(search.iter().copied());
    words.chain(settings).map(str::to_owned).collect()
}

/// What a bisection found.
struct Found(Value);

impl Found {
    fn bisection(&self) -> &Value {
        &self.0["bisection"]
    }

    fn name(&self, candidate: &Value) -> &str {
        let at = candidate.as_u64().expect("an index") as usize;
        text(&list(&self.bisection()["hunt"]["candidates"])[at], "name")
    }

    /// The names of those among which the culprit of each step is.
    fn culprits(&self) -> Vec<Vec<&str>> {
        let steps = list(&self.bisection()["found"]["steps"]).iter();
        steps.map(|step| list(&step["among"]).iter().map(|at| self.name(at)).collect()).collect()
    }

    /// What each candidate that was tried is like.
    fn tried(&self) -> Vec<(&str, &str)> {
        let tried = list(&self.bisection()["tried"]).iter();
        tried.map(|tried| (self.name(&tried["candidate"]), text(tried, "standing"))).collect()
    }
}

#[test]
fn of_a_list_of_harmless_changes_the_one_that_is_not_is_named() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let series = bench.path("series.txt");
    let lines = "# each on top of those above\nsysctl.vm.swappiness=10\nsysctl.vm.page-cluster=0\n\n\
                 sysctl.vm.vfs_cache_pressure=50\nsysctl.kernel.pid_max=9999\ndisk.mbps=30\n\
                 sysctl.vm.stat_interval=2\nsysctl.kernel.threads-max=5000\n";
    fs::write(&series, lines).expect("the list");
    let listed = ["--list", &series.display().to_string()];
    let arguments = bisect("disk-rate", &kernel, &listed, &SMALL);
    let ran = bench.run(&arguments).exits(0);
    let found = Found(ran.json());
    assert_eq!(found.culprits(), [["disk.mbps=30"]]);
    assert!(found.tried().len() <= 5, "{:?}", found.tried());
    assert!(found.tried().iter().all(|(_, standing)| ["old", "new"].contains(standing)));

    let id = text(found.bisection(), "id");
    let shown = bench.run(&["show", id]).exits(0).out;
    assert!(one_line(&shown).contains("disk.mbps=30"), "{shown}");
    let listed = bench.run(&["bisections"]).exits(0).out;
    assert!(listed.contains(id) && listed.contains("disk.mbps=30"), "{listed}");
    let mail = bench.run(&["show", id, "--mail"]).exits(0).out;
    assert!(mail.lines().all(|line| line.chars().count() <= 72), "{mail}");
    bench.run(&["show", id, "--bisect-log"]).exits(2).complains(&["searched no commits"]);
    let recipe = bench.path("culprit.toml");
    fs::write(&recipe, bench.run(&["show", id, "--recipe"]).exits(0).out).expect("the recipe");
    bench.run(&["run", &recipe.display().to_string()]).exits(0).complains(&["values are the same"]);
}

#[test]
fn a_value_that_breaks_is_skipped_and_a_range_is_named_where_it_hides_the_culprit() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let small = [&SMALL[..], &["size=1M", "rounds=1"]].concat();
    let values = ["--vary", "mount=noatime,nodiratime,relatime,nosuchoption,sync,dirsync\\,sync"];
    let arguments =
        bisect("dd-sync", &kernel, &[&values[..], &["--headline", "write"]].concat(), &small);
    let ran = bench.run(&arguments).exits(3);
    let found = Found(ran.json());
    assert_eq!(found.culprits(), [["mount=nosuchoption", "mount=sync"]]);
    let broken = found.tried().into_iter().filter(|(_, standing)| *standing == "broken");
    assert_eq!(broken.map(|(name, _)| name).collect::<Vec<_>>(), ["mount=nosuchoption"]);
}

#[test]
fn ends_that_do_not_differ_have_no_culprit() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let values = ["--vary", "sysctl.vm.swappiness=10,20,30,40"];
    let ran = bench.run(&bisect("disk-rate", &kernel, &values, &SMALL)).exits(3);
    let found = Found(ran.json());
    assert_eq!(found.bisection()["found"], "no-difference");
    let id = text(found.bisection(), "id");
    let shown = one_line(&bench.run(&["show", id]).exits(0).out);
    assert!(shown.contains("would have seen") || shown.contains("would see"), "{shown}");
    bench.run(&["show", id, "--mail"]).exits(2);
    // An end that is broken is no slow one.
    let values = ["--vary", "sysctl.vm.swappiness=10,20,no"];
    let ran = bench.run(&bisect("disk-rate", &kernel, &values, &SMALL)).exits(5);
    assert!(Found(ran.json()).bisection()["found"]["broken-end"].is_string());
}

#[test]
fn killed_at_any_moment_it_goes_on_where_it_was() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let values = ["--vary", "disk.mbps=80,79,78,40,39,38"];
    let arguments = bisect("disk-rate", &kernel, &values, &SMALL);
    let plan = bench.run(&[&arguments[..], &["--dry-run".to_owned()]].concat()).exits(0);
    assert!(plan.out.contains("candidates") && finished(&bench).is_empty(), "{}", plan.out);

    let mut child = start(bench.command(&arguments));
    wait_for_trials(&bench, &mut child, 5);
    let killed = kill(&bench, child);
    let left = bench.run(&["bisections"]).exits(0).out;
    assert!(left.contains("not finished"), "{left}");

    let found = Found(bench.run(&arguments).exits(0).json());
    assert_eq!(found.culprits(), [["disk.mbps=40"]]);
    let all = finished(&bench);
    assert!(killed.iter().all(|trial| all.contains(trial)), "none is lost");
    let what = |id: &String| {
        let spec = &document(&bench.store().join("trials").join(id).join("trial.json"))["spec"];
        (text(&spec["settings"], "disk.mbps").to_owned(), spec["seed"].as_u64())
    };
    let mut specs: Vec<_> = all.iter().map(what).collect();
    specs.sort();
    let count = specs.len();
    specs.dedup();
    assert_eq!(specs.len(), count, "no trial is run twice");
    assert!(left.contains(text(found.bisection(), "id")), "the same bisection went on");
}

#[test]
fn in_a_directory_a_list_is_searched_too() {
    let bench = Bench::new();
    let folder = bench.folder("place");
    let place = format!("dir:{}", folder.display());
    let small = ["bisect", "dd-sync", "--on", &place, "--set", "rounds=1", "--set", "block=64k"];
    let values = ["--vary", "size=1M,1025k,1026k,64M,65M", "--headline", "write", "--json", "-"];
    let found = Found(bench.run(&[&small[..], &values[..]].concat()).exits(0).json());
    assert_eq!(found.culprits(), [["size=64M"]]);
    assert_eq!(fs::read_dir(&folder).expect("the place").count(), 0, "nothing is left");
}

#[test]
fn what_cannot_be_searched_is_refused_with_what_could() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::apart();
    let nothing = bench.folder("nothing");
    let nothing = nothing.display().to_string();
    for (search, said) in [
        (vec![], vec!["nothing to search", "--good", "--list"]),
        (vec!["--vary", "fs=ext4"], vec!["one value"]),
        (vec!["--vary", "fs"], vec!["names no values"]),
        (vec!["--vary", "fs=ext4,zfs"], vec!["zfs", "ext4"]),
        (vec!["--list", "/nonexistent"], vec!["/nonexistent", "No such file"]),
        (vec!["--repo", &nothing, "--good", "a", "--bad", "b"], vec!["kernel", "--good and --bad"]),
    ] {
        let ran = bench.run(&bisect("disk-rate", &kernel, &search, &SMALL)).exits(2);
        ran.complains(&said);
    }
    let words = ["bisect", "disk-rate", "--repo", &nothing, "--good", "a", "--bad", "b"];
    bench.run(&words).exits(2).complains(&["not a git repository", "--repo"]);
    assert!(bench.trials().is_empty());
}

#[test]
fn a_broken_commit_is_skipped_and_a_broken_baseline_stops_git() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    for (vary, code) in [("sysctl.vm.swappiness=10,no", 125), ("sysctl.vm.swappiness=no,10", 129)] {
        let kernel = kernel_setting(&kernel);
        let settings = [&SMALL[..], &[kernel.as_str()]].concat();
        bench.run(&compare("disk-rate", vary, &settings, &["--for-git-bisect"])).exits(code);
    }
}

#[test]
fn when_the_time_is_over_what_was_found_is_told_and_the_search_goes_on_later() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let values = ["--vary", "disk.mbps=79,78,77,30,29,28"];
    let arguments = bisect("disk-rate", &kernel, &values, &SMALL);
    let over = [&arguments[..], &["--budget".to_owned(), "1ms".to_owned()]].concat();
    let ran = bench.run(&over).exits(3).complains(&["the time is over", "goes on"]);
    assert_eq!(Found(ran.json()).bisection()["found"], "unfinished");
    let found = Found(bench.run(&arguments).exits(0).json());
    assert_eq!(found.culprits(), [["disk.mbps=30"]]);
}

/// git leads the search and slowpath judges: of settings here, which stand in a file of the repository.
#[test]
fn git_bisect_run_is_led_to_the_commit() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let folder = bench.folder("repository");
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(&folder);
        command.args(["-c", "user.name=Test", "-c", "user.email=test@example.org"]).args(arguments);
        bench.quarantine(&mut command);
        Ran::of(command)
    };
    git(&["init", "--quiet", "."]).exits(0);
    let mut commits = Vec::new();
    for mbps in ["80", "81", "82", "40", "41", "42", "43"] {
        fs::write(folder.join("mbps"), mbps).expect("the file");
        git(&["add", "mbps"]).exits(0);
        git(&["commit", "--quiet", "-m", mbps]).exits(0);
        commits.push(git(&["rev-parse", "HEAD"]).exits(0).out.trim().to_owned());
    }
    let script = bench.path("step");
    let small = SMALL.map(|setting| format!("--set {setting}")).join(" ");
    let step = |more: &str| {
        let compare =
            ["compare", "disk-rate", "--for-git-bisect", "--set", &kernel_setting(&kernel)];
        let command = bench.command(&compare);
        let words: Vec<String> = std::iter::once(command.get_program())
            .chain(command.get_args())
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        let words = words.join(" ");
        let text =
            format!("exec {words} {small} --vary disk.mbps=83,$(cat mbps) --seeds 6 {more}\n");
        fs::write(&script, text).expect("the script");
    };
    let (good, bad) = (&commits[0], &commits[6]);
    let start = || git(&["bisect", "start", bad, good]).exits(0);

    // Without an emulator nothing can be judged: git must stop, and condemn no commit.
    step("--qemu /nonexistent/qemu");
    start();
    let ran = git(&["bisect", "run", "sh", &script.display().to_string()]);
    assert_ne!(ran.code, Some(0));
    assert!(!ran.out.contains("first bad commit") && !ran.err.contains("first bad commit"));
    let log = git(&["bisect", "log"]).exits(0).out;
    assert_eq!(log.matches("git bisect bad").count(), 0, "no commit is condemned: {log}");
    assert_eq!(log.matches("git bisect skip").count(), 0, "{log}");
    git(&["bisect", "reset"]).exits(0);

    step("--threshold 10%");
    start();
    let ran = git(&["bisect", "run", "sh", &script.display().to_string()]).exits(0);
    let first = format!("{} is the first bad commit", commits[3]);
    assert!(ran.out.contains(&first), "{}\n{}", ran.out, ran.err);
}
