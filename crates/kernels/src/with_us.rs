//! Programs that end when we do, however we end.

use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal};

/// Has the command sent this signal when the thread that starts it ends; that one must wait for it.
pub(crate) fn ends_with_us(command: &mut Command, signal: Signal) {
    let parent = getpid();
    // SAFETY: between fork and exec only async-signal-safe system calls are made.
    unsafe {
        command.pre_exec(move || {
            set_parent_process_death_signal(Some(signal))?;
            // The parent may have died before the line above.
            match getppid() {
                Some(now) if now == parent => Ok(()),
                _ => Err(ErrorKind::Interrupted.into()),
            }
        });
    }
}
