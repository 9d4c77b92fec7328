//! What PID 1 prepares before it is ready for a job: the same in every trial.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::mm::MlockAllFlags;
use rustix::mount::MountFlags;

use crate::clock;
use crate::failure::{Failure, While as _};
use crate::syscalls;

/// Longest wait for the kernel's timers, ns of guest time.
const LONGEST_SETTLING: u64 = 3_000_000_000;
/// Wait on a kernel that does not tell about its timers.
const BLIND_SETTLING: u64 = 2_000_000_000;
const POLL: Duration = Duration::from_millis(20);

/// Mounts what the kernel offers and makes the console standard input, output and error.
///
/// # Errors
/// `/proc` or `/dev` cannot be mounted.
pub(crate) fn mount_kernel_filesystems() -> Result<(), Failure> {
    mount_once("proc", "/proc").in_setup("mounting /proc")?;
    mount_once("devtmpfs", "/dev").in_setup("mounting /dev")?;
    mount_once("sysfs", "/sys").in_setup("mounting /sys")?;
    // Without a console the agent is mute, and still measures.
    let _ = open_console();
    Ok(())
}

/// Mounts configfs, which may come from a module; a kernel without it has no such file system.
///
/// # Errors
/// It is there and cannot be mounted.
pub(crate) fn mount_configfs() -> Result<(), Failure> {
    match mount_once("configfs", "/sys/kernel/config") {
        Err(Errno::NODEV | Errno::NOENT) => Err(Failure::setup(
            "the kernel has no configfs, which null_blk disks need; is its module in the payload?",
        )),
        other => other.in_setup("mounting configfs"),
    }
}

/// Mounts `kind` on `target` unless something is mounted there already.
pub(crate) fn mount_once(kind: &str, target: &str) -> rustix::io::Result<()> {
    if !Path::new(target).exists() {
        // On sysfs this fails, and so does the mount, which tells why.
        let _ = fs::create_dir_all(target);
    }
    match rustix::mount::mount(kind, target, kind, MountFlags::empty(), None) {
        Err(Errno::BUSY) => Ok(()),
        other => other,
    }
}

fn open_console() -> rustix::io::Result<()> {
    let console = rustix::fs::open(
        "/dev/console",
        OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC,
        Mode::empty(),
    )?;
    rustix::stdio::dup2_stdin(&console)?;
    rustix::stdio::dup2_stdout(&console)?;
    rustix::stdio::dup2_stderr(&console)
}

/// Takes the right to use I/O ports and brings the agent's own code and data into memory.
///
/// # Errors
/// The kernel does not allow port I/O.
pub(crate) fn prepare_process() -> Result<(), Failure> {
    // Who looks at tasks from outside should know the workload's.
    let _ = rustix::thread::set_name(c"slowpath-agent");
    // Best effort: a page that is not there is a page fault later, in every trial alike.
    let _ = rustix::mm::mlockall(MlockAllFlags::CURRENT);
    syscalls::iopl(3).in_setup(
        "asking for port I/O, by which the job comes (the kernel needs CONFIG_X86_IOPL_IOPERM)",
    )
}

/// Waits until timers are precise and the clock source is the final one: right after boot a timer is
/// rounded to the tick.
pub(crate) fn wait_for_timers() {
    let start = clock::now_ns();
    loop {
        let passed = clock::now_ns() - start;
        let settled = match timers() {
            Some(precise) => precise && is_final(&clock_source()),
            None => passed >= BLIND_SETTLING,
        };
        if settled || passed >= LONGEST_SETTLING {
            return;
        }
        std::thread::sleep(POLL);
    }
}

/// Whether every CPU has high-resolution timers; `None` where the kernel does not tell.
fn timers() -> Option<bool> {
    let list = fs::read_to_string("/proc/timer_list").ok()?;
    all_precise(&list)
}

//   .hres_active    : 1
fn all_precise(timer_list: &str) -> Option<bool> {
    let mut states = timer_list
        .lines()
        .filter_map(|line| line.trim().strip_prefix(".hres_active"))
        .map(|state| state.trim_start_matches([' ', ':']) == "1")
        .peekable();
    states.peek()?;
    Some(states.all(|precise| precise))
}

/// The clock source in use, as the kernel names it; empty where it does not tell.
#[must_use]
pub(crate) fn clock_source() -> String {
    const FILE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    fs::read_to_string(FILE).map(|name| name.trim().to_owned()).unwrap_or_default()
}

fn is_final(clock_source: &str) -> bool {
    !matches!(clock_source, "jiffies" | "refined-jiffies" | "tsc-early")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_are_precise_when_they_are_on_every_cpu() {
        let one = "cpu: 0\n  .expires_next   : 12 nsecs\n  .hres_active    : 1\n";
        let other = "cpu: 1\n  .hres_active    : 0\n";
        assert_eq!(all_precise(one), Some(true));
        assert_eq!(all_precise(&format!("{one}{other}")), Some(false));
        assert_eq!(all_precise("Timer List Version: v0.9\n"), None);
    }

    #[test]
    fn early_clock_sources_are_not_final() {
        assert!(is_final("tsc") && is_final("kvm-clock") && is_final(""));
        assert!(!is_final("tsc-early") && !is_final("refined-jiffies"));
    }
}
