//! The names of a running kernel's functions and data, from its `/proc/kallsyms`.

use std::fmt;

/// Kinds of symbols that are code: `t` and `T` lie in text, `w` and `W` are weak (nm(1)).
const CODE: [&str; 4] = ["t", "T", "w", "W"];
/// Kinds that are data: initialised (`d`), zero (`b`) and read-only (`r`).
const DATA: [&str; 6] = ["d", "D", "b", "B", "r", "R"];

/// The functions and data of a running kernel by address and by name.
///
/// They are those of one boot: where modules lie differs between boots.
#[derive(Debug, Clone)]
pub struct Symbols<'a> {
    functions: Vec<Symbol<'a>>,
    data: Vec<Symbol<'a>>,
}

/// Ordered by address, then by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Symbol<'a> {
    address: u64,
    name: &'a str,
    module: Option<&'a str>,
}

/// Where in the kernel's code an address lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'a> {
    /// The function, as the kernel names it (`try_to_wake_up`, `foo.isra.0`).
    pub function: &'a str,
    /// The module that the function is in, without brackets; `None` for the kernel itself.
    pub module: Option<&'a str>,
    /// Bytes from the function's first instruction.
    pub offset: u64,
}

/// The function, and ` [module]` where it is in one.
impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.function)?;
        self.module.map_or(Ok(()), |module| write!(f, " [{module}]"))
    }
}

/// Whether a line of `/proc/kallsyms` tells of a function.
#[must_use]
pub fn is_function(line: &str) -> bool {
    symbol(line).is_some_and(|(kind, _)| CODE.contains(&kind))
}

impl<'a> Symbols<'a> {
    /// Reads the text of `/proc/kallsyms`: `ffffffff81000000 T _stext`, and
    /// `ffffffffc0000000 t ext4_sync_fs<tab>[ext4]` for what is in a module.
    ///
    /// Other lines are left out, and so are those with address 0, which is what the kernel shows to
    /// readers who may not know.
    #[must_use]
    pub fn parse(kallsyms: &'a str) -> Self {
        let (mut functions, mut data) = (Vec::new(), Vec::new());
        for (kind, symbol) in kallsyms.lines().filter_map(symbol) {
            if CODE.contains(&kind) {
                functions.push(symbol);
            } else if DATA.contains(&kind) {
                data.push(symbol);
            }
        }
        functions.sort_unstable();
        data.sort_unstable();
        Symbols { functions, data }
    }

    /// The function that begins last at or before the address. `None` when there is no such function.
    ///
    /// Of several names at one address the first in the alphabet is taken, for want of better. How
    /// long a function is kallsyms does not say: an address behind the last one counts to it.
    ///
    /// A return address lies behind the call: look up the byte before it.
    #[must_use]
    pub fn find(&self, address: u64) -> Option<Place<'a>> {
        let after = self.functions.partition_point(|symbol| symbol.address <= address);
        let start = self.functions[..after].last()?.address;
        let first = self.functions.partition_point(|symbol| symbol.address < start);
        let Symbol { name: function, module, .. } = self.functions[first];
        Some(Place { function, module, offset: address - start })
    }

    /// Where a function begins.
    ///
    /// Where there is none of that name, a copy of it that the compiler specialised (`NAME.isra.0`,
    /// `NAME.constprop.0`) is taken, and never a piece of it (`NAME.cold`, `NAME.part.0`). Of several,
    /// it is the one at the lowest address, so the kernel goes before its modules.
    #[must_use]
    pub fn address_of(&self, name: &str) -> Option<u64> {
        let exact = self.functions.iter().find(|symbol| symbol.name == name);
        let copy = || self.functions.iter().find(|symbol| is_copy(symbol.name, name));
        exact.or_else(copy).map(|symbol| symbol.address)
    }

    /// Where a variable lies; of several with that name, the one at the lowest address.
    #[must_use]
    pub fn data_address_of(&self, name: &str) -> Option<u64> {
        self.data.iter().find(|symbol| symbol.name == name).map(|symbol| symbol.address)
    }

    /// The functions of one module with their addresses, by address.
    pub(crate) fn functions_of(&self, module: &str) -> impl Iterator<Item = (&'a str, u64)> {
        let of_module = move |symbol: &&Symbol<'a>| symbol.module == Some(module);
        self.functions.iter().filter(of_module).map(|symbol| (symbol.name, symbol.address))
    }
}

/// A line's kind and symbol.
fn symbol(line: &str) -> Option<(&str, Symbol<'_>)> {
    let mut words = line.split_ascii_whitespace();
    let address = u64::from_str_radix(words.next()?, 16).ok().filter(|address| *address != 0)?;
    let (kind, name) = (words.next()?, words.next()?);
    let module = words.next().and_then(|word| word.strip_prefix('[')?.strip_suffix(']'));
    Some((kind, Symbol { address, name, module }))
}

/// Whether `symbol` is all of the function `name`, specialised by the compiler (GCC's `-fipa-sra` and
/// `-fipa-cp`). Compilers chain such endings: `name.constprop.0.isra.0`.
fn is_copy(symbol: &str, name: &str) -> bool {
    let Some(endings) = symbol.strip_prefix(name).and_then(|rest| rest.strip_prefix('.')) else {
        return false;
    };
    let number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    endings.split('.').all(|word| matches!(word, "isra" | "constprop") || number(word))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const KALLSYMS: &str = "\
        0000000000000000 A fixed_percpu_data\n\
        ffffffff81000000 T _stext\n\
        ffffffff81000000 T _text\n\
        ffffffff81000100 t vfs_write\n\
        ffffffff81000100 D data_at_the_same_place\n\
        ffffffff81000200 t finish.cold\n\
        ffffffff81000300 t finish.part.0\n\
        ffffffff81000400 t finish.constprop.0.isra.0\n\
        ffffffff81000480 t finish.isra.0.cold\n\
        ffffffff81000500 W __switch_to_asm\n\
        ffffffff81000600 t __switch_to_asm.isra.0\n\
        ffffffff82000000 B vm_zone_stat\n\
        ffffffff82000100 r names\n\
        ffffffffc0000000 t ext4_sync_fs\t[ext4]\n\
        ffffffffc0000010 t vfs_write\t[ext4]\n\
        ffffffffc0000100 b vm_zone_stat\t[ext4]\n\
        not a line\n";

    #[test]
    fn an_address_lies_in_the_function_that_begins_before_it() {
        let symbols = Symbols::parse(KALLSYMS);
        for (address, expected) in [
            (0xffff_ffff_8100_0000, Some(("_stext", None, 0))),
            (0xffff_ffff_8100_00ff, Some(("_stext", None, 0xff))),
            (0xffff_ffff_8100_0110, Some(("vfs_write", None, 0x10))),
            (0xffff_ffff_8100_0200, Some(("finish.cold", None, 0))),
            (0xffff_ffff_c000_000f, Some(("ext4_sync_fs", Some("ext4"), 0xf))),
            (u64::MAX, Some(("vfs_write", Some("ext4"), 0x3fff_ffef))),
            (0xffff_ffff_80ff_ffff, None),
            (0, None),
        ] {
            let found = symbols.find(address);
            let found = found.map(|place| (place.function, place.module, place.offset));
            assert_eq!(found, expected, "{address:x}");
        }
        assert_eq!(Symbols::parse("").find(1), None);
    }

    #[test]
    fn a_name_gives_an_address() {
        let symbols = Symbols::parse(KALLSYMS);
        for (name, expected) in [
            ("vfs_write", Some(0xffff_ffff_8100_0100)),
            ("_text", Some(0xffff_ffff_8100_0000)),
            ("__switch_to_asm", Some(0xffff_ffff_8100_0500)),
            ("ext4_sync_fs", Some(0xffff_ffff_c000_0000)),
            ("finish", Some(0xffff_ffff_8100_0400)),
            ("fin", None),
            ("vm_zone_stat", None),
            ("fixed_percpu_data", None),
        ] {
            assert_eq!(symbols.address_of(name), expected, "{name}");
        }
        assert_eq!(symbols.data_address_of("vm_zone_stat"), Some(0xffff_ffff_8200_0000));
        assert_eq!(symbols.data_address_of("names"), Some(0xffff_ffff_8200_0100));
        assert_eq!(symbols.data_address_of("vfs_write"), None);
    }

    #[test]
    fn pieces_of_a_function_are_no_copies() {
        for (symbol, copy) in [
            ("f.isra.0", true),
            ("f.constprop.12", true),
            ("f.isra.0.constprop.1", true),
            ("f.cold", false),
            ("f.part.0", false),
            ("f.part.0.isra.0", false),
            ("f.constprop.0.cold", false),
            ("f", false),
            ("f.", false),
            ("ff.isra.0", false),
        ] {
            assert_eq!(is_copy(symbol, "f"), copy, "{symbol}");
        }
    }

    #[test]
    fn a_module_has_its_own_functions() {
        let symbols = Symbols::parse(KALLSYMS);
        let found: Vec<_> = symbols.functions_of("ext4").map(|(name, _)| name).collect();
        assert_eq!(found, ["ext4_sync_fs", "vfs_write"]);
        assert_eq!(symbols.functions_of("jbd2").count(), 0);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "([0-9a-f]{0,17} ?[tTdx]? ?[a-z.]{0,6}\t?\\[?[a-z]?\\]?\n?){0,20}", at: u64) {
            let symbols = Symbols::parse(&text);
            let _ = (symbols.find(at), symbols.address_of("a"), symbols.data_address_of("a"));
        }
    }
}
