//! A child with all that it starts, which ends with us, however we end.

use std::io::{self, BufRead, BufReader, PipeReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, nice, waitid};

use super::session::Session;
use crate::with_us::ends_with_us;

/// How much the machine's other work goes before a build.
const NICE: i32 = 10;

/// How often it is asked whether to stop.
const GLANCE: Duration = Duration::from_millis(50);

/// How long make may take to tidy up after it was told to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// A running child and what it says. Its group is ended when this is dropped.
pub(crate) struct Group {
    child: Child,
    lines: Receiver<String>,
    waited_for: bool,
}

impl Group {
    /// Starts `command` in a process group of its own, not the terminal's: an interrupt reaches us, and we
    /// end it in order. Both its outputs come as lines.
    ///
    /// All of it inherits `session`'s lock.
    ///
    /// When the *thread* that called this ends, it is sent SIGTERM. make hands that on to all that it has
    /// started, and removes what is half written; SIGKILL would leave its children at work.
    pub(crate) fn start(mut command: Command, session: &Session) -> io::Result<Group> {
        let (output, input) = io::pipe()?;
        command.stdout(input.try_clone()?).stderr(input).process_group(0);
        let lock = session.file().try_clone()?;
        ends_with_us(&mut command, Signal::TERM);
        // SAFETY: between fork and exec only async-signal-safe system calls are made.
        unsafe {
            command.pre_exec(move || {
                // Not being kind is no reason not to build.
                let _ = nice(NICE);
                Ok(fcntl_setfd(&lock, FdFlags::empty())?)
            });
        }
        let child = command.spawn()?;
        // The command holds the pipe's other end, and the lock: nothing would ever end while it is there.
        drop(command);
        Ok(Group { child, lines: lines(output), waited_for: false })
    }

    /// Hears it out, or until `stop` says so.
    ///
    /// # Errors
    /// What `line` returns, or it cannot be waited for.
    pub(crate) fn listen(
        &mut self,
        mut line: impl FnMut(&str) -> io::Result<()>,
        stop: &dyn Fn() -> bool,
    ) -> io::Result<Option<ExitStatus>> {
        let mut given_up: Option<Instant> = None;
        loop {
            if stop() {
                return Ok(None);
            }
            match self.lines.recv_timeout(GLANCE) {
                Ok(text) => line(&text)?,
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) if self.has_ended() => {
                    // What it has left behind may hold the pipe open for ever.
                    self.signal(Signal::KILL);
                    let now = Instant::now();
                    if now > *given_up.get_or_insert(now + PATIENCE) {
                        break;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        self.waited_for = true;
        self.child.wait().map(Some)
    }

    /// Ends all of it, and says whether that went in order: what was half written is gone then.
    pub(crate) fn end(mut self) -> bool {
        self.signal(Signal::TERM);
        self.is_silent()
    }

    fn pid(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
    }

    /// The group's number stays its own until its first process is waited for: here it is not.
    fn has_ended(&self) -> bool {
        let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.pid().is_some_and(|pid| matches!(waitid(WaitId::Pid(pid), how), Ok(Some(_))))
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = self.pid() {
            // An error means that all have ended already.
            let _ = kill_process_group(group, signal);
        }
    }

    /// Whether all that could still say something ended while it was waited for.
    fn is_silent(&mut self) -> bool {
        let given_up = Instant::now() + PATIENCE;
        loop {
            let left = given_up.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => return true,
                Err(RecvTimeoutError::Timeout) => return false,
            }
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.waited_for {
            self.signal(Signal::KILL);
            let _ = self.child.wait();
            self.is_silent();
        }
    }
}

/// Reads what is said, until nobody can say anything any more.
fn lines(output: PipeReader) -> Receiver<String> {
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
            // Where nobody listens any more, whoever speaks must still not wait.
            let _ = sender.send(String::from_utf8_lossy(&line).into_owned());
        }
    });
    lines
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    fn shell(script: &str) -> io::Result<Group> {
        let folder = tempfile::tempdir()?;
        let session = Session::begin(folder.path(), &|| false).map_err(io::Error::other)?;
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Group::start(command, &session)
    }

    #[test]
    fn all_that_is_said_is_heard_in_order() {
        let mut heard = Vec::new();
        let script =
            "i=0; while [ $i -lt 999 ]; do echo $i; echo e$i >&2; i=$((i+1)); done; exit 3";
        let line = |line: &str| {
            heard.push(line.to_owned());
            Ok(())
        };
        let status = shell(script).unwrap().listen(line, &|| false).unwrap().unwrap();
        assert_eq!(status.code(), Some(3));
        assert_eq!((heard.len(), heard[1997].as_str()), (1998, "e998"));
    }

    #[test]
    fn it_is_told_to_end_when_the_thread_that_started_it_does() {
        let mut group = thread::spawn(|| shell("exec sleep 600")).join().unwrap().unwrap();
        let status = group.listen(|_| Ok(()), &|| false).unwrap().unwrap();
        assert_eq!(status.signal(), Some(15));
    }

    #[test]
    fn one_that_tidies_up_ends_in_order() {
        let script = "trap 'echo tidy; exit 0' TERM; echo ready; while :; do sleep 0.01; done";
        let ready = std::cell::Cell::new(false);
        let mut group = shell(script).unwrap();
        let line = |_: &str| {
            ready.set(true);
            Ok(())
        };
        assert!(group.listen(line, &|| ready.get()).unwrap().is_none());
        assert!(group.end());
    }

    #[test]
    fn what_is_left_behind_keeps_nobody() {
        // It holds the output open, in the same group.
        let mut group = shell("sleep 600 & exit 0").unwrap();
        let status = group.listen(|_| Ok(()), &|| false).unwrap().unwrap();
        assert!(status.success());
    }
}
