//! Sets of trials that were run before are compared by their IDs: of two directories, of two kernels.

#![allow(clippy::print_stdout, reason = "what is left out is told")]

mod lab;

use std::fs;
use std::path::Path;

use lab::comparison::{Compared, SMALL, compare, kernel_setting, place};
use lab::{Bench, Ran, main_kernel, one_line, text};

/// Runs a set and returns its ID.
#[track_caller]
fn set(bench: &Bench, case: &str, settings: &[&str], more: &[&str]) -> String {
    let settings = settings.iter().flat_map(|setting| ["--set", setting]);
    let words = ["run", case, "--json", "-"].into_iter().chain(settings);
    let words: Vec<&str> = words.chain(more.iter().copied()).collect();
    set_of(&bench.run(&words).exits(0))
}

/// The set that a run made.
#[track_caller]
fn set_of(ran: &Ran) -> String {
    let trials = ran.trials();
    assert!(trials.iter().all(|trial| trial["set"] == trials[0]["set"]), "one set");
    text(&trials[0], "set").to_owned()
}

/// A case that only writes: how long a sync takes depends on all that the machine does.
fn writes(bench: &Bench) -> String {
    let case = "format = 1\nname = \"writes\"\nabout = \"x\"\nheadline = \"write\"\n\n\
                [[before]]\nname = \"mkfs\"\ndo = \"mkfs\"\n\n\
                [[before]]\nname = \"mount\"\ndo = \"mount\"\n\n\
                [[round]]\nname = \"write\"\ndo = \"write\"\n";
    let file = bench.path("writes.toml");
    fs::write(&file, case).expect("the case is written");
    file.to_str().expect("a plain path").to_owned()
}

/// A set of eight trials in a directory.
#[track_caller]
fn eight(bench: &Bench, on: &str, size: &str) -> String {
    set(bench, &writes(bench), &[&format!("size={size}")], &["--on", on, "--repeat", "8"])
}

fn stored(bench: &Bench, here: &str, there: &str) -> Ran {
    bench.run(&["compare", here, there, "--json", "-"])
}

#[test]
fn sets_of_two_directories_are_compared_by_their_ids() {
    let bench = Bench::new();
    let (here, there) = (place(&bench.folder("here")), place(&bench.folder("there")));
    let case = writes(&bench);
    let ran = ["run", &case, "--on", &here, "--set", "size=64k", "--repeat", "8"];
    let said = bench.run(&ran).exits(0).out;
    let small = text(&bench.trials()[0], "set").to_owned();
    assert!(said.contains(&format!("slowpath compare {small} OTHER")), "{said}");
    let large = eight(&bench, &there, "16M");
    let trials = bench.trials();

    let found = Compared::of(&stored(&bench, &small, &large).exits(1));
    let headline = found.headline(&large);
    assert_eq!((&headline["verdict"], &headline["pairs"]), (&"worse".into(), &8.into()));
    let turned = Compared::of(&stored(&bench, &large, &small).exits(0));
    assert_eq!(turned.verdict(&small), "better");
    bench.assert_kept(&trials);
    let page = bench.run(&["compare", &small, &large]).exits(1).out;
    assert!(page.starts_with(&format!("worse: with {large} ")), "{page}");

    the_index_can_be_lost(&bench, &small, &large, &found);
    what_makes_no_comparison_is_refused(&bench, &small, &large, &here);
}

/// The index says only which folders to read.
fn the_index_can_be_lost(bench: &Bench, small: &str, large: &str, found: &Compared) {
    let files = fs::read_dir(bench.store()).expect("a store").flatten().map(|entry| entry.path());
    let is_index = |path: &std::path::PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("index"))
    };
    let index: Vec<_> = files.filter(is_index).collect();
    assert!(!index.is_empty(), "there is an index");
    index.iter().for_each(|path| fs::remove_file(path).expect("it is removed"));
    let again = Compared::of(&stored(bench, small, large).exits(1));
    assert_eq!(again.0["verdicts"], found.0["verdicts"]);
}

fn what_makes_no_comparison_is_refused(bench: &Bench, small: &str, large: &str, on: &str) {
    let trials = bench.trials();
    let other = set(bench, "dd-sync", &["size=64k", "rounds=1"], &["--on", on]);
    let count = || bench.run(&["comparisons"]).exits(0).out.lines().count();
    let before = count();
    for (here, there, said) in [
        (small, small, vec!["are the same trials"]),
        (small, &*format!("{small}:1"), vec!["are the same trials"]),
        (small, &*other, vec!["writes", "dd-sync", "nothing to compare"]),
        (small, "nosuch", vec!["no set and no trial `nosuch`", "slowpath trials"]),
        (&*format!("{small}:2"), large, vec![small]),
        (&*format!("{small}:0"), large, vec!["ID:K"]),
        (&*format!("{small}:x"), large, vec!["ID:K"]),
    ] {
        stored(bench, here, there).exits(2).complains(&said);
    }
    for more in [["--vary", "size=1M,2M"], ["--set", "size=1M"], ["--seeds", "7"], ["--twins", "3"]]
    {
        let words = [&["compare", small, large][..], &more].concat();
        bench.run(&words).exits(2).complains(&["go with a case", more[0]]);
    }
    bench.run(&["compare", small]).exits(2).complains(&["no case", small]);
    assert_eq!((count(), bench.trials().len()), (before, trials.len() + 1));
}

#[test]
fn variants_of_a_comparison_are_named_by_their_number() {
    let bench = Bench::new();
    let on = place(&bench.folder("data"));
    let more = ["--on", &on, "--seeds", "6", "--json", "-"];
    let ran = bench.run(&compare(&writes(&bench), "size=64k,16M", &[], &more)).exits(1);
    let made = Compared::of(&ran);
    let [first, second] = [1, 2].map(|number| format!("{}:{number}", made.id()));

    let found = Compared::of(&stored(&bench, &first, &second).exits(1));
    assert_eq!(found.trials(), made.trials());
    let figures = |compared: &Compared, variant: &str| {
        let row = compared.headline(variant);
        ["effect", "interval", "p", "pairs"].map(|field| row[field].clone())
    };
    assert_eq!(figures(&found, &second), figures(&made, "size=16M"));
    let turned = Compared::of(&stored(&bench, &second, &first).exits(0));
    assert_eq!(turned.verdict(&first), "better");
    // Which of the two is meant cannot be guessed.
    stored(&bench, made.id(), &second).exits(2).complains(&["2 variants", &first, &second]);
    stored(&bench, &first, &format!("{}:3", made.id())).exits(2).complains(&["2 variants"]);
    // A set of a run stands beside a variant of a comparison.
    let large = eight(&bench, &on, "16M");
    let beside = Compared::of(&stored(&bench, &first, &large).exits(1));
    assert_eq!(beside.headline(&large)["pairs"], 6);
}

/// Where sets were run under several seeds in a directory, where seeds mean nothing, no trial is lost.
#[test]
fn in_a_directory_the_nth_trials_make_pairs_whatever_their_seeds() {
    let bench = Bench::new();
    let on = place(&bench.folder("data"));
    let small = eight(&bench, &on, "64k");
    let seeds = ["--on", &on, "--seed", "1,2", "--repeat", "4"];
    let large = set(&bench, &writes(&bench), &["size=16M"], &seeds);
    let found = Compared::of(&stored(&bench, &small, &large).exits(1));
    assert_eq!(found.headline(&large)["pairs"], 8);
}

/// As after a reboot, or with another disk mounted at the same place.
#[test]
fn what_differs_though_nobody_asked_is_listed() {
    let bench = Bench::new();
    let data = bench.folder("data");
    let on = place(&data);
    let ours = eight(&bench, &on, "64k");
    let Some(tmpfs) = in_tmpfs(&bench, &data) else { return };
    let found = Compared::of(&stored(&bench, &ours, &tmpfs));
    let notes = found.notes();
    assert!(notes.contains(&format!("`{tmpfs}` differs from the baseline in more")), "{notes}");
    assert!(notes.contains("dir.filesystem ") && notes.contains("there tmpfs"), "{notes}");
    assert!(!notes.contains("agent.sha256") && !notes.contains("kernel."), "{notes}");
    let page = one_line(&bench.run(&["show", found.id()]).exits(0).out);
    assert!(page.contains("note: `") && page.contains("dir.filesystem"), "{page}");
    // Two sets of one place have nothing to be listed.
    let again = eight(&bench, &on, "64k");
    let found = Compared::of(&stored(&bench, &ours, &again));
    assert!(!found.notes().contains("in more than was varied"), "{}", found.notes());
}

/// The set of eight trials in a tmpfs that is mounted there for it.
fn in_tmpfs(bench: &Bench, data: &Path) -> Option<String> {
    let script = "mount -t tmpfs slowpath-test \"$0\" || exit 99; exec \"$@\"";
    let on = place(data);
    let case = writes(bench);
    let words = ["run", &case, "--json", "-", "--on", &on, "--set", "size=64k", "--repeat", "8"];
    let inner = bench.command(&words);
    bench.unshared(script, data, &inner).map(|ran| set_of(&ran.exits(0)))
}

/// A set in the exact lab.
#[track_caller]
fn exact(bench: &Bench, kernel: &Path, mem: &str, seeds: &str) -> String {
    let (kernel, mem) = (kernel_setting(kernel), format!("mem={mem}"));
    let settings = [&SMALL[..], &["disk.mbps=10", &kernel, &mem]].concat();
    set(bench, "disk-rate", &settings, &["--seed", seeds])
}

#[test]
fn two_kernels_are_compared_and_only_the_kernel_differs() {
    let (Some(old), Some(new)) = (lab::kernel("debian-6.1"), lab::kernel("debian-6.12")) else {
        return;
    };
    let bench = Bench::new();
    let [here, there] = [&old, &new].map(|kernel| exact(&bench, kernel, "512M", "1,2,3,4,5,6"));
    let ran = stored(&bench, &here, &there);
    let found = Compared::of(&ran);
    let headline = found.headline(&there);
    assert_eq!(headline["pairs"], 6);
    // Both write through disks of one rate.
    let ratio = headline["effect"].as_f64().expect("an effect");
    assert!((ratio - 1.0).abs() < 0.05, "{headline:#}");
    let code = match text(headline, "verdict") {
        "worse" => 1,
        "same" | "better" => 0,
        _ => 3,
    };
    ran.exits(code);
    assert_eq!(found.0["comparison"]["notes"], serde_json::json!([]));
    let sides = &found.0["comparison"]["sides"];
    let kernels = [0, 1].map(|side| text(&sides[side], "kernel").to_owned());
    assert!(kernels[0].starts_with("6.1.") && kernels[1].starts_with("6.12."), "{kernels:?}");
    let page = one_line(&bench.run(&["show", found.id()]).exits(0).out);
    assert!(kernels.iter().all(|kernel| page.contains(kernel.as_str())), "{page}");
}

/// The same setting twice, and another kernel behind it: nobody asked for that.
#[test]
fn a_kernel_that_was_exchanged_under_its_name_is_listed() {
    let (Some(old), Some(new)) = (lab::kernel("debian-6.1"), lab::kernel("debian-6.12")) else {
        return;
    };
    let bench = Bench::new();
    let link = bench.path("kernel");
    let [here, there] = [&old, &new].map(|kernel| {
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(fs::canonicalize(kernel).unwrap(), &link).unwrap();
        exact(&bench, &link, "512M", "1")
    });
    let found = Compared::of(&stored(&bench, &here, &there).exits(3));
    let notes = found.notes();
    assert!(notes.contains("kernel.release 6.1.") && notes.contains("there 6.12."), "{notes}");
}

#[test]
fn what_follows_from_a_setting_is_not_listed() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let [here, there] = ["512M", "768M"].map(|mem| exact(&bench, &kernel, mem, "1"));
    let ran = stored(&bench, &here, &there).exits(3);
    let found = Compared::of(&ran);
    assert_eq!(found.headline(&there)["pairs"], 1);
    assert_eq!(found.0["comparison"]["notes"], serde_json::json!([]));
}
