//! Wrong input is refused before anything runs: exit code 2 and a message that says what would be right.
//! Something missing is exit code 4 and the command that installs it.

mod lab;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use lab::{Bench, Ran, dd_sync, main_kernel};

/// Runs what must be refused; nothing may have run, so the store stays empty.
#[track_caller]
fn refused<S: AsRef<OsStr>>(bench: &Bench, arguments: &[S], said: &[&str]) {
    let ran = bench.run(arguments).exits(2).complains(said);
    assert_eq!(ran.out, "", "a refusal leaves standard output alone");
    assert!(bench.trials().is_empty(), "nothing was run");
    assert!(!bench.cache().join("states").exists(), "nothing was booted");
    let list = bench.run(&["comparisons"]).exits(0).out;
    assert!(list.contains("No comparison was made yet"), "nothing is left to go on with: {list}");
}

/// Each wrong setting with what must be said of it.
#[test]
fn a_setting_that_cannot_be_is_refused_with_what_could() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::apart();
    for (setting, said) in [
        ("disk.mbs=3", vec!["no setting `disk.mbs`", "did you mean `disk.mbps`?"]),
        ("rounds", vec!["`rounds` is no setting", "KEY=VALUE"]),
        ("fs=zfs", vec!["`zfs` is not a filesystem", "ext4", "nilfs2"]),
        ("size=much", vec!["size=much", "`much` is not a size", "100M"]),
        ("size=-3M", vec!["size=-3M", "not a size"]),
        ("size=0", vec!["size=0", "at least 1 byte"]),
        ("size=600M", vec!["size=600M does not fit", "disk.size=512M"]),
        ("disk.size=1500k", vec!["disk.size=1500k", "whole MiB"]),
        ("disks=65", vec!["disks=65", "1 to 64"]),
        ("insn.ns=3", vec!["insn.ns=3", "power of two"]),
        ("fill=100", vec!["fill=100", "0 to 99"]),
        ("kernel=/etc/passwd", vec!["/etc/passwd", "not an x86 kernel image", "vmlinuz"]),
        ("kernel=/nonexistent", vec!["cannot read /nonexistent", "No such file"]),
        ("kernel=installed:0.0.1", vec!["0.0.1 is not installed"]),
        ("modules=/etc/passwd", vec!["/etc/passwd", "not a kernel module", ".ko"]),
    ] {
        refused(&bench, &dd_sync(&kernel, &[setting]), &said);
    }
}

#[test]
fn disks_that_the_memory_cannot_hold_are_refused_with_sizes_that_fit() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::apart();
    let crowd = ["disks=12", "disk.fresh=no"];
    refused(&bench, &dd_sync(&kernel, &crowd), &["do not fit the guest's memory", "mem is 2G"]);
    let said = bench.run(&dd_sync(&kernel, &crowd)).err;
    // Taken at its word, the program is content.
    let number = |name: &str| -> String {
        let at = said.rfind(&format!("{name}=")).expect("a size that fits") + name.len() + 1;
        said[at..].chars().take_while(char::is_ascii_digit).collect()
    };
    let smaller = format!("disk.size={}M", number("disk.size"));
    let smaller = ["disks=12", "disk.fresh=no", "size=1M", "rounds=1", "disk.mbps=0", &smaller];
    Bench::new().run(&dd_sync(&kernel, &smaller)).exits(0);
    assert!(number("mem").parse::<u64>().expect("MiB") > 2048);
}

#[test]
fn a_module_for_another_kernel_is_refused_naming_both_versions() {
    let (Some(old), Some(new)) = (lab::kernel("debian-6.1"), lab::kernel("debian-6.12")) else {
        return;
    };
    let bench = Bench::apart();
    let module = find(&old, "loop.ko").expect("Debian's loop is a module");
    let release = |kernel: &Path| -> String {
        let image = fs::read_dir(kernel.join("boot")).expect("a boot folder").flatten();
        let name = image.map(|file| file.file_name().to_string_lossy().into_owned());
        name.filter_map(|n| n.strip_prefix("vmlinuz-").map(str::to_owned)).next().expect("an image")
    };
    let setting = format!("modules={}", module.display());
    let both = [release(&old), release(&new)];
    refused(&bench, &dd_sync(&new, &[&setting]), &[&both[0], &both[1], "built for"]);
}

fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    entries.map(|entry| entry.path()).find_map(|path| match path.is_dir() {
        true => find(&path, name),
        false => path.file_name()?.to_str()?.starts_with(name).then_some(path),
    })
}

/// What precedes a case's steps.
const HEAD: &str = "format = 1\nname = \"mine\"\nabout = \"x\"\nheadline = \"write\"\n";

#[test]
fn a_case_file_with_an_error_is_refused_with_its_line() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::apart();
    for (text, said) in [
        ("[settings]\nfs = \"zfs\"\n", vec!["line 6", "6 | fs = \"zfs\"", "nilfs2"]),
        ("[[round]]\nname = \"write\"\ndo = \"wriet\"\n", vec!["line 7", "`wriet`", "`write`"]),
        ("[settings]\nsize = \n", vec!["line 6"]),
        ("[setings]\nsize = \"1M\"\n", vec!["line 5", "setings"]),
    ] {
        let file = bench.path("mine.toml");
        fs::write(&file, format!("{HEAD}{text}")).unwrap();
        let name = file.to_str().unwrap();
        refused(&bench, &lab::case(name, &kernel, &[]), &[&[name], &said[..]].concat());
    }
}

#[test]
fn a_case_that_is_not_there_is_refused() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::apart();
    let folder = bench.path("");
    for (case, said) in [
        ("dd-snyc", vec!["no case `dd-snyc`", "dd-sync", "disk-rate"]),
        ("/nonexistent/case.toml", vec!["/nonexistent/case.toml", "No such file"]),
        (folder.to_str().unwrap(), vec!["cannot be read", "Is a directory"]),
    ] {
        refused(&bench, &lab::case(case, &kernel, &[]), &said);
    }
}

#[test]
fn a_place_that_is_not_there_is_refused() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::apart();
    let arguments = dd_sync(&kernel, &[]);
    let arguments = arguments.iter().map(String::as_str).chain(["--on", "kvm"]);
    refused(&bench, &arguments.collect::<Vec<_>>(), &["no place `kvm`", "exact"]);
}

#[test]
fn words_that_are_no_command_are_refused() {
    let bench = Bench::apart();
    refused(&bench, &["frobnicate"], &["frobnicate", "Usage: slowpath"]);
    refused(&bench, &["run"], &["<CASE>"]);
    refused(&bench, &["run", "dd-sync", "--seed", "x"], &["--seed"]);
    refused(&bench, &["run", "dd-sync", "--repeat", "0"], &["--repeat", "1..=10000"]);
    refused(&bench, &["run", "dd-sync", "--wall-limit", "soon"], &["--wall-limit", "soon"]);
}

/// Each comparison that cannot be made, with what must be said of it.
#[test]
fn a_comparison_that_cannot_be_is_refused_with_what_could() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::apart();
    let kernel = format!("kernel={}", kernel.display());
    for (words, said) in [
        ("dd-sync", vec!["nothing is varied", "--vary fs=ext4,xfs", "--twins 20"]),
        ("dd-sync --vary fs", vec!["--vary fs names no values", "KEY=VALUE,VALUE"]),
        ("dd-sync --vary fs=ext4", vec!["names one variant", "--vary fs=ext4,OTHER", "--twins"]),
        ("dd-sync --vary fs=ext4,zfs", vec!["`zfs` is not a filesystem", "reiserfs"]),
        ("dd-sync --vary disk.mbs=1,2", vec!["no setting `disk.mbs`", "`disk.mbps`?"]),
        ("dd-sync --vary size=1M,600M", vec!["size=600M does not fit", "disk.size=512M"]),
        (
            "dd-sync --vary fs=ext4,xfs --set size=8M --set disk.size=64M",
            vec!["xfs needs a disk of at least"],
        ),
        ("dd-sync --vary fs=ext4,ext4", vec!["are the same", "1 by construction", "--twins 20"]),
        ("dd-sync --vary size=1M,1024k", vec!["`size=1M` and `size=1024k` are the same"]),
        ("dd-sync --vary fs=ext4,xfs --threshold 0", vec!["above 0 and below 100", "2%"]),
        ("dd-sync --vary fs=ext4,xfs --confidence 100%", vec!["above 0 and below 100"]),
        ("dd-sync --vary fs=ext4,xfs --seeds 0", vec!["--seeds", "is not in 1..="]),
        ("dd-sync --vary fs=ext4,xfs --most 5", vec!["--most", "is not in 6..="]),
        ("dd-sync --vary fs=ext4,xfs --most 9 --seeds 6", vec!["cannot be used with"]),
        ("dd-sync --vary fs=ext4,xfs --budget soon", vec!["`soon` is not a time", "10m"]),
        ("dd-sync --vary fs=ext4,xfs --headline wriet", vec!["wriet", "write", "sync"]),
        ("dd-sync --vary fs=ext4,xfs --on kvm", vec!["no place `kvm`", "dir:"]),
        ("dd-snyc --vary fs=ext4,xfs", vec!["no case `dd-snyc`", "dd-sync"]),
        ("dd-sync --twins 1", vec!["--twins", "2..=1000"]),
        ("dd-sync --twins 3 --seeds 5", vec!["fewer than 6 pairs", "--seeds 6"]),
        ("dd-sync --vary fs=ext4,xfs --markdown x.md", vec!["--twins"]),
        ("dd-sync disk-rate disk-rate", vec!["unexpected value 'disk-rate'"]),
    ] {
        let words = ["compare"].into_iter().chain(words.split_whitespace());
        let with_kernel = if words.clone().any(|word| word.starts_with("2026")) {
            vec![]
        } else {
            vec!["--set", &*kernel]
        };
        refused(&bench, &words.chain(with_kernel).collect::<Vec<_>>(), &said);
    }
}

/// As `debian:6.1` and the release that this is today.
#[test]
fn a_kernel_under_two_names_is_refused_as_a_comparison() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::apart();
    let link = bench.path("link");
    std::os::unix::fs::symlink(fs::canonicalize(&kernel).unwrap(), &link).unwrap();
    let vary = format!("kernel={},{}", kernel.display(), link.display());
    refused(&bench, &["compare", "dd-sync", "--vary", &vary], &["are the same", "--twins"]);
}

#[test]
fn a_missing_qemu_is_named_with_the_command_that_installs_it() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::apart();
    let arguments = dd_sync(&kernel, &[]);
    let with = |qemu: &'static str| -> Vec<String> {
        arguments.iter().cloned().chain(["--qemu".to_owned(), qemu.to_owned()]).collect()
    };
    let missing = "apt-get install qemu-system-x86";
    bench.run(&with("/nonexistent/qemu")).exits(4).complains(&["/nonexistent/qemu", missing]);
    // A program that is no QEMU is told apart from none.
    bench.run(&with("/bin/true")).exits(4).complains(&["/bin/true does not start"]);
    assert!(bench.trials().is_empty());
}

#[test]
fn an_empty_store_is_no_error_to_a_list_and_one_to_show() {
    let bench = Bench::apart();
    assert!(bench.run(&["trials"]).exits(0).out.contains("slowpath run dd-sync"));
    assert!(bench.trials().is_empty());
    bench.run(&["show"]).exits(2).complains(&["nothing was kept yet", "slowpath run"]);
    bench.run(&["show", "nosuch"]).exits(2).complains(&["nothing was kept yet"]);
}

/// `slowpath … | head` is what people type.
#[test]
fn a_reader_that_has_read_enough_is_no_failure() {
    let bench = Bench::apart();
    for arguments in [&["trials"][..], &["settings"], &["cases", "--schema"], &["cases"]] {
        let mut command = bench.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // Closed before the program writes, or while it does: both must do.
        drop(child.stdout.take());
        let ran = Ran::from(child.wait_with_output().unwrap()).exits(0);
        assert_eq!(ran.err, "", "{arguments:?}");
    }
}
