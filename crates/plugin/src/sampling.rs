//! Samples: what happens every so many instructions, at the beginning of the block that is next.
//!
//! There all general registers of the guest are where QEMU keeps them. Within a block QEMU may hold
//! some in the host's registers and put them back later. At a block's end all are put back, for
//! which block follows is not known when it is translated: that one begins with nothing in the
//! host's registers. QEMU 7.2 to 10 put this callback before anything of the block's first
//! instruction. Only the instruction pointer and the flags may be behind at this place. A sample has
//! neither: the block's address is known from its translation.

use std::collections::HashMap;
use std::ffi::c_uint;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::frame::{self, Sampled};
use crate::look::{copy, values_at};
use crate::marker::KERNEL_START;
use crate::piece::Piece;
use crate::plugin::Plugin;
use crate::qemu::memory::Memory;
use crate::qemu::pace::Pace;
use crate::qemu::registers::Registers;
use crate::qemu::translation::{Block, ExecCallback};

/// Bits of a callback's number that hold a block's length: QEMU takes 512 instructions at most.
const LENGTH_BITS: u32 = 16;

/// Samples are wanted and can be taken.
pub(crate) struct Sampling {
    pace: Pace,
    pieces: Vec<Piece>,
    memory: Memory,
    places: Mutex<Places>,
    complained: AtomicBool,
}

/// A block that may be sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    /// What a profile calls it.
    pub(crate) block: u64,
    /// Virtual address of its first instruction.
    pub(crate) address: u64,
}

/// Numbers for places; a place that is translated again keeps its own.
#[derive(Debug, Default)]
struct Places {
    numbers: HashMap<Place, usize>,
    places: Vec<Place>,
}

impl Places {
    fn number(&mut self, place: Place) -> usize {
        let next = self.places.len();
        let number = *self.numbers.entry(place).or_insert(next);
        if number == next {
            self.places.push(place);
        }
        number
    }
}

impl Sampling {
    /// Samples at that pace.
    pub(crate) fn new(pace: Pace, pieces: Vec<Piece>, memory: Memory) -> Self {
        let (places, complained) = (Mutex::default(), AtomicBool::new(false));
        Self { pace, pieces, memory, places, complained }
    }

    /// Has `callback` call [`Plugin::block_begins`] with its number; `name` is what a profile calls
    /// the block.
    pub(crate) fn watch(&self, block: &Block<'_>, name: u64, callback: ExecCallback) {
        let place = Place { block: name, address: block.address };
        let number = self.places.lock().unwrap_or_else(PoisonError::into_inner).number(place);
        self.pace.watch(block, callback, number << LENGTH_BITS | block.length);
    }

    fn place(&self, number: usize) -> Option<Place> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner).places.get(number).copied()
    }
}

fn length(number: usize) -> u64 {
    (number & ((1 << LENGTH_BITS) - 1)) as u64
}

impl Plugin {
    /// A block begins. Without inline comparisons this is every block of the guest's, so there is
    /// one addition and one comparison before the way out.
    pub(crate) fn block_begins(&self, vcpu: c_uint, number: usize) {
        let Some(sampling) = &self.sampling else { return };
        if sampling.pace.is_due(length(number)) {
            self.sample(vcpu, sampling, number);
        }
    }

    #[cold]
    #[inline(never)]
    fn sample(&self, vcpu: c_uint, sampling: &Sampling, number: usize) {
        sampling.pace.begin_next();
        let place = sampling.place(number >> LENGTH_BITS);
        let (Some(place), Some(registers)) = (place, &self.registers) else { return };
        let length = length(number);
        match self.sampled(vcpu, place, registers, length) {
            Ok(sampled) => self.tell_sample(vcpu, sampling, &sampled),
            Err(why) if !sampling.complained.swap(true, Ordering::Relaxed) => {
                self.note(&format!("sample at {:x}: {why}", place.address));
            }
            Err(_) => {}
        }
    }

    fn sampled(
        &self,
        vcpu: c_uint,
        place: Place,
        registers: &Registers,
        length: u64,
    ) -> Result<Sampled, &'static str> {
        Ok(Sampled {
            vcpu: self.cpu.map_or(vcpu, |cpu| cpu.index(vcpu)),
            clock: self.clock_before(vcpu, length),
            instructions: self.tally.instructions(length),
            place,
            values: values_at(registers, vcpu, 0)?,
        })
    }

    fn tell_sample(&self, vcpu: c_uint, sampling: &Sampling, sampled: &Sampled) {
        let in_kernel = sampled.place.address >= KERNEL_START;
        let pieces = if in_kernel { sampling.pieces.as_slice() } else { &[] };
        let mut buffer = self.buffer.lock().unwrap_or_else(PoisonError::into_inner);
        frame::sample(&mut buffer, sampled, pieces, |piece, into| {
            copy(sampling.memory, vcpu, piece, &sampled.values, into);
        });
        self.outlet.write(&buffer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_keeps_its_number() {
        let mut places = Places::default();
        let place = |block, address| Place { block, address };
        let table = [(2, 0x40_1000, 0), (0, 0x40_1000, 1), (0, 0x40_2000, 2), (2, 0x40_1000, 0)];
        for (block, address, wanted) in table {
            assert_eq!(places.number(place(block, address)), wanted);
        }
        assert_eq!(places.places, [place(2, 0x40_1000), place(0, 0x40_1000), place(0, 0x40_2000)]);
    }
}
