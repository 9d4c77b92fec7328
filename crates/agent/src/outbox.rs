//! How results leave the guest, once, after which the machine is off.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use protocol::{AgentReport, Results, WITH_SYMBOLS, WITHOUT_SYMBOLS, channel, serial};
use rustix::system::RebootCommand;

use crate::exec::OUTPUT_FILE;
use crate::{kernel_log, marker};

/// The longest message that the plugin takes.
const LARGEST_MESSAGE: usize = 16 << 20;

/// The one way out.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    /// Where messages go and whether symbols are wanted; unset until the job is read.
    wishes: OnceLock<(Results, u8)>,
    /// What a watcher saw, and the machine's environment as text.
    seen: OnceLock<(Vec<u8>, Vec<u8>)>,
    closing: AtomicBool,
}

impl Outbox {
    /// Takes the job's wishes. Before this, results go over the serial console.
    pub(crate) fn set(&self, results: Results, symbols: u8) {
        let _ = self.wishes.set((results, symbols));
    }

    /// Takes what a watcher saw and the machine's environment; both are sent with the report.
    pub(crate) fn keep(&self, samples: Vec<u8>, environment: Vec<u8>) {
        let _ = self.seen.set((samples, environment));
    }

    /// Whether somebody is sending already.
    #[must_use]
    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::SeqCst)
    }

    /// Sends the report, with the log before it, and switches the machine off. The first caller
    /// does it; any other waits for the machine's end.
    pub(crate) fn finish(&self, report: &AgentReport) -> ! {
        if self.closing.swap(true, Ordering::SeqCst) {
            loop {
                std::thread::park();
            }
        }
        let (results, symbols) = *self.wishes.get().unwrap_or(&(Results::Serial, WITHOUT_SYMBOLS));
        let send = |channel: u8, bytes: &[u8]| send(results, channel, bytes);
        if let Ok(output) = fs::read(OUTPUT_FILE) {
            send(channel::OUTPUT, &output);
        }
        send(channel::KERNEL_LOG, &kernel_log::read());
        send(channel::MODULES, &fs::read("/proc/modules").unwrap_or_default());
        if symbols == WITH_SYMBOLS {
            send(channel::SYMBOLS, &fs::read("/proc/kallsyms").unwrap_or_default());
        }
        if let Some((samples, environment)) = self.seen.get() {
            samples.chunks(LARGEST_MESSAGE).for_each(|piece| send(channel::SAMPLES, piece));
            send(channel::ENVIRONMENT, environment);
        }
        let report = serde_json::to_vec(report).unwrap_or_default();
        send(channel::REPORT, &report);
        restart()
    }
}

/// Ends the machine; QEMU runs with `-no-reboot`.
pub(crate) fn restart() -> ! {
    let _ = rustix::system::reboot(RebootCommand::Restart);
    // Only where the agent is not PID 1 of a machine.
    std::process::exit(1)
}

fn send(results: Results, channel: u8, bytes: &[u8]) {
    let bytes = &bytes[..bytes.len().min(LARGEST_MESSAGE)];
    match results {
        Results::Plugin => marker::send(channel, bytes),
        // There is no other way to say that this one failed.
        Results::Serial => drop(send_serial(channel, bytes)),
    }
}

fn send_serial(channel: u8, bytes: &[u8]) -> io::Result<()> {
    let mut port = File::options().write(true).open("/dev/ttyS0")?;
    port.write_all(b"\n")?;
    port.write_all(serial::encode(channel, bytes).as_bytes())?;
    rustix::termios::tcdrain(&port)?;
    Ok(())
}
