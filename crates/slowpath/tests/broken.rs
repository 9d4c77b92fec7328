//! Whatever goes wrong in a trial makes it broken: exit code 5, the reason, the console's last lines; and the
//! trials beside it are kept.

mod lab;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use lab::{Bench, Ran, dd_sync, main_kernel, one_line};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// Few bytes: what breaks here breaks before or early in the workload.
const SMALL: [&str; 2] = ["size=4M", "rounds=1"];

/// Runs a trial that must break and returns what the program said of it.
fn broken(bench: &Bench, kernel: &Path, settings: &[&str], more: &[&str]) -> Value {
    let mut command = bench.command(&dd_sync(kernel, &[&SMALL, settings].concat()));
    command.args(more);
    let ran = Ran::of(command).exits(5);
    let trials = ran.trials();
    assert_eq!(trials.len(), 1);
    bench.assert_kept(&trials);
    shown(bench, &trials[0]["outcome"]["broken"]);
    trials[0]["outcome"]["broken"].clone()
}

/// A person sees the same as the JSON says.
fn shown(bench: &Bench, broken: &Value) {
    let page = one_line(&bench.run(&["show"]).exits(0).out);
    let mut lines = vec![broken["reason"].as_str().expect("a reason")];
    lines.extend(broken["console"].as_array().expect("lines").last().and_then(Value::as_str));
    for line in lines {
        assert!(page.contains(&one_line(line)), "`{line}` is not in: {page}");
    }
}

#[track_caller]
fn assert_broken(broken: &Value, kind: &str, reason: &[&str]) {
    assert_eq!(broken["kind"], kind, "{broken:#}");
    let said = broken["reason"].as_str().expect("a reason");
    for text in reason {
        assert!(said.contains(text), "`{text}` is not in: {said}");
    }
}

#[track_caller]
fn assert_console(broken: &Value, text: &str) {
    let console = broken["console"].as_array().expect("the console's lines");
    let said = console.iter().filter_map(Value::as_str).any(|line| line.contains(text));
    assert!(said, "`{text}` is not in {console:#?}");
}

#[test]
fn a_kernel_that_panics_is_named_with_its_own_words() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let broken = broken(&bench, &kernel, &["cmdline=rdinit=/nope"], &[]);
    assert_broken(&broken, "panic", &["the kernel panicked", "Unable to mount root fs"]);
    assert_console(&broken, "Kernel panic");
}

/// Without the agent as its init, and told to wait for a disk that never comes, a kernel boots for ever.
#[test]
fn a_kernel_that_never_reaches_the_agent_is_broken_when_the_wall_limit_is_over() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let stuck = ["cmdline=rdinit=/nope root=/dev/nosuch rootwait loglevel=7"];
    let broken = broken(&bench, &kernel, &stuck, &["--wall-limit", "10s"]);
    assert_broken(&broken, "no-boot", &["did not reach the agent within 10s"]);
    assert_console(&broken, "/dev/nosuch");
}

#[test]
fn a_module_that_the_kernel_lacks_is_named() {
    let Some(kernel) = lab::kernel("debian-6.1") else { return };
    let bench = Bench::new();
    // The kernel's package without its null_blk.
    let poor = bench.path("poor");
    copy_without(&kernel, &poor, "null_blk");
    let broken = broken(&bench, &poor, &[], &[]);
    assert_broken(&broken, "setup", &["null_blk"]);
}

/// Links every file of an unpacked kernel package but the module of that name.
fn copy_without(from: &Path, to: &Path, module: &str) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("the package's folder").flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        // Debian's `lib` may be a link to `usr/lib`.
        let kind = entry.file_type().expect("a type");
        if kind.is_dir() {
            copy_without(&path, &to.join(&name), module);
        } else if !name.to_string_lossy().starts_with(&format!("{module}.ko")) {
            let target = fs::canonicalize(&path).expect("a file");
            if target.is_dir() {
                copy_without(&target, &to.join(&name), module);
            } else {
                std::os::unix::fs::symlink(target, to.join(&name)).expect("a link");
            }
        }
    }
}

#[test]
fn a_disk_that_fills_up_is_named_with_the_place() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let broken = broken(&bench, &kernel, &["size=60M", "block=1M", "disk.size=64M"], &[]);
    assert_broken(&broken, "workload", &["phase `write 1`", "toto", "No space left on device"]);
    assert_console(&broken, "EXT4-fs");
}

#[test]
fn a_mount_option_that_does_not_exist_is_named() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let broken = broken(&bench, &kernel, &["mount=nosuch"], &[]);
    assert_broken(&broken, "workload", &["phase `mount`", "ext4", "`nosuch`"]);
    assert_console(&broken, "Unknown parameter 'nosuch'");
}

#[test]
fn a_mkfs_that_fails_is_named_with_its_complaint() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let broken = broken(&bench, &kernel, &["mkfs=--nonsense"], &[]);
    assert_broken(
        &broken,
        "workload",
        &["phase `mkfs`", "mkfs.ext4", "status 1", "invalid option"],
    );
}

#[test]
fn a_sysctl_that_does_not_exist_is_named() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let broken = broken(&bench, &kernel, &["sysctl.vm.nosuch=1"], &[]);
    assert_broken(&broken, "setup", &["vm.nosuch=1", "No such file"]);
}

/// Every request takes 10 s: from outside, such a guest hangs.
#[test]
fn a_guest_that_hangs_says_in_which_function() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let broken = broken(&bench, &kernel, &["disk.latency=10s"], &["--guest-limit", "15s"]);
    let said = ["limit of 15s of guest time", "while preparing the trial", "folio_wait_bit"];
    assert_broken(&broken, "out-of-time", &said);
    assert_console(&broken, "null_blk");
}

#[test]
fn a_trial_over_its_guest_limit_says_in_which_phase() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let broken = broken(&bench, &kernel, &["disk.mbps=1"], &["--guest-limit", "5s"]);
    assert_broken(&broken, "out-of-time", &["limit of 5s of guest time", "phase `mkfs`"]);
}

/// Its guest time would do: only this machine's clock ends it.
#[test]
fn a_trial_over_its_wall_limit_is_ended_from_outside() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    // The state is there first, so that the limit meets the trial and not the boot.
    bench.run(&dd_sync(&kernel, &SMALL)).exits(0);
    let bench = Bench::new();
    let long = ["size=400M", "block=1"];
    let broken = broken(&bench, &kernel, &long, &["--wall-limit", "3s"]);
    assert_broken(&broken, "out-of-time", &["phase `write 1`", "3s", "host's time"]);
    assert_ne!(
        broken["console"],
        serde_json::json!([]),
        "the boot's lines are kept with its state"
    );
}

/// A program that is looked for in fixed folders cannot be hidden, so one that cannot run stands in front of it.
#[test]
fn a_mkfs_that_cannot_travel_into_the_guest_is_named() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let folder = bench.path("bin");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("mkfs.ext4"), "no program").unwrap();
    fs::set_permissions(folder.join("mkfs.ext4"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = bench.command(&dd_sync(&kernel, &SMALL));
    let path = std::env::var("PATH").unwrap();
    command.env("PATH", format!("{}:{path}", folder.display()));
    let ran = Ran::of(command).exits(5);
    let broken = &ran.trials()[0]["outcome"]["broken"];
    assert_broken(broken, "setup", &["mkfs.ext4", "no 64-bit ELF program"]);
}

/// `slowpath` also looks in /usr/sbin. A user namespace, where the system lets a user have one, hides what is there.
#[test]
fn a_mkfs_that_is_not_installed_is_named_with_its_package() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    // An empty file that cannot be executed is mounted over each place where the program may lie.
    let script = "for file in /usr/sbin/mkfs.jfs /sbin/mkfs.jfs; do\n\
                  [ ! -e $file ] || mount --bind /dev/null $file || { echo hidden: no >&2; exit 99; }\n\
                  done; exec \"$@\"";
    let inner = bench.command(&dd_sync(&kernel, &[&SMALL[..], &["fs=jfs"]].concat()));
    let Some(ran) = bench.unshared(script, "sh", &inner) else { return };
    let broken = &ran.exits(5).trials()[0]["outcome"]["broken"];
    assert_broken(broken, "setup", &["mkfs.jfs is not installed", "apt-get install jfsutils"]);
}

/// A QEMU that is killed in the midst of a run is one broken trial.
#[test]
fn a_broken_trial_leaves_the_others_as_they_are() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let mut command = bench.command(&dd_sync(&kernel, &SMALL));
    let child = command.args(["--repeat", "3"]).stdout(Stdio::piped()).spawn().unwrap();
    kill_process(second_qemu(&bench), Signal::KILL).unwrap();
    let trials = Ran::from(child.wait_with_output().unwrap()).exits(5).trials();
    let broken: Vec<_> = trials.iter().map(|trial| &trial["outcome"]["broken"]).collect();
    let kinds: Vec<_> = broken.iter().filter_map(|broken| broken["kind"].as_str()).collect();
    assert_eq!((trials.len(), kinds), (3, vec!["emulator"]), "{broken:#?}");
    bench.assert_kept(&trials);
}

/// Waits for the first QEMU that restores a machine after a trial was kept.
fn second_qemu(bench: &Bench) -> Pid {
    let began = Instant::now();
    let kept = || fs::read_dir(bench.store().join("trials")).map_or(0, Iterator::count);
    loop {
        let mut running = bench.processes().into_iter();
        let restored = running.find(|(_, line)| line.contains("-incoming"));
        if let Some((number, _)) = restored.filter(|_| kept() > 0) {
            return Pid::from_raw(number).expect("a process");
        }
        assert!(began.elapsed() < Duration::from_secs(200), "no second trial begins");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_broken_trial_does_not_end_the_run() {
    let Some(kernel) = main_kernel() else { return };
    let bench = Bench::new();
    let mut command = bench.command(&dd_sync(&kernel, &[&SMALL[..], &["mount=nosuch"]].concat()));
    command.args(["--repeat", "3"]);
    let trials = Ran::of(command).exits(5).trials();
    assert_eq!(trials.len(), 3);
    bench.assert_kept(&trials);
}
