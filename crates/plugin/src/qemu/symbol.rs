//! Looking up functions and data by name in the process that loaded the plugin.

use std::ffi::{CStr, c_char, c_void};
use std::mem;
use std::ptr;

// SAFETY: this is the declaration of dlsym(3) in <dlfcn.h>.
unsafe extern "C" {
    fn dlsym(handle: *mut c_void, symbol: *const c_char) -> *mut c_void;
}

/// The symbols that are no part of QEMU's plugin interface; `hello` tells which there are.
pub(crate) const NOT_PUBLIC: [&CStr; 10] = [
    c"icount_update",
    c"qemu_get_cpu",
    c"current_cpu",
    c"vm_stop",
    c"runstate_is_running",
    c"cpu_memory_rw_debug",
    c"x86_cpu_gdb_read_register",
    c"qemu_clock_get_ns",
    c"RunState_lookup",
    c"qapi_enum_parse",
];

/// A function of the interface that this QEMU lacks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Missing(pub(crate) &'static CStr);

/// The address of `name` in QEMU or a library of its, or `None`.
pub(crate) fn address(name: &CStr) -> Option<*mut c_void> {
    // RTLD_DEFAULT is the null handle in glibc and musl.
    // SAFETY: `name` ends in NUL, and looking up has no side effect.
    let found = unsafe { dlsym(ptr::null_mut(), name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

/// The function `name`, as a function pointer of the type `F`.
///
/// # Safety
///
/// `F` must be the type of the function that bears this name.
pub(crate) unsafe fn function<F: Copy>(name: &CStr) -> Option<F> {
    const { assert!(mem::size_of::<F>() == mem::size_of::<*mut c_void>()) };
    let address = address(name)?;
    // SAFETY: both are one pointer wide, and the caller vouches for the type.
    Some(unsafe { mem::transmute_copy::<*mut c_void, F>(&address) })
}

/// As [`function`], for one that the plugin cannot do without.
///
/// # Safety
///
/// As for [`function`].
pub(crate) unsafe fn required<F: Copy>(name: &'static CStr) -> Result<F, Missing> {
    // SAFETY: the caller vouches for the type.
    unsafe { function(name) }.ok_or(Missing(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_is_there_or_not() {
        assert!(address(c"malloc").is_some());
        assert!(address(c"qemu_plugin_no_such_thing").is_none());
    }
}
