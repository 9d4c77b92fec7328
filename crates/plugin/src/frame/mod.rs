//! The frames that leave the plugin, as bytes. The format is in the crate's documentation.

mod seen;

pub(crate) use seen::{Sampled, Seen, probe, sample};

use crate::keys::Code;
use crate::marker;

/// The longest payload of one `profile` frame, in bytes.
const PROFILE_PAYLOAD: usize = 1 << 20;

/// Bytes of one entry of a profile: block and instructions.
const ENTRY: usize = 16;

/// Bytes of a length.
const LENGTH: usize = 4;

/// Bytes before the payload: its length and the kind.
const HEADER: usize = LENGTH + 1;

#[derive(Clone, Copy)]
enum Kind {
    Hello = 1,
    Mark = 2,
    Data = 3,
    Profile = 4,
    End = 5,
    Note = 6,
    Probe = 7,
    Sample = 8,
    Code = 9,
}

/// What had been executed at some instant, over all virtual CPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Totals {
    /// Instructions, of the kernel and of programs.
    pub(crate) instructions: u64,
    /// Instructions at kernel addresses.
    pub(crate) kernel: u64,
    /// Kernel `hlt` instructions.
    pub(crate) halts: u64,
}

impl Totals {
    fn bytes(self) -> [u8; 24] {
        let mut bytes = [0; 24];
        bytes[..8].copy_from_slice(&self.instructions.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.kernel.to_le_bytes());
        bytes[16..].copy_from_slice(&self.halts.to_le_bytes());
        bytes
    }
}

/// Instructions that were executed in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BlockCount {
    /// Address of a kernel block, key of a user block, or one of the two stand-ins of the format.
    pub(crate) block: u64,
    /// How many instructions.
    pub(crate) instructions: u64,
}

/// `hello`: what the plugin found, as lines.
pub(crate) fn hello(lines: &str) -> Vec<u8> {
    frame(Kind::Hello, &[lines.as_bytes()])
}

/// `mark`: the guest passed a marker; `clock` is guest nanoseconds, if known.
pub(crate) fn mark(number: u8, clock: Option<u64>, totals: Totals) -> Vec<u8> {
    let clock = clock.unwrap_or(u64::MAX).to_le_bytes();
    frame(Kind::Mark, &[&[number], &clock, &totals.bytes()])
}

/// `mark` of the marker "ready".
pub(crate) fn ready(clock: Option<u64>, totals: Totals) -> Vec<u8> {
    mark(marker::READY, clock, totals)
}

/// `data`: bytes that the guest handed out.
pub(crate) fn data(channel: u8, bytes: &[u8]) -> Vec<u8> {
    frame(Kind::Data, &[&[channel], bytes])
}

/// `profile`: the counts of `phase`, in as many frames as they need.
pub(crate) fn profile(phase: u8, counts: &[BlockCount]) -> impl Iterator<Item = Vec<u8>> {
    counts.chunks((PROFILE_PAYLOAD - 1) / ENTRY).map(move |counts| {
        let mut entries = Vec::with_capacity(counts.len() * ENTRY);
        for count in counts {
            entries.extend_from_slice(&count.block.to_le_bytes());
            entries.extend_from_slice(&count.instructions.to_le_bytes());
        }
        frame(Kind::Profile, &[&[phase], &entries])
    })
}

/// `end`: QEMU exits.
pub(crate) fn end(totals: Totals) -> Vec<u8> {
    frame(Kind::End, &[&totals.bytes()])
}

/// `note`: something went wrong in the plugin.
pub(crate) fn note(text: &str) -> Vec<u8> {
    frame(Kind::Note, &[text.as_bytes()])
}

/// `code`: from now on `key` stands for that code.
pub(crate) fn code(key: u64, code: &Code) -> Vec<u8> {
    let (key, address) = (key.to_le_bytes(), code.address.to_le_bytes());
    frame(Kind::Code, &[&key, &address, &code.bytes])
}

/// One frame in one buffer, so that it can be written whole.
fn frame(kind: Kind, parts: &[&[u8]]) -> Vec<u8> {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let mut bytes = Vec::with_capacity(HEADER + length);
    // Nothing here is near 4 GiB: data ends at 16 MiB, a profile at 1 MiB.
    bytes.extend_from_slice(&(length as u32).to_le_bytes());
    bytes.push(kind as u8);
    for part in parts {
        bytes.extend_from_slice(part);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOTALS: Totals = Totals { instructions: 0x0102, kernel: 3, halts: 4 };

    #[test]
    fn text_frames_carry_their_text() {
        assert_eq!(hello("a=b\n"), b"\x04\0\0\0\x01a=b\n");
        assert_eq!(note("full"), b"\x04\0\0\0\x06full");
    }

    #[test]
    fn a_mark_is_33_bytes_little_endian() {
        let wanted = b"\x21\0\0\0\x02\x07\x10\x32\0\0\0\0\0\0\
            \x02\x01\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\x04\0\0\0\0\0\0\0";
        assert_eq!(mark(7, Some(0x3210), TOTALS), wanted);
    }

    #[test]
    fn an_unknown_clock_is_all_ones() {
        let frame = ready(None, TOTALS);
        assert_eq!(frame[5], 0xf1);
        assert_eq!(frame[6..14], [0xff; 8]);
    }

    #[test]
    fn data_and_end() {
        assert_eq!(data(9, b"xyz"), b"\x04\0\0\0\x03\x09xyz");
        assert_eq!(data(0, b""), b"\x01\0\0\0\x03\0");
        let wanted = b"\x18\0\0\0\x05\x02\x01\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\x04\0\0\0\0\0\0\0";
        assert_eq!(end(TOTALS), wanted);
    }

    #[test]
    fn a_long_profile_is_split_below_a_mebibyte() {
        let count = |block| BlockCount { block, instructions: 1 };
        let counts: Vec<_> = (0..65_536).map(count).collect();
        let frames: Vec<_> = profile(5, &counts).collect();
        assert_eq!(frames.len(), 2);
        assert_eq!(frames[0].len() - HEADER, 1 + 65_535 * ENTRY);
        assert!(frames[0].len() - HEADER <= PROFILE_PAYLOAD);
        assert_eq!(frames[1][..6], *b"\x11\0\0\0\x04\x05");
        assert_eq!(frames[1][6..14], 65_535_u64.to_le_bytes());
        assert_eq!(profile(5, &[]).count(), 0);
    }

    #[test]
    fn a_key_is_told_with_address_and_bytes() {
        let code_frame = code(2, &Code { address: 0x40_1000, bytes: b"\x90\xc3".to_vec() });
        let wanted = b"\x12\0\0\0\x09\x02\0\0\0\0\0\0\0\0\x10\x40\0\0\0\0\0\x90\xc3";
        assert_eq!(code_frame, wanted);
    }
}
