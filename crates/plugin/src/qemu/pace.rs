//! A call every so many instructions.
//!
//! Where QEMU can compare inline (the scoreboard and its conditional callback, QEMU 9.1 and later,
//! one CPU) translated code adds a block's length to a number and calls only when that is large
//! enough. QEMU puts in what a block is given in the order in which it is given, so that the
//! comparison sees the sum with this block. Elsewhere each block calls, and the sum is made here.
//!
//! The sum is apart from the profile's counters, and begins at 0 with QEMU's first instruction.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

use super::Handle;
use super::board::{Board, BoardNumber};
use super::symbol::{Missing, function};
use super::translation::{Block, ExecCallback, Registers};

/// `QEMU_PLUGIN_COND_GE`.
const AT_LEAST: c_int = 7;

/// The board's only number.
const SUM: usize = 0;

type OnCondition =
    unsafe extern "C" fn(Handle, ExecCallback, c_int, c_int, BoardNumber, u64, *mut c_void);

/// Sees to a call every `every` instructions.
pub(crate) struct Pace {
    every: u64,
    means: Means,
}

enum Means {
    /// Translated code adds and compares.
    Inline { board: Board, on_condition: OnCondition },
    /// Each block calls.
    Call(AtomicU64),
}

impl Pace {
    /// A pace of `every` instructions, more than a block has, in a machine with at most `cpus` CPUs.
    pub(crate) fn new(every: u64, api_used: c_int, cpus: c_int) -> Result<Self, Missing> {
        // SAFETY: the type is that of qemu-plugin.h, versions 3 and 4, which have this call.
        let on_condition = unsafe { function(c"qemu_plugin_register_vcpu_tb_exec_cond_cb") };
        let means = match on_condition {
            Some(on_condition) if api_used >= 2 && cpus == 1 => {
                Means::Inline { board: Board::new(SUM + 1)?, on_condition }
            }
            _ => Means::Call(AtomicU64::new(0)),
        };
        Ok(Self { every, means })
    }

    /// Has `callback` called with `number` at the beginning of the block: it has to ask
    /// [`Self::is_due`], which is true at the first block at whose end `every` are full.
    ///
    /// The callback may read registers. Where each block calls, it does so at its first instruction,
    /// for QEMU 7.2 puts a block's own callbacks before a block's inline additions, and all of those
    /// before the first instruction's callbacks.
    pub(crate) fn watch(&self, block: &Block<'_>, callback: ExecCallback, number: usize) {
        match &self.means {
            Means::Inline { board, on_condition } => {
                board.add_at(block.handle, SUM, block.length);
                let Some(sum) = board.number(SUM) else { return };
                let registers = Registers::Read as c_int;
                let number = std::ptr::without_provenance_mut(number);
                // SAFETY: the block is being translated, the board is never freed, and the
                // callback never goes away.
                unsafe {
                    on_condition(
                        block.handle,
                        callback,
                        registers,
                        AT_LEAST,
                        sum,
                        self.every,
                        number,
                    );
                }
            }
            Means::Call(_) if block.length > 0 => {
                block.instruction(0).on_execution(callback, Registers::Read, number);
            }
            Means::Call(_) => {}
        }
    }

    /// Whether a block of `length` instructions, which calls, is the one: [`Self::begin_next`] must follow.
    pub(crate) fn is_due(&self, length: u64) -> bool {
        match &self.means {
            Means::Inline { .. } => true,
            Means::Call(sum) => {
                // With -icount one thread runs all CPUs. Without, two threads may lose a block now
                // and then, as with counters in memory, and nothing is exact anyway. A locked
                // addition would cost several times what all the rest here does.
                let now = sum.load(Ordering::Relaxed).wrapping_add(length);
                sum.store(now, Ordering::Relaxed);
                now >= self.every
            }
        }
    }

    /// The next `every` begin. What is too much counts for them, so that there are as many calls as
    /// full `every`.
    pub(crate) fn begin_next(&self) {
        match &self.means {
            Means::Inline { board, .. } => board.take(SUM, self.every),
            Means::Call(sum) => {
                let now = sum.load(Ordering::Relaxed);
                sum.store(now.wrapping_sub(self.every), Ordering::Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether each of these blocks is due, where all call.
    fn due(lengths: impl Iterator<Item = u64>) -> Vec<bool> {
        let pace = Pace { every: 1000, means: Means::Call(AtomicU64::new(0)) };
        let is_due = |length| {
            let due = pace.is_due(length);
            if due {
                pace.begin_next();
            }
            due
        };
        lengths.map(is_due).collect()
    }

    #[test]
    fn a_block_is_due_when_it_fills_the_count() {
        let lengths = [500, 499, 1, 512, 487, 1, 512, 512];
        let wanted = [false, false, true, false, false, true, false, true];
        assert_eq!(due(lengths.into_iter()), wanted);
    }

    #[test]
    fn there_are_as_many_as_full_counts() {
        let due = due(std::iter::repeat_n(7, 30_000));
        assert_eq!(due.into_iter().filter(|due| *due).count(), 30_000 * 7 / 1000);
    }
}
