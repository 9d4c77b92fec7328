//! The emulator's instruction clock: making it exact at a `hlt`, and reading it at any instruction.
//!
//! At a `hlt` QEMU 7.2 to 10 marks the CPU as halted without its big lock, and the main loop may
//! then jump ahead from an instruction count that is not up to date: about one run in four had
//! another time. QEMU's own `icount_update` before the `hlt` brings the count up to date.

use std::ffi::{c_int, c_uint};

use super::Handle;
use super::cpu::{RunningCpu, as_elsewhere};
use super::symbol::{address, function};

/// `QEMU_CLOCK_VIRTUAL`.
const VIRTUAL: c_int = 1;

/// Brings the instruction count up to date.
#[derive(Clone, Copy)]
pub(crate) struct InstructionCount {
    cpu: RunningCpu,
    update: unsafe extern "C" fn(Handle),
}

impl InstructionCount {
    /// `None` when this build of QEMU does not export what it takes.
    pub(crate) fn find() -> Option<Self> {
        let cpu = RunningCpu::find()?;
        // SAFETY: void icount_update(CPUState *cpu), alike in QEMU 6.0 to 10.
        let update = unsafe { function(c"icount_update") }?;
        Some(Self { cpu, update })
    }

    /// Accounts for what `vcpu` has executed; to be called from a callback on that CPU.
    ///
    /// The block that is running counts as executed to its end, as it does throughout QEMU.
    pub(crate) fn update(self, vcpu: c_uint) {
        if let Some(cpu) = self.cpu.get(vcpu) {
            // SAFETY: this is the CPU whose thread we are in, as QEMU's own callers are.
            unsafe { (self.update)(cpu) };
        }
    }
}

/// Reads the guest's virtual clock in the middle of a block.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    count: InstructionCount,
    nanoseconds: unsafe extern "C" fn(c_int) -> i64,
}

impl Clock {
    /// `None` when this build of QEMU does not export what it takes.
    pub(crate) fn find() -> Option<Self> {
        let count = InstructionCount::find()?;
        // What `as_elsewhere` takes.
        address(c"current_cpu")?;
        // SAFETY: int64_t qemu_clock_get_ns(QEMUClockType type), alike in QEMU 6.0 to 10.
        let nanoseconds = unsafe { function(c"qemu_clock_get_ns") }?;
        Some(Self { count, nanoseconds })
    }

    /// Guest nanoseconds at the end of the block that `vcpu` is executing.
    pub(crate) fn now(self, vcpu: c_uint) -> Option<u64> {
        self.count.update(vcpu);
        // On a CPU's own thread, within a block, QEMU calls this a "Bad icount read" and exits. A
        // thread that is no CPU's gets the count as it was brought up to date just now.
        let now = as_elsewhere(|| {
            // SAFETY: the clock may be read from any thread.
            unsafe { (self.nanoseconds)(VIRTUAL) }
        });
        u64::try_from(now?).ok()
    }
}
