//! Which program's function a block of user code is, known by its bytes.
//!
//! Nobody asks the guest where a process has what. A program's pages lie in memory as they lie in its
//! file, so a block is found by its place in the page and its bytes; and since a file is loaded in one
//! piece, the load address that explains most blocks is the right one, which tells apart what the bytes
//! of a short block do not.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use super::programs::NamedProgram;
use crate::frames::Code;

/// Code at lower addresses is a user's.
const KERNEL: u64 = 0xffff_8000_0000_0000;

/// Files are loaded at multiples of this, bytes.
const PAGE: u64 = 4096;

/// Whether an address is the kernel's; less is a user's, or the key of a user's block.
pub(crate) fn is_kernel(address: u64) -> bool {
    address >= KERNEL
}

/// User blocks by their keys.
#[derive(Debug, Default)]
pub(crate) struct UserCode(HashMap<u64, String>);

/// A program, by its index, at a load address.
type Loaded = (usize, u64);

impl UserCode {
    /// Finds the function of each block.
    ///
    /// The load address that explains most bytes of blocks goes first, then the one that explains most of the
    /// others, and so on: a library lies elsewhere in a process that has more of them.
    pub(crate) fn recognise(blocks: &[Code], programs: &[NamedProgram]) -> UserCode {
        /// Bytes that a load address must explain: two whole blocks are hardly equal by chance, some short
        /// ones are.
        const ENOUGH: usize = 64;
        let candidates = candidates(blocks, programs);
        let mut left: Vec<usize> = blocks.iter().map(|block| block.bytes.len()).collect();
        let mut names = HashMap::new();
        loop {
            let explained = |of: &[usize]| of.iter().map(|block| left[*block]).sum::<usize>();
            let weighed =
                candidates.iter().map(|(loaded, of)| (explained(of), Reverse(loaded), of));
            let Some((ENOUGH.., Reverse((program, load)), of)) = weighed.max() else { break };
            let NamedProgram { name, program } = &programs[*program];
            for block in of {
                if std::mem::take(&mut left[*block]) > 0 {
                    let address = blocks[*block].address.wrapping_sub(*load);
                    let function = program.function(address);
                    let named = function.map(|function| format!("{function} ({name})"));
                    names.insert(blocks[*block].key, named.unwrap_or_else(|| format!("({name})")));
                }
            }
        }
        UserCode(names)
    }

    /// The function of the block with that key, as `memset (libc.so.6)`.
    pub(crate) fn name(&self, key: u64) -> &str {
        self.0.get(&key).map_or("[user]", String::as_str)
    }
}

/// The blocks that each program explains, by where it would be loaded.
fn candidates(blocks: &[Code], programs: &[NamedProgram]) -> BTreeMap<Loaded, Vec<usize>> {
    let mut candidates: BTreeMap<Loaded, Vec<usize>> = BTreeMap::new();
    for (program, named) in programs.iter().enumerate() {
        for (start, code) in named.program.code() {
            for (index, block) in blocks.iter().enumerate() {
                for place in places(start, code, block) {
                    let load = block.address.wrapping_sub(place);
                    candidates.entry((program, load)).or_default().push(index);
                }
            }
        }
    }
    candidates
}

/// The addresses of a segment, which begins at `start`, at which the block's bytes stand at its place in a page.
fn places(start: u64, code: &[u8], block: &Code) -> impl Iterator<Item = u64> {
    let first = block.address.wrapping_sub(start) % PAGE;
    let places = (first..code.len() as u64).step_by(PAGE as usize);
    let equal = |place: &u64| {
        let rest = usize::try_from(*place).ok().and_then(|place| code.get(place..));
        rest.is_some_and(|rest| !block.bytes.is_empty() && rest.starts_with(&block.bytes))
    };
    places.filter(equal).map(move |place| start.wrapping_add(place))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use kernels::Program;

    use super::*;
    use crate::tools::{closure, find_program};

    /// This machine's shell, its loader and its library.
    fn shell() -> Vec<NamedProgram> {
        let files = closure(&find_program("sh").unwrap()).unwrap();
        let named = |path: &std::path::PathBuf| NamedProgram {
            name: path.file_name().unwrap().to_str().unwrap().to_owned(),
            program: Program::read(&fs::read(path).unwrap()).unwrap(),
        };
        files.keys().map(named).collect()
    }

    fn find<'a>(programs: &'a [NamedProgram], name: &str) -> &'a NamedProgram {
        programs.iter().find(|program| program.name.starts_with(name)).unwrap()
    }

    /// Blocks of a program that is loaded at `load`, one in each 300 bytes of its code.
    fn blocks(program: &NamedProgram, load: u64, first_key: u64, length: usize) -> Vec<Code> {
        let (start, code) = program.program.code().next().unwrap();
        let places = (0..code.len() - length).step_by(300).take(200);
        let block = |(index, place): (usize, usize)| Code {
            key: first_key + index as u64,
            address: load + start + place as u64,
            bytes: code[place..place + length].to_vec(),
        };
        places.enumerate().map(block).collect()
    }

    #[test]
    fn blocks_are_known_by_their_bytes_wherever_their_program_lies() {
        let programs = shell();
        let (libc, loader) = (find(&programs, "libc."), find(&programs, "ld-linux"));
        let mut seen = blocks(libc, 0x7fff_f7c0_0000, 1_000, 32);
        seen.extend(blocks(libc, 0x7fff_f7b3_1000, 2_000, 32));
        seen.extend(blocks(loader, 0x7fff_f7fd_0000, 3_000, 32));
        // Alone these say little; where the others lie, they are known too.
        seen.extend(blocks(libc, 0x7fff_f7c0_0000, 4_000, 2));
        seen.push(Code { key: 9, address: 0x7fff_f7fc_1000, bytes: vec![0xf1; 32] });
        let users = UserCode::recognise(&seen, &programs);
        for block in &seen[..seen.len() - 1] {
            let program = if (3_000..4_000).contains(&block.key) { loader } else { libc };
            let name = users.name(block.key);
            assert!(name.ends_with(&format!("({})", program.name)), "{}: {name}", block.key);
        }
        assert_eq!(users.name(9), "[user]");
        assert_eq!(users.name(0), "[user]");
    }

    #[test]
    fn a_block_bears_its_function_s_name() {
        let programs = shell();
        let libc = find(&programs, "libc.");
        let named = |block: &Code| libc.program.function(block.address - 0x1000_0000).is_some();
        let seen = blocks(libc, 0x1000_0000, 2, 32);
        let users = UserCode::recognise(&seen, &programs);
        assert!(seen.iter().any(named) && !seen.iter().all(named));
        for block in &seen {
            let function = libc.program.function(block.address - 0x1000_0000);
            let function = function.map(|function| format!("{function} "));
            let expected = format!("{}({})", function.unwrap_or_default(), libc.name);
            assert_eq!(users.name(block.key), expected);
        }
    }

    #[test]
    fn a_few_short_blocks_are_no_proof() {
        let programs = shell();
        let seen = blocks(find(&programs, "libc."), 0x1000_0000, 2, 2);
        let users = UserCode::recognise(&seen[..20], &programs);
        assert!(seen.iter().all(|block| users.name(block.key) == "[user]"));
    }
}
