//! Walks over stacks that are made by hand.

use proptest::collection::vec;
use proptest::prelude::*;

use super::code::Code;
use super::orc::{Encoding, Row};
use super::table::Table;
use super::{Registers, Unwinder, Unwound, pt_regs};

const TEXT: u64 = 0xffff_ffff_8100_0000;
const STACK: u64 = 0xffff_c900_0001_3e00;
const USER: u64 = 0x5555_5555_0000;

/// Flags of rows, as they stand in Linux 6.12.
const CALL: u16 = 0x205;
const CALL_SAVED_BP: u16 = 0x215;
const CALL_BY_BP: u16 = 0x214;
const CALL_SP_INDIRECT: u16 = 0x209;
const CALL_BP_INDIRECT: u16 = 0x248;
const CALL_BY_R10: u16 = 0x206;
const CALL_BY_R13: u16 = 0x207;
const REGS: u16 = 0xb05;
const REGS_PARTIAL: u16 = 0xc05;
const UNDEFINED: u16 = 0;
const END: u16 = 0x100;

/// The function number `n`: 256 bytes, with a call in the middle.
fn function(n: u64) -> u64 {
    TEXT + n * 0x100
}

/// Where the call in function `n` returns to.
fn after_call(n: u64) -> u64 {
    function(n) + 0x85
}

fn row(flags: u16, sp_offset: i16, bp_offset: i16) -> Row {
    let [low, high] = flags.to_le_bytes();
    let ([a, b], [c, d]) = (sp_offset.to_le_bytes(), bp_offset.to_le_bytes());
    Encoding::Typed.decode(&[a, b, c, d, low, high])
}

/// A kernel whose functions have one row each.
fn kernel(rows: &[(u16, i16, i16)]) -> Unwinder {
    let mut body = vec![0x90; 0x100];
    body[0x80] = 0xe8;
    let rows = rows.iter().map(|(flags, sp, bp)| row(*flags, *sp, *bp));
    let table = Table::new((0..).map(function).zip(rows).collect());
    Unwinder { table, code: Code::new(vec![(TEXT, body.repeat(16))]) }
}

/// The path from the first instruction of function 0.
fn path(kernel: &Unwinder, bp: u64, words: &[u64]) -> Unwound {
    let stack: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    kernel.unwind(Registers { ip: function(0), sp: STACK, bp }, &stack)
}

fn sure(frames: &[u64]) -> Unwound {
    Unwound { frames: frames.to_vec(), guessed: false }
}

fn guessed(frames: &[u64]) -> Unwound {
    Unwound { frames: frames.to_vec(), guessed: true }
}

/// A `struct pt_regs` with these of its fields.
fn registers(fields: &[(u64, u64)]) -> Vec<u64> {
    let mut words = vec![7; 21];
    for (offset, value) in fields {
        words[*offset as usize / 8] = *value;
    }
    words
}

#[test]
fn calls_by_stack_pointer_and_by_frame_pointer() {
    let kernel =
        kernel(&[(CALL, 8, 0), (CALL_SAVED_BP, 24, -16), (CALL_BY_BP, 16, -16), (END, 0, 0)]);
    let bp = STACK + 5 * 8;
    let words = [after_call(1), 0, bp, after_call(2), 0, 0, after_call(3), after_call(4)];
    let expected = [function(0), after_call(1), after_call(2), after_call(3)];
    assert_eq!(path(&kernel, 99, &words), sure(&expected));
}

#[test]
fn the_frame_pointer_stays_where_a_function_leaves_it_alone() {
    let kernel = kernel(&[(CALL, 8, 0), (CALL, 16, 0), (CALL_BY_BP, 16, -16), (END, 0, 0)]);
    let words = [after_call(1), 0, after_call(2), 0, after_call(3)];
    let expected = [function(0), after_call(1), after_call(2), after_call(3)];
    assert_eq!(path(&kernel, STACK + 3 * 8, &words), sure(&expected));
}

#[test]
fn stack_pointers_that_lie_on_the_stack() {
    // The word at the top points to where the other stack was left (call_on_irqstack).
    let rows = [(CALL, 8, 0), (CALL_SP_INDIRECT, 8, 0), (CALL_BP_INDIRECT, -8, 0), (END, 0, 0)];
    let words =
        [after_call(1), STACK + 3 * 8, 0, after_call(2), STACK + 7 * 8, 0, after_call(3), 0];
    let expected = [function(0), after_call(1), after_call(2), after_call(3)];
    assert_eq!(path(&kernel(&rows), STACK + 5 * 8, &words), sure(&expected));
}

#[test]
fn an_interrupted_function_goes_on_at_its_instruction() {
    // Function 2 is interrupted at its very first instruction, where function 1's row ends.
    let rows = [(CALL, 8, 0), (REGS, 8, 0), (CALL, 8, 0), (CALL_BY_BP, 16, -16), (END, 0, 0)];
    let above = STACK + 23 * 8;
    let fields = [(pt_regs::IP, function(2)), (pt_regs::SP, above), (pt_regs::BP, above + 16)];
    let words =
        [vec![after_call(1), 0], registers(&fields), vec![after_call(3), 0, 0, after_call(4)]];
    let expected = [function(0), after_call(1), function(2), after_call(3), after_call(4)];
    assert_eq!(path(&kernel(&rows), 0, &words.concat()), sure(&expected));
}

#[test]
fn registers_that_only_the_cpu_wrote() {
    let rows = [(CALL, 8, 0), (REGS_PARTIAL, 8, 0), (CALL, 8, 0), (END, 0, 0)];
    let words = [after_call(1), 0, function(2), 0x10, 0x246, STACK + 7 * 8, 0x18, after_call(3)];
    let expected = [function(0), after_call(1), function(2), after_call(3)];
    assert_eq!(path(&kernel(&rows), 0, &words), sure(&expected));
}

#[test]
fn other_registers_are_taken_from_the_interrupt() {
    for (flags, offset) in [(CALL_BY_R10, pt_regs::R10), (CALL_BY_R13, pt_regs::R13)] {
        let rows = [(CALL, 8, 0), (REGS, 0, 0), (flags, 0, 0), (END, 0, 0)];
        let above = STACK + 22 * 8;
        let fields = [(pt_regs::IP, function(2) + 4), (pt_regs::SP, above), (offset, above + 16)];
        let words = [vec![after_call(1)], registers(&fields), vec![0, after_call(3)]].concat();
        let expected = [function(0), after_call(1), function(2) + 4, after_call(3)];
        assert_eq!(path(&kernel(&rows), 0, &words), sure(&expected), "{flags:x}");
        // Without an interrupt nobody knows them.
        let rows = [(flags, 0, 0), (END, 0, 0)];
        assert_eq!(path(&kernel(&rows), 0, &[0, after_call(1)]).frames.len(), 2);
        assert!(path(&kernel(&rows), 0, &[0, after_call(1)]).guessed);
    }
}

#[test]
fn user_space_is_the_end() {
    let rows = [(CALL, 8, 0), (REGS, 0, 0)];
    let fields = [(pt_regs::IP, USER), (pt_regs::SP, USER + 0x1000)];
    let words = [vec![after_call(1)], registers(&fields), vec![after_call(2)]].concat();
    assert_eq!(path(&kernel(&rows), 0, &words), sure(&[function(0), after_call(1)]));
}

#[test]
fn a_copy_that_is_short_ends_the_path() {
    let kernel = kernel(&[(CALL, 8, 0), (CALL, 0x40, 0), (CALL, 8, 0)]);
    let words = [after_call(1), after_call(2), after_call(2)];
    assert_eq!(path(&kernel, 0, &words), sure(&[function(0), after_call(1)]));
    assert_eq!(path(&kernel, 0, &[]), sure(&[function(0)]));
}

#[test]
fn what_no_row_explains_is_guessed() {
    let rows = [(CALL, 8, 0), (UNDEFINED, 0, 0), (CALL, 16, 0), (END, 0, 0)];
    let words = [after_call(1), 7, function(2), after_call(2) - 1, after_call(2), 7, after_call(3)];
    let expected = [function(0), after_call(1), after_call(2), after_call(3)];
    assert_eq!(path(&kernel(&rows), 0, &words), guessed(&expected));
}

#[test]
fn rows_that_lead_nowhere_are_not_followed() {
    let below = [(CALL, 8, 0), (CALL, -8, 0), (END, 0, 0)];
    let no_code = [(CALL, 8, 0), (CALL, 16, 0), (END, 0, 0)];
    let lost_bp = [(CALL, 8, 0), (CALL_BY_BP, 16, -16), (END, 0, 0)];
    for (rows, bp) in [(below, 0), (no_code, 0), (lost_bp, 12)] {
        let words = [after_call(1), 7, 0xffff_8880_0000_0000, after_call(2)];
        let expected = [function(0), after_call(1), after_call(2)];
        assert_eq!(path(&kernel(&rows), bp, &words), guessed(&expected), "{rows:?}");
    }
}

#[test]
fn after_a_guess_an_end_is_not_believed() {
    let rows = [(CALL, 8, 0), (UNDEFINED, 0, 0), (END, 0, 0), (CALL, 8, 0), (END, 0, 0)];
    let words = [after_call(1), after_call(2), 7, after_call(3), after_call(4), 7];
    let expected = [function(0), after_call(1), after_call(2), after_call(3), after_call(4)];
    assert_eq!(path(&kernel(&rows), 0, &words), guessed(&expected));
}

#[test]
fn more_than_64_frames_are_not_taken() {
    let kernel = kernel(&[(CALL, 8, 0)]);
    let unwound = path(&kernel, 0, &[after_call(0); 100]);
    assert_eq!(unwound.frames.len(), 64);
    assert!(!unwound.guessed);
}

#[test]
fn without_orc_the_frame_pointers_lead_up() {
    let kernel = kernel(&[]);
    let at = |word: u64| STACK + 8 * word;
    // Function 0 has just been called, so the frame pointer is still its caller's.
    let mut words = vec![after_call(1), 7, at(4), 7, at(6) + 1, after_call(2)];
    words.extend(registers(&[
        (pt_regs::IP, function(3)),
        (pt_regs::SP, at(27)),
        (pt_regs::BP, at(28)),
    ]));
    words.extend([7, at(31) + 1, after_call(4), 7]);
    words.extend(registers(&[(pt_regs::IP, USER)]));
    let expected = [function(0), after_call(1), after_call(2), function(3), after_call(4)];
    assert_eq!(path(&kernel, at(4), &words), sure(&expected));
}

#[test]
fn without_any_guide_all_is_guessed() {
    let kernel = kernel(&[]);
    let words = [7, after_call(1), 0xffff_8880_0000_0000, after_call(2), USER];
    let expected = [function(0), after_call(1), after_call(2)];
    for bp in [0, 1, 7, STACK, STACK - 8, USER, u64::MAX] {
        assert_eq!(path(&kernel, bp, &words), guessed(&expected), "{bp:x}");
    }
}

/// Words as they may stand on a stack.
fn word() -> impl Strategy<Value = u64> {
    let near = |start: u64, length: u64| (0..length).prop_map(move |at| start + at);
    prop_oneof![
        near(TEXT, 0x1000),
        near(STACK, 0x400),
        (0..16u64).prop_map(after_call),
        any::<u64>()
    ]
}

proptest! {
    #[test]
    fn any_stack_has_an_end(
        rows in vec((any::<u16>(), -64..64i16, -64..64i16), 0..16),
        words in vec(word(), 0..80),
        (ip, sp, bp) in (word(), word(), word()),
        cut in 0..8usize,
    ) {
        let mut stack: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        stack.truncate(stack.len().saturating_sub(cut));
        let unwound = kernel(&rows).unwind(Registers { ip, sp, bp }, &stack);
        prop_assert!((1..=64).contains(&unwound.frames.len()));
        prop_assert_eq!(unwound.frames[0], ip);
        prop_assert!(unwound.frames[1..].iter().all(|frame| frame >> 31 == u64::MAX >> 31));
    }
}
