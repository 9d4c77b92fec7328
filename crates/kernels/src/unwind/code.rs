//! The kernel's code, to tell return addresses from other words.

/// Where the kernel's image and, above it, its modules are mapped: the upper 2 GiB
/// (`Documentation/arch/x86/x86_64/mm.rst`).
const KERNEL: u64 = 0xffff_ffff_8000_0000;

/// Whether code of the kernel or of a module may lie there.
pub(super) fn may_be_code(address: u64) -> bool {
    address >= KERNEL
}

/// The bytes of the code as it is in the files.
///
/// A running kernel has changed some: it replaces calls through pointers by shorter ones.
#[derive(Debug, Clone, Default)]
pub(super) struct Code {
    /// Where each piece lies, and its bytes; by address.
    pieces: Vec<(u64, Vec<u8>)>,
}

impl Code {
    pub(super) fn new(mut pieces: Vec<(u64, Vec<u8>)>) -> Self {
        pieces.sort_by_key(|(start, _)| *start);
        Code { pieces }
    }

    /// Whether the instruction before this address is a call, as far as the files say.
    pub(super) fn is_return_address(&self, address: u64) -> bool {
        may_be_code(address) && self.before(address).is_some_and(follows_call)
    }

    /// The code of a piece up to an address within.
    fn before(&self, address: u64) -> Option<&[u8]> {
        let after = self.pieces.partition_point(|(start, _)| *start < address);
        let (start, bytes) = self.pieces.get(after.checked_sub(1)?)?;
        bytes.get(..usize::try_from(address - start).ok()?)
    }
}

/// Whether code ends in a call (Intel's manual, volume 2, CALL): `e8` and four bytes, or `ff /2`.
///
/// Where the kernel patches calls when it boots, the address lies within what the file has: a
/// retpoline's `e8` becomes `call *reg` of 2 or 3 bytes (`arch/x86/kernel/alternative.c`), and a
/// paravirtual `ff 15` of 6 bytes becomes an `e8` of 5.
fn follows_call(code: &[u8]) -> bool {
    let at = |back: usize| code.len().checked_sub(back).map(|at| code[at]);
    let direct = [5, 3, 2].iter().any(|back| at(*back) == Some(0xe8));
    let paravirtual = at(5) == Some(0xff) && at(4) == Some(0x15);
    let indirect = |back: usize| {
        let form = at(back - 1).and_then(|form| indirect_length(form, at(back.max(3) - 2)));
        at(back) == Some(0xff) && form == Some(back)
    };
    direct || paravirtual || (2..=7).any(indirect)
}

/// The length of `ff /2` by its ModRM byte and the byte behind that; `None` when it is no call.
fn indirect_length(form: u8, index: Option<u8>) -> Option<usize> {
    let (mode, operation, register) = (form >> 6, form >> 3 & 7, form & 7);
    let has_index = register == 4 && mode != 3;
    let displacement = match mode {
        0 if register == 5 => 4,
        0 if has_index && index.is_some_and(|index| index & 7 == 5) => 4,
        1 => 1,
        2 => 4,
        _ => 0,
    };
    (operation == 2).then_some(2 + usize::from(has_index) + displacement)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_known_by_their_bytes() {
        for (code, call) in [
            (&[0xe8, 1, 2, 3, 4][..], true),         // call rel32
            (&[0x90, 0xff, 0xd0], true),             // call *%rax
            (&[0x41, 0xff, 0xd3], true),             // call *%r11
            (&[0xff, 0x10], true),                   // call *(%rax)
            (&[0xff, 0x50, 8], true),                // call *8(%rax)
            (&[0xff, 0x14, 0xc5], false),            // cut off
            (&[0xff, 0x14, 0xc5, 1, 2, 3, 4], true), // call *table(,%rax,8)
            (&[0xff, 0x54, 0x24, 8], true),          // call *8(%rsp)
            (&[0xff, 0x15, 1, 2, 3, 4], true),       // call *pointer(%rip)
            (&[0xff, 0x15, 1, 2, 3], true),          // the same, patched
            (&[0xff, 0x90, 1, 2, 3, 4], true),       // call *0x04030201(%rax)
            (&[0xff, 0x94, 0x24, 1, 2, 3, 4], true), // the same from %rsp
            (&[0xe8, 1], true),                      // a retpoline, patched
            (&[0x2e, 0xe8, 1], true),                // the same with a prefix
            (&[0xff, 0xe0], false),                  // jmp *%rax
            (&[0xe8, 1, 2, 3], false),               // the middle of a call
            (&[0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc], false),
            (&[], false),
        ] {
            assert_eq!(follows_call(code), call, "{code:x?}");
        }
    }

    #[test]
    fn an_address_is_looked_up_in_its_piece() {
        let code = Code::new(vec![
            (0xffff_ffff_c000_0000, vec![0xe8, 0, 0, 0, 0, 0x90]),
            (0xffff_ffff_8100_0000, vec![0xe8, 0, 0, 0, 0]),
        ]);
        for (address, expected) in [
            (0xffff_ffff_8100_0005, true),
            (0xffff_ffff_8100_0006, false),
            (0xffff_ffff_8100_0000, false),
            (0xffff_ffff_c000_0005, true),
            (0xffff_ffff_c000_0006, false),
            (5, false),
            (u64::MAX, false),
        ] {
            assert_eq!(code.is_return_address(address), expected, "{address:x}");
        }
    }
}
