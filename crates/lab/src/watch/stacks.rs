//! Call paths: from copied stacks to names, each path once.

use std::collections::{BTreeMap, HashMap};

use kernels::{Registers, Symbols, Unwinder, Unwound};
use model::trace::Frame;

use crate::frames;

/// All call paths that were seen.
pub(super) struct Stacks<'a> {
    /// `None` where the kernel's stacks cannot be read.
    unwinder: Option<&'a Unwinder>,
    symbols: &'a Symbols<'a>,
    list: Vec<Vec<Frame>>,
    known: BTreeMap<Vec<Frame>, u32>,
    /// The same by their addresses, so that each is named once.
    by_addresses: HashMap<Vec<u64>, u32>,
    names: HashMap<u64, String>,
    /// Paths of callers that had to be guessed from what lay on the stack.
    pub(super) guessed: u64,
    /// Such paths of samples.
    pub(super) guessed_samples: u64,
    /// Samples whose stack could not be read or followed.
    pub(super) alone: u64,
}

impl<'a> Stacks<'a> {
    pub(super) fn new(unwinder: Option<&'a Unwinder>, symbols: &'a Symbols<'a>) -> Self {
        Stacks {
            unwinder,
            symbols,
            list: Vec::new(),
            known: BTreeMap::new(),
            by_addresses: HashMap::new(),
            names: HashMap::new(),
            guessed: 0,
            guessed_samples: 0,
            alone: 0,
        }
    }

    /// The index of the path by which the function that begins at `address` was called.
    pub(super) fn callers(
        &mut self,
        address: u64,
        registers: &frames::Registers,
        stack: &[u8],
    ) -> u32 {
        let unwound = self.unwind(address, registers, stack);
        self.guessed += u64::from(unwound.guessed);
        // The function in which the probe stands says nothing.
        self.index(unwound.frames.get(1..).unwrap_or_default())
    }

    /// The index of the path to the code at `address`, which is about to run, with its function.
    pub(super) fn running(
        &mut self,
        address: u64,
        registers: &frames::Registers,
        stack: &[u8],
    ) -> u32 {
        let Unwound { mut frames, guessed } = self.unwind(address, registers, stack);
        let tables = self.unwinder.is_some_and(|unwinder| unwinder.orc_rows() > 0);
        // Without tables, a guess means that frame pointers led nowhere.
        let lost = guessed && !tables;
        if lost {
            frames.truncate(1);
        }
        self.alone += u64::from(lost || stack.is_empty());
        self.guessed_samples += u64::from(guessed && tables);
        // The byte before an address is named, as of all callers.
        frames[0] = frames[0].wrapping_add(1);
        self.index(&frames)
    }

    fn unwind(&self, ip: u64, registers: &frames::Registers, stack: &[u8]) -> Unwound {
        let start = Registers { ip, sp: registers.sp, bp: registers.bp };
        match self.unwinder {
            Some(unwinder) => unwinder.unwind(start, stack),
            None => Unwound { frames: vec![ip], guessed: false },
        }
    }

    fn index(&mut self, path: &[u64]) -> u32 {
        if let Some(index) = self.by_addresses.get(path) {
            return *index;
        }
        let named = path.iter().map(|address| Frame(self.name(*address))).collect();
        let index = self.named(named);
        self.by_addresses.insert(path.to_vec(), index);
        index
    }

    /// The index of a path of these functions.
    pub(super) fn named(&mut self, path: Vec<Frame>) -> u32 {
        if let Some(index) = self.known.get(&path) {
            return *index;
        }
        let index = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.list.push(path.clone());
        self.known.insert(path, index);
        index
    }

    /// A path's functions, innermost first.
    pub(super) fn path(&self, index: u32) -> &[Frame] {
        self.list.get(index as usize).map_or(&[], Vec::as_slice)
    }

    fn name(&mut self, address: u64) -> String {
        let symbols = self.symbols;
        // A return address lies behind its call.
        let name = || match symbols.find(address.wrapping_sub(1)) {
            Some(place) => place.to_string(),
            None => format!("{address:#x}"),
        };
        self.names.entry(address).or_insert_with(name).clone()
    }

    pub(super) fn into_list(self) -> Vec<Vec<Frame>> {
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_an_unwinder_there_is_the_function_alone_and_each_path_once() {
        let symbols =
            Symbols::parse("ffffffff81000100 t vfs_write\nffffffff81000200 t ext4_sync [ext4]\n");
        let mut stacks = Stacks::new(None, &symbols);
        let registers = frames::Registers::default();
        let begin = stacks.running(0xffff_ffff_8100_0100, &registers, &[1; 64]);
        let within = stacks.running(0xffff_ffff_8100_01ff, &registers, &[]);
        let next = stacks.running(0xffff_ffff_8100_0200, &registers, &[]);
        assert_eq!(begin, within);
        assert_eq!(stacks.alone, 2);
        assert_eq!(stacks.path(next), [Frame("ext4_sync [ext4]".to_owned())]);
        let none = stacks.callers(0xffff_ffff_8100_0100, &registers, &[]);
        assert!(stacks.path(none).is_empty());
        assert_eq!(stacks.named(vec![Frame("vfs_write".to_owned())]), begin);
        assert_eq!(stacks.into_list().len(), 3);
    }
}
