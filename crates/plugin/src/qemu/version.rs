//! The interface version that this file asks for: decided when it is loaded, before QEMU looks.
//!
//! QEMU 6.0 to 8.2 takes version 1 alone, QEMU 9 and later at least 2.

use std::ffi::c_int;
use std::sync::atomic::{AtomicI32, Ordering};

use super::symbol;

/// QEMU reads this symbol as an `int` after it has loaded the file.
#[allow(non_upper_case_globals)]
#[unsafe(no_mangle)]
pub(crate) static qemu_plugin_version: AtomicI32 = AtomicI32::new(1);

/// Runs when the file is loaded, as its constructor.
#[used]
#[unsafe(link_section = ".init_array")]
static CHOOSE: extern "C" fn() = choose;

extern "C" fn choose() {
    // Came with version 2, and is what the plugin wants of it.
    let per_vcpu = c"qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu";
    if symbol::address(per_vcpu).is_some() {
        qemu_plugin_version.store(2, Ordering::Relaxed);
    }
}

/// The version that was asked for.
pub(crate) fn used() -> c_int {
    qemu_plugin_version.load(Ordering::Relaxed)
}
