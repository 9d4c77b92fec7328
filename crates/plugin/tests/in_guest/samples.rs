//! Samples.

use crate::frames::{mark, number, pieces, take};
use crate::guest::{self, Guest, USER_LOOP};
use crate::qemu;

const EVERY: u64 = 1000;
const ROUNDS: u32 = 5000;

/// Where kernel addresses begin.
const KERNEL_START: u64 = 0xffff_8000_0000_0000;

/// What the guest's registers hold in its loops.
const REGISTERS: [u64; 5] =
    [0xffff_8000_0000_5000, 0, 0xffff_8000_001f_fff0, 0xffff_8000_0000_8000, 0x1234_5678_9abc_def0];

#[derive(Debug, PartialEq, Eq)]
struct Sampled {
    vcpu: u32,
    clock: u64,
    instructions: u64,
    block: u64,
    address: u64,
    registers: [u64; 5],
    pieces: Vec<Vec<u8>>,
}

fn sampled(mut bytes: &[u8]) -> Sampled {
    let bytes = &mut bytes;
    let vcpu = u32::from_le_bytes(take(bytes));
    let [clock, instructions, block, address] = [(); 4].map(|()| number(bytes));
    let registers = [(); 5].map(|()| number(bytes));
    Sampled { vcpu, clock, instructions, block, address, registers, pieces: pieces(bytes) }
}

struct Run {
    samples: Vec<Sampled>,
    /// Key, address and bytes.
    codes: Vec<(u64, u64, Vec<u8>)>,
    /// Clock and instructions of each `mark`.
    marks: Vec<(u64, u64)>,
    instructions: u64,
}

impl Run {
    /// `None` without QEMU.
    fn with(arguments: &str) -> Option<Self> {
        let output = guest::run(&format!(",fd=1,shift=1{arguments}"), ROUNDS)?;
        assert!(output.status.success(), "{output:?}");
        let frames = qemu::frames(&output.stdout);
        let of = |wanted| frames.iter().filter(move |(kind, _)| *kind == wanted).map(|f| f.1);
        let code = |mut bytes: &[u8]| (number(&mut bytes), number(&mut bytes), bytes.to_vec());
        Some(Self {
            samples: of(8).map(sampled).collect(),
            codes: of(9).map(code).collect(),
            marks: of(2).map(mark).collect(),
            instructions: of(5).map(|mut end| number(&mut end)).sum(),
        })
    }
}

#[test]
fn there_is_a_sample_wherever_the_count_is_full() {
    let Some(run) = Run::with(&format!(",sample={EVERY}")) else { return };
    assert_eq!(run.samples.len() as u64, run.instructions / EVERY);
    let (clock, instructions) = run.marks[0];
    for (full, sample) in (EVERY..).step_by(EVERY as usize).zip(&run.samples) {
        // No block of this guest is longer than 20 instructions.
        let before = full - 20..full;
        assert!(before.contains(&sample.instructions), "{sample:?} at {full}");
        let since = sample.instructions.wrapping_sub(instructions).wrapping_mul(2);
        assert_eq!(sample.clock.wrapping_sub(clock), since, "{sample:?}");
        assert_eq!(sample.vcpu, 0);
    }
}

#[test]
fn a_sample_names_its_block_and_has_pieces_in_the_kernel() {
    let Guest { user_loop, kernel_loop, .. } = Guest::places();
    let Some(run) = Run::with(&format!(",sample={EVERY}/di+8:8/sp+0:65536^16/dx+10>:8")) else {
        return;
    };
    let looping = run.codes.iter().find(|code| code.1 == user_loop && code.2 == USER_LOOP);
    let key = looping.expect("the loop has a key").0;
    let pieces = [0xffff_8000_0000_6000_u64.to_le_bytes().to_vec(), vec![0; 16], Vec::new()];
    let (mut kernel, mut user) = (0, 0);
    for sample in run.samples.iter().filter(|sample| sample.instructions > run.marks[0].1) {
        assert_eq!(sample.registers, REGISTERS);
        if sample.address < KERNEL_START {
            assert_eq!((sample.address, sample.block), (user_loop, key));
            assert_eq!(sample.pieces, Vec::<Vec<u8>>::new());
            user += 1;
        } else {
            assert_eq!((sample.address, sample.block), (kernel_loop, kernel_loop));
            assert_eq!(sample.pieces, pieces);
            kernel += 1;
        }
    }
    let full = |instructions: u32| u64::from(ROUNDS * instructions) / EVERY;
    assert!((full(4) - 1..=full(4) + 1).contains(&user), "{user}");
    assert!((full(3) - 1..=full(3) + 1).contains(&kernel), "{kernel}");
}

#[test]
fn the_guest_takes_the_same_time_without_samples() {
    let with = format!(",sample={EVERY}/sp:65536,profile=on");
    let (Some(with), Some(without)) = (Run::with(&with), Run::with("")) else { return };
    assert_eq!(without.marks.len(), 2);
    assert_eq!((with.marks, with.instructions), (without.marks, without.instructions));
    assert!(!with.samples.is_empty() && without.samples.is_empty());
}
