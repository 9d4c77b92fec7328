//! Starts QEMU, or the agent, so that it ends with us, however we end.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use command_fds::{CommandFdExt, FdMapping};
use rustix::process::{Pid, Signal, kill_process_group, set_parent_process_death_signal};

use crate::memfile;

/// A running child that is killed and reaped when this is dropped.
pub(crate) struct Guarded(Child);

/// Descriptors that the child inherits, each under a number of its own.
#[derive(Default)]
pub(crate) struct Inherited(Vec<FdMapping>);

/// The first number that is handed out; 0 to 2 are the standard streams.
const FIRST_FD: i32 = 3;

impl Inherited {
    /// Hands `fd` to the child and returns its number there.
    pub(crate) fn add(&mut self, fd: impl Into<OwnedFd>) -> i32 {
        let child_fd = FIRST_FD + i32::try_from(self.0.len()).unwrap_or(0);
        self.0.push(FdMapping { parent_fd: fd.into(), child_fd });
        child_fd
    }

    /// As [`Inherited::add`], but returns a path by which the child opens the file anew.
    pub(crate) fn add_path(&mut self, fd: impl Into<OwnedFd>) -> String {
        format!("/proc/self/fd/{}", self.add(fd))
    }
}

impl Guarded {
    /// Starts `program`. Its output goes to `log`.
    ///
    /// The kernel kills it when the *thread* that called this ends, so the caller must outlive it.
    pub(crate) fn spawn(
        program: &Path,
        arguments: &[String],
        inherited: Inherited,
        log: &std::fs::File,
    ) -> io::Result<Guarded> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null());
        command.stdout(log.try_clone()?).stderr(log.try_clone()?);
        Guarded::start(command, inherited)
    }

    /// Starts `command`, whose streams are set; as [`Guarded::spawn`].
    pub(crate) fn start(mut command: Command, inherited: Inherited) -> io::Result<Guarded> {
        // Not the terminal's foreground group: an interrupt reaches us, and we end it in order.
        command.process_group(0);
        command
            .fd_mappings(inherited.0)
            .map_err(|_| io::Error::other("two inherited descriptors share a number"))?;
        let parent = rustix::process::getpid();
        // SAFETY: between fork and exec only async-signal-safe system calls are made.
        unsafe {
            command.pre_exec(move || {
                set_parent_process_death_signal(Some(Signal::KILL))?;
                // The parent may have died before the line above.
                match rustix::process::getppid() {
                    Some(now) if now == parent => Ok(()),
                    _ => Err(io::Error::other("the parent has ended")),
                }
            });
        }
        command.spawn().map(Guarded)
    }

    /// Says what lies behind an error in talking to it: how it ended, and what it said.
    pub(crate) fn explain(&mut self, error: &io::Error, log: &std::fs::File) -> io::Error {
        let mut parts = vec![error.to_string()];
        // The socket closes a moment before the process can be waited for.
        for _ in 0..50 {
            if let Some(how) = self.ended() {
                parts = vec![format!("it ended with {how}")];
                break;
            }
            thread::sleep(Duration::from_millis(2));
        }
        let said = memfile::text(log);
        if !said.trim().is_empty() {
            parts.push(format!("it said: {}", said.trim()));
        }
        io::Error::other(parts.join("; "))
    }

    /// Whether it has ended, and how.
    pub(crate) fn ended(&mut self) -> Option<String> {
        match self.0.try_wait() {
            Ok(None) => None,
            Ok(Some(status)) => Some(status.to_string()),
            Err(error) => Some(error.to_string()),
        }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // What it started goes with it: they share its group. An error means that all have ended
        // already; then waiting only reaps it.
        if let Some(group) = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
