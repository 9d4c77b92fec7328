//! Counters to which translated code adds as it runs.
//!
//! How it adds depends on QEMU:
//!
//! - Interface 1 adds inline to plain memory, without atomic operations: exact with `-icount`,
//!   where one thread runs all virtual CPUs.
//! - From interface 2 on each CPU has a set of its own, a "scoreboard", to which code adds inline.
//!   With one CPU that is as good.
//! - With several CPUs in one thread QEMU 10 takes the index of the CPU that translated a block
//!   for a constant, and multiplies *the constant* by the set's size: from then on the guest's own
//!   constant 1 in that block is another number (a kernel died within half a second). There every
//!   block calls the plugin, which costs time, and counts into memory.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Handle;
use super::board::{ADD, Board};
use super::symbol::{Missing, required};
use super::translation::{ExecCallback, Registers};

/// Bits of a callback's number that hold how many instructions a block has: QEMU takes 512 at most.
const LENGTH_BITS: u32 = 16;

type AddToMemory = unsafe extern "C" fn(Handle, c_int, *mut c_void, u64);
type OnBlock = unsafe extern "C" fn(Handle, ExecCallback, c_int, *mut c_void);

/// A fixed number of counters, which start at 0 and last as long as QEMU does.
pub(crate) enum Counters {
    /// Inline additions to memory.
    Memory { cells: &'static [AtomicU64], add: AddToMemory },
    /// Inline additions to the only CPU's set.
    Scoreboard(Board),
    /// Calls of `executed` from each block.
    Callback { cells: &'static [AtomicU64], on_block: OnBlock, executed: ExecCallback },
}

impl Counters {
    /// Makes `length` counters for a machine with at most `cpus` CPUs.
    ///
    /// `executed` is a callback that passes its number on to [`Self::executed`].
    pub(crate) fn new(
        length: usize,
        api_used: c_int,
        cpus: c_int,
        executed: ExecCallback,
    ) -> Result<Self, Missing> {
        if api_used < 2 {
            // SAFETY: the type is that of qemu-plugin.h, version 1.
            let add = unsafe { required(c"qemu_plugin_register_vcpu_tb_exec_inline") }?;
            Ok(Self::Memory { cells: cells(length), add })
        } else if cpus == 1 {
            Ok(Self::Scoreboard(Board::new(length)?))
        } else {
            // SAFETY: the type is that of qemu-plugin.h, versions 1 to 4.
            let on_block = unsafe { required(c"qemu_plugin_register_vcpu_tb_exec_cb") }?;
            Ok(Self::Callback { cells: cells(length), on_block, executed })
        }
    }

    /// Adds `instructions` to `counter` at each execution of a block that is being translated.
    pub(crate) fn add_at(&self, block: Handle, counter: usize, instructions: usize) {
        match self {
            Self::Memory { cells, add } => {
                let Some(cell) = cells.get(counter) else { return };
                let cell = ptr::from_ref(cell).cast_mut().cast();
                // SAFETY: the cell lives for ever, and an atomic may change behind a reference.
                unsafe { add(block, ADD, cell, instructions as u64) };
            }
            Self::Scoreboard(board) => board.add_at(block, counter, instructions),
            Self::Callback { on_block, executed, .. } => {
                let number = ptr::without_provenance_mut(counter << LENGTH_BITS | instructions);
                // SAFETY: the block is being translated, and the callback never goes away.
                unsafe { on_block(block, *executed, Registers::Untouched as c_int, number) };
            }
        }
    }

    /// What the callback `executed` has to do with its number.
    pub(crate) fn executed(&self, number: usize) {
        let Self::Callback { cells, .. } = self else { return };
        if let Some(cell) = cells.get(number >> LENGTH_BITS) {
            let instructions = number & ((1 << LENGTH_BITS) - 1);
            cell.fetch_add(instructions as u64, Ordering::Relaxed);
        }
    }

    /// One counter; 0 for one beyond the last.
    pub(crate) fn get(&self, counter: usize) -> u64 {
        match self {
            Self::Memory { cells, .. } | Self::Callback { cells, .. } => {
                cells.get(counter).map_or(0, |cell| cell.load(Ordering::Relaxed))
            }
            Self::Scoreboard(board) => board.read(counter),
        }
    }

    /// `count` counters from `first` on.
    pub(crate) fn read(&self, first: usize, count: usize) -> Vec<u64> {
        (first..first + count).map(|counter| self.get(counter)).collect()
    }

    /// The word for it in `hello`.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Memory { .. } => "memory",
            Self::Scoreboard(_) => "scoreboard",
            Self::Callback { .. } => "callback",
        }
    }
}

fn cells(length: usize) -> &'static [AtomicU64] {
    Vec::leak((0..length).map(|_| AtomicU64::new(0)).collect())
}

#[cfg(test)]
mod tests {
    use std::ffi::c_uint;

    use super::*;

    extern "C" fn nothing(_vcpu: c_uint, _number: *mut c_void) {}
    extern "C" fn no_block(_: Handle, _: ExecCallback, _: c_int, _: *mut c_void) {}

    #[test]
    fn a_callback_s_number_says_which_counter_and_how_much() {
        let on_block = no_block as OnBlock;
        let counters = Counters::Callback { cells: cells(3), on_block, executed: nothing };
        counters.executed(2 << LENGTH_BITS | 512);
        counters.executed(2 << LENGTH_BITS | 1);
        counters.executed(9 << LENGTH_BITS | 1);
        assert_eq!(counters.read(0, 4), [0, 0, 513, 0]);
    }
}
