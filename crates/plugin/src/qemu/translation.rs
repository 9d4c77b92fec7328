//! A block of guest code while QEMU translates it.

use std::ffi::{c_int, c_uint, c_void};

use super::Handle;
use super::symbol::{Missing, required};

/// A callback at an instruction: the virtual CPU's index and the number given at registration.
pub(crate) type ExecCallback = extern "C" fn(c_uint, *mut c_void);

/// What a callback does with the guest's registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Registers {
    /// Leaves them alone (`QEMU_PLUGIN_CB_NO_REGS`).
    Untouched = 0,
    /// Reads them (`QEMU_PLUGIN_CB_R_REGS`).
    Read = 1,
}

/// `qemu_plugin_insn_data` of version 3 and later copies, the one before returns a pointer.
#[derive(Clone, Copy)]
enum InstructionBytes {
    Copy(unsafe extern "C" fn(Handle, *mut u8, usize) -> usize),
    Borrow(unsafe extern "C" fn(Handle) -> *const u8),
}

/// The calls that look at a block and put callbacks into it.
pub(crate) struct Translation {
    block_address: unsafe extern "C" fn(Handle) -> u64,
    block_length: unsafe extern "C" fn(Handle) -> usize,
    block_instruction: unsafe extern "C" fn(Handle, usize) -> Handle,
    instruction_address: unsafe extern "C" fn(Handle) -> u64,
    instruction_size: unsafe extern "C" fn(Handle) -> usize,
    instruction_bytes: InstructionBytes,
    on_instruction: unsafe extern "C" fn(Handle, ExecCallback, c_int, *mut c_void),
}

impl Translation {
    /// Looks the calls up; `api_current` is QEMU's newest interface.
    pub(crate) fn find(api_current: c_int) -> Result<Self, Missing> {
        let data = c"qemu_plugin_insn_data";
        // SAFETY: the types are those of qemu-plugin.h, which changed this one with version 3.
        let instruction_bytes = unsafe {
            if api_current >= 3 {
                InstructionBytes::Copy(required(data)?)
            } else {
                InstructionBytes::Borrow(required(data)?)
            }
        };
        // SAFETY: the types are those of qemu-plugin.h, versions 1 to 4.
        unsafe {
            Ok(Self {
                block_address: required(c"qemu_plugin_tb_vaddr")?,
                block_length: required(c"qemu_plugin_tb_n_insns")?,
                block_instruction: required(c"qemu_plugin_tb_get_insn")?,
                instruction_address: required(c"qemu_plugin_insn_vaddr")?,
                instruction_size: required(c"qemu_plugin_insn_size")?,
                instruction_bytes,
                on_instruction: required(c"qemu_plugin_register_vcpu_insn_exec_cb")?,
            })
        }
    }

    /// The block behind a handle.
    ///
    /// # Safety
    ///
    /// `handle` must be the one that QEMU passed to the translation callback that is running.
    pub(crate) unsafe fn block(&self, handle: Handle) -> Block<'_> {
        // SAFETY: the caller vouches for the handle.
        let address = unsafe { (self.block_address)(handle) };
        // SAFETY: as above.
        let length = unsafe { (self.block_length)(handle) };
        Block { calls: self, handle, address, length }
    }
}

/// A block of guest code, valid during its translation.
pub(crate) struct Block<'a> {
    calls: &'a Translation,
    pub(crate) handle: Handle,
    /// Virtual address of its first instruction.
    pub(crate) address: u64,
    /// How many instructions it has.
    pub(crate) length: usize,
}

impl Block<'_> {
    /// The instruction at `index`, below the block's length.
    pub(crate) fn instruction(&self, index: usize) -> Instruction<'_> {
        // SAFETY: the block is being translated.
        let handle = unsafe { (self.calls.block_instruction)(self.handle, index) };
        Instruction { calls: self.calls, handle }
    }

    /// The block's first bytes, `most` of them or all that it has; they end before an instruction
    /// whose bytes QEMU does not give.
    pub(crate) fn code(&self, most: usize) -> Vec<u8> {
        let mut code = Vec::with_capacity(most);
        for index in 0..self.length {
            let instruction = self.instruction(index);
            let begin = code.len();
            let end = most.min(begin + instruction.size());
            code.resize(end, 0);
            let whole = code.get_mut(begin..).is_some_and(|bytes| instruction.copy(bytes));
            if !whole {
                code.truncate(begin);
                break;
            }
            if end == most {
                break;
            }
        }
        code
    }
}

/// One instruction of a block.
pub(crate) struct Instruction<'a> {
    calls: &'a Translation,
    handle: Handle,
}

impl Instruction<'_> {
    /// Its virtual address.
    pub(crate) fn address(&self) -> u64 {
        // SAFETY: the block of this instruction is being translated.
        unsafe { (self.calls.instruction_address)(self.handle) }
    }

    /// Its bytes, if it is exactly `N` long.
    pub(crate) fn bytes<const N: usize>(&self) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        (self.size() == N && self.copy(&mut bytes)).then_some(bytes)
    }

    /// How long it is, in bytes.
    fn size(&self) -> usize {
        // SAFETY: the block of this instruction is being translated.
        unsafe { (self.calls.instruction_size)(self.handle) }
    }

    /// Fills `bytes`, no longer than the instruction is, with its first; false where QEMU has none.
    fn copy(&self, bytes: &mut [u8]) -> bool {
        match self.calls.instruction_bytes {
            InstructionBytes::Copy(copy) => {
                // SAFETY: the block is being translated, and there is room for that many bytes.
                let copied = unsafe { copy(self.handle, bytes.as_mut_ptr(), bytes.len()) };
                copied == bytes.len()
            }
            InstructionBytes::Borrow(borrow) => {
                // SAFETY: as above.
                let data = unsafe { borrow(self.handle) };
                if data.is_null() {
                    return false;
                }
                // SAFETY: QEMU keeps as many bytes there as the instruction is long.
                unsafe { data.copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) };
                true
            }
        }
    }

    /// Has `callback` called just before each execution, with `number`.
    pub(crate) fn on_execution(&self, callback: ExecCallback, registers: Registers, number: usize) {
        let number = std::ptr::without_provenance_mut(number);
        // SAFETY: the block is being translated; the callback never goes away, as plugins stay.
        unsafe { (self.calls.on_instruction)(self.handle, callback, registers as c_int, number) };
    }
}
