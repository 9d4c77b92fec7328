//! Who called whom, from the registers and a copy of the stack.
//!
//! Kernels are built without frame pointers, and say in tables instead where each function's caller
//! is: ORC (`Documentation/arch/x86/orc-unwinder.rst`).

mod code;
mod error;
mod frame_pointer;
mod orc;
mod pt_regs;
mod sections;
mod stack;
mod table;
#[cfg(test)]
mod tests;
mod walk;

use self::code::Code;
pub use self::error::UnwindError;
use self::orc::{Encoding, Row};
use self::sections::{Orc, Sections};
use self::stack::Stack;
use self::table::Table;
use self::walk::Walk;
use crate::name;
use crate::symbols::Symbols;

/// Finds the call path of a kernel's stacks.
///
/// It holds the kernel's tables and its code, some 25 MB for a distribution's kernel.
#[derive(Debug, Clone)]
pub struct Unwinder {
    table: Table,
    code: Code,
}

/// The registers of a CPU that is in the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registers {
    /// The address of the next instruction (`rip`).
    pub ip: u64,
    /// The stack pointer (`rsp`).
    pub sp: u64,
    /// The frame pointer (`rbp`), which most kernels use for other things.
    pub bp: u64,
}

/// A call path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unwound {
    /// Addresses in the kernel, innermost first, at least one and at most 64: the instruction that is
    /// next, then for each caller the address that the call returns to (for one that was interrupted,
    /// its next instruction). A return address may already be in the next function: look up the
    /// byte before it.
    pub frames: Vec<u64>,
    /// Whether some were guessed: they look like return addresses, and may be left over from calls
    /// that are done.
    pub guessed: bool,
}

impl Unwinder {
    /// Reads the tables and the code of an uncompressed ELF `vmlinux` and of modules, as pairs of a
    /// name and the plain bytes of the `.ko`.
    ///
    /// `symbols` are those of the boot that the stacks are from: they say where the modules were
    /// loaded. The image itself must run where it was linked to (boot with `nokaslr`). Modules that were
    /// not loaded are left out.
    ///
    /// Without ORC (`CONFIG_UNWINDER_ORC`), or when its encoding is not known here, stacks are walked by
    /// frame pointers, and where those lead nowhere they are searched for return addresses.
    ///
    /// # Errors
    /// The image or a module is no 64-bit ELF file, or its ORC is damaged.
    pub fn new(
        vmlinux: &[u8],
        modules: &[(&str, &[u8])],
        symbols: &Symbols<'_>,
    ) -> Result<Unwinder, UnwindError> {
        let image = |reason: String| UnwindError::Vmlinux { reason };
        let kernel = Sections::of(vmlinux).map_err(image)?;
        let orc = kernel.linked_orc().map_err(image)?;
        let encoding = orc.as_ref().and_then(|orc| Encoding::of(orc.header, orc.rows));
        let mut code = kernel.linked_code();
        let mut rows = Vec::new();
        add(&mut rows, orc, encoding);
        for (name, bytes) in modules {
            let module = |reason| UnwindError::Module { name: (*name).to_owned(), reason };
            let sections = Sections::of(bytes).map_err(module)?;
            let places = sections.places(symbols.functions_of(&name::normal(name)));
            code.extend(sections.placed_code(&places));
            add(&mut rows, sections.placed_orc(&places).map_err(module)?, encoding);
        }
        Ok(Unwinder { table: Table::new(rows), code: Code::new(code) })
    }

    /// How many rows of ORC there are. 0 means that the kernel has none: then stacks rest on
    /// frame pointers or are guessed.
    #[must_use]
    pub fn orc_rows(&self) -> usize {
        self.table.len()
    }

    /// The call path of a CPU that is about to execute `start.ip`.
    ///
    /// `stack` are the bytes of the stack from `start.sp` upwards, as many as were copied (whole words,
    /// little-endian); the path ends where they end. It also ends where user space begins, and after
    /// 64 frames.
    #[must_use]
    pub fn unwind(&self, start: Registers, stack: &[u8]) -> Unwound {
        let walk = Walk {
            table: &self.table,
            code: &self.code,
            stack: Stack::new(start.sp, stack),
            ip: start.ip,
            sp: start.sp,
            bp: Some(start.bp),
            exact: true,
            saved: None,
        };
        walk.all_frames()
    }
}

fn add(rows: &mut Vec<(u64, Row)>, orc: Option<Orc<'_>>, encoding: Option<Encoding>) {
    let (Some(orc), Some(encoding)) = (orc, encoding) else { return };
    let placed = orc.addresses.into_iter().zip(orc.rows);
    rows.extend(placed.filter_map(|(address, row)| Some((address?, encoding.decode(row)))));
}
