//! The same spec and seed give the same values, to the nanosecond: on a quiet machine and on a busy one,
//! from one saved state and from another made apart, with the profile and without.
//!
//! `SLOWPATH_REPEAT` is how often each is repeated (default 4), half of them beside busy cores.

#![allow(clippy::print_stdout, reason = "figures and what is left out are told")]

mod lab;

use std::collections::BTreeMap;
use std::env;
use std::hint;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use lab::{Bench, dd_sync};
use serde_json::Value;

/// Two disks, so that the order in which they are served can leak; rounds, for the number of values.
const SETTINGS: [&str; 3] = ["size=1M", "rounds=6", "disks=2"];

/// As many values as must be compared at the least, of each trial.
const ENOUGH: usize = 500;

/// Every measured value under its path in the JSON.
type Values = BTreeMap<String, String>;

fn flatten(path: &str, value: &Value, into: &mut Values) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(key, value)| flatten(&format!("{path}.{key}"), value, into));
        }
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.for_each(|(at, value)| flatten(&format!("{path}[{at}]"), value, into));
        }
        Value::Null => {}
        leaf => {
            into.insert(path.to_owned(), leaf.to_string());
        }
    }
}

fn measured(trial: &Value) -> Values {
    let mut values = Values::new();
    flatten("", &trial["outcome"]["measured"], &mut values);
    values
}

/// Runs trials and returns the values of each.
fn trials(bench: &Bench, kernel: &Path, qemu: Option<&Path>, more: &[&str]) -> Vec<Values> {
    let mut command = bench.command(&dd_sync(kernel, &SETTINGS));
    command.args(more);
    command.args(qemu.iter().flat_map(|qemu| ["--qemu".as_ref(), qemu.as_os_str()]));
    let ran = lab::Ran::of(command).exits(0);
    ran.trials().iter().map(measured).collect()
}

#[track_caller]
fn assert_same(what: &str, here: &Values, there: &Values) {
    assert!(here.len() >= ENOUGH, "only {} values", here.len());
    let names = here.keys().chain(there.keys());
    let mut differing: Vec<_> = names.filter(|name| here.get(*name) != there.get(*name)).collect();
    differing.sort();
    differing.dedup();
    let shown: Vec<_> = differing
        .iter()
        .take(10)
        .map(|name| format!("{name}: {:?} and {:?}", there.get(*name), here.get(*name)))
        .collect();
    let total = here.len();
    assert!(shown.is_empty(), "{what}: {} of {total} values differ: {shown:#?}", differing.len());
}

/// Keeps every core busy while `work` runs.
fn beside_busy_cores<T>(work: impl FnOnce() -> T) -> T {
    /// Ends the spinning also where `work` fails.
    struct Stop<'a>(&'a AtomicBool);
    impl Drop for Stop<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let _stop = Stop(&done);
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    hint::spin_loop();
                }
            });
        }
        work()
    })
}

fn repetitions() -> u32 {
    let wanted = env::var("SLOWPATH_REPEAT").ok();
    wanted.map_or(4, |text| text.parse().expect("SLOWPATH_REPEAT is a number"))
}

fn holds(kernel: &str, qemu: Option<&Path>) {
    let Some(kernel) = lab::kernel(kernel) else { return };
    let one = Bench::new();
    let half = repetitions().div_ceil(2).to_string();
    let quiet = trials(&one, &kernel, qemu, &["--repeat", &half]);
    let busy = beside_busy_cores(|| trials(&one, &kernel, qemu, &["--repeat", &half]));
    let first = quiet.first().expect("a trial");
    quiet.iter().skip(1).for_each(|trial| assert_same("on a quiet machine", trial, first));
    busy.iter().for_each(|trial| assert_same("beside busy cores", trial, first));

    // Booted again, beside busy cores, and kept in another cache.
    let other = Bench::apart();
    let apart = beside_busy_cores(|| trials(&other, &kernel, qemu, &[]));
    assert_same("from a state made apart", &apart[0], first);

    let profiled = trials(&one, &kernel, qemu, &["--profile"]);
    assert_same("with the profile", &profiled[0], first);

    // Values that never differ would prove nothing.
    let seeded = trials(&one, &kernel, qemu, &["--seed", "1"]);
    assert_ne!(seeded[0][".witness"], first[".witness"], "the seed reaches the guest");
    println!("{} values, {} trials", first.len(), quiet.len() + busy.len() + 2);
}

fn holds_on_qemu10(kernel: &str) {
    if let Some(qemu) = lab::qemu10() {
        holds(kernel, Some(&qemu));
    }
}

#[test]
fn debian_6_1_is_exact() {
    holds("debian-6.1", None);
}

#[test]
fn debian_6_1_is_exact_on_qemu_10() {
    holds_on_qemu10("debian-6.1");
}

#[test]
fn debian_6_12_is_exact() {
    holds("debian-6.12", None);
}

#[test]
fn debian_6_12_is_exact_on_qemu_10() {
    holds_on_qemu10("debian-6.12");
}

#[test]
fn the_small_kernel_is_exact() {
    holds("small-6.12", None);
}

#[test]
fn the_small_kernel_is_exact_on_qemu_10() {
    holds_on_qemu10("small-6.12");
}
