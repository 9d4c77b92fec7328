//! Profiles: kernel blocks by address, user blocks by key.

use std::collections::{BTreeMap, HashMap};

use crate::frames::{mark, number};
use crate::guest::{self, Guest, USER_LOOP};
use crate::qemu;

const ROUNDS: u32 = 5000;

/// Keys with address and code, and the instructions by block of each profile, all in order.
#[derive(Default)]
struct Run {
    keys: HashMap<u64, (u64, Vec<u8>)>,
    profiles: Vec<(u8, BTreeMap<u64, u64>)>,
    /// Instructions at each mark, and at the end.
    counts: Vec<u64>,
}

impl Run {
    /// `None` without QEMU.
    fn with(arguments: &str) -> Option<Self> {
        let output = guest::run(&format!(",fd=1,shift=1,{arguments}"), ROUNDS)?;
        assert!(output.status.success(), "{output:?}");
        let mut run = Self::default();
        for (kind, payload) in qemu::frames(&output.stdout) {
            let bytes = &mut &*payload;
            match kind {
                2 => run.counts.push(mark(payload).1),
                4 => run.profile(payload),
                5 => run.counts.push(number(bytes)),
                9 => {
                    let key = number(bytes);
                    let code = (number(bytes), bytes.to_vec());
                    assert_eq!(run.keys.insert(key, code), None, "key {key} is given once");
                }
                _ => {}
            }
        }
        Some(run)
    }

    fn profile(&mut self, payload: &[u8]) {
        let (phase, entries) = payload.split_first().expect("a phase");
        let pair = |entry: &[u8]| {
            let bytes = &mut &*entry;
            (number(bytes), number(bytes))
        };
        let pairs: Vec<_> = entries.chunks(16).map(pair).collect();
        assert!(pairs.is_sorted(), "{pairs:x?}");
        for (block, _) in &pairs {
            let known = *block < 2 || *block >> 47 == 0x1_ffff || self.keys.contains_key(block);
            assert!(known, "{block:x} was not told");
        }
        self.profiles.push((*phase, pairs.into_iter().collect()));
    }
}

#[test]
fn each_phase_adds_up_to_its_marks() {
    let Some(run) = Run::with("profile=on") else { return };
    let sums: Vec<u64> = run.profiles.iter().map(|(_, blocks)| blocks.values().sum()).collect();
    let [first, second, end] = run.counts[..] else { panic!("{:?}", run.counts) };
    assert_eq!(sums, [first, second - first, end - second]);
    assert_eq!(run.profiles.iter().map(|(phase, _)| *phase).collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn user_code_is_counted_by_block() {
    let Guest { user_loop, kernel_loop, .. } = Guest::places();
    let Some(run) = Run::with("profile=on") else { return };
    let looping = (user_loop, USER_LOOP.to_vec());
    let key = run.keys.iter().find(|(_, code)| **code == looping).map(|(key, _)| *key);
    let key = key.unwrap_or_else(|| panic!("{user_loop:x} has no key in {:x?}", run.keys));
    let (_, blocks) = &run.profiles[1];
    assert_eq!(blocks.get(&key), Some(&(u64::from(ROUNDS) * 4)));
    assert_eq!(blocks.get(&kernel_loop), Some(&(u64::from(ROUNDS) * 3)));
    assert_eq!(blocks.get(&0), None, "all user code has a key");
}

#[test]
fn nothing_is_named_that_nobody_asks_for() {
    let Some(run) = Run::with("profile=off") else { return };
    assert_eq!((run.keys.len(), run.profiles.len()), (0, 0));
}
