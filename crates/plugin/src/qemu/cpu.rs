//! QEMU's own object of the virtual CPU that is running.

use std::ffi::{c_int, c_uint};

use super::Handle;
use super::symbol::{address, function};

/// Finds the CPU in whose callback we are.
#[derive(Clone, Copy)]
pub(crate) struct RunningCpu {
    by_index: unsafe extern "C" fn(c_int) -> Handle,
}

impl RunningCpu {
    /// `None` when this build of QEMU does not tell.
    pub(crate) fn find() -> Option<Self> {
        // SAFETY: CPUState *qemu_get_cpu(int index), alike in QEMU 6.0 to 10.
        let by_index = unsafe { function(c"qemu_get_cpu") }?;
        Some(Self { by_index })
    }

    /// The running CPU; `vcpu` is the index that QEMU passed to the callback.
    ///
    /// QEMU's own idea of it goes first. QEMU 10, where one thread runs several CPUs, passes the
    /// index of the CPU that translated the block, whichever executes it.
    pub(crate) fn get(self, vcpu: c_uint) -> Option<Handle> {
        current().or_else(|| self.numbered(vcpu))
    }

    fn numbered(self, vcpu: c_uint) -> Option<Handle> {
        // SAFETY: the call looks the index up and returns null when there is none.
        let cpu = unsafe { (self.by_index)(c_int::try_from(vcpu).ok()?) };
        (!cpu.0.is_null()).then_some(cpu)
    }
}

/// QEMU's `current_cpu`, a variable of each thread: so it is looked up by the thread that asks.
fn current() -> Option<Handle> {
    let variable = address(c"current_cpu")?;
    // SAFETY: `__thread CPUState *current_cpu`, alike in QEMU 6.0 to 10; dlsym returns the address
    // of this thread's.
    let cpu = unsafe { variable.cast::<Handle>().read() };
    (!cpu.0.is_null()).then_some(cpu)
}
