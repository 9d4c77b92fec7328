//! The installation: from QEMU's call to a running plugin, or to a reason why not.

use std::ffi::{c_char, c_int};
use std::fmt;
use std::io::{self, Write};
use std::sync::Mutex;

use crate::arguments::{ArgumentError, Arguments};
use crate::callbacks;
use crate::frame;
use crate::hello::Hello;
use crate::keys::{KEYS, Keys};
use crate::outlet::Outlet;
use crate::plugin::Plugin;
use crate::probe::Probe;
use crate::qemu::counters::Counters;
use crate::qemu::cpu::RunningCpu;
use crate::qemu::icount::{Clock, InstructionCount};
use crate::qemu::info::{self, Info, RawInfo};
use crate::qemu::memory::Memory;
use crate::qemu::pace::Pace;
use crate::qemu::registers::Registers;
use crate::qemu::stop::Stop;
use crate::qemu::symbol::Missing;
use crate::qemu::translation::Translation;
use crate::qemu::version;
use crate::sampling::Sampling;
use crate::sites::Sites;
use crate::tally::{self, Tally};

/// Why the plugin cannot be used.
enum Refusal {
    Arguments(ArgumentError),
    NotX86(String),
    Missing(Missing),
    Outlet(i32, io::Error),
    Twice,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arguments(error) => error.fmt(f),
            Self::NotX86(target) => {
                write!(f, "cannot watch {target}: use qemu-system-x86_64")
            }
            Self::Missing(Missing(name)) => {
                write!(f, "this QEMU lacks {}: use QEMU 6.0 or later", name.to_string_lossy())
            }
            Self::Outlet(fd, error) => {
                write!(f, "cannot write to descriptor {fd}: {error}; pass an open one, fd=N")
            }
            Self::Twice => write!(f, "loaded twice; load it once"),
        }
    }
}

/// QEMU calls this once it has loaded the plugin; any result but 0 makes it refuse to start.
///
/// # Safety
///
/// The arguments must be as QEMU's plugin interface, versions 1 to 4, has them.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn qemu_plugin_install(
    id: u64,
    info: *const RawInfo,
    argc: c_int,
    argv: *const *const c_char,
) -> c_int {
    // SAFETY: QEMU passes this pointer.
    let info = unsafe { Info::read(info) };
    // SAFETY: QEMU passes these two.
    let arguments = unsafe { info::arguments(argc, argv) };
    match install(id, &info, &arguments) {
        Ok(()) => 0,
        Err(refusal) => {
            // Without standard error there is nowhere left to say it.
            let _ = writeln!(io::stderr(), "slowpath plugin: {refusal}");
            1
        }
    }
}

fn install(id: u64, info: &Info, arguments: &[String]) -> Result<(), Refusal> {
    let arguments =
        Arguments::parse(arguments.iter().map(String::as_str)).map_err(Refusal::Arguments)?;
    if info.target != "x86_64" || !info.system {
        return Err(Refusal::NotX86(info.target.clone()));
    }
    let plugin = prepare(info, &arguments)?;
    if !plugin.install() {
        return Err(Refusal::Twice);
    }
    callbacks::register(id).map_err(Refusal::Missing)
}

/// Finds what this QEMU offers and says hello.
fn prepare(info: &Info, arguments: &Arguments) -> Result<Plugin, Refusal> {
    let api_used = version::used();
    let translation = Translation::find(info.api_current).map_err(Refusal::Missing)?;
    let length = tally::counters(arguments.profile);
    let counters = Counters::new(length, api_used, info.max_cpus, callbacks::executed)
        .map_err(Refusal::Missing)?;
    let hlt_cure = InstructionCount::find();
    let clock = Clock::find();
    let memory = Memory::find();
    let registers = Registers::find();
    let stop = Stop::find().filter(|_| arguments.stop);
    let can_look = memory.is_some() && registers.is_some();
    let sites = sites(arguments, can_look, clock.is_some());
    let sampling = sampling(info, api_used, arguments, memory.filter(|_| can_look))?;
    let hello = Hello {
        info,
        api_used,
        arguments,
        hlt_cure: hlt_cure.is_some(),
        clock: clock.is_some(),
        memory,
        registers: registers.as_ref(),
        stop: stop.is_some(),
        probes: can_look.then(|| sites.probes()),
        sample: can_look.then(|| arguments.sample.as_ref().map_or(0, |sample| sample.every)),
        counters: counters.word(),
    };
    let outlet = Outlet::open(arguments.fd, &frame::hello(&hello.lines()))
        .map_err(|error| Refusal::Outlet(arguments.fd, error))?;
    Ok(Plugin {
        outlet,
        translation,
        tally: Tally::new(counters, arguments.profile),
        keys: (arguments.profile || sampling.is_some()).then(|| Mutex::new(Keys::new(KEYS))),
        sampling,
        hlt_cure,
        clock,
        memory,
        registers,
        stop,
        shift: arguments.shift,
        phase: Mutex::new(0),
        sites,
        cpu: RunningCpu::find(),
        buffer: Mutex::default(),
    })
}

/// The probes that can do their work: an interval takes the clock.
fn sites(arguments: &Arguments, can_look: bool, clock: bool) -> Sites {
    let able = |probe: &&Probe| can_look && (clock || probe.interval.is_none());
    Sites::new(arguments.probes.iter().filter(able).cloned().collect())
}

/// Samples, where they are wanted and the guest can be looked at: by way of `memory`.
fn sampling(
    info: &Info,
    api_used: c_int,
    arguments: &Arguments,
    memory: Option<Memory>,
) -> Result<Option<Sampling>, Refusal> {
    let (Some(sample), Some(memory)) = (&arguments.sample, memory) else { return Ok(None) };
    let pace = Pace::new(sample.every, api_used, info.max_cpus).map_err(Refusal::Missing)?;
    Ok(Some(Sampling::new(pace, sample.pieces.clone(), memory)))
}
