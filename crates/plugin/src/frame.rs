//! The frames that leave the plugin, as bytes. The format is in the crate's documentation.

use crate::marker;
use crate::piece::Values;

/// The longest payload of one `profile` frame, in bytes.
const PROFILE_PAYLOAD: usize = 1 << 20;

/// Bytes of one entry of a profile: address and instructions.
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

/// Instructions that were executed in the block that begins at `address`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BlockCount {
    /// Kernel address of the block, or one of the two stand-ins of the format.
    pub(crate) address: u64,
    /// How many instructions.
    pub(crate) instructions: u64,
}

/// What a probe saw, but for its pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    /// The probe's number.
    pub(crate) id: u8,
    /// The virtual CPU that executes the instruction.
    pub(crate) vcpu: u32,
    /// Guest nanoseconds, if known.
    pub(crate) clock: Option<u64>,
    /// Instructions executed before this one.
    pub(crate) instructions: u64,
    /// The registers.
    pub(crate) values: Values,
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
            entries.extend_from_slice(&count.address.to_le_bytes());
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

/// `probe`: the frame in `bytes`, whatever was there before; `copy` appends a piece's memory.
pub(crate) fn probe<P>(
    bytes: &mut Vec<u8>,
    seen: &Seen,
    pieces: &[P],
    mut copy: impl FnMut(&P, &mut Vec<u8>),
) {
    bytes.clear();
    bytes.extend_from_slice(&[0, 0, 0, 0, Kind::Probe as u8, seen.id]);
    bytes.extend_from_slice(&seen.vcpu.to_le_bytes());
    bytes.extend_from_slice(&seen.clock.unwrap_or(u64::MAX).to_le_bytes());
    bytes.extend_from_slice(&seen.instructions.to_le_bytes());
    for value in seen.values {
        bytes.extend_from_slice(&value.to_le_bytes());
    }
    for piece in pieces {
        let at = bytes.len();
        bytes.extend_from_slice(&[0; LENGTH]);
        copy(piece, bytes);
        set_length(bytes, at, at + LENGTH);
    }
    set_length(bytes, 0, HEADER);
}

/// Writes at `at` how many bytes there are from `begin` on; it is far below 4 GiB.
fn set_length(bytes: &mut [u8], at: usize, begin: usize) {
    let length = bytes.len().saturating_sub(begin) as u32;
    if let Some(place) = bytes.get_mut(at..at + LENGTH) {
        place.copy_from_slice(&length.to_le_bytes());
    }
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
        let count = |address| BlockCount { address, instructions: 1 };
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
    fn a_probe_s_frame_has_registers_and_pieces() {
        let seen =
            Seen { id: 9, vcpu: 2, clock: Some(0x3210), instructions: 5, values: [1, 2, 3, 4, 5] };
        let mut bytes = b"left from before".to_vec();
        probe(&mut bytes, &seen, &["abc", ""], |piece, into| into.extend(piece.bytes()));
        let wanted = b"\x48\0\0\0\x07\x09\x02\0\0\0\x10\x32\0\0\0\0\0\0\x05\0\0\0\0\0\0\0\
            \x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\x04\0\0\0\0\0\0\0\
            \x05\0\0\0\0\0\0\0\x03\0\0\0abc\0\0\0\0";
        assert_eq!(bytes, wanted);
        let nothing: [&str; 0] = [];
        probe(&mut bytes, &Seen { clock: None, ..seen }, &nothing, |_, _| ());
        assert_eq!(bytes.len(), HEADER + 61);
        assert_eq!(bytes[10..18], [0xff; 8]);
    }
}
