//! From instructions by block to instructions by function.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use kernels::{Symbols, is_function};
use model::{FunctionCount, PhaseProfile, TrialSpec};

use crate::channels::Collected;
use crate::watch::{UserCode, is_kernel};

/// The address under which kernel blocks stand for which the plugin had no counter left.
const OVERFLOW: u64 = 1;

/// The profile of each phase that began, in their order.
pub(crate) fn phases(
    spec: &TrialSpec,
    collected: &Collected,
    symbols: &Symbols<'_>,
    users: &UserCode,
) -> Vec<PhaseProfile> {
    let phases = spec.phases.iter().take(collected.began()).enumerate();
    let counts = |index| collected.profile.get(&index).map_or(&[][..], Vec::as_slice);
    let name = |block| name(symbols, users, block);
    phases.map(|(index, phase)| by_function(&name, phase.label(), counts(index))).collect()
}

/// Sums counts by function, largest first.
fn by_function(name: &dyn Fn(u64) -> String, phase: String, counts: &[(u64, u64)]) -> PhaseProfile {
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    for (block, instructions) in counts {
        *sums.entry(name(*block)).or_default() += instructions;
    }
    let functions = sums.into_iter();
    let mut functions: Vec<_> =
        functions.map(|(name, instructions)| FunctionCount { name, instructions }).collect();
    functions.sort_by_key(|function| Reverse(function.instructions));
    PhaseProfile { phase, functions }
}

fn name(symbols: &Symbols<'_>, users: &UserCode, block: u64) -> String {
    let kernel = || symbols.find(block).map(|place| place.to_string());
    match block {
        OVERFLOW => "[unknown]".to_owned(),
        _ if is_kernel(block) => kernel().unwrap_or_else(|| "[unknown]".to_owned()),
        _ => users.name(block).to_owned(),
    }
}

/// The lines of `/proc/kallsyms` that are needed later: the functions, and the counts of memory.
pub(crate) fn needed(kallsyms: &str) -> String {
    const COUNTS: [&str; 2] = [" vm_zone_stat", " vm_node_stat"];
    let count = |line: &str| COUNTS.iter().any(|name| line.ends_with(name));
    let lines = kallsyms.lines().filter(|line| is_function(line) || count(line));
    lines.flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_counted_under_the_function_that_they_lie_in() {
        let symbols = Symbols::parse(
            "ffffffff81000000 T _stext\nffffffff81000100 t vfs_write\nffffffff81000100 D data\n\
             ffffffffc0000000 t ext4_sync_fs\t[ext4]\n0000000000000000 A fixed\n",
        );
        let counts = [
            (0xffff_ffff_8100_0110, 5),
            (0xffff_8000_0000_0000, 2),
            (0xffff_ffff_8100_0100, 7),
            (0xffff_ffff_c000_0020, 40),
            (0, 4),
            (OVERFLOW, 1),
        ];
        let users = UserCode::default();
        let name = |block| name(&symbols, &users, block);
        let profile = by_function(&name, "write".to_owned(), &counts);
        let found: Vec<_> =
            profile.functions.iter().map(|f| (f.name.as_str(), f.instructions)).collect();
        let expected = [("ext4_sync_fs [ext4]", 40), ("vfs_write", 12), ("[user]", 4)];
        assert_eq!(found[..3], expected);
        assert_eq!(found[3], ("[unknown]", 3));
    }
}
