//! Runs a program to its end. It ends with us, however we end, and when we are told to stop.

use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::with_us::ends_with_us;

/// Says whether it is time to stop.
pub(super) type Stop<'a> = &'a (dyn Fn() -> bool + Sync);

/// How often it is asked.
const GLANCE: Duration = Duration::from_millis(20);

/// How a program ended, and what it said.
#[derive(Debug)]
pub(super) struct Ended {
    /// How.
    pub(super) status: ExitStatus,
    /// Its output.
    pub(super) stdout: Vec<u8>,
    /// Its complaints.
    pub(super) stderr: String,
}

/// Runs it with `input` on its standard input, for no longer than `limit`.
///
/// # Errors
/// It cannot be started; [`ErrorKind::Interrupted`] when `stop` ended it, [`ErrorKind::TimedOut`] when
/// the limit did. That it failed is no error here.
pub(super) fn run(
    command: &mut Command,
    input: &[u8],
    stop: Stop,
    limit: Option<Duration>,
) -> io::Result<Ended> {
    if stop() {
        return Err(ErrorKind::Interrupted.into());
    }
    ends_with_us(command, Signal::KILL);
    // Not the terminal's foreground group: an interrupt reaches us, and we end it in order.
    command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (sender, done) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let (stdin, stdout, stderr) = streams;
        // One that does not read all of it has its reasons, and says them.
        scope.spawn(|| stdin.map(|mut stdin| stdin.write_all(input)));
        let still_open = sender.clone();
        let stdout = scope.spawn(move || whole(stdout, still_open));
        let stderr = scope.spawn(move || whole(stderr, sender));
        let heard = wait_until_closed(&done, stop, limit);
        if heard.is_err() {
            end(&mut child);
        }
        let stdout = stdout.join().unwrap_or_default();
        let stderr = String::from_utf8_lossy(&stderr.join().unwrap_or_default()).into_owned();
        let status = child.wait()?;
        heard.map(|()| Ended { status, stdout, stderr })
    })
}

/// Waits until both outputs are closed.
fn wait_until_closed(done: &Receiver<()>, stop: Stop, limit: Option<Duration>) -> io::Result<()> {
    let began = Instant::now();
    loop {
        match done.recv_timeout(GLANCE) {
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
            _ if stop() => return Err(ErrorKind::Interrupted.into()),
            _ if limit.is_some_and(|limit| began.elapsed() > limit) => {
                return Err(ErrorKind::TimedOut.into());
            }
            _ => {}
        }
    }
}

fn whole(stream: Option<impl Read>, open: mpsc::Sender<()>) -> Vec<u8> {
    let mut bytes = Vec::new();
    // What was read before an error is still worth telling.
    let _ = stream.map(|mut stream| stream.read_to_end(&mut bytes));
    drop(open);
    bytes
}

/// Ends it and what it started. An error means that it has just ended.
fn end(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.kill();
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn what_goes_in_comes_out_however_long_it_is() {
        let input = vec![b'x'; 1 << 20];
        let script = "cat; echo complaint >&2; exit 3";
        let ended = run(&mut shell(script), &input, &|| false, None).unwrap();
        assert!(ended.stdout == input);
        assert_eq!((ended.status.code(), ended.stderr.as_str()), (Some(3), "complaint\n"));
    }

    #[test]
    fn one_that_does_not_read_is_no_failure() {
        let ended = run(&mut shell("exec true"), &vec![b'x'; 1 << 20], &|| false, None).unwrap();
        assert!(ended.status.success());
    }

    #[test]
    fn it_is_ended_with_what_it_started_when_told_to_stop_or_when_its_time_is_over() {
        let began = Instant::now();
        // The inner one holds the output open.
        let asked = AtomicBool::new(false);
        let second_time = || asked.swap(true, Ordering::Relaxed);
        let error = run(&mut shell("sleep 600 & wait"), b"", &second_time, None).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Interrupted);
        let limit = Some(Duration::from_millis(1));
        let error = run(&mut shell("sleep 600 & wait"), b"", &|| false, limit).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        assert!(began.elapsed() < Duration::from_secs(300));
    }
}
