//! From instructions by address to instructions by function.

use std::collections::BTreeMap;

use kernels::{Symbols, is_function};
use model::{FunctionCount, PhaseProfile};

/// All user code is counted under this address.
const USER: u64 = 0;

/// Sums counts by function, largest first.
pub(crate) fn by_function(
    symbols: &Symbols<'_>,
    phase: String,
    counts: &[(u64, u64)],
) -> PhaseProfile {
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    for (address, instructions) in counts {
        *sums.entry(name(symbols, *address)).or_default() += instructions;
    }
    let functions = sums.into_iter();
    let mut functions: Vec<_> =
        functions.map(|(name, instructions)| FunctionCount { name, instructions }).collect();
    functions.sort_by_key(|function| std::cmp::Reverse(function.instructions));
    PhaseProfile { phase, functions }
}

fn name(symbols: &Symbols<'_>, address: u64) -> String {
    match address {
        USER => "[user]".to_owned(),
        _ => {
            symbols.find(address).map_or_else(|| "[unknown]".to_owned(), |place| place.to_string())
        }
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
            (0xffff_ffff_8100_0100, 7),
            (0xffff_ffff_c000_0020, 40),
            (0, 3),
            (0xffff_0000_0000_0000, 1),
        ];
        let profile = by_function(&symbols, "write".to_owned(), &counts);
        let found: Vec<_> =
            profile.functions.iter().map(|f| (f.name.as_str(), f.instructions)).collect();
        let expected = [("ext4_sync_fs [ext4]", 40), ("vfs_write", 12), ("[user]", 3)];
        assert_eq!(found[..3], expected);
        assert_eq!(found[3], ("[unknown]", 1));
    }
}
