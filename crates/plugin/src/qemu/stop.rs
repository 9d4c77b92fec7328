//! Stopping the machine from within.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::thread;
use std::time::{Duration, Instant};

use super::symbol::{address, function};

/// `RUN_STATE_PAUSED` of QEMU 6.0 to 10, should QEMU not tell.
const PAUSED: c_int = 4;

/// How long QEMU's main loop may take to begin the stop; it is at work at once or not at all.
const PATIENCE: Duration = Duration::from_secs(60);

/// QEMU's `vm_stop` and `runstate_is_running`.
#[derive(Clone, Copy)]
pub(crate) struct Stop {
    stop: unsafe extern "C" fn(c_int) -> c_int,
    running: unsafe extern "C" fn() -> bool,
    paused: c_int,
}

impl Stop {
    /// `None` when this build of QEMU does not export them.
    pub(crate) fn find() -> Option<Self> {
        // SAFETY: int vm_stop(RunState state) and bool runstate_is_running(void), alike in
        // QEMU 6.0 to 10.
        let (stop, running) = unsafe { (function(c"vm_stop")?, function(c"runstate_is_running")?) };
        Some(Self { stop, running, paused: run_state(c"paused").unwrap_or(PAUSED) })
    }

    /// Stops the machine after the block that is running; called from a callback.
    ///
    /// On a CPU's thread `vm_stop` only files a request. Were the CPU to leave its block before the
    /// main loop has taken it, the main loop could still find all CPUs idle in a running machine,
    /// and with `sleep=off` warp the guest's clock to its next timer: the saved machine would depend
    /// on which thread was faster. So the block waits until the machine counts as stopped, which
    /// QEMU (since 4.2) decides before it waits for the CPUs.
    pub(crate) fn stop(self) {
        let began = Instant::now();
        // SAFETY: QEMU takes this call on a CPU's thread too. Its result is 0 there.
        unsafe { (self.stop)(self.paused) };
        // SAFETY: the call reads one variable.
        while unsafe { (self.running)() } && began.elapsed() < PATIENCE {
            thread::sleep(Duration::from_micros(100));
        }
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
