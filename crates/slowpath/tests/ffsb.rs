//! Profiles of FFSB are run as they are: in the exact lab, in a directory, and refused where they cannot.

mod lab;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use lab::comparison::{Compared, compare, kernel_setting, place};
use lab::trial::{broken, count, list, measured, names, phase, written};
use lab::{Bench, Ran, main_kernel, one_line, text};
use serde_json::Value;

/// Files of 64 KiB in blocks of 4 KiB on two filesystems, and pauses, so that little is written.
const PROFILE: &str = "\
# files on two disks
time = 1

[filesystem]
    location     = /mnt/one
    num_files    = 20
    num_dirs     = 4
    min_filesize = 64k
    max_filesize = 64k
[end]

[filesystem]
    location = /mnt/two
    clone    = /mnt/one
[end]

[threadgroup]
    num_threads     = 2
    create_weight   = 4
    readall_weight  = 2
    delete_weight   = 1
    append_weight   = 1
    write_size      = 4k
    write_blocksize = 4k
    read_blocksize  = 4k
    op_delay        = 5
[end]
";

/// One filesystem on which files are made as fast as can be.
const CREATE: &str = "\
time = 1
[filesystem]
    location = /mnt/disk
    min_filesize = 1m
    max_filesize = 1m
[end]
[threadgroup]
    num_threads = 1
    create_weight = 1
    write_blocksize = 64k
[end]
";

/// Writes a profile into the bench's folder.
fn profile(bench: &Bench, name: &str, text: &str) -> String {
    let path = bench.path(name);
    fs::write(&path, text).expect("a profile");
    path.to_str().expect("a plain path").to_owned()
}

/// Arguments that run a profile on a kernel.
fn run(profile: &str, kernel: &Path, settings: &[&str], more: &[&str]) -> Vec<String> {
    let kernel = kernel_setting(kernel);
    let settings = [&[&*kernel], settings].concat();
    let settings = settings.into_iter().flat_map(|setting| ["--set", setting]);
    let words = ["run", profile].into_iter().chain(settings).chain(more.iter().copied());
    words.map(str::to_owned).collect()
}

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

/// Each line that is wrong, and what is said of it.
#[test]
fn a_wrong_line_is_refused_with_its_number_before_anything_runs() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::apart();
    let refused = |right: &str, wrong: &str, said: &[&str]| {
        assert!(PROFILE.contains(right));
        let profile = profile(&bench, "wrong.ffsb", &PROFILE.replacen(right, wrong, 1));
        let ran = bench.run(&run(&profile, &kernel, &[], &[])).exits(2).complains(said);
        assert_eq!(ran.out, "");
    };
    refused("create_weight", "create_wieght", &["line 19", "did you mean `create_weight`?"]);
    refused("64k", "64x", &["line 8", "min_filesize", "`x` is no unit", "KB, MB or GB"]);
    refused("op_delay        = 5", "op_delay 5x", &["line 26", "op_delay"]);
    refused("clone    = /mnt/one", "clone = /mnt/three", &["line 14", "/mnt/three"]);
    refused("/mnt/two", "/mnt/one", &["/mnt/one"]);
    refused("append_weight", "metaop_weight", &["line 22", "metaop", "not supported"]);
    refused("read_blocksize  = 4k", "", &["read_blocksize", "readall"]);
    refused("time = 1", "", &["time"]);
    assert!(bench.trials().is_empty() && !bench.cache().join("states").exists());
    let missing = bench.run(&["run", "nosuch.ffsb"]).exits(2);
    missing.complains(&["nosuch.ffsb", "No such file"]);
}

/// The value of a setting that a refusal names last.
#[track_caller]
fn named(said: &str, key: &str) -> Option<String> {
    let rest = said.rsplit_once(&format!("{key}="))?.1;
    Some(rest.split([' ', ',', ';', '\n']).next()?.to_owned())
}

#[test]
fn a_profile_that_cannot_fit_is_refused_with_sizes_that_do() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let profile = profile(&bench, "large.ffsb", &PROFILE.replace("= 20", "= 600"));
    let small = ["disk.size=16M", "size=1M"];
    let said = bench.run(&run(&profile, &kernel, &small, &[])).exits(2).err;
    assert!(said.contains("the profile's files take up to") && said.contains("would do"), "{said}");
    assert!(bench.trials().is_empty());
    let mut settings = vec!["size=1M".to_owned()];
    for key in ["disk.size", "mem"] {
        settings.extend(named(&said, key).map(|value| format!("{key}={value}")));
    }
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    let trial = bench.run(&run(&profile, &kernel, &settings, &["--json", "-"])).exits(0).trials();
    let megabytes = 600 * 65_536;
    assert!(written(phase(&trial[0], "settle")) >= 2 * megabytes, "all files are built");

    let disks = bench.run(&run(&profile, &kernel, &["disks=3"], &[])).exits(2);
    disks.complains(&["2 filesystems", "disks=3 does not go with it"]);
}

#[test]
fn a_callout_runs_only_where_it_is_allowed_and_after_the_files_are_built() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let with =
        |callout: &str| profile(&bench, "calls.ffsb", &format!("callout = {callout}\n{PROFILE}"));
    let calls = with("pwd; test -d data/datadir3 && echo files are there; exit 3");
    let refused = bench.run(&run(&calls, &kernel, &[], &[])).exits(2);
    refused.complains(&["runs a command", "test -d data/datadir3", "--allow-callout"]);
    assert!(bench.trials().is_empty());
    let allowed = ["--allow-callout", "--json", "-"];
    let trial = bench.run(&run(&calls, &kernel, &[], &allowed)).exits(5).trials();
    let reason = broken(&trial[0], "workload");
    for said in ["phase `callout`", "status 3", "/mnt/0", "files are there"] {
        assert!(reason.contains(said), "`{said}` is not in: {reason}");
    }
    let trial = bench.run(&run(&with("true"), &kernel, &[], &allowed)).exits(0).trials();
    let wanted = ["mkfs", "mount", "fileset", "settle", "callout", "run", "sync", "umount"];
    assert_eq!(names(&trial[0]), wanted);
}

#[test]
fn a_disk_that_fills_up_is_named_with_file_operation_and_error() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let settings = ["disk.size=64M", "size=1M", "fill=95"];
    let reason = |profile: &str, more: &[&str]| {
        let settings = [&settings, more].concat();
        let ran = bench.run(&run(profile, &kernel, &settings, &["--json", "-"])).exits(5);
        let trial = &ran.trials()[0];
        let page = one_line(&bench.run(&["show"]).exits(0).out);
        let reason = broken(trial, "workload").to_owned();
        assert!(page.contains(&reason), "`{reason}` is not in: {page}");
        reason
    };
    // A twentieth of a second of creating is more than what is free.
    let made = reason(&profile(&bench, "create.ffsb", CREATE), &["scale=20"]);
    let built = CREATE.replace("location", "num_files = 30\nlocation");
    let built = reason(&profile(&bench, "build.ffsb", &built), &["scale=100"]);
    for (reason, phase, what) in [(made, "run 1", "create"), (built, "fileset", "fileset")] {
        let phase = format!("phase `{phase}`");
        for said in [&*phase, what, "mnt/0/data", "No space left on device"] {
            assert!(reason.contains(said), "`{said}` is not in: {reason}");
        }
    }
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
