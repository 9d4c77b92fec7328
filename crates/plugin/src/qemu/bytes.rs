//! GLib's growing byte array, in which QEMU hands bytes over.

use std::ffi::c_uint;
use std::slice;
use std::sync::OnceLock;

use super::symbol::function;

/// `GByteArray`.
#[repr(C)]
pub(crate) struct ByteArray {
    data: *mut u8,
    length: c_uint,
}

/// GLib's functions for it, looked up once: that takes longer than they do.
#[derive(Clone, Copy)]
struct Calls {
    new: unsafe extern "C" fn() -> *mut ByteArray,
    unref: unsafe extern "C" fn(*mut ByteArray),
}

impl Calls {
    fn get() -> Option<Self> {
        static CALLS: OnceLock<Option<Calls>> = OnceLock::new();
        *CALLS.get_or_init(Self::find)
    }

    fn find() -> Option<Self> {
        // SAFETY: GByteArray *g_byte_array_new(void).
        let new = unsafe { function(c"g_byte_array_new") }?;
        // SAFETY: void g_byte_array_unref(GByteArray *array).
        let unref = unsafe { function(c"g_byte_array_unref") }?;
        Some(Self { new, unref })
    }
}

impl ByteArray {
    /// Runs `action` with an empty array that lasts as long; `None` without GLib, which QEMU has.
    pub(crate) fn with<T>(action: impl FnOnce(*mut Self) -> T) -> Option<T> {
        let Calls { new, unref } = Calls::get()?;
        // SAFETY: the call only allocates.
        let array = unsafe { new() };
        let result = action(array);
        // SAFETY: the array is the one made above, and `action` is over.
        unsafe { unref(array) };
        Some(result)
    }

    /// What is in the array.
    ///
    /// # Safety
    ///
    /// `array` must be a live array that nobody changes while the contents are in use.
    pub(crate) unsafe fn contents<'a>(array: *const Self) -> &'a [u8] {
        // SAFETY: the caller vouches for the array.
        let array = unsafe { &*array };
        if array.data.is_null() {
            return &[];
        }
        // SAFETY: GLib keeps `length` bytes at `data`.
        unsafe { slice::from_raw_parts(array.data, array.length as usize) }
    }
}
