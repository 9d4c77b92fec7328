//! QEMU's own object of the virtual CPU that is running.

use std::cell::Cell;
use std::ffi::{c_int, c_uint};
use std::ptr::{self, NonNull};

use super::Handle;
use super::symbol::{address, function};

thread_local! {
    /// Where QEMU keeps this thread's `current_cpu`, looked up once a thread: each has its own.
    static CURRENT: Cell<Option<NonNull<Handle>>> =
        Cell::new(address(c"current_cpu").and_then(|found| NonNull::new(found.cast())));
}

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

    /// The index of the running CPU; `vcpu` as for [`Self::get`].
    pub(crate) fn index(self, vcpu: c_uint) -> c_uint {
        let Some(running) = current() else { return vcpu };
        let mut cpus = (0..).map_while(|index| Some((index, self.numbered(index)?)));
        cpus.find(|(_, cpu)| *cpu == running).map_or(vcpu, |(index, _)| index)
    }

    fn numbered(self, vcpu: c_uint) -> Option<Handle> {
        // SAFETY: the call looks the index up and returns null when there is none.
        let cpu = unsafe { (self.by_index)(c_int::try_from(vcpu).ok()?) };
        (!cpu.0.is_null()).then_some(cpu)
    }
}

/// QEMU's `current_cpu`.
fn current() -> Option<Handle> {
    let variable = CURRENT.get()?;
    // SAFETY: `__thread CPUState *current_cpu`, alike in QEMU 6.0 to 10, and dlsym returned the
    // address of this thread's.
    let cpu = unsafe { variable.read() };
    (!cpu.0.is_null()).then_some(cpu)
}

/// Runs `action` as on a thread that runs no CPU; `None` when this build of QEMU does not tell
/// which thread does.
pub(crate) fn as_elsewhere<T>(action: impl FnOnce() -> T) -> Option<T> {
    let variable = CURRENT.get()?;
    // SAFETY: as in `current`. Only this thread uses the variable, and QEMU's code that `action`
    // calls takes null for "no CPU's thread".
    let cpu = unsafe { variable.replace(Handle(ptr::null_mut())) };
    let result = action();
    // SAFETY: as above.
    unsafe { variable.write(cpu) };
    Some(result)
}
