//! How much user code has been executed since last asked, by key.

use crate::frame::BlockCount;
use crate::keys::{self, FIRST_KEY, NO_KEY};

/// Where a user block is interrupted to take its count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Pending {
    /// What the block is called.
    pub(crate) key: u64,
    /// How many of its instructions are counted but still to come.
    pub(crate) rest: u64,
}

/// What was told of user code so far.
#[derive(Debug, Default)]
pub(crate) struct UserBlocks {
    /// Of each key, from the first on.
    seen: Vec<u64>,
    /// Of all user code.
    total_seen: u64,
}

impl UserBlocks {
    /// A block of that key will be counted; what is no key has no counter.
    pub(crate) fn expect(&mut self, key: u64) {
        let needed = keys::index(key).map_or(0, |index| index + 1);
        if needed > self.seen.len() {
            self.seen.resize(needed, 0);
        }
    }

    /// How many keys are counted.
    pub(crate) fn len(&self) -> usize {
        self.seen.len()
    }

    /// What has grown since the last call, by key; `now` holds the counters of all keys, `total`
    /// how much user code was executed, without what is pending. What no key tells is told as
    /// without a key, so that the sum is the total's growth.
    pub(crate) fn growth(&mut self, now: &[u64], total: u64, pending: Pending) -> Vec<BlockCount> {
        let mut rest = total.wrapping_sub(std::mem::replace(&mut self.total_seen, total));
        let mut grown = Vec::new();
        for ((block, seen), &now) in (FIRST_KEY..).zip(&mut self.seen).zip(now) {
            let to_come = if block == pending.key { pending.rest } else { 0 };
            let now = now.saturating_sub(to_come);
            let instructions = now.wrapping_sub(std::mem::replace(seen, now));
            if instructions > 0 {
                rest = rest.saturating_sub(instructions);
                grown.push(BlockCount { block, instructions });
            }
        }
        if rest > 0 {
            grown.push(BlockCount { block: NO_KEY, instructions: rest });
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

    fn blocks(keys: &[u64]) -> UserBlocks {
        let mut blocks = UserBlocks::default();
        keys.iter().for_each(|key| blocks.expect(*key));
        blocks
    }

    #[test]
    fn only_keys_have_counters() {
        assert_eq!(blocks(&[0, 1]).len(), 0);
        assert_eq!(blocks(&[3, 2, 3]).len(), 2);
    }

    #[test]
    fn what_no_key_tells_is_told_all_the_same() {
        let mut blocks = blocks(&[2, 3, 4]);
        let none = Pending::default();
        assert_eq!(blocks.growth(&[5, 0, 7], 12, none), [count(2, 5), count(4, 7)]);
        assert_eq!(blocks.growth(&[5, 1, 7], 20, none), [count(3, 1), count(0, 7)]);
        assert_eq!(blocks.growth(&[5, 1, 7], 20, none), []);
    }

    #[test]
    fn what_is_still_to_come_belongs_to_the_next() {
        let mut blocks = blocks(&[2, 3]);
        let in_a_block = Pending { key: 3, rest: 4 };
        assert_eq!(blocks.growth(&[8, 6], 10, in_a_block), [count(2, 8), count(3, 2)]);
        assert_eq!(blocks.growth(&[9, 6], 15, Pending::default()), [count(2, 1), count(3, 4)]);
        let without_a_key = Pending { key: 0, rest: 4 };
        assert_eq!(blocks.growth(&[9, 6], 18, without_a_key), [count(0, 3)]);
        assert_eq!(blocks.growth(&[9, 6], 22, Pending::default()), [count(0, 4)]);
    }
}
