//! The instructions by which the agent tells the plugin where it stands.
//!
//! A marker is the 8-byte NOP `0f 1f 84 00 78 4b 4c NN`; an emulator without the plugin does nothing.

/// The bytes before the number.
pub const PREFIX: [u8; 7] = [0x0f, 0x1f, 0x84, 0x00, 0x78, 0x4b, 0x4c];

/// Outside any phase.
pub const NO_PHASE: u8 = 0;

/// The largest number of a phase. Phases are numbered from 1; see [`phase_number`].
pub const LAST_PHASE: u8 = 0xdf;

/// The plugin copies `rsi` bytes at `rdi` to channel `rdx`.
pub const OUT: u8 = 0xf0;

/// The agent waits for its job; the plugin stops the machine here when it is to be saved.
pub const READY: u8 = 0xf1;

/// The number that marks phase `index` (from 0) of a trial; numbers are used again after
/// [`LAST_PHASE`].
#[must_use]
pub fn phase_number(index: usize) -> u8 {
    let number = index % usize::from(LAST_PHASE) + 1;
    u8::try_from(number).unwrap_or(LAST_PHASE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phase_numbers_are_never_outside_their_range() {
        assert_eq!(phase_number(0), 1);
        assert_eq!(phase_number(222), LAST_PHASE);
        assert_eq!(phase_number(223), 1);
    }
}
