//! The processor's I/O ports.
//!
//! Without the right to use them (`iopl`, see [`crate::syscalls`]) each function here is a fault.

use std::arch::asm;

/// Writes 16 bits.
pub(crate) fn write_u16(port: u16, value: u16) {
    // SAFETY: touches no memory of this program; what the device does is the caller's business.
    unsafe { asm!("out dx, ax", in("dx") port, in("ax") value, options(nostack, preserves_flags)) }
}

/// Writes 32 bits, after which the device may write to memory that it was told of.
pub(crate) fn write_u32(port: u16, value: u32) {
    // SAFETY: as above; not `nomem`, so the compiler takes all memory that left its sight as changed.
    unsafe {
        asm!("out dx, eax", in("dx") port, in("eax") value, options(nostack, preserves_flags))
    }
}

/// Fills `bytes` from an 8-bit port.
pub(crate) fn read_bytes(port: u16, bytes: &mut [u8]) {
    // SAFETY: `rep insb` writes exactly `bytes.len()` bytes at `bytes`; the direction flag is clear
    // by the calling convention.
    unsafe {
        asm!(
            "rep insb",
            in("dx") port,
            inout("rdi") bytes.as_mut_ptr() => _,
            inout("rcx") bytes.len() => _,
            options(nostack, preserves_flags)
        );
    }
}
