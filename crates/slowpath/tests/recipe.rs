//! A recipe gives the same numbers again, or names what differs.

mod lab;

use std::fs;
use std::path::Path;

use lab::{Bench, Ran, dd_sync, main_kernel};

const SETTINGS: [&str; 2] = ["size=1M", "rounds=2"];

/// Runs a trial and keeps its recipe in a file.
fn recipe(bench: &Bench, kernel: &Path, settings: &[&str], name: &str) -> String {
    let all = [&SETTINGS, settings].concat();
    let mut command = bench.command(&dd_sync(kernel, &all));
    command.args(["--seed", "3"]);
    // Broken or measured: both have a recipe.
    let code = Ran::of(command).code;
    assert!(matches!(code, Some(0 | 5)), "{code:?}");
    let text = bench.run(&["show", "--recipe"]).exits(0).out;
    fs::write(bench.path(name), text).expect("the recipe is kept");
    bench.path(name).to_str().expect("a plain path").to_owned()
}

#[test]
fn a_recipe_gives_the_same_numbers_again() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let file = recipe(&bench, &kernel, &[], "same.toml");
    let ran = bench.run(&["run", &file]).exits(0).complains(&["all", "values are the same"]);
    assert!(ran.out.contains("write 2"), "it is reported like any run: {}", ran.out);
    // The seed came along: another one would not give the same numbers.
    assert_eq!(bench.trials().iter().filter(|trial| trial["seed"] == 3).count(), 2);
}

/// As on a machine where the kernel lies elsewhere.
#[test]
fn a_recipes_kernel_may_lie_elsewhere() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let file = recipe(&bench, &kernel, &[], "moved.toml");
    let (here, elsewhere) = (kernel.to_str().unwrap(), "/nowhere/kernel");
    let moved = fs::read_to_string(&file).unwrap().replace(here, elsewhere);
    fs::write(&file, moved).unwrap();
    bench.run(&["run", &file]).exits(2).complains(&[elsewhere, "SHA-256", "--set kernel=PATH"]);
    let setting = format!("kernel={here}");
    let again = bench.run(&["run", &file, "--set", &setting]).exits(0);
    again.complains(&["values are the same"]);
}

#[test]
fn what_differs_is_named() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let file = recipe(&bench, &kernel, &[], "other.toml");
    let ran = bench.run(&["run", &file, "--set", "insn.ns=4"]).exits(3);
    ran.complains(&["values differ", "insn.ns: 2, here 4"]);
    if let Some(qemu) = lab::qemu10() {
        let qemu = qemu.to_str().unwrap();
        let ran = bench.run(&["run", &file, "--qemu", qemu]).exits(3);
        ran.complains(&["qemu: 7.", "here 10."]);
    }
    if let Some(other) = lab::kernel("debian-6.12") {
        let setting = format!("kernel={}", other.display());
        let ran = bench.run(&["run", &file, "--set", &setting]).exits(3);
        ran.complains(&["kernel.release", "kernel.sha256", "here 6.12."]);
    }
}

/// A setting that is no part of the fingerprint changes the numbers as well.
#[test]
fn a_changed_workload_is_not_taken_for_the_same() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let file = recipe(&bench, &kernel, &[], "workload.toml");
    let ran = bench.run(&["run", &file, "--set", "disk.mbps=20"]);
    assert!(matches!(ran.code, Some(1..=3)), "{:?}: {}", ran.code, ran.err);
    assert!(ran.err.contains("disk.mbps"), "{}", ran.err);
}

#[test]
fn a_recipe_that_was_changed_is_refused() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let file = recipe(&bench, &kernel, &[], "edited.toml");
    let whole = fs::read_to_string(&file).unwrap();
    let before = bench.trials().len();
    let wall = whole.find("\"wall_ns\": ").expect("a measured time") + "\"wall_ns\": ".len();
    let mut edited = whole.clone();
    edited.replace_range(wall..=wall, if whole[wall..].starts_with('9') { "8" } else { "9" });
    for (text, said) in [
        (edited, "it was changed"),
        (whole[..whole.len() / 2].to_owned(), "the recipe cannot be read"),
        (whole.replace("format = 1\n", "format = 99\n"), "format 99"),
        (whole.replace("\"disks\": \"1\"", "\"disks\": \"many\""), "disks=many"),
    ] {
        fs::write(&file, text).unwrap();
        bench.run(&["run", &file]).exits(2).complains(&[said]);
    }
    assert_eq!(bench.trials().len(), before, "nothing was run");
}

#[test]
fn a_broken_trials_recipe_has_nothing_to_compare() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let file = recipe(&bench, &kernel, &["mount=nosuch"], "broken.toml");
    bench.run(&["run", &file]).exits(5);
    let whole = bench.run(&["run", &file, "--set", "mount="]).exits(3);
    whole.complains(&["broken trial", "no numbers to compare"]);
}
