//! Kernel settings that hold while the memory is brought into its condition, and are set back then.

use std::fs;

/// What is set, to what, and why:
/// - A page that is freed goes to its CPU's own list first, where it is in no free list; since 6.7
///   such a list grows to an eighth of the memory while pages come and go. This makes it four
///   batches long.
/// - The same by its name before 5.14.
/// - When what cannot be moved takes pages of movable memory, the kernel wakes its reclaim and its
///   compaction (since 5.0): they undo what is done here.
/// - Compaction for its own sake (since 5.9).
const SETTINGS: [(&str, &str); 4] = [
    ("/proc/sys/vm/percpu_pagelist_high_fraction", "100000"),
    ("/proc/sys/vm/percpu_pagelist_fraction", "100000"),
    ("/proc/sys/vm/watermark_boost_factor", "0"),
    ("/proc/sys/vm/compaction_proactiveness", "0"),
];

/// Sets them back when dropped.
#[derive(Debug)]
pub(super) struct Quiet {
    before: Vec<(&'static str, String)>,
}

impl Quiet {
    /// What a kernel does not have is left out: whether the condition is reached all the same, its
    /// check tells.
    pub(super) fn begin() -> Self {
        let mut before = Vec::new();
        for (file, value) in SETTINGS {
            if let Ok(old) = fs::read_to_string(file) {
                let _ = fs::write(file, value);
                before.push((file, old));
            }
        }
        Quiet { before }
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        for (file, value) in &self.before {
            let _ = fs::write(file, value);
        }
    }
}
