//! Profiles of FFSB are run as they are: in the exact lab, in a directory, in a comparison.

mod lab;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use lab::comparison::{Compared, compare, place};
use lab::profiles::{CREATE, PROFILE, profile, run};
use lab::trial::{count, list, measured, names, phase, written};
use lab::{Bench, Ran, main_kernel, one_line, text};
use serde_json::Value;

#[test]
fn a_profile_runs_and_its_closing_block_says_what_the_trial_measured() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let profile = profile(&bench, "two.ffsb", PROFILE);
    let block = bench.run(&run(&profile, &kernel, &[], &["--ffsb"])).exits(0).out;
    let trial = bench.trial("last");
    assert_eq!(
        names(&trial),
        ["mkfs", "mount", "fileset", "settle", "run", "sync", "umount"],
        "the profile is a case"
    );
    assert_operations(&trial);
    assert_block(&block, &trial);
    assert_eq!(bench.run(&["show", "--ffsb"]).exits(0).out, block);

    let again = bench.run(&run(&profile, &kernel, &[], &["--json", "-"])).exits(0);
    assert_eq!(measured(&again.trials()[0]), measured(&trial), "the same numbers");
    let other = run(&profile, &kernel, &[], &["--json", "-", "--seed", "3"]);
    let other = bench.run(&other).exits(0).trials();
    assert_ne!(phase(&other[0], "run")["ffsb"], phase(&trial, "run")["ffsb"], "another choice");
}

/// The counts of an operation.
#[track_caller]
fn operation<'t>(trial: &'t Value, name: &str) -> &'t Value {
    let ops = list(&phase(trial, "run")["ffsb"]["ops"]);
    ops.iter().find(|op| op["op"] == name).unwrap_or_else(|| panic!("no {name} in {ops:#?}"))
}

/// A transaction is a block of those operations that have blocks.
#[track_caller]
fn assert_operations(trial: &Value) {
    for (name, blocks) in [("create", 16), ("append", 1)] {
        let op = operation(trial, name);
        let done = count(op, "done");
        assert!(done > 0);
        assert_eq!(count(op, "transactions"), done * blocks, "{name}");
        assert_eq!(count(op, "bytes"), done * blocks * 4096, "{name}");
    }
    let read = operation(trial, "readall");
    assert!(count(read, "transactions") >= 16 * count(read, "done"));
    assert_eq!(count(read, "bytes"), count(read, "transactions") * 4096);
    let deleted = operation(trial, "delete");
    assert_eq!(
        (count(deleted, "transactions"), count(deleted, "bytes")),
        (count(deleted, "done"), 0)
    );
    // Weights of 4, 2, 1 and 1.
    let done = |name| count(operation(trial, name), "done");
    assert!(done("create") > done("readall") && done("readall") > done("append"));

    let outcome = &phase(trial, "run")["ffsb"];
    let bytes = |names: [&str; 2]| -> u64 {
        names.iter().map(|name| count(operation(trial, name), "bytes")).sum()
    };
    assert_eq!(count(outcome, "written_bytes"), bytes(["create", "append"]));
    assert_eq!(count(outcome, "read_bytes"), count(read, "bytes"));
    // Twenty files of 64 KiB on each disk, and no more than the journal's share besides.
    let built = phase(trial, "settle");
    let both = list(&built["disks"]).iter().map(|disk| count(disk, "written_bytes"));
    assert!(both.clone().all(|bytes| (1_310_720..2_000_000).contains(&bytes)), "{built:#}");
    assert_eq!(both.count(), 2);
    assert!(written(phase(trial, "sync")) > 0);
}

/// What a script finds in a closing block: operations with transactions and rate, and the sums.
#[track_caller]
fn assert_block(block: &str, trial: &Value) {
    let wall = |name| count(phase(trial, name), "wall_ns");
    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    let (seconds, near) = ((wall("run") + wall("sync")) as f64 / 1e9, |wanted: u64, rate: f64| {
        let exact = wanted as f64 / ((wall("run") + wall("sync")) as f64 / 1e9);
        assert!((exact - rate).abs() <= 0.005_1, "{rate} is not {exact}");
    });
    let first = block.lines().next().expect("a line");
    assert_eq!(first, format!("Benchmark took {seconds:.2} sec"));
    let rows = block.lines().filter_map(|line| line.split_once(" : "));
    let rows: BTreeMap<&str, Vec<&str>> =
        rows.map(|(name, row)| (name.trim(), row.split_whitespace().collect())).collect();
    assert_eq!(rows.keys().collect::<Vec<_>>(), [&"append", &"create", &"delete", &"readall"]);
    let mut sum = 0;
    for (name, row) in &rows {
        let transactions = count(operation(trial, name), "transactions");
        assert_eq!(row[0].parse(), Ok(transactions), "{name}");
        near(transactions, row[1].parse().expect("a rate"));
        sum += transactions;
    }
    let per_second = block.lines().find_map(|l| l.strip_suffix(" Transactions per Second"));
    near(sum, per_second.expect("the sum").parse().expect("a rate"));
    for said in ["Total Results\n", "\n-\n", "Read Throughput: ", "Write Throughput: "] {
        assert!(block.contains(said), "{block}");
    }
    let cpu = block.lines().find_map(|line| line.strip_suffix("% CPU Utilization"));
    assert!(cpu.expect("the processor's").parse::<f64>().is_ok_and(|share| share < 100.0));
}

/// Everything in a folder, by name.
fn inside(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// A folder with things of its user that have the names of ours.
fn lived_in(bench: &Bench) -> PathBuf {
    let data = bench.folder("dir");
    fs::create_dir(data.join("data")).expect("a folder");
    fs::write(data.join("data/datafile0"), "its user's").expect("a file");
    data
}

#[test]
fn in_a_directory_a_profile_works_in_folders_of_its_own_and_leaves_nothing() {
    let bench = Bench::new();
    let data = lived_in(&bench);
    let (on, proof) = (place(&data), bench.path("proof"));
    let callout = format!("callout = pwd > {}; ls >> {0}\n", proof.display());
    let profile = profile(&bench, "mine", &(callout + PROFILE));
    let words = ["run", &profile, "--on", &on, "--allow-callout", "--json", "-"];
    let trial = bench.run(&words).exits(0).trials()[0].clone();
    assert_eq!(names(&trial), ["fileset", "settle", "callout", "run", "sync"]);
    assert_operations_in_a_directory(&trial);
    let proof = fs::read_to_string(proof).expect("the callout ran");
    let (folder, listed) = proof.split_once('\n').expect("two lines");
    assert!(folder.starts_with(&format!("{}/.slowpath-", data.display())), "{proof}");
    assert!(listed.contains("data"), "{proof}");
    assert_eq!(inside(&data), [data.join("data")]);
    assert_eq!(fs::read_to_string(data.join("data/datafile0")).unwrap(), "its user's");
    let page = bench.run(&["show", "--ffsb"]).exits(0).out;
    assert!(page.starts_with("Benchmark took ") && page.contains("Transactions per Second"));
}

#[track_caller]
fn assert_operations_in_a_directory(trial: &Value) {
    let create = operation(trial, "create");
    assert!(count(create, "done") > 0);
    assert_eq!(count(create, "transactions"), 16 * count(create, "done"));
    assert_eq!(count(create, "bytes"), 65_536 * count(create, "done"));
}

/// However the verdict comes out on a noisy machine.
#[test]
fn a_profile_is_compared_and_its_scale_is_told() {
    let bench = Bench::new();
    let data = lived_in(&bench);
    let on = place(&data);
    let profile = profile(&bench, "create.ffsb", &CREATE.replace("1m", "64k"));
    let more = ["--on", &on, "--seeds", "6", "--json", "-"];
    let ran: Ran = bench.run(&compare(&profile, "disks=1,2", &["scale=50"], &more));
    assert!(matches!(ran.code, Some(0 | 1 | 3)), "{:?}: {}", ran.code, ran.err);
    let found = Compared::of(&ran);
    let headline = found.headline("disks=2");
    assert_eq!((text(headline, "phase"), count(headline, "pairs")), ("round 1", 6));
    let page = one_line(&bench.run(&["show", found.id()]).exits(0).out);
    assert!(page.contains("1:50"), "{page}");
    assert_eq!(inside(&data), [data.join("data")]);
}
