//! Names for blocks of user code, where an address alone says little: programs share addresses, and
//! a page holds now this program's code, now another's.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// What stands for user code without a key.
pub(crate) const NO_KEY: u64 = 0;

/// The first key; 1 stands for kernel blocks without a counter.
pub(crate) const FIRST_KEY: u64 = 2;

/// How many bytes of its code make a block what it is.
pub(crate) const CODE: usize = 32;

/// How many keys there are. Four rounds of small writes and `sync` take 14,000.
pub(crate) const KEYS: usize = 1 << 18;

/// A block of user code.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Code {
    /// Virtual address of its first instruction.
    pub(crate) address: u64,
    /// Its first bytes, as far as it goes.
    pub(crate) bytes: Vec<u8>,
}

/// All keys that were given.
pub(crate) struct Keys {
    capacity: usize,
    keys: HashMap<Code, u64>,
    overflowed: bool,
}

/// What a block is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Given {
    /// As it was before.
    Known(u64),
    /// For the first time so.
    New(u64),
    /// Nothing: no key was left.
    None {
        /// This block is the first for which none was.
        overflow_began: bool,
    },
}

impl Keys {
    /// A table for `capacity` keys.
    pub(crate) fn new(capacity: usize) -> Self {
        Self { capacity, keys: HashMap::new(), overflowed: false }
    }

    /// The key of that code; the same each time.
    pub(crate) fn give(&mut self, code: &Code) -> Given {
        let given = self.keys.len();
        match self.keys.entry(code.clone()) {
            Entry::Occupied(entry) => Given::Known(*entry.get()),
            Entry::Vacant(entry) if given < self.capacity => {
                Given::New(*entry.insert(FIRST_KEY + given as u64))
            }
            Entry::Vacant(_) => {
                Given::None { overflow_began: !std::mem::replace(&mut self.overflowed, true) }
            }
        }
    }
}

/// Which of the keys it is, from 0 on; `None` for what is no key.
pub(crate) fn index(key: u64) -> Option<usize> {
    usize::try_from(key.checked_sub(FIRST_KEY)?).ok().filter(|index| *index < KEYS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(address: u64, bytes: &[u8]) -> Code {
        Code { address, bytes: bytes.to_vec() }
    }

    #[test]
    fn a_key_stands_for_address_and_bytes() {
        let mut keys = Keys::new(KEYS);
        let table = [
            (code(0x40_1000, b"\x90\xc3"), Given::New(2)),
            (code(0x40_1000, b"\x90"), Given::New(3)),
            (code(0x40_1001, b"\x90\xc3"), Given::New(4)),
            (code(0x40_1000, b"\x90\xc3"), Given::Known(2)),
            (code(0x40_1001, b"\x90\xc3"), Given::Known(4)),
        ];
        for (code, wanted) in table {
            assert_eq!(keys.give(&code), wanted, "{code:x?}");
        }
    }

    #[test]
    fn when_no_key_is_left_it_is_said_once() {
        let mut keys = Keys::new(1);
        assert_eq!(keys.give(&code(1, b"a")), Given::New(FIRST_KEY));
        assert_eq!(keys.give(&code(2, b"a")), Given::None { overflow_began: true });
        assert_eq!(keys.give(&code(3, b"a")), Given::None { overflow_began: false });
        assert_eq!(keys.give(&code(1, b"a")), Given::Known(FIRST_KEY));
    }

    #[test]
    fn keys_are_numbered_without_the_stand_ins() {
        let last = FIRST_KEY + KEYS as u64 - 1;
        let table = [
            (NO_KEY, None),
            (1, None),
            (FIRST_KEY, Some(0)),
            (last, Some(KEYS - 1)),
            (last + 1, None),
            (crate::marker::KERNEL_START, None),
        ];
        for (key, wanted) in table {
            assert_eq!(index(key), wanted, "{key}");
        }
    }
}
