//! Probes.

use crate::frames::{mark, number, pieces, take};
use crate::guest::{self, Guest};
use crate::qemu;

/// What the guest's registers hold at its function, which it calls with `rsi` at 3, 2 and 1.
const RDI: u64 = 0xffff_8000_0000_5000;
const RDX: u64 = 0xffff_8000_001f_fff0;
const RBP: u64 = 0x1234_5678_9abc_def0;
const STACK: u64 = 0xffff_8000_0000_8000;

/// Instructions from one call of the function to the next; each takes 2 ns.
const ROUND: u64 = 6;

/// Instructions from the last call's first to the marker.
const TO_MARKER: u64 = 7;

#[derive(Debug, PartialEq, Eq)]
struct Seen {
    id: u8,
    vcpu: u32,
    clock: u64,
    instructions: u64,
    registers: [u64; 5],
    pieces: Vec<Vec<u8>>,
}

fn seen(mut bytes: &[u8]) -> Seen {
    let bytes = &mut bytes;
    let [id] = take(bytes);
    let vcpu = u32::from_le_bytes(take(bytes));
    let (clock, instructions) = (number(bytes), number(bytes));
    let registers = [(); 5].map(|()| number(bytes));
    Seen { id, vcpu, clock, instructions, registers, pieces: pieces(bytes) }
}

/// What the guest's run left: the text of `hello`, the frames of probes, notes and marks.
struct Run {
    hello: String,
    seen: Vec<Seen>,
    notes: Vec<String>,
    /// Clock and instructions of each `mark`.
    marks: Vec<(u64, u64)>,
}

impl Run {
    /// `None` without QEMU.
    fn with(probes: &[String]) -> Option<Self> {
        let arguments: String = probes.iter().map(|probe| format!(",probe={probe}")).collect();
        let output = guest::run(&format!(",fd=1,shift=1{arguments}"), 0)?;
        assert!(output.status.success(), "{output:?}");
        let frames = qemu::frames(&output.stdout);
        let of = |wanted| frames.iter().filter(move |(kind, _)| *kind == wanted);
        let text = |payload: &[u8]| String::from_utf8(payload.to_vec()).expect("UTF-8");
        let mut hello = of(1).map(|(_, payload)| text(payload));
        Some(Self {
            hello: hello.next().expect("a hello"),
            seen: of(7).map(|(_, payload)| seen(payload)).collect(),
            notes: of(6).map(|(_, payload)| text(payload)).collect(),
            marks: of(2).map(|(_, payload)| mark(payload)).collect(),
        })
    }

    fn has(&self, line: &str) -> bool {
        self.hello.lines().any(|found| found == line)
    }

    fn clocks(&self, id: u8) -> Vec<u64> {
        let clocks = self.seen.iter().filter(|seen| seen.id == id).map(|seen| seen.clock);
        let first = self.seen.first().map_or(0, |seen| seen.clock);
        clocks.map(|clock| clock - first).collect()
    }
}

#[test]
fn a_probe_sees_registers_and_memory_at_each_execution() {
    let Guest { function, after_call, .. } = Guest::places();
    let pieces = "di+8>+10>+8:8/sp+0:16/=ffff8000001ffff8+0:64/=200000:8/dx+10>:8/sp:65536^16";
    let Some(run) = Run::with(&[format!("9@{function:x}/{pieces}")]) else { return };
    assert!(run.has("probes=1"), "{}", run.hello);
    assert_eq!(run.seen.len(), 3, "{:?}", run.notes);
    let word = 0x1122_3344_5566_7788_u64.to_le_bytes().to_vec();
    let mut stack = after_call.to_le_bytes().to_vec();
    stack.extend([0; 8]);
    let first = &run.seen[0];
    for (round, seen) in (0..).zip(&run.seen) {
        let expected = Seen {
            id: 9,
            vcpu: 0,
            clock: first.clock + round * ROUND * 2,
            instructions: first.instructions + round * ROUND,
            registers: [RDI, 3 - round, RDX, STACK - 8, RBP],
            pieces: vec![
                word.clone(),
                stack.clone(),
                word.clone(),
                Vec::new(),
                Vec::new(),
                stack[..8].to_vec(),
            ],
        };
        assert_eq!(*seen, expected);
    }
    let last = &run.seen[2];
    let marker = (last.clock + TO_MARKER * 2, last.instructions + TO_MARKER);
    assert_eq!(run.marks, [marker]);
}

#[test]
fn probes_of_one_place_take_turns_and_keep_their_intervals() {
    let Guest { function, .. } = Guest::places();
    let probes = ["5", "4~24", "3~25", "2~13"].map(|probe| {
        let (id, interval) = probe.split_at(1);
        format!("{id}@{function:x}{interval}")
    });
    let Some(run) = Run::with(&probes) else { return };
    let ids: Vec<_> = run.seen.iter().map(|seen| seen.id).collect();
    assert_eq!(ids, [5, 4, 3, 2, 5, 5, 4, 2]);
    assert_eq!(run.clocks(5), [0, 12, 24]);
    assert_eq!(run.clocks(4), [0, 24]);
    assert_eq!(run.clocks(3), [0]);
    assert_eq!(run.clocks(2), [0, 24]);
}

#[test]
fn within_a_block_a_probe_sees_what_is_right_or_complains_once() {
    let Guest { function, second, .. } = Guest::places();
    let probes = [format!("1@{function:x}"), format!("2@{second:x}/sp:8")];
    let Some(run) = Run::with(&probes) else { return };
    assert_eq!(run.clocks(1), [0, 12, 24]);
    if run.has("registers=public") {
        assert_eq!(run.clocks(2), [2, 14, 26]);
        assert_eq!(run.seen[1].registers, [RDI, 3, RDX, STACK - 8, RBP]);
    } else {
        let why = "not the first instruction of its block: take one that is jumped to";
        assert_eq!(run.notes, [format!("probe 2 at {second:x}: {why}")]);
        assert_eq!(run.clocks(2), []);
    }
}

#[test]
fn the_guest_takes_the_same_time_without_probes() {
    let Guest { function, second, .. } = Guest::places();
    let probes = [format!("1@{function:x}/sp:65536"), format!("2@{second:x}~1")];
    let (Some(with), Some(without)) = (Run::with(&probes), Run::with(&[])) else { return };
    assert_eq!(without.marks.len(), 1);
    assert_eq!(with.marks, without.marks);
    assert_eq!((with.seen.is_empty(), without.seen.is_empty()), (false, true));
}
