//! The frames of probes and samples: registers and pieces of memory, in a buffer that is used again.

use super::{HEADER, Kind, LENGTH};
use crate::piece::Values;
use crate::sampling::Place;

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

/// What a sample found, but for its pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sampled {
    /// The virtual CPU that executes the block.
    pub(crate) vcpu: u32,
    /// Guest nanoseconds at the block's beginning, if known.
    pub(crate) clock: Option<u64>,
    /// Instructions executed before the block.
    pub(crate) instructions: u64,
    /// Which block it is.
    pub(crate) place: Place,
    /// The registers.
    pub(crate) values: Values,
}

/// `probe`: the frame in `bytes`, whatever was there before; `copy` appends a piece's memory.
pub(crate) fn probe<P>(
    bytes: &mut Vec<u8>,
    seen: &Seen,
    pieces: &[P],
    copy: impl FnMut(&P, &mut Vec<u8>),
) {
    begin(bytes, Kind::Probe);
    bytes.push(seen.id);
    bytes.extend_from_slice(&seen.vcpu.to_le_bytes());
    append_words(bytes, &[seen.clock.unwrap_or(u64::MAX), seen.instructions]);
    append_words(bytes, &seen.values);
    append_pieces(bytes, pieces, copy);
    set_length(bytes, 0, HEADER);
}

/// `sample`, as [`probe`].
pub(crate) fn sample<P>(
    bytes: &mut Vec<u8>,
    sampled: &Sampled,
    pieces: &[P],
    copy: impl FnMut(&P, &mut Vec<u8>),
) {
    begin(bytes, Kind::Sample);
    bytes.extend_from_slice(&sampled.vcpu.to_le_bytes());
    append_words(bytes, &[sampled.clock.unwrap_or(u64::MAX), sampled.instructions]);
    append_words(bytes, &[sampled.place.block, sampled.place.address]);
    append_words(bytes, &sampled.values);
    append_pieces(bytes, pieces, copy);
    set_length(bytes, 0, HEADER);
}

/// Room for the length, and the kind.
fn begin(bytes: &mut Vec<u8>, kind: Kind) {
    bytes.clear();
    bytes.extend_from_slice(&[0; LENGTH]);
    bytes.push(kind as u8);
}

fn append_words(bytes: &mut Vec<u8>, words: &[u64]) {
    for word in words {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
}

fn append_pieces<P>(bytes: &mut Vec<u8>, pieces: &[P], mut copy: impl FnMut(&P, &mut Vec<u8>)) {
    for piece in pieces {
        let at = bytes.len();
        bytes.extend_from_slice(&[0; LENGTH]);
        copy(piece, bytes);
        set_length(bytes, at, at + LENGTH);
    }
}

/// Writes at `at` how many bytes there are from `begin` on; it is far below 4 GiB.
fn set_length(bytes: &mut [u8], at: usize, begin: usize) {
    let length = bytes.len().saturating_sub(begin) as u32;
    if let Some(place) = bytes.get_mut(at..at + LENGTH) {
        place.copy_from_slice(&length.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: [&str; 0] = [];

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
        probe(&mut bytes, &Seen { clock: None, ..seen }, &NOTHING, |_, _| ());
        assert_eq!(bytes.len(), HEADER + 61);
        assert_eq!(bytes[10..18], [0xff; 8]);
    }

    #[test]
    fn a_sample_s_frame_names_its_block() {
        let sampled = Sampled {
            vcpu: 1,
            clock: Some(0x3210),
            instructions: 5,
            place: Place { block: 6, address: 0x40_1000 },
            values: [1, 2, 3, 4, 7],
        };
        let mut bytes = b"left from before".to_vec();
        sample(&mut bytes, &sampled, &["ab"], |piece, into| into.extend(piece.bytes()));
        let wanted = b"\x52\0\0\0\x08\x01\0\0\0\x10\x32\0\0\0\0\0\0\x05\0\0\0\0\0\0\0\
            \x06\0\0\0\0\0\0\0\0\x10\x40\0\0\0\0\0\
            \x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\x04\0\0\0\0\0\0\0\
            \x07\0\0\0\0\0\0\0\x02\0\0\0ab";
        assert_eq!(bytes, wanted);
        sample(&mut bytes, &Sampled { clock: None, ..sampled }, &NOTHING, |_, _| ());
        assert_eq!(bytes.len(), HEADER + 76);
        assert_eq!(bytes[9..17], [0xff; 8]);
    }
}
