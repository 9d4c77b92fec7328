//! Stopping the machine from within.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use super::symbol::{address, function};

/// `RUN_STATE_PAUSED` of QEMU 6.0 to 10, should QEMU not tell.
const PAUSED: c_int = 4;

/// QEMU's `vm_stop`.
#[derive(Clone, Copy)]
pub(crate) struct Stop {
    stop: unsafe extern "C" fn(c_int) -> c_int,
    paused: c_int,
}

impl Stop {
    /// `None` when this build of QEMU does not export it.
    pub(crate) fn find() -> Option<Self> {
        // SAFETY: int vm_stop(RunState state), alike in QEMU 6.0 to 10.
        let stop = unsafe { function(c"vm_stop") }?;
        Some(Self { stop, paused: run_state(c"paused").unwrap_or(PAUSED) })
    }

    /// Stops the machine after the block that is running; called from a callback.
    pub(crate) fn stop(self) {
        // SAFETY: QEMU takes this call on a CPU's thread too, where it only files a request.
        // Its result is 0 there.
        unsafe { (self.stop)(self.paused) };
    }
}

/// The number of a run state, by its QMP name: they are numbered anew with each addition.
fn run_state(name: &CStr) -> Option<c_int> {
    type Parse =
        unsafe extern "C" fn(*const c_void, *const c_char, c_int, *mut *mut c_void) -> c_int;
    let names = address(c"RunState_lookup")?;
    // SAFETY: int qapi_enum_parse(const QEnumLookup *lookup, const char *buf, int def,
    // Error **errp), alike in QEMU 6.0 to 10.
    let parse = unsafe { function::<Parse>(c"qapi_enum_parse") }?;
    // SAFETY: the table is QEMU's own, the name ends in NUL, and null is "report no error".
    let number = unsafe { parse(names, name.as_ptr(), -1, ptr::null_mut()) };
    (number >= 0).then_some(number)
}
