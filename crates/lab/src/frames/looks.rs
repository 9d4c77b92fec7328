//! Frames that tell of the guest at a moment: probes, samples, and the code that they name by a key.

use super::{clock, word};

/// The registers that probes and samples tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Registers {
    /// The register `rdi`, a call's first argument.
    pub(crate) di: u64,
    /// `rsi`, its second.
    pub(crate) si: u64,
    /// `rdx`, its third.
    pub(crate) dx: u64,
    /// `rsp`, the stack pointer.
    pub(crate) sp: u64,
    /// `rbp`, the frame pointer.
    pub(crate) bp: u64,
}

/// What a probe saw just before its instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Probe {
    /// The number that its argument gave it.
    pub(crate) id: u8,
    /// The CPU that came to the instruction.
    pub(crate) vcpu: u32,
    /// The guest's clock in nanoseconds, if it could be read.
    pub(crate) clock: Option<u64>,
    /// Instructions that all CPUs executed before.
    pub(crate) instructions: u64,
    /// The CPU's registers.
    pub(crate) registers: Registers,
    /// The guest's memory, as much of each piece as could be read; in the argument's order.
    pub(crate) pieces: Vec<Vec<u8>>,
}

/// What was about to run when so many instructions had been executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    /// The CPU.
    pub(crate) vcpu: u32,
    /// The guest's clock in nanoseconds, if it could be read.
    pub(crate) clock: Option<u64>,
    /// The block: a kernel block's address, a user block's key, 0 where it is not known.
    pub(crate) block: u64,
    /// The block's address.
    pub(crate) address: u64,
    /// The CPU's registers.
    pub(crate) registers: Registers,
    /// The guest's memory, as of a probe; none for user blocks.
    pub(crate) pieces: Vec<Vec<u8>>,
}

/// The code of a user block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Code {
    /// The number by which samples and profiles name the block.
    pub(crate) key: u64,
    /// Where it lay in the memory of its process.
    pub(crate) address: u64,
    /// Its first bytes, at most 32.
    pub(crate) bytes: Vec<u8>,
}

impl Registers {
    const LENGTH: usize = 40;

    fn read(payload: &[u8], at: usize) -> Option<Registers> {
        let number = |index: usize| word(payload, at + 8 * index);
        Some(Registers {
            di: number(0)?,
            si: number(1)?,
            dx: number(2)?,
            sp: number(3)?,
            bp: number(4)?,
        })
    }
}

impl Probe {
    pub(super) fn read(payload: &[u8]) -> Option<Probe> {
        const REGISTERS: usize = 21;
        Some(Probe {
            id: *payload.first()?,
            vcpu: half(payload, 1)?,
            clock: clock(payload, 5)?,
            instructions: word(payload, 13)?,
            registers: Registers::read(payload, REGISTERS)?,
            pieces: pieces(payload.get(REGISTERS + Registers::LENGTH..)?)?,
        })
    }
}

impl Sample {
    pub(super) fn read(payload: &[u8]) -> Option<Sample> {
        const REGISTERS: usize = 36;
        // The instructions executed so far stand before the block; nobody needs them.
        Some(Sample {
            vcpu: half(payload, 0)?,
            clock: clock(payload, 4)?,
            block: word(payload, 20)?,
            address: word(payload, 28)?,
            registers: Registers::read(payload, REGISTERS)?,
            pieces: pieces(payload.get(REGISTERS + Registers::LENGTH..)?)?,
        })
    }
}

impl Code {
    pub(super) fn read(payload: &[u8]) -> Option<Code> {
        let (key, address) = (word(payload, 0)?, word(payload, 8)?);
        Some(Code { key, address, bytes: payload.get(16..)?.to_vec() })
    }
}

/// Each with its length before it.
fn pieces(mut bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut pieces = Vec::new();
    while !bytes.is_empty() {
        let (length, rest) = bytes.split_first_chunk()?;
        let (piece, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        pieces.push(piece.to_vec());
        bytes = rest;
    }
    Some(pieces)
}

fn half(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::super::tests::raw;
    use super::super::{Frame, read};
    use super::*;

    const PIECES: &[u8] = b"\x03\0\0\0abc\0\0\0\0\x01\0\0\0d";
    const REGISTERS: Registers = Registers { di: 1, si: 2, dx: 3, sp: 4, bp: 5 };

    fn words(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Whether a payload of that kind is read that ends after so many bytes.
    fn is_whole(kind: u8, payload: &[u8], length: usize) -> bool {
        read(&mut &raw(kind, &payload[..length])[..]).is_ok()
    }

    #[test]
    fn a_probe_s_frame_has_registers_and_pieces() {
        let numbers = words(&[u64::MAX, 70, 1, 2, 3, 4, 5]);
        let payload = [&[9, 2, 0, 0, 0], numbers.as_slice(), PIECES].concat();
        let expected = Probe {
            id: 9,
            vcpu: 2,
            clock: None,
            instructions: 70,
            registers: REGISTERS,
            pieces: vec![b"abc".to_vec(), Vec::new(), b"d".to_vec()],
        };
        assert_eq!(read(&mut &raw(7, &payload)[..]).unwrap(), Some(Frame::Probe(expected)));
        for length in 0..payload.len() {
            assert_eq!(is_whole(7, &payload, length), [61, 68, 72].contains(&length), "{length}");
        }
    }

    #[test]
    fn a_sample_s_frame_has_its_block_too() {
        let numbers = words(&[1_000, 70, 17, 0x401_000, 1, 2, 3, 4, 5]);
        let payload = [&[2, 0, 0, 0], numbers.as_slice(), PIECES].concat();
        let expected = Sample {
            vcpu: 2,
            clock: Some(1_000),
            block: 17,
            address: 0x401_000,
            registers: REGISTERS,
            pieces: vec![b"abc".to_vec(), Vec::new(), b"d".to_vec()],
        };
        assert_eq!(read(&mut &raw(8, &payload)[..]).unwrap(), Some(Frame::Sample(expected)));
        for length in 0..payload.len() {
            assert_eq!(is_whole(8, &payload, length), [76, 83, 87].contains(&length), "{length}");
        }
    }

    #[test]
    fn code_has_its_key_and_its_place() {
        let payload = [words(&[2, 0x401_000]), vec![0x55, 0xc3]].concat();
        let expected = Code { key: 2, address: 0x401_000, bytes: vec![0x55, 0xc3] };
        assert_eq!(read(&mut &raw(9, &payload)[..]).unwrap(), Some(Frame::Code(expected)));
        for length in 0..payload.len() {
            assert_eq!(is_whole(9, &payload, length), length >= 16, "{length}");
        }
    }
}
