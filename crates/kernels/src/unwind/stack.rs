//! The piece of a stack that was copied.

/// The size and alignment of a task's stack, bytes: `THREAD_SIZE` in
/// `arch/x86/include/asm/page_64_types.h`, without KASAN.
const STACK_SIZE: u64 = 16 << 10;

/// Stack memory from the stack pointer upwards.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stack<'a> {
    start: u64,
    bytes: &'a [u8],
}

impl<'a> Stack<'a> {
    pub(super) fn new(sp: u64, bytes: &'a [u8]) -> Self {
        Stack { start: sp, bytes }
    }

    /// The word at an address. `None` when the address is not aligned or was not copied.
    pub(super) fn word(&self, address: u64) -> Option<u64> {
        let at = address.checked_sub(self.start).filter(|_| address.is_multiple_of(8))?;
        let bytes = self.bytes.get(usize::try_from(at).ok()?..)?.first_chunk::<8>()?;
        Some(u64::from_le_bytes(*bytes))
    }

    /// Whether an address is on this stack, above what was copied.
    pub(super) fn is_beyond(&self, address: u64) -> bool {
        let top = (self.start | (STACK_SIZE - 1)).saturating_add(1);
        address < top && address >= self.start && self.word(address & !7).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_copied_is_read() {
        let words = [7u64, 8].map(u64::to_le_bytes).concat();
        let stack = Stack::new(0xffff_c900_0000_3f00, &words);
        assert_eq!(stack.word(0xffff_c900_0000_3f00), Some(7));
        assert_eq!(stack.word(0xffff_c900_0000_3f08), Some(8));
        for address in [0xffff_c900_0000_3ef8, 0xffff_c900_0000_3f04, 0xffff_c900_0000_3f10, 0] {
            assert_eq!(stack.word(address), None, "{address:x}");
        }
        for (address, beyond) in [
            (0xffff_c900_0000_3ef8, false),
            (0xffff_c900_0000_3f08, false),
            (0xffff_c900_0000_3f10, true),
            (0xffff_c900_0000_3fff, true),
            (0xffff_c900_0000_4000, false),
        ] {
            assert_eq!(stack.is_beyond(address), beyond, "{address:x}");
        }
    }
}
