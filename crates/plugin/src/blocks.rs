//! Which counter belongs to which kernel block, and how much each has grown.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::frame::BlockCount;

/// The address that stands for all blocks for which no counter was left.
pub(crate) const OVERFLOW: u64 = 1;

/// Hands out counters to block addresses; counter 0 is the shared one of the overflow.
pub(crate) struct Blocks {
    capacity: usize,
    counters: HashMap<u64, usize>,
    /// The address of each counter in use.
    addresses: Vec<u64>,
    /// What each counter in use showed when growth was last asked for.
    seen: Vec<u64>,
    overflowed: bool,
}

/// A counter for a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Assigned {
    /// The counter's index.
    pub(crate) counter: usize,
    /// This block is the first for which no counter of its own was left.
    pub(crate) overflow_began: bool,
}

impl Blocks {
    /// A table for `capacity` counters, at least one.
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            counters: HashMap::new(),
            addresses: vec![OVERFLOW],
            seen: vec![0],
            overflowed: false,
        }
    }

    /// The counter of the block at `address`; the same for each translation of it.
    pub(crate) fn assign(&mut self, address: u64) -> Assigned {
        let next = self.addresses.len();
        match self.counters.entry(address) {
            Entry::Occupied(entry) => Assigned { counter: *entry.get(), overflow_began: false },
            Entry::Vacant(entry) if next < self.capacity => {
                entry.insert(next);
                self.addresses.push(address);
                self.seen.push(0);
                Assigned { counter: next, overflow_began: false }
            }
            Entry::Vacant(_) => {
                let began = !std::mem::replace(&mut self.overflowed, true);
                Assigned { counter: 0, overflow_began: began }
            }
        }
    }

    /// How many counters are in use, the overflow's included.
    pub(crate) fn len(&self) -> usize {
        self.addresses.len()
    }

    /// What has grown since the last call, counter by counter; `now` holds all that are in use.
    pub(crate) fn growth(&mut self, now: &[u64]) -> Vec<BlockCount> {
        let mut grown = Vec::new();
        for ((&block, seen), &now) in self.addresses.iter().zip(&mut self.seen).zip(now) {
            let instructions = now.wrapping_sub(std::mem::replace(seen, now));
            if instructions > 0 {
                grown.push(BlockCount { block, instructions });
            }
        }
        grown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(block: u64, instructions: u64) -> BlockCount {
        BlockCount { block, instructions }
    }

    #[test]
    fn a_block_keeps_its_counter() {
        let mut blocks = Blocks::new(8);
        let first = blocks.assign(0x900);
        assert_eq!(first, Assigned { counter: 1, overflow_began: false });
        assert_eq!(blocks.assign(0x800).counter, 2);
        assert_eq!(blocks.assign(0x900), first);
        assert_eq!(blocks.len(), 3);
    }

    #[test]
    fn only_growth_is_told() {
        let mut blocks = Blocks::new(8);
        for address in [0x900, 0x800, 0xa00] {
            blocks.assign(address);
        }
        assert_eq!(blocks.growth(&[0, 5, 7, 0]), [count(0x900, 5), count(0x800, 7)]);
        assert_eq!(blocks.growth(&[0, 5, 9, 1]), [count(0x800, 2), count(0xa00, 1)]);
        assert_eq!(blocks.growth(&[0, 5, 9, 1]), []);
    }

    #[test]
    fn a_full_table_sums_the_rest_and_says_so_once() {
        let mut blocks = Blocks::new(2);
        assert_eq!(blocks.assign(0x900).counter, 1);
        assert_eq!(blocks.assign(0x800), Assigned { counter: 0, overflow_began: true });
        assert_eq!(blocks.assign(0x700), Assigned { counter: 0, overflow_began: false });
        assert_eq!(blocks.assign(0x900).counter, 1);
        assert_eq!(blocks.growth(&[4, 3]), [count(OVERFLOW, 4), count(0x900, 3)]);
    }
}
