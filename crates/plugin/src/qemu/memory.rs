//! Reading the guest's memory at virtual addresses, without a trace in the guest.

use std::ffi::{c_int, c_uint};

use super::Handle;
use super::bytes::ByteArray;
use super::cpu::RunningCpu;
use super::symbol::function;

/// Bytes that are read at once: never across the bounds of a page, which may be the last one.
const PAGE: u64 = 4096;

/// Bytes of a pointer.
const WORD: usize = 8;

/// How memory is read.
#[derive(Clone, Copy)]
pub(crate) enum Memory {
    /// By the plugin interface, 4 and later.
    Public(unsafe extern "C" fn(u64, *mut ByteArray, usize) -> bool),
    /// By the functions of QEMU's debugger stub.
    Internal {
        /// Whose page tables count.
        cpu: RunningCpu,
        /// `cpu_memory_rw_debug`.
        read: unsafe extern "C" fn(Handle, u64, *mut u8, usize, bool) -> c_int,
    },
}

/// No memory is mapped at this virtual address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unreadable(pub(crate) u64);

impl Memory {
    /// `None` when this build of QEMU has neither.
    pub(crate) fn find() -> Option<Self> {
        // SAFETY: the type is that of qemu-plugin.h, version 4.
        if let Some(read) = unsafe { function(c"qemu_plugin_read_memory_vaddr") } {
            return Some(Self::Public(read));
        }
        let cpu = RunningCpu::find()?;
        // SAFETY: int cpu_memory_rw_debug(CPUState *cpu, vaddr addr, void *ptr, size_t len,
        // bool is_write), alike in QEMU 6.0 to 10.
        let read = unsafe { function(c"cpu_memory_rw_debug") }?;
        Some(Self::Internal { cpu, read })
    }

    /// The word for it in `hello`.
    pub(crate) fn word(memory: Option<Self>) -> &'static str {
        match memory {
            Some(Self::Public(_)) => "public",
            Some(Self::Internal { .. }) => "internal",
            None => "no",
        }
    }

    /// Copies `length` bytes at `address` as `vcpu`, in whose callback we are, sees them.
    pub(crate) fn read(
        self,
        vcpu: c_uint,
        address: u64,
        length: usize,
    ) -> Result<Vec<u8>, Unreadable> {
        let mut bytes = Vec::with_capacity(length);
        self.append(vcpu, address, length, &mut bytes)?;
        Ok(bytes)
    }

    /// As [`Self::read`], at the end of `bytes`; on an error what comes before the unreadable
    /// address is there.
    pub(crate) fn append(
        self,
        vcpu: c_uint,
        address: u64,
        length: usize,
        bytes: &mut Vec<u8>,
    ) -> Result<(), Unreadable> {
        let begin = bytes.len();
        bytes.resize(begin + length, 0);
        let mut done = 0;
        while done < length {
            let at = address.wrapping_add(done as u64);
            let to_page_end = (PAGE - at % PAGE) as usize;
            let next = length.min(done + to_page_end);
            if !self.read_piece(vcpu, at, &mut bytes[begin + done..begin + next]) {
                bytes.truncate(begin + done);
                return Err(Unreadable(at));
            }
            done = next;
        }
        Ok(())
    }

    /// The eight bytes at `address` as a number.
    pub(crate) fn word_at(self, vcpu: c_uint, address: u64) -> Option<u64> {
        let mut word = [0; WORD];
        // Split where a page ends.
        let (first, second) = word.split_at_mut(WORD.min((PAGE - address % PAGE) as usize));
        let after = address.wrapping_add(first.len() as u64);
        let read = self.read_piece(vcpu, address, first)
            && (second.is_empty() || self.read_piece(vcpu, after, second));
        read.then_some(u64::from_le_bytes(word))
    }

    fn read_piece(self, vcpu: c_uint, address: u64, piece: &mut [u8]) -> bool {
        match self {
            Self::Public(read) => ByteArray::with(|array| {
                // SAFETY: the array is GLib's, and we are in a CPU's callback.
                let read = unsafe { read(address, array, piece.len()) };
                // SAFETY: QEMU has filled the array, and nothing else has it.
                let filled = unsafe { ByteArray::contents(array) };
                let whole = read && filled.len() == piece.len();
                if whole {
                    piece.copy_from_slice(filled);
                }
                whole
            })
            .unwrap_or(false),
            Self::Internal { cpu, read } => {
                let Some(cpu) = cpu.get(vcpu) else { return false };
                // SAFETY: the CPU is the one whose callback we are in; the buffer is ours.
                unsafe { read(cpu, address, piece.as_mut_ptr(), piece.len(), false) >= 0 }
            }
        }
    }
}
