//! The functions and the code of a program or a library, from its ELF file.

use std::cmp::Reverse;

use object::read::elf::{ElfFile64, FileHeader, ProgramHeader};
use object::{LittleEndian, Object, ObjectSymbol, SymbolKind, elf};

/// A program or a shared library as it lies in its file. Addresses are those of the file: where it is
/// loaded, the load address is added to all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// By address; of one address the name that is preferred stands first.
    functions: Vec<Function>,
    code: Vec<(u64, Vec<u8>)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Function {
    address: u64,
    size: u64,
    name: String,
}

impl Program {
    /// Reads a 64-bit little-endian ELF file: its executable segments, and the functions of its
    /// `.symtab`, or of its `.dynsym` where it was stripped. Symbols without a size are left out: nobody
    /// says where they end.
    ///
    /// `None` for anything else. What is damaged within is left out.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Program> {
        let file = ElfFile64::<LittleEndian>::parse(bytes).ok()?;
        let code = code(&file, bytes);
        let whole = functions(file.symbols());
        let functions = if whole.is_empty() { functions(file.dynamic_symbols()) } else { whole };
        Some(Program { functions, code })
    }

    /// The name of the function in which an address of the file lies, as the file spells it. Of several
    /// at one address, it is the shortest without an underscore in front, then the first in the alphabet.
    #[must_use]
    pub fn function(&self, address: u64) -> Option<&str> {
        /// A function may lie within another (glibc's `__read_nocancel` in `read`), hardly ever deeper.
        const NESTED: usize = 8;
        let after = self.functions.partition_point(|function| function.address <= address);
        let before = self.functions[..after].iter().rev().take(NESTED);
        let mut around = before.filter(|function| address - function.address < function.size);
        let start = around.next()?.address;
        let first = self.functions.partition_point(|function| function.address < start);
        let mut named = self.functions[first..after].iter();
        named.find(|f| address - f.address < f.size).map(|function| function.name.as_str())
    }

    /// The executable segments: where each begins, and its bytes.
    pub fn code(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.code.iter().map(|(address, bytes)| (*address, bytes.as_slice()))
    }
}

fn code(file: &ElfFile64<'_, LittleEndian>, bytes: &[u8]) -> Vec<(u64, Vec<u8>)> {
    let endian = LittleEndian;
    let segments = file.elf_header().program_headers(endian, bytes).unwrap_or_default();
    let executable = segments.iter().filter(|segment| {
        segment.p_type(endian) == elf::PT_LOAD && segment.p_flags(endian).contains(elf::PF_X)
    });
    let placed = executable.filter_map(|segment| {
        Some((segment.p_vaddr(endian), segment.data(endian, bytes).ok()?.to_vec()))
    });
    placed.collect()
}

fn functions<'a, S: ObjectSymbol<'a>>(symbols: impl Iterator<Item = S>) -> Vec<Function> {
    let code = symbols.filter(|symbol| {
        symbol.kind() == SymbolKind::Text && symbol.is_definition() && symbol.size() > 0
    });
    let named = code.filter_map(|symbol| {
        let name = symbol.name().ok().filter(|name| !name.is_empty())?.to_owned();
        Some(Function { address: symbol.address(), size: symbol.size(), name })
    });
    let mut functions: Vec<_> = named.collect();
    functions.sort_by(|a, b| preference(a).cmp(&preference(b)));
    functions.dedup();
    functions
}

/// By address, then what a reader would rather see.
fn preference(function: &Function) -> (u64, Reverse<bool>, usize, &str) {
    let Function { address, name, .. } = function;
    (*address, Reverse(!name.starts_with('_')), name.len(), name)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    fn program(functions: &[(u64, u64, &str)]) -> Program {
        let function = |(address, size, name): &(u64, u64, &str)| Function {
            address: *address,
            size: *size,
            name: (*name).to_owned(),
        };
        let mut functions: Vec<_> = functions.iter().map(function).collect();
        functions.sort_by(|a, b| preference(a).cmp(&preference(b)));
        Program { functions, code: Vec::new() }
    }

    #[test]
    fn an_address_lies_in_the_function_around_it() {
        let program = program(&[
            (0x100, 0x20, "__write"),
            (0x100, 0x20, "write"),
            (0x100, 0x20, "__libc_write"),
            (0x108, 4, "__write_nocancel"),
            (0x200, 0x10, "_dl_start"),
        ]);
        for (address, expected) in [
            (0xff, None),
            (0x100, Some("write")),
            (0x108, Some("__write_nocancel")),
            (0x10c, Some("write")),
            (0x11f, Some("write")),
            (0x120, None),
            (0x20f, Some("_dl_start")),
            (u64::MAX, None),
        ] {
            assert_eq!(program.function(address), expected, "{address:x}");
        }
    }

    #[test]
    fn a_program_with_all_symbols_is_read() {
        let bytes = fs::read(std::env::current_exe().unwrap()).unwrap();
        let program = Program::read(&bytes).unwrap();
        let own = "a_program_with_all_symbols_is_read";
        let found = program.functions.iter().find(|function| function.name.contains(own)).unwrap();
        let within = found.address + found.size - 1;
        assert!(program.function(within).unwrap().contains(own));
        let inside = |(start, code): (u64, &[u8])| {
            (start..start + code.len() as u64).contains(&found.address)
        };
        assert_eq!(program.code().filter(|piece| inside(*piece)).count(), 1);
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(bytes: Vec<u8>, at: u64) {
            let elf = [&b"\x7fELF\x02\x01\x01"[..], &bytes].concat();
            for bytes in [bytes, elf] {
                let _ = Program::read(&bytes).map(|program| program.function(at).map(str::to_owned));
            }
        }
    }
}
