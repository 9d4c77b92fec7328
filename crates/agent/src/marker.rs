//! Executes the marker instructions of [`protocol::marker`].

use std::arch::global_asm;

// One entry of 16 bytes for each number: the marker, then `ret`. A marker's number is part of its
// instruction, so there is one instruction for each.
global_asm!(
    ".pushsection .text.slowpath_markers, \"ax\", @progbits",
    ".balign 16",
    ".local slowpath_markers",
    "slowpath_markers:",
    ".set slowpath_number, 0",
    ".rept 256",
    ".byte 0x0f, 0x1f, 0x84, 0x00, 0x78, 0x4b, 0x4c, slowpath_number",
    "ret",
    ".balign 16, 0xcc",
    ".set slowpath_number, slowpath_number + 1",
    ".endr",
    ".globl slowpath_marker",
    // rdi, rsi and rdx stay as the caller set them; rcx is the number.
    "slowpath_marker:",
    "shl ecx, 4",
    "lea rax, [rip + slowpath_markers]",
    "add rax, rcx",
    "jmp rax",
    ".popsection",
);

unsafe extern "sysv64" {
    fn slowpath_marker(address: *const u8, length: usize, channel: u64, number: u32);
}

/// Executes the marker `number`.
pub(crate) fn mark(number: u8) {
    // SAFETY: the code above executes a NOP and returns; it touches only rax, rcx and flags, which
    // the calling convention lets it.
    unsafe { slowpath_marker(std::ptr::null(), 0, 0, u32::from(number)) }
}

/// Hands `bytes` to the plugin on `channel`.
pub(crate) fn send(channel: u8, bytes: &[u8]) {
    let out = u32::from(protocol::marker::OUT);
    // SAFETY: as in `mark`; the plugin reads the bytes, which stay borrowed meanwhile.
    unsafe { slowpath_marker(bytes.as_ptr(), bytes.len(), u64::from(channel), out) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_marker_has_its_number_and_is_harmless() {
        for number in 0..=u8::MAX {
            mark(number);
        }
        send(1, b"bytes");
        // SAFETY: the 256 entries lie directly before `slowpath_marker` in readable memory.
        let table = unsafe {
            let end = (slowpath_marker as *const ()).cast::<u8>();
            std::slice::from_raw_parts(end.sub(256 * 16), 256 * 16)
        };
        for (number, entry) in table.chunks(16).enumerate() {
            assert_eq!(entry[..7], protocol::marker::PREFIX);
            assert_eq!(usize::from(entry[7]), number);
        }
    }
}
