//! Markers: instructions by which the guest's agent speaks to the plugin.
//!
//! A marker is a NOP of eight bytes, `0f 1f 84 00 78 4b 4c NN` (`nopl 0xNN4c4b78(%rax,%rax,1)`).
//! The processor does nothing at it, with or without the plugin.

/// Where kernel addresses begin, also with five-level page tables off or on.
pub(crate) const KERNEL_START: u64 = 0xffff_8000_0000_0000;

/// Length of a marker instruction in bytes.
pub(crate) const LENGTH: usize = 8;

const PREFIX: [u8; LENGTH - 1] = [0x0f, 0x1f, 0x84, 0x00, 0x78, 0x4b, 0x4c];

/// The number of the marker "out" in its instruction.
const OUT: u8 = 0xf0;

/// The number of the marker "ready" in its instruction and in its `mark` frame.
pub(crate) const READY: u8 = 0xf1;

/// The highest number of a phase.
const LAST_PHASE: u8 = 0xdf;

/// What a marker instruction says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marker {
    /// A phase begins, and the one before it ends; 0 is outside of any phase.
    Phase(u8),
    /// The bytes at `rdi`, `rsi` in number, are to leave the guest on channel `rdx`.
    Out,
    /// The guest is ready for a snapshot.
    Ready,
}

impl Marker {
    /// Reads an instruction's bytes; `None` for any other instruction and for unused numbers.
    pub(crate) fn read(instruction: &[u8; LENGTH]) -> Option<Self> {
        let (prefix, number) = (&instruction[..LENGTH - 1], instruction[LENGTH - 1]);
        if prefix != PREFIX {
            return None;
        }
        match number {
            0..=LAST_PHASE => Some(Self::Phase(number)),
            OUT => Some(Self::Out),
            READY => Some(Self::Ready),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marker(number: u8) -> [u8; LENGTH] {
        [0x0f, 0x1f, 0x84, 0x00, 0x78, 0x4b, 0x4c, number]
    }

    #[test]
    fn each_number_means_one_thing() {
        for number in 0..=u8::MAX {
            let wanted = match number {
                0..=0xdf => Some(Marker::Phase(number)),
                0xf0 => Some(Marker::Out),
                0xf1 => Some(Marker::Ready),
                _ => None,
            };
            assert_eq!(Marker::read(&marker(number)), wanted, "{number:#x}");
        }
    }

    #[test]
    fn any_other_byte_makes_it_an_ordinary_instruction() {
        for at in 0..LENGTH - 1 {
            let mut instruction = marker(1);
            instruction[at] ^= 0x40;
            assert_eq!(Marker::read(&instruction), None, "byte {at}");
        }
    }
}
