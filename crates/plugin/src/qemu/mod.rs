//! QEMU as the plugin sees it. All of it is looked up in the running process: one file serves
//! every version, and a missing function is a finding instead of a failure to load.

pub(crate) mod board;
pub(crate) mod bytes;
pub(crate) mod counters;
pub(crate) mod cpu;
pub(crate) mod icount;
pub(crate) mod info;
pub(crate) mod memory;
pub(crate) mod pace;
pub(crate) mod registers;
pub(crate) mod stop;
pub(crate) mod symbol;
pub(crate) mod translation;
pub(crate) mod version;

use std::ffi::c_void;

/// An object of QEMU's that the plugin only passes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Handle(pub(crate) *mut c_void);

// SAFETY: a handle is never dereferenced here, and QEMU lets any of its threads pass it back.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}
