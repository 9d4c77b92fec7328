//! Runs the package client's programs: apt-get, apt-cache and dpkg-deb.

use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::apt_output::{advice, last_words};
use crate::error::KernelError;
use crate::with_us::ends_with_us;

/// Where the programs are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Programs {
    /// `None`: wherever the PATH leads.
    pub(crate) folder: Option<PathBuf>,
}

/// How a program ended, and what it said.
pub(crate) struct Said {
    /// Whether it ended with 0.
    pub(crate) well: bool,
    /// Its output.
    pub(crate) stdout: String,
    /// Its complaints.
    pub(crate) stderr: String,
    how: String,
}

impl Programs {
    /// A program that speaks English and asks nothing.
    pub(crate) fn command(&self, name: &str) -> Command {
        let mut command = match &self.folder {
            Some(folder) => Command::new(folder.join(name)),
            None => Command::new(name),
        };
        command.env("LC_ALL", "C").stdin(Stdio::null());
        command
    }
}

impl Said {
    /// What it printed; a failure to fetch `what` unless it ended well.
    pub(crate) fn unless_failed(self, what: &str) -> Result<String, KernelError> {
        match self.well {
            true => Ok(self.stdout),
            false => Err(failed(what, self.reason())),
        }
    }

    /// Why it did not end well: its last words, else how it ended.
    pub(crate) fn reason(&self) -> String {
        match last_words(&self.stderr) {
            words if words.is_empty() => self.how.clone(),
            words => words,
        }
    }
}

/// Runs it to its end. It dies with us, however we end.
///
/// # Errors
/// It cannot be started ([`KernelError::ClientMissing`] when it is not there). That it failed is no
/// error here.
pub(crate) fn run(command: &mut Command) -> Result<Said, KernelError> {
    watch(command, None, &mut |_| true)
}

/// As [`run`], with each line of its output handed to `moves` as it comes, which says whether the
/// line shows that things move on. With `patience`, it is given up when none did for so long.
///
/// # Errors
/// As [`run`].
pub(crate) fn watch(
    command: &mut Command,
    patience: Option<Duration>,
    moves: &mut dyn FnMut(&str) -> bool,
) -> Result<Said, KernelError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let cannot_run = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => KernelError::ClientMissing { program: program.clone() },
        _ => failed("a kernel", format!("{program} cannot be run: {error}")),
    };
    ends_with_us(command, Signal::KILL);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    child.and_then(|child| listen(child, &program, patience, moves)).map_err(cannot_run)
}

/// A fetch that failed, with what to do about it.
pub(crate) fn failed(what: &str, reason: String) -> KernelError {
    let advice = advice(&reason);
    KernelError::CannotFetch { what: what.to_owned(), reason, advice }
}

fn listen(
    mut child: Child,
    program: &str,
    patience: Option<Duration>,
    moves: &mut dyn FnMut(&str) -> bool,
) -> io::Result<Said> {
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (sender, lines) = mpsc::channel();
    let (stdout, mut stderr, given_up) = thread::scope(|scope| {
        let stderr = scope.spawn(|| stderr.map(read_all).unwrap_or_default());
        scope.spawn(|| stdout.map(|stdout| read_lines(stdout, sender)));
        let (stdout, given_up) = hear(&lines, patience, moves, &mut child);
        (stdout, stderr.join().unwrap_or_default(), given_up)
    });
    let status = child.wait()?;
    if let Some(patience) = given_up {
        stderr = format!("given up, since nothing came for {} seconds", patience.as_secs());
    }
    let how = format!("{program} ended with {status}");
    Ok(Said { well: status.success(), stdout, stderr, how })
}

/// Hears the child out, or kills it when patience ends; `Some` is the patience that was lost.
fn hear(
    lines: &Receiver<String>,
    patience: Option<Duration>,
    moves: &mut dyn FnMut(&str) -> bool,
    child: &mut Child,
) -> (String, Option<Duration>) {
    let (mut text, mut moved) = (String::new(), Instant::now());
    loop {
        let left = patience.map_or(Duration::MAX, |it| it.saturating_sub(moved.elapsed()));
        if left.is_zero() {
            // An error means that it has just ended.
            let _ = child.kill();
            return (text, patience);
        }
        match lines.recv_timeout(left) {
            Ok(line) => {
                if moves(&line) {
                    moved = Instant::now();
                }
                text.push_str(&line);
                text.push('\n');
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return (text, None),
        }
    }
}

fn read_lines(stdout: impl Read, lines: Sender<String>) {
    let read = BufReader::new(stdout).split(b'\n').map_while(Result::ok);
    for line in read {
        // Nobody listens any more once it was given up.
        let _ = lines.send(String::from_utf8_lossy(&line).into_owned());
    }
}

fn read_all(mut stderr: impl Read) -> String {
    let mut bytes = Vec::new();
    // What was read before an error is still worth telling.
    let _ = stderr.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Programs::default().command("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn both_outputs_are_taken_however_long_they_are() {
        let mut lines = 0;
        let script = "i=0; while [ $i -lt 9999 ]; do echo o$i; echo e$i >&2; i=$((i+1)); done";
        let mut count = |_: &str| {
            lines += 1;
            true
        };
        let said = watch(&mut shell(script), None, &mut count).unwrap();
        assert!(said.well);
        assert_eq!(lines, 9999);
        assert!(said.stdout.ends_with("o9998\n") && said.stderr.ends_with("e9998\n"));
    }

    #[test]
    fn a_failure_says_why_or_how_it_ended() {
        let said = run(&mut shell("echo 'E: bad' >&2; exit 3")).unwrap();
        assert_eq!(said.reason(), "bad");
        let error = said.unless_failed("kernel 6.1.0-9-amd64").unwrap_err().to_string();
        assert!(error.starts_with("cannot fetch kernel 6.1.0-9-amd64: bad; "), "{error}");
        let killed = run(&mut shell("kill -9 $$")).unwrap();
        assert_eq!(killed.reason(), "sh ended with signal: 9 (SIGKILL)");
    }

    #[test]
    fn one_that_stands_still_is_given_up() {
        // It repeats itself for ever.
        let script = "while :; do echo still; done";
        let mut last = String::new();
        let mut moves = |line: &str| {
            let moved = line != last;
            last = line.to_owned();
            moved
        };
        let patience = Some(Duration::from_millis(50));
        let said = watch(&mut shell(script), patience, &mut moves).unwrap();
        assert!(!said.well && said.stdout.starts_with("still\n"));
        assert!(said.reason().contains("given up"), "{}", said.reason());
    }

    #[test]
    fn a_program_that_is_not_there_is_missing() {
        let mut command = Programs::default().command("no-such-package-client");
        let Err(error) = run(&mut command) else { panic!("it is not there") };
        assert!(matches!(error, KernelError::ClientMissing { .. }), "{error}");
    }
}
