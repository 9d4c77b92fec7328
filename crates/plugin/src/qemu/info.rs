//! What QEMU tells a plugin at its installation.

use std::ffi::{CStr, c_char, c_int};

/// The beginning of `qemu_info_t`, alike in all versions.
#[repr(C)]
pub(crate) struct RawInfo {
    target: *const c_char,
    api_min: c_int,
    api_current: c_int,
    system: bool,
    /// In use at the start; only when a machine is emulated.
    cpus: c_int,
    max_cpus: c_int,
}

/// Which QEMU this is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Info {
    /// The emulated architecture, `x86_64`.
    pub(crate) target: String,
    /// Oldest interface that it takes.
    pub(crate) api_min: c_int,
    /// Its newest interface.
    pub(crate) api_current: c_int,
    /// It emulates a machine, not a program.
    pub(crate) system: bool,
    /// The most virtual CPUs that the machine can have.
    pub(crate) max_cpus: c_int,
}

impl Info {
    /// Copies what QEMU passed.
    ///
    /// # Safety
    ///
    /// `raw` must be the pointer that QEMU passed to `qemu_plugin_install`.
    pub(crate) unsafe fn read(raw: *const RawInfo) -> Self {
        // SAFETY: QEMU's structure lives throughout the installation and begins as ours does.
        let raw = unsafe { &*raw };
        // SAFETY: QEMU's target name is a constant string.
        let target = unsafe { CStr::from_ptr(raw.target) };
        Self {
            target: target.to_string_lossy().into_owned(),
            api_min: raw.api_min,
            api_current: raw.api_current,
            system: raw.system,
            max_cpus: raw.max_cpus.max(raw.cpus),
        }
    }
}

/// The arguments that QEMU passed, as text.
///
/// # Safety
///
/// `argc` and `argv` must be what QEMU passed to `qemu_plugin_install`.
pub(crate) unsafe fn arguments(argc: c_int, argv: *const *const c_char) -> Vec<String> {
    let count = usize::try_from(argc).unwrap_or(0);
    let argument = |index| {
        // SAFETY: QEMU passes `argc` pointers to strings.
        let text = unsafe { CStr::from_ptr(*argv.add(index)) };
        text.to_string_lossy().into_owned()
    };
    (0..count).map(argument).collect()
}
