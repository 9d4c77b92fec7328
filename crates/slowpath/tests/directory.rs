//! A directory of the running machine as a place: what is measured there, and what is left alone.

#![allow(clippy::print_stdout, reason = "what is left out is told")]

mod lab;

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use lab::comparison::{Compared, compare, place};
use lab::running::start;
use lab::{Bench, Ran, text};

/// Everything below a folder: its path and how it begins.
fn tree(folder: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let (path, name) = (entry.path(), entry.path().display().to_string());
        if entry.file_type().expect("a type").is_dir() {
            files.insert(name, "a folder".to_owned());
            files.extend(tree(&path));
        } else {
            let text = fs::read_to_string(&path).expect("its text");
            files.insert(name, text.chars().take(60).collect());
        }
    }
    files
}

/// A folder with things of its user in it, some of which look like ours.
fn lived_in(bench: &Bench) -> PathBuf {
    let data = bench.folder("data");
    for folder in ["d0", ".slowpath-abcdef"] {
        fs::create_dir(data.join(folder)).expect("a folder");
    }
    for file in ["toto", ".slowpath-abcdef/d0"] {
        fs::write(data.join(file), "its user's").expect("a file");
    }
    data
}

/// Arguments that run dd-sync in a directory.
fn run(on: &str, settings: &[&str], more: &[&str]) -> Vec<String> {
    let settings = settings.iter().flat_map(|setting| ["--set", setting]);
    let words = ["run", "dd-sync", "--json", "-", "--on", on].into_iter().chain(settings);
    words.chain(more.iter().copied()).map(str::to_owned).collect()
}

#[test]
fn a_run_measures_writes_and_syncs_and_leaves_everything_as_it_was() {
    let bench = Bench::new();
    let data = lived_in(&bench);
    let before = tree(&data);
    let settings = ["size=1M", "rounds=2", "disks=2"];
    let trials = bench.run(&run(&place(&data), &settings, &["--repeat", "2"])).exits(0).trials();
    assert_eq!(tree(&data), before);
    assert_eq!(trials.len(), 2);
    bench.assert_kept(&trials);
    let phases = trials[0]["outcome"]["measured"]["phases"].as_array().expect("phases");
    let names: Vec<&str> = phases.iter().map(|phase| text(phase, "name")).collect();
    assert_eq!(names, ["write", "sync", "write", "sync"]);
    assert_eq!(phases[0]["bytes"], 2 << 20, "a file in each of two folders");
    let notes = trials[0]["notes"].to_string();
    assert!(notes.contains("left out") && notes.contains("mkfs, mount, umount"), "{notes}");
}

#[test]
fn a_comparison_measures_both_variants_in_every_pair_and_in_changing_order() {
    let bench = Bench::new();
    let data = lived_in(&bench);
    let before = tree(&data);
    let on = place(&data);
    // With 20 pairs the order would be the same throughout once in half a million runs.
    let more = ["--on", &on, "--seeds", "20", "--json", "-"];
    let ran = bench.run(&compare("dd-sync", "block=4k,64k", &["size=1M", "rounds=1"], &more));
    // However the verdict comes out on a noisy machine.
    assert!(matches!(ran.code, Some(0 | 1 | 3)), "{:?}: {}", ran.code, ran.err);
    assert_eq!(tree(&data), before);
    let found = Compared::of(&ran);
    let [small, large] = found.trials().try_into().expect("two variants");
    let seeds = |side: &[(u64, String)]| side.iter().map(|(seed, _)| *seed).collect::<Vec<_>>();
    assert_eq!(seeds(&small), (1..=20).collect::<Vec<u64>>());
    assert_eq!(seeds(&small), seeds(&large));
    // IDs sort by time: the sides of a pair are neighbours, and either may come first.
    let pairs = small.iter().zip(&large).map(|((_, small), (_, large))| (small, large));
    let firsts: HashSet<bool> = pairs.clone().map(|(small, large)| small < large).collect();
    assert_eq!(firsts.len(), 2, "one side always comes first");
    let ends: Vec<_> = pairs.map(|(one, other)| (one.min(other), one.max(other))).collect();
    assert!(ends.is_sorted() && ends.windows(2).all(|two| two[0].1 < two[1].0), "{ends:?}");
    let results = found.0["results"].as_array().expect("results");
    let commands: Vec<&str> = results.iter().map(|result| text(result, "command")).collect();
    let wanted = ["4k", "64k"].into_iter().flat_map(|block| {
        let phases = ["write", "sync", "round"].into_iter();
        phases.map(move |phase| format!("dd-sync: {phase} 1 [block={block}] on "))
    });
    let wanted: Vec<String> = wanted.map(|command| command + &on).collect();
    assert_eq!(commands, wanted);
}

/// Slow trials, so that two at once would be seen.
#[test]
fn trials_in_a_directory_run_one_after_the_other() {
    let bench = Bench::new();
    let on = place(&bench.folder("data"));
    let more = ["--on", &on, "--seeds", "6", "--jobs", "4"];
    let mut child =
        start(bench.command(&compare("dd-sync", "block=1,2", &["size=512k", "rounds=1"], &more)));
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        let agents = bench.processes().into_iter().filter(|(_, line)| line.contains(" phases"));
        most = most.max(agents.count());
        thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap();
    assert_eq!((most, bench.trials().len()), (1, 12));
}

#[test]
fn two_directories_are_compared() {
    let bench = Bench::new();
    let (here, there) = (place(&bench.folder("here")), place(&bench.folder("there")));
    let vary = format!("on={here},{there}");
    let more = ["--seeds", "6", "--json", "-"];
    let ran = bench.run(&compare("dd-sync", &vary, &["size=64k", "rounds=1"], &more));
    assert!(matches!(ran.code, Some(0 | 1 | 3)), "{:?}: {}", ran.code, ran.err);
    let found = Compared::of(&ran);
    assert_eq!(found.headline(&format!("on={there}"))["pairs"], 6);
    for (side, on) in found.trials().iter().zip([&here, &there]) {
        assert_eq!(side.len(), 6);
        for (_, trial) in side {
            let trial = bench.trial(trial);
            assert_eq!(text(&trial["spec"], "place"), on);
            let path = text(&trial["fingerprint"], "dir.path");
            assert_eq!(format!("dir:{path}"), **on);
        }
    }
    // That the paths differ was asked for.
    assert!(!found.notes().contains("more than was varied"), "{}", found.notes());
    let page = bench.run(&["show", found.id()]).exits(0).out;
    assert!(page.contains(&here) && page.contains(&there), "{page}");
}

/// A thousand times as much to write: no noise hides that.
#[test]
fn a_planted_effect_is_worse_and_the_other_way_round_better() {
    let bench = Bench::new();
    let on = place(&bench.folder("data"));
    let run = |vary: &str| {
        let more = ["--on", &on, "--headline", "write", "--json", "-"];
        bench.run(&compare("dd-sync", vary, &["rounds=1"], &more))
    };
    let worse = Compared::of(&run("size=64k,64M").exits(1));
    assert_eq!(worse.verdict("size=64M"), "worse");
    assert_eq!(worse.0["comparison"]["ended"], "clear", "six pairs are enough");
    let ratio = worse.headline("size=64M")["effect"].as_f64().expect("an effect");
    assert!(ratio > 20.0, "{ratio}");
    let better = Compared::of(&run("size=64M,64k").exits(0));
    assert_eq!(better.verdict("size=64k"), "better");
    // Here nothing repeats exactly, so nothing is taken from the store.
    assert_eq!(bench.trials().len(), 24);
}

/// Refused, with nothing run and nothing left; the code is that of wrong input.
#[track_caller]
fn refused(bench: &Bench, vary: &str, settings: &[&str], more: &[&str], said: &[&str]) {
    let ran = bench.run(&compare("dd-sync", vary, settings, more)).exits(2).complains(said);
    assert_eq!(ran.out, "");
    assert_nothing_was_made(bench);
}

#[track_caller]
fn assert_nothing_was_made(bench: &Bench) {
    assert!(bench.trials().is_empty(), "nothing was run");
    let list = bench.run(&["comparisons"]).exits(0).out;
    assert!(list.contains("No comparison was made yet"), "{list}");
}

#[test]
fn what_is_no_directory_to_write_in_is_refused() {
    let bench = Bench::new();
    let data = lived_in(&bench);
    let before = tree(&data);
    let (nowhere, file) = (place(&data.join("nowhere")), place(&data.join("toto")));
    let refused = |on: &str, vary: &str, said: &[&str]| {
        refused(&bench, vary, &["rounds=1"], &["--on", on], said);
    };
    refused(&nowhere, "size=1M,2M", &["nowhere", "No such file or directory"]);
    refused(&file, "size=1M,2M", &["toto", "no directory"]);
    // The kernel's own filesystem takes no folder from anybody, root included.
    refused("dir:/proc", "size=1M,2M", &["no folder can be made", "in /proc"]);
    refused(&place(&data), "size=1M,1000000G", &["MiB free", "the trial needs", "make room"]);
    refused("dir:", "size=1M,2M", &["no place `dir:`", "dir:PATH"]);
    let both = format!("on={},{nowhere}", place(&data));
    refused("exact", &both, &["nowhere"]);
    assert_eq!(tree(&data), before);
}

#[test]
fn what_a_directory_cannot_vary_is_refused_with_what_can() {
    let bench = Bench::new();
    let on = place(&bench.folder("data"));
    let refused = |vary: &str, said: &[&str]| {
        refused(&bench, vary, &[], &["--on", &on], said);
    };
    refused("kernel=/a,/b", &["kernel cannot be set", "compare SET SET", "--repeat 12"]);
    refused("fs=ext4,xfs", &["fs cannot be set", "--vary on=dir:/mnt/a,dir:/mnt/b"]);
    refused("sysctl.vm.dirty_bytes=1,2", &["sysctl -w vm.dirty_bytes=VALUE", "compare SET SET"]);
    refused("disk.mbps=10,20", &["disk.mbps cannot be set", "--on exact"]);
    refused("twin=0,1", &["twin cannot be set", "--on exact"]);
    let bare = ["compare", "disk-rate", "--vary", "size=1M,2M", "--on", &on];
    bench.run(&bare).exits(2).complains(&["disk-write", "bare disks", "--on exact"]);
    assert_nothing_was_made(&bench);
}

/// Runs a comparison in a tmpfs that is mounted at `mnt` with these options; `None`, after a word
/// about it, where the system lets no user mount one.
fn in_tmpfs(bench: &Bench, options: &str, vary: &str, settings: &[&str]) -> Option<Ran> {
    let mount = bench.folder("mnt");
    let script = format!(
        "mount -t tmpfs -o {options} slowpath-test {} || exit 99; \"$@\"; code=$?; \
         ls -A {} >&2; exit $code",
        mount.display(),
        mount.display()
    );
    let on = place(&mount);
    let more = ["--on", &on, "--seeds", "6", "--json", "-"];
    let inner = bench.command(&compare("dd-sync", vary, settings, &more));
    bench.unshared(&script, "sh", &inner)
}

#[test]
fn a_read_only_directory_is_refused() {
    let bench = Bench::new();
    let Some(ran) = in_tmpfs(&bench, "ro", "size=1M,2M", &[]) else { return };
    ran.exits(2).complains(&["mnt is on a filesystem that is mounted read-only"]);
    assert_nothing_was_made(&bench);
}

#[test]
fn a_directory_without_room_is_refused() {
    let bench = Bench::new();
    let Some(ran) = in_tmpfs(&bench, "size=4M", "size=1M,8M", &[]) else { return };
    ran.exits(2).complains(&["mnt has 4 MiB free", "the trial needs 10 MiB", "make room"]);
    assert_nothing_was_made(&bench);
}

/// Six inodes: the mount's own, a trial's folder with its marker, and one folder with a file. A second
/// folder still fits, its file does not: that shows only when it is written.
#[test]
fn a_directory_that_fills_up_breaks_the_variant_and_nothing_is_left_in_it() {
    let bench = Bench::new();
    let settings = ["size=64k", "rounds=1"];
    let Some(ran) = in_tmpfs(&bench, "size=4M,nr_inodes=6", "disks=1,2", &settings) else { return };
    let left = ran.err.clone();
    assert_eq!(left, "", "the directory is empty again");
    let found = Compared::of(&ran.exits(5));
    let why = text(found.headline("disks=2"), "not_comparable");
    assert!(why.contains("`disks=2` has a broken trial"), "{why}");
    assert!(why.contains("No space left on device"), "{why}");
    let notes = found.notes();
    assert!(notes.contains("what the trial had written is removed"), "{notes}");
    assert!(notes.contains("nothing else in the directory was touched"), "{notes}");
    // Both trials of the first pair are kept; no other could make the two comparable.
    let trials = bench.trials();
    let mut outcomes: Vec<&str> = trials.iter().map(|trial| text(trial, "outcome")).collect();
    outcomes.sort_unstable();
    assert_eq!(outcomes, ["broken", "measured"]);
    let page = bench.run(&["show", found.id()]).exits(0).out;
    assert!(page.starts_with("not comparable: disks=2: "), "{page}");
}
