//! Names of the kernel's functions: cases whose modules lie at unlike addresses share a saved machine, and
//! each gets the names of its own.

mod lab;

use std::path::Path;

use lab::comparison::kernel_setting;
use lab::running::start;
use lab::{Bench, Ran, dd_sync, main_kernel, text};
use serde_json::Value;

/// Arguments that run the case with the longer job, shortly.
fn ffsb(kernel: &Path) -> Vec<String> {
    let kernel = kernel_setting(kernel);
    let settings = [&*kernel, "scale=50"];
    let settings = settings.into_iter().flat_map(|setting| ["--set", setting]);
    let words = ["run", "ffsb-create-4k", "--json", "-"].into_iter().chain(settings);
    words.map(str::to_owned).collect()
}

fn dd(kernel: &Path) -> Vec<String> {
    dd_sync(kernel, &["size=1M", "rounds=1"])
}

fn with(mut arguments: Vec<String>, more: &str) -> Vec<String> {
    arguments.push(more.to_owned());
    arguments
}

#[test]
fn cases_that_follow_one_another_have_their_profiles() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::apart();
    for arguments in [dd(&kernel), ffsb(&kernel), dd(&kernel)] {
        let trial = bench.run(&with(arguments, "--profile")).exits(0).trial();
        assert_eq!(trial["notes"], serde_json::json!([]), "{}", trial["spec"]["case"]);
        let folder = bench.store().join("trials").join(text(&trial, "id"));
        assert!(folder.join("profile.json").is_file(), "{}", trial["spec"]["case"]);
        let page = bench.run(&["show"]).exits(0).out;
        assert!(page.contains("vfs_write"), "{page}");
    }
}

/// Two programs with one cache.
#[test]
fn cases_that_are_looked_at_at_once_are_seen_from_outside() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let both = [dd(&kernel), ffsb(&kernel)];
    let both = both.map(|arguments| start(bench.command(&with(arguments, "--observe"))));
    for child in both {
        let ran = Ran::from(child.wait_with_output().expect("its output")).exits(0);
        let seen: &Value = &ran.trial()["observation"];
        assert_eq!(seen["same_times"], true, "{}", seen["notes"]);
    }
}
