//! The one plugin of this process: what it found at its installation, and what it answers when
//! the guest passes a marker.

use std::ffi::c_uint;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::frame;
use crate::keys::{CODE, Code, Given, Keys, NO_KEY};
use crate::marker::{KERNEL_START, Marker};
use crate::outlet::Outlet;
use crate::qemu::cpu::RunningCpu;
use crate::qemu::icount::{Clock, InstructionCount};
use crate::qemu::memory::Memory;
use crate::qemu::registers::{Register, Registers};
use crate::qemu::stop::Stop;
use crate::qemu::translation::{Block, Translation};
use crate::sampling::Sampling;
use crate::sites::Sites;
use crate::tally::Tally;
use crate::user_blocks::Pending;

/// The most that the marker "out" hands over at once, in bytes.
const LARGEST_OUT: u64 = 16 << 20;

static PLUGIN: OnceLock<Plugin> = OnceLock::new();

/// All that callbacks need.
pub(crate) struct Plugin {
    pub(crate) outlet: Outlet,
    pub(crate) translation: Translation,
    pub(crate) tally: Tally,
    /// Present when anything tells of user blocks.
    pub(crate) keys: Option<Mutex<Keys>>,
    pub(crate) sampling: Option<Sampling>,
    pub(crate) hlt_cure: Option<InstructionCount>,
    pub(crate) clock: Option<Clock>,
    pub(crate) memory: Option<Memory>,
    pub(crate) registers: Option<Registers>,
    /// Present when it is wanted and there.
    pub(crate) stop: Option<Stop>,
    pub(crate) shift: Option<u8>,
    /// The phase that is running.
    pub(crate) phase: Mutex<u8>,
    /// Where probes look; empty where they cannot.
    pub(crate) sites: Sites,
    pub(crate) cpu: Option<RunningCpu>,
    /// The frame of a probe or a sample while it is made.
    pub(crate) buffer: Mutex<Vec<u8>>,
}

impl Plugin {
    /// Makes it the plugin that callbacks see; false when there is one already.
    pub(crate) fn install(self) -> bool {
        PLUGIN.set(self).is_ok()
    }

    /// The plugin, in a callback.
    pub(crate) fn get() -> Option<&'static Self> {
        PLUGIN.get()
    }

    /// Tells the host that something went wrong.
    pub(crate) fn note(&self, text: &str) {
        self.outlet.write(&frame::note(text));
    }

    /// What a profile calls the block: its address, or its key if it is user code.
    pub(crate) fn name(&self, block: &Block<'_>) -> u64 {
        if block.address >= KERNEL_START { block.address } else { self.key(block) }
    }

    /// The key of a block of user code, told when it is new.
    fn key(&self, block: &Block<'_>) -> u64 {
        let Some(keys) = &self.keys else { return NO_KEY };
        let code = Code { address: block.address, bytes: block.code(CODE) };
        if code.bytes.is_empty() {
            return NO_KEY;
        }
        // Held until it is told, so that no other CPU can use the key before.
        let mut keys = keys.lock().unwrap_or_else(PoisonError::into_inner);
        match keys.give(&code) {
            Given::Known(key) => key,
            Given::New(key) => {
                self.outlet.write(&frame::code(key, &code));
                key
            }
            Given::None { overflow_began } => {
                if overflow_began {
                    self.note("no key is left; further user code goes by 0");
                }
                NO_KEY
            }
        }
    }

    /// A phase begins, in a user block of which something is still to come.
    pub(crate) fn begin_phase(&self, vcpu: c_uint, phase: u8, pending: Pending) {
        self.mark(vcpu, Marker::Phase(phase), pending);
    }

    /// The guest is ready: says so, and stops the machine if that is wanted.
    pub(crate) fn ready(&self, vcpu: c_uint, pending: Pending) {
        self.mark(vcpu, Marker::Ready, pending);
        if let Some(stop) = self.stop {
            stop.stop();
        }
    }

    fn mark(&self, vcpu: c_uint, marker: Marker, pending: Pending) {
        // Held to the end, so that another CPU's marker cannot come between profile and mark.
        let mut phase = self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        let totals = self.tally.totals(pending.rest);
        for profile in frame::profile(*phase, &self.tally.growth(totals, pending)) {
            self.outlet.write(&profile);
        }
        let clock = self.clock_before(vcpu, pending.rest);
        match marker {
            Marker::Phase(number) => {
                self.outlet.write(&frame::mark(number, clock, totals));
                *phase = number;
            }
            Marker::Ready => self.outlet.write(&frame::ready(clock, totals)),
            Marker::Out => {}
        }
    }

    /// Guest nanoseconds before the instruction behind which `rest` of its block, itself included,
    /// are still to come. The clock shows the block's end; going back from there takes the shift.
    pub(crate) fn clock_before(&self, vcpu: c_uint, rest: u64) -> Option<u64> {
        let now = self.clock.and_then(|clock| clock.now(vcpu))?;
        Some(self.shift.map_or(now, |shift| now.saturating_sub(rest << shift)))
    }

    /// The guest hands bytes out, by the instruction at `index` of its block.
    pub(crate) fn out(&self, vcpu: c_uint, index: usize) {
        match self.handed_out(vcpu, index) {
            Ok((channel, bytes)) => self.outlet.write(&frame::data(channel, &bytes)),
            Err(why) => self.note(&format!("marker out: {why}")),
        }
    }

    fn handed_out(&self, vcpu: c_uint, index: usize) -> Result<(u8, Vec<u8>), String> {
        let registers = self.registers.as_ref().ok_or("this QEMU has no way to read registers")?;
        if !registers.up_to_date_at(index) {
            return Err("not the first instruction of its block: jump to it".to_owned());
        }
        let register = |register| {
            let value = registers.read(vcpu, register);
            value.ok_or_else(|| format!("register {register:?} cannot be read"))
        };
        let address = register(Register::Rdi)?;
        let length = register(Register::Rsi)?;
        let channel = register(Register::Rdx)?.to_le_bytes()[0];
        if length > LARGEST_OUT {
            return Err(format!("{length} bytes are more than {LARGEST_OUT}"));
        }
        let memory = self.memory.ok_or("this QEMU has no way to read the guest's memory")?;
        let bytes = memory.read(vcpu, address, length as usize).map_err(|unreadable| {
            format!("no memory at {:#x}, of {length} bytes at {address:#x}", unreadable.0)
        })?;
        Ok((channel, bytes))
    }

    /// QEMU exits.
    pub(crate) fn end(&self) {
        let phase = self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        let totals = self.tally.totals(0);
        for profile in frame::profile(*phase, &self.tally.growth(totals, Pending::default())) {
            self.outlet.write(&profile);
        }
        self.outlet.write(&frame::end(totals));
    }
}
