//! The way up by frame pointers, for kernels without ORC.

use super::pt_regs;
use super::walk::{Step, Walk};

impl Walk<'_> {
    /// The chain of `CONFIG_UNWINDER_FRAME_POINTER`: at `bp` lies the caller's `bp`, above it the return
    /// address. At its first instruction a function has not yet put its own there.
    ///
    /// Where registers lie on the stack, `bp` is their address plus one (`ENCODE_FRAME_POINTER` in
    /// `arch/x86/include/asm/frame.h`).
    pub(super) fn by_frame_pointer(&mut self) -> Step {
        let entered = self.exact.then(|| self.stack.word(self.sp)).flatten();
        if let Some(ip) = entered.filter(|ip| self.code.is_return_address(*ip)) {
            return self.go(ip, self.sp.wrapping_add(8), false);
        }
        let Some(bp) = self.bp else { return Step::Lost };
        if bp & 1 == 1 {
            let registers = bp - 1;
            let bp = self.stack.word(registers.wrapping_add(pt_regs::BP));
            return self.enter_registers(registers, bp, false);
        }
        match (self.read(bp), self.read(bp.wrapping_add(8))) {
            (Ok(next), Ok(ip)) if self.code.is_return_address(ip) => {
                self.bp = Some(next);
                self.go(ip, bp.wrapping_add(16), false)
            }
            (Ok(_), Ok(_)) => Step::Lost,
            (Err(step), _) | (_, Err(step)) => step,
        }
    }
}
