//! One QEMU from its start to its end.

use std::fs::File;
use std::io::{self, PipeReader};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use experiment::Cancel;
use protocol::{JOB_FILE, PAYLOAD_FILE};
use serde_json::json;

use crate::child::{Guarded, Inherited};
use crate::emulator::{Emulator, control_arguments};
use crate::frames::{self, Frame};
use crate::memfile;
use crate::qmp::Qmp;

/// What is booted or restored.
pub(crate) struct Start<'a> {
    /// The QEMU to run.
    pub(crate) emulator: &'a Emulator,
    /// Its arguments for the machine.
    pub(crate) machine: &'a [String],
    /// The kernel.
    pub(crate) kernel: &'a File,
    /// An instruction takes 2^shift ns.
    pub(crate) shift: u32,
    /// The initramfs.
    pub(crate) initramfs: &'a File,
    /// Whether the machine stops at the ready marker.
    pub(crate) stop: bool,
    /// Whether instructions are counted by address.
    pub(crate) profile: bool,
    /// Arguments by which the plugin looks at the guest.
    pub(crate) probes: &'a [String],
    /// The saved state to restore; without it the machine boots.
    pub(crate) state: Option<&'a File>,
    /// Job and payload; without them the guest only gets ready.
    pub(crate) trial: Option<(&'a [u8], &'a File)>,
}

/// A running QEMU; it ends when this is dropped.
pub(crate) struct Session {
    child: Guarded,
    qmp: Qmp,
    frames: Receiver<io::Result<Frame>>,
    console: File,
    log: File,
    to_files: bool,
}

/// What the next moment brought.
pub(crate) enum Event {
    /// The plugin wrote a frame.
    Frame(Frame),
    /// QEMU ended; how.
    Ended(String),
    /// The deadline is over.
    Late,
    /// The run was cancelled.
    Cancelled,
}

/// How often a waiting session looks whether it was cancelled.
const GLANCE: Duration = Duration::from_millis(50);

impl Session {
    /// Starts QEMU. A restored machine is still paused; see [`Session::resume`].
    ///
    /// # Errors
    /// QEMU does not start; with what it said.
    pub(crate) fn start(start: &Start<'_>) -> io::Result<Session> {
        let mut inherited = Inherited::default();
        let (ours, theirs) = UnixStream::pair()?;
        let (reader, writer) = io::pipe()?;
        let console = memfile::empty("console")?;
        let log = memfile::empty("qemu-log")?;
        let mut arguments = start.emulator.firmware();
        arguments.extend_from_slice(start.machine);
        let kernel = inherited.add_path(start.kernel.try_clone()?);
        arguments.extend(["-kernel".to_owned(), kernel]);
        let initramfs = inherited.add_path(start.initramfs.try_clone()?);
        arguments.extend(["-initrd".to_owned(), initramfs]);
        let serial = inherited.add_path(console.try_clone()?);
        arguments.extend(["-chardev".to_owned(), format!("file,id=console,path={serial}")]);
        arguments.extend(["-serial", "chardev:console"].map(str::to_owned));
        arguments.extend(control_arguments(inherited.add(theirs)));
        let frames = inherited.add(writer);
        let Start { emulator, shift, stop, profile, probes, .. } = *start;
        arguments.extend(emulator.plugin_arguments(frames, shift, stop, profile, probes));
        if let Some((job, payload)) = start.trial {
            let job = inherited.add_path(memfile::holding("job", job)?);
            let payload = inherited.add_path(payload.try_clone()?);
            for (name, path) in [(JOB_FILE, job), (PAYLOAD_FILE, payload)] {
                arguments.extend(["-fw_cfg".to_owned(), format!("name={name},file={path}")]);
            }
        }
        let to_files = start.emulator.migrates_to_files();
        if let Some(state) = start.state {
            let fd = inherited.add(state.try_clone()?);
            arguments.extend(["-incoming".to_owned(), state_uri(to_files, fd)]);
        }
        let mut child = Guarded::spawn(start.emulator.program(), &arguments, inherited, &log)?;
        let frames = listen(reader);
        let (qmp, _) = Qmp::connect(ours).map_err(|error| child.explain(&error, &log))?;
        Ok(Session { child, qmp, frames, console, log, to_files })
    }

    /// Waits for what comes next.
    pub(crate) fn next(&mut self, deadline: Instant, cancel: &Cancel) -> Event {
        loop {
            if cancel.is_set() {
                return Event::Cancelled;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.frames.recv_timeout(left.min(GLANCE)) {
                Ok(Ok(frame)) => return Event::Frame(frame),
                Ok(Err(error)) => return Event::Ended(error.to_string()),
                Err(RecvTimeoutError::Disconnected) => return self.end(deadline, cancel),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Event::Late,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// The plugin writes no more: QEMU is ending, or it runs without a plugin.
    fn end(&mut self, deadline: Instant, cancel: &Cancel) -> Event {
        loop {
            if let Some(how) = self.child.ended() {
                return Event::Ended(how);
            }
            if cancel.is_set() {
                return Event::Cancelled;
            }
            if Instant::now() >= deadline {
                return Event::Late;
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until the machine has stopped at its marker.
    ///
    /// # Errors
    /// QEMU ended.
    pub(crate) fn wait_paused(&mut self) -> io::Result<()> {
        while self.qmp.status()? != "paused" {
            thread::sleep(Duration::from_millis(2));
        }
        Ok(())
    }

    /// Writes the stopped machine to `state`, which is `file`.
    ///
    /// # Errors
    /// QEMU's own, for example a full disk.
    pub(crate) fn save(&mut self, state: &Path, file: &File) -> io::Result<()> {
        // The default bandwidth is a network's.
        self.qmp.command("migrate-set-parameters", json!({ "max-bandwidth": 1u64 << 40 }))?;
        let uri = if self.to_files {
            format!("file:{}", state.display())
        } else {
            self.qmp.hand_over("state", file)?;
            "fd:state".to_owned()
        };
        self.qmp.command("migrate", json!({ "uri": uri }))?;
        loop {
            let answer = self.qmp.command("query-migrate", json!({}))?;
            match answer["status"].as_str() {
                Some("completed") => return Ok(()),
                Some("failed" | "cancelled") => {
                    let said = answer["error-desc"].as_str().unwrap_or("no reason given");
                    return Err(io::Error::other(format!("QEMU cannot save the machine: {said}")));
                }
                _ => thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    /// Lets a restored machine go on, once it is there.
    ///
    /// # Errors
    /// QEMU cannot restore the state.
    pub(crate) fn resume(&mut self) -> io::Result<()> {
        self.when_restored().map_err(|error| self.child.explain(&error, &self.log))
    }

    fn when_restored(&mut self) -> io::Result<()> {
        while self.qmp.status()? == "inmigrate" {
            thread::sleep(Duration::from_millis(2));
        }
        self.qmp.command("cont", json!({})).map(drop)
    }

    /// What the guest printed on its console.
    pub(crate) fn console(&self) -> String {
        memfile::text(&self.console)
    }

    /// What QEMU itself said.
    pub(crate) fn log(&self) -> String {
        memfile::text(&self.log).trim().to_owned()
    }
}

fn state_uri(to_files: bool, fd: i32) -> String {
    if to_files { format!("file:/proc/self/fd/{fd}") } else { format!("fd:{fd}") }
}

/// Reads frames until QEMU ends.
fn listen(reader: PipeReader) -> Receiver<io::Result<Frame>> {
    let mut reader = io::BufReader::with_capacity(1 << 16, reader);
    let (sender, receiver) = channel();
    thread::spawn(move || {
        loop {
            let frame = match frames::read(&mut reader) {
                Ok(Some(frame)) => Ok(frame),
                Ok(None) => return,
                Err(error) => Err(error),
            };
            let failed = frame.is_err();
            if sender.send(frame).is_err() || failed {
                return;
            }
        }
    });
    receiver
}
