//! Reading the guest's general registers in a callback that was registered for it.

use std::ffi::{CStr, c_char, c_int, c_uint};
use std::slice;
use std::sync::OnceLock;

use super::Handle;
use super::bytes::ByteArray;
use super::cpu::RunningCpu;
use super::symbol::function;

/// A register that the marker "out" or a probe uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Register {
    /// The third argument of a call.
    Rdx,
    /// The second.
    Rsi,
    /// The first.
    Rdi,
    /// The frame pointer, where the guest's code keeps one.
    Rbp,
    /// The stack pointer.
    Rsp,
}

/// Those registers: QEMU's name, and the number in GDB's protocol for x86-64.
const TABLE: [(Register, &str, c_int); 5] = [
    (Register::Rdx, "rdx", 3),
    (Register::Rsi, "rsi", 4),
    (Register::Rdi, "rdi", 5),
    (Register::Rbp, "rbp", 6),
    (Register::Rsp, "rsp", 7),
];

/// `qemu_plugin_reg_descriptor`.
#[repr(C)]
pub(crate) struct Descriptor {
    handle: Handle,
    name: *const c_char,
    feature: *const c_char,
}

/// The `GArray` in which the descriptors come.
#[repr(C)]
pub(crate) struct DescriptorArray {
    data: *const Descriptor,
    length: c_uint,
}

/// How registers are read.
pub(crate) enum Registers {
    /// By the plugin interface, 2 and later.
    Public {
        /// `qemu_plugin_get_registers`, to be called on a CPU's thread.
        list: unsafe extern "C" fn() -> *mut DescriptorArray,
        /// `qemu_plugin_read_register`; what it returns changed with version 6, so the array's
        /// length tells whether it worked.
        read: unsafe extern "C" fn(Handle, *mut ByteArray),
        /// QEMU's handles, in the order of the table, once a CPU has started.
        handles: OnceLock<[Option<Handle>; TABLE.len()]>,
    },
    /// By the function of QEMU's debugger stub.
    Internal {
        /// Whose registers count.
        cpu: RunningCpu,
        /// `x86_cpu_gdb_read_register`.
        read: unsafe extern "C" fn(Handle, *mut ByteArray, c_int) -> c_int,
    },
}

impl Registers {
    /// `None` when this build of QEMU has neither.
    pub(crate) fn find() -> Option<Self> {
        Self::find_public().or_else(Self::find_internal)
    }

    fn find_public() -> Option<Self> {
        // SAFETY: the type is that of qemu-plugin.h, versions 2 to 6.
        let list = unsafe { function(c"qemu_plugin_get_registers") }?;
        // SAFETY: as above, but for a result that is left alone.
        let read = unsafe { function(c"qemu_plugin_read_register") }?;
        Some(Self::Public { list, read, handles: OnceLock::new() })
    }

    fn find_internal() -> Option<Self> {
        let cpu = RunningCpu::find()?;
        // SAFETY: int x86_cpu_gdb_read_register(CPUState *cpu, GByteArray *buf, int reg), alike in
        // QEMU 6.0 to 10.
        let read = unsafe { function(c"x86_cpu_gdb_read_register") }?;
        Some(Self::Internal { cpu, read })
    }

    /// The word for it in `hello`.
    pub(crate) fn word(registers: Option<&Self>) -> &'static str {
        match registers {
            Some(Self::Public { .. }) => "public",
            Some(Self::Internal { .. }) => "internal",
            None => "no",
        }
    }

    /// To be called on a CPU's thread when it starts: only then does QEMU know its registers.
    pub(crate) fn cpu_started(&self) {
        let Self::Public { list, handles, .. } = self else { return };
        handles.get_or_init(|| {
            // SAFETY: we are in the callback of a CPU's start.
            let array = unsafe { list() };
            // SAFETY: QEMU hands over an array of descriptors, or null.
            let found = unsafe { named_handles(array) };
            // SAFETY: GArray's void g_array_unref(GArray *array).
            let unref = unsafe { function::<unsafe extern "C" fn(_)>(c"g_array_unref") };
            if let (Some(unref), false) = (unref, array.is_null()) {
                // SAFETY: the array was made for the caller, and only its handles are kept.
                unsafe { unref(array) };
            }
            found
        });
    }

    /// Whether a callback at the instruction `index` of a block sees the registers as they are.
    ///
    /// QEMU's interface 1 ignores that a callback reads registers: within a block they may still be
    /// in the host's. At its first instruction they are where they belong.
    pub(crate) fn up_to_date_at(&self, index: usize) -> bool {
        index == 0 || matches!(self, Self::Public { .. })
    }

    /// The register's value on `vcpu`, in whose callback we are.
    pub(crate) fn read(&self, vcpu: c_uint, register: Register) -> Option<u64> {
        let row = TABLE.iter().position(|row| row.0 == register)?;
        ByteArray::with(|array| {
            match self {
                Self::Public { read, handles, .. } => {
                    let handle = (*handles.get()?.get(row)?)?;
                    // SAFETY: the handle is QEMU's, the array GLib's, the callback reads registers.
                    unsafe { read(handle, array) };
                }
                Self::Internal { cpu, read } => {
                    let cpu = cpu.get(vcpu)?;
                    // SAFETY: the CPU is the one whose callback we are in, the array GLib's.
                    unsafe { read(cpu, array, TABLE[row].2) };
                }
            }
            // SAFETY: QEMU has filled the array, and nothing else has it.
            let bytes = unsafe { ByteArray::contents(array) };
            Some(u64::from_le_bytes(bytes.first_chunk().copied()?))
        })?
    }
}

/// QEMU's handles of the registers in the table.
///
/// # Safety
///
/// `array` must be null or a live array from `qemu_plugin_get_registers`.
unsafe fn named_handles(array: *const DescriptorArray) -> [Option<Handle>; TABLE.len()] {
    // SAFETY: the caller vouches for the array.
    let Some(array) = (unsafe { array.as_ref() }) else { return [None; TABLE.len()] };
    if array.data.is_null() {
        return [None; TABLE.len()];
    }
    // SAFETY: GLib keeps `length` descriptors at `data`.
    let descriptors = unsafe { slice::from_raw_parts(array.data, array.length as usize) };
    TABLE.map(|(_, wanted, _)| {
        let found = descriptors.iter().find(|descriptor| {
            // SAFETY: QEMU's register names are constant strings.
            let name = unsafe { CStr::from_ptr(descriptor.name) };
            name.to_bytes() == wanted.as_bytes()
        });
        found.map(|descriptor| descriptor.handle)
    })
}
