//! From instructions by address to instructions by function.

use std::collections::BTreeMap;

use model::{FunctionCount, PhaseProfile};

/// The guest's functions by address: where each begins, its name, and ` [module]` or nothing.
pub(crate) struct Symbols<'a>(Vec<(u64, &'a str, Option<&'a str>)>);

/// All user code is counted under this address.
const USER: u64 = 0;

impl<'a> Symbols<'a> {
    /// Reads `/proc/kallsyms`: `ffffffff81000000 T _stext`, and `… t ext4_sync_fs [ext4]`.
    pub(crate) fn parse(kallsyms: &'a str) -> Self {
        let mut symbols: Vec<_> = kallsyms.lines().filter_map(symbol).collect();
        // Of several names at one address the first in the alphabet is taken, for want of better.
        symbols.sort_unstable();
        symbols.dedup_by_key(|(address, ..)| *address);
        Symbols(symbols)
    }

    fn name(&self, address: u64) -> (&'a str, Option<&'a str>) {
        if address == USER {
            return ("[user]", None);
        }
        match self.0.partition_point(|(start, ..)| *start <= address) {
            0 => ("[unknown]", None),
            after => (self.0[after - 1].1, self.0[after - 1].2),
        }
    }

    /// Sums counts by function, largest first.
    pub(crate) fn by_function(&self, phase: String, counts: &[(u64, u64)]) -> PhaseProfile {
        let mut sums: BTreeMap<(&str, Option<&str>), u64> = BTreeMap::new();
        for (address, instructions) in counts {
            *sums.entry(self.name(*address)).or_default() += instructions;
        }
        let mut functions: Vec<_> = sums
            .into_iter()
            .map(|((function, module), instructions)| {
                let module = module.map(|module| format!(" {module}")).unwrap_or_default();
                FunctionCount { name: format!("{function}{module}"), instructions }
            })
            .collect();
        functions.sort_by_key(|function| std::cmp::Reverse(function.instructions));
        PhaseProfile { phase, functions }
    }
}

/// The lines of `/proc/kallsyms` that are needed later: the functions, and the counts of memory.
pub(crate) fn needed(kallsyms: &str) -> String {
    const COUNTS: [&str; 2] = [" vm_zone_stat", " vm_node_stat"];
    let count = |line: &str| COUNTS.iter().any(|name| line.ends_with(name));
    let lines = kallsyms.lines().filter(|line| symbol(line).is_some() || count(line));
    lines.flat_map(|line| [line, "\n"]).collect()
}

fn symbol(line: &str) -> Option<(u64, &str, Option<&str>)> {
    let mut words = line.split_ascii_whitespace();
    let address = u64::from_str_radix(words.next()?, 16).ok().filter(|address| *address != 0)?;
    let kind = words.next()?;
    matches!(kind, "t" | "T" | "w" | "W").then_some(())?;
    Some((address, words.next()?, words.next()))
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
        let profile = symbols.by_function("write".to_owned(), &counts);
        let found: Vec<_> =
            profile.functions.iter().map(|f| (f.name.as_str(), f.instructions)).collect();
        let expected = [("ext4_sync_fs [ext4]", 40), ("vfs_write", 12), ("[user]", 3)];
        assert_eq!(found[..3], expected);
        assert_eq!(found[3], ("[unknown]", 1));
    }
}
