//! A "scoreboard": numbers of the plugin's to which translated code adds inline.
//!
//! From interface 2 on QEMU keeps a set of them for each virtual CPU. Here there is one CPU, and so
//! one set: `counters` says why.

use std::ffi::{c_int, c_uint};
use std::sync::atomic::{AtomicU64, Ordering};

use super::Handle;
use super::symbol::{Missing, required};

/// `QEMU_PLUGIN_INLINE_ADD_U64`.
pub(crate) const ADD: c_int = 0;

/// `qemu_plugin_u64`: one number of a scoreboard's sets.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct BoardNumber {
    board: Handle,
    offset: usize,
}

/// A set of numbers for the only CPU, which start at 0 and last as long as QEMU does.
pub(crate) struct Board {
    length: usize,
    board: Handle,
    add: unsafe extern "C" fn(Handle, c_int, BoardNumber, u64),
    find: unsafe extern "C" fn(Handle, c_uint) -> *mut u64,
    cpus: unsafe extern "C" fn() -> c_int,
}

impl Board {
    /// Makes a board of `length` numbers.
    pub(crate) fn new(length: usize) -> Result<Self, Missing> {
        type New = unsafe extern "C" fn(usize) -> Handle;
        // SAFETY: these types are those of qemu-plugin.h, versions 2 to 4.
        let (new, add, find, cpus): (New, _, _, _) = unsafe {
            (
                required(c"qemu_plugin_scoreboard_new")?,
                required(c"qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu")?,
                required(c"qemu_plugin_scoreboard_find")?,
                required(c"qemu_plugin_num_vcpus")?,
            )
        };
        // SAFETY: the call only allocates.
        let board = unsafe { new(length * size_of::<u64>()) };
        Ok(Self { length, board, add, find, cpus })
    }

    /// The number at `index`, as QEMU's calls take it; `None` beyond the last.
    pub(crate) fn number(&self, index: usize) -> Option<BoardNumber> {
        let offset = index * size_of::<u64>();
        (index < self.length).then_some(BoardNumber { board: self.board, offset })
    }

    /// Adds `instructions` to a number at each execution of a block that is being translated.
    pub(crate) fn add_at(&self, block: Handle, index: usize, instructions: usize) {
        if let Some(number) = self.number(index) {
            // SAFETY: the board is ours, never freed, and has room for this number.
            unsafe { (self.add)(block, ADD, number, instructions as u64) };
        }
    }

    /// A number's value; 0 for one beyond the last.
    pub(crate) fn read(&self, index: usize) -> u64 {
        self.cell(index).map_or(0, |cell| cell.load(Ordering::Relaxed))
    }

    /// Takes `amount` off a number; to be called from a callback of the CPU, which then adds nothing.
    pub(crate) fn take(&self, index: usize, amount: u64) {
        if let Some(cell) = self.cell(index) {
            cell.store(cell.load(Ordering::Relaxed).wrapping_sub(amount), Ordering::Relaxed);
        }
    }

    /// The number in the CPU's set, which has it once the CPU is made.
    fn cell(&self, index: usize) -> Option<&AtomicU64> {
        // SAFETY: the call only reads.
        if index >= self.length || unsafe { (self.cpus)() } < 1 {
            // QEMU is giving up before it has made a CPU, and would abort when asked for its set.
            return None;
        }
        // SAFETY: the board is ours, and the CPU exists.
        let set = unsafe { (self.find)(self.board, 0) };
        // SAFETY: the set has this aligned number, and stays where it is with so few CPUs; the CPU's
        // thread may be adding to it when QEMU exits, hence the atomic access.
        Some(unsafe { AtomicU64::from_ptr(set.add(index)) })
    }
}
