//! Profiles of FFSB that cannot be followed, do not fit, or run into a full disk.

mod lab;

use lab::profiles::{CREATE, PROFILE, profile, run};
use lab::trial::{broken, names, phase, written};
use lab::{Bench, main_kernel, one_line};

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
