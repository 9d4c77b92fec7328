//! Leads a machine through its boot and through a trial.

use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

use experiment::{Cancel, PlaceError, TrialEvent};
use model::case::Phase;
use model::{BrokenKind, Limits};

use crate::channels::{Collected, News};
use crate::frames::Frame;
use crate::session::{Event, Session, Start};

/// A trial that did not come to its end, with what had come out by then.
#[derive(Debug)]
pub(crate) struct Stopped {
    /// Which kind of breakage.
    pub(crate) kind: BrokenKind,
    /// What happened.
    pub(crate) reason: String,
    /// The console's text.
    pub(crate) console: String,
}

impl Stopped {
    /// The run was cancelled before there was a machine.
    pub(crate) fn cancelled() -> Self {
        let (kind, reason) = interrupted();
        Stopped { kind, reason, console: String::new() }
    }
}

fn interrupted() -> (BrokenKind, String) {
    (BrokenKind::Interrupted, "interrupted".to_owned())
}

/// Why no state was saved.
pub(crate) enum NotSaved {
    /// The boot broke.
    Broken(Stopped),
    /// The host failed.
    Place(PlaceError),
}

impl From<std::io::Error> for NotSaved {
    fn from(error: std::io::Error) -> Self {
        NotSaved::Place(PlaceError::Host(format!("the booted machine cannot be kept: {error}")))
    }
}

/// What the booted machine had printed, beside its state.
pub(crate) const BOOT_CONSOLE: &str = "console.log";

/// What a trial sent, and its console.
pub(crate) struct Finished {
    /// Everything that came out.
    pub(crate) collected: Collected,
    /// The console's text.
    pub(crate) console: String,
}

/// Boots a machine until the agent is ready and saves it to `state`.
///
/// # Errors
/// See [`NotSaved`].
pub(crate) fn boot_and_save(
    start: &Start<'_>,
    limits: Limits,
    cancel: &Cancel,
    (state, file): (&Path, &File),
) -> Result<(), NotSaved> {
    let mut session = launch(start).map_err(NotSaved::Broken)?;
    let mut collected = Collected::default();
    let deadline = Instant::now() + Duration::from_nanos(limits.wall.0);
    loop {
        match session.next(deadline, cancel) {
            Event::Frame(frame) => {
                if collected.take(frame) == News::Ready {
                    break;
                }
            }
            other => return Err(NotSaved::Broken(stopped(&session, other, &collected, limits))),
        }
    }
    session.wait_paused()?;
    session.save(state, file)?;
    // A restored machine's console goes on where this one ended.
    Ok(std::fs::write(state.with_file_name(BOOT_CONSOLE), session.console())?)
}

/// Runs a trial of these phases in a machine that is restored or boots; `see` gets what probes saw, and the
/// samples that were taken within phases.
///
/// # Errors
/// See [`Stopped`].
pub(crate) fn trial(
    start: &Start<'_>,
    phases: &[Phase],
    limits: Limits,
    see: &mut dyn FnMut(&Frame),
    events: &(dyn Fn(TrialEvent) + Sync),
    cancel: &Cancel,
) -> Result<Finished, Stopped> {
    let mut session = launch(start)?;
    if start.state.is_some() {
        session.resume().map_err(|error| emulator_failed(&session, &error.to_string()))?;
    }
    events(TrialEvent::Started);
    let mut collected = Collected::default();
    collected.ready = start.state.is_some();
    let deadline = Instant::now() + Duration::from_nanos(limits.wall.0);
    loop {
        match session.next(deadline, cancel) {
            Event::Frame(frame @ Frame::Probe(_)) => see(&frame),
            Event::Frame(frame @ Frame::Sample(_)) => {
                if collected.running().is_some() {
                    see(&frame);
                }
            }
            Event::Frame(frame) => match collected.take(frame) {
                News::Report => return Ok(finished(&session, collected)),
                News::Began(index) => events(TrialEvent::PhaseBegan(index)),
                News::Ended(index) => events(TrialEvent::PhaseEnded(index)),
                News::Ready | News::Nothing => {}
            },
            other => {
                from_serial(&session, &mut collected);
                if collected.report().is_some() {
                    return Ok(finished(&session, collected));
                }
                let mut stopped = stopped(&session, other, &collected, limits);
                if let Some(phase) = collected.running().and_then(|index| phases.get(index)) {
                    stopped.reason = format!("in phase `{}`: {}", phase.label(), stopped.reason);
                }
                return Err(stopped);
            }
        }
    }
}

fn launch(start: &Start<'_>) -> Result<Session, Stopped> {
    Session::start(start).map_err(|error| Stopped {
        kind: BrokenKind::Emulator,
        reason: format!("QEMU did not start: {error}"),
        console: String::new(),
    })
}

fn finished(session: &Session, collected: Collected) -> Finished {
    Finished { collected, console: plain(&session.console()) }
}

/// Takes the messages that came over the serial console.
fn from_serial(session: &Session, collected: &mut Collected) {
    let console = protocol::serial::decode(&session.console());
    for (channel, bytes) in console.messages {
        collected.message(channel, bytes);
    }
    if console.damaged > 0 {
        collected.notes.push(format!("{} messages were damaged on the console", console.damaged));
    }
}

/// The console without messages.
fn plain(console: &str) -> String {
    let mut text = protocol::serial::decode(console).text.join("\n");
    text.push('\n');
    text
}

fn emulator_failed(session: &Session, what: &str) -> Stopped {
    Stopped {
        kind: BrokenKind::Emulator,
        reason: what.to_owned(),
        console: plain(&session.console()),
    }
}

/// Finds out why a machine ended before its report.
fn stopped(session: &Session, event: Event, collected: &Collected, limits: Limits) -> Stopped {
    let console = plain(&session.console());
    let panicked = console.contains("Kernel panic - not syncing");
    let (kind, reason) = match event {
        Event::Cancelled => interrupted(),
        _ if panicked => (BrokenKind::Panic, panic_line(&console)),
        Event::Late if collected.ready => (
            BrokenKind::OutOfTime,
            format!("it was not done after {} of the host's time", limits.wall),
        ),
        Event::Late => (
            BrokenKind::NoBoot,
            format!("the guest did not reach the agent within {}", limits.wall),
        ),
        Event::Ended(how) if collected.ready => (
            BrokenKind::Emulator,
            with_log(format!("the machine ended without a report ({how})"), session),
        ),
        Event::Ended(how) => (
            BrokenKind::NoBoot,
            with_log(format!("the machine ended before the agent was reached ({how})"), session),
        ),
        Event::Frame(_) => (BrokenKind::Emulator, "an unexpected frame".to_owned()),
    };
    Stopped { kind, reason, console }
}

fn with_log(text: String, session: &Session) -> String {
    match session.log() {
        log if log.is_empty() => text,
        log => format!("{text}; QEMU said: {log}"),
    }
}

fn panic_line(console: &str) -> String {
    let line = console.lines().find_map(|line| line.split("Kernel panic - not syncing: ").nth(1));
    format!("the kernel panicked: {}", line.unwrap_or("no reason given").trim())
}
