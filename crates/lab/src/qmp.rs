//! A small client of QEMU's machine protocol over a socket that the child inherits.
//!
//! Unknown events and fields are passed over; QEMU adds some with every version.

use std::io::{self, BufRead, BufReader, Write};
use std::mem::MaybeUninit;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use serde_json::{Value, json};

/// The connection to one QEMU.
pub(crate) struct Qmp {
    reader: BufReader<UnixStream>,
    writer: UnixStream,
}

/// QEMU's version as it greets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    /// Major and minor.
    pub(crate) number: (u64, u64),
    /// `7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)`.
    pub(crate) text: String,
}

/// QEMU answers at once or never.
const PATIENCE: Duration = Duration::from_secs(60);

impl Qmp {
    /// Takes the greeting and enters command mode.
    ///
    /// # Errors
    /// QEMU ended, or does not answer.
    pub(crate) fn connect(stream: UnixStream) -> io::Result<(Qmp, Version)> {
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut qmp = Qmp { writer: stream.try_clone()?, reader: BufReader::new(stream) };
        let greeting = qmp.message()?;
        qmp.command("qmp_capabilities", json!({}))?;
        Ok((qmp, version(&greeting)))
    }

    /// Executes a command and returns what it returned.
    ///
    /// # Errors
    /// QEMU ended, or refuses; then with its own words.
    pub(crate) fn command(&mut self, name: &str, arguments: Value) -> io::Result<Value> {
        let line = json!({ "execute": name, "arguments": arguments }).to_string();
        writeln!(self.writer, "{line}")?;
        self.answer(name)
    }

    fn answer(&mut self, name: &str) -> io::Result<Value> {
        loop {
            let mut message = self.message()?;
            if let Some(error) = message.get("error") {
                let said = error["desc"].as_str().unwrap_or("no reason given").to_owned();
                return Err(io::Error::other(format!("QEMU refuses {name}: {said}")));
            }
            if message.get("return").is_some() {
                return Ok(message["return"].take());
            }
        }
    }

    /// The machine's state, such as `running` or `paused`.
    ///
    /// # Errors
    /// As [`Qmp::command`].
    pub(crate) fn status(&mut self) -> io::Result<String> {
        let answer = self.command("query-status", json!({}))?;
        Ok(answer["status"].as_str().unwrap_or_default().to_owned())
    }

    /// Hands a descriptor to QEMU under a name that a migration's URI can use (`fd:NAME`).
    ///
    /// # Errors
    /// As [`Qmp::command`].
    pub(crate) fn hand_over(&mut self, name: &str, fd: &impl AsFd) -> io::Result<()> {
        let line = json!({ "execute": "getfd", "arguments": { "fdname": name } }).to_string();
        let fds = [fd.as_fd()];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        ancillary.push(SendAncillaryMessage::ScmRights(&fds));
        let bytes = [io::IoSlice::new(line.as_bytes())];
        sendmsg(&self.writer, &bytes, &mut ancillary, SendFlags::empty())?;
        self.answer("getfd").map(drop)
    }

    fn message(&mut self) -> io::Result<Value> {
        let mut line = String::new();
        if self.reader.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        serde_json::from_str(&line).map_err(io::Error::other)
    }
}

fn version(greeting: &Value) -> Version {
    let version = &greeting["QMP"]["version"];
    let part = |name: &str| version["qemu"][name].as_u64().unwrap_or_default();
    let number = (part("major"), part("minor"));
    let package = version["package"].as_str().unwrap_or_default().trim();
    let package = package.trim_start_matches('(').trim_end_matches(')');
    let bare = format!("{}.{}.{}", number.0, number.1, part("micro"));
    let text = if package.is_empty() { bare } else { format!("{bare} ({package})") };
    Version { number, text }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn events_between_command_and_answer_are_passed_over() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let qemu = thread::spawn(move || {
            let mut lines = BufReader::new(theirs.try_clone().unwrap()).lines();
            let say = |text: &str| writeln!(&theirs, "{text}").unwrap();
            say(
                r#"{"QMP":{"version":{"qemu":{"micro":22,"minor":2,"major":7},"package":"Debian 1"}}}"#,
            );
            lines.next();
            say(r#"{"return":{}}"#);
            lines.next();
            say(r#"{"event":"NEVER_HEARD_OF","data":{}}"#);
            say(r#"{"return":{"status":"paused"}}"#);
            lines.next();
            say(r#"{"error":{"class":"GenericError","desc":"no such thing"}}"#);
        });
        let (mut qmp, version) = Qmp::connect(ours).unwrap();
        assert_eq!(version.number, (7, 2));
        assert_eq!(version.text, "7.2.22 (Debian 1)");
        assert_eq!(qmp.status().unwrap(), "paused");
        let error = qmp.command("nothing", json!({})).unwrap_err().to_string();
        assert!(error.contains("no such thing"), "{error}");
        qemu.join().unwrap();
        assert!(qmp.status().is_err());
    }
}
