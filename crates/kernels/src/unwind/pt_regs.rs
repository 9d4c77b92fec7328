//! Offsets in `struct pt_regs` (`arch/x86/include/asm/ptrace.h`), bytes.

pub(super) const R13: u64 = 16;
pub(super) const BP: u64 = 32;
pub(super) const R10: u64 = 56;
pub(super) const DX: u64 = 96;
pub(super) const DI: u64 = 112;
pub(super) const IP: u64 = 128;
pub(super) const SP: u64 = 152;
