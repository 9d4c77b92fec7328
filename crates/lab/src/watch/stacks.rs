//! Call paths: from copied stacks to names, each path once.

use std::collections::HashMap;

use kernels::{Registers, Symbols, Unwinder};
use model::trace::Frame;

use crate::frames::Probe;

/// All call paths that were seen.
pub(super) struct Stacks<'a> {
    unwinder: &'a Unwinder,
    symbols: &'a Symbols<'a>,
    list: Vec<Vec<Frame>>,
    /// The same by their addresses, so that each is named once.
    known: HashMap<Vec<u64>, u32>,
    names: HashMap<u64, String>,
    /// Paths that had to be guessed from what lay on the stack.
    pub(super) guessed: u64,
}

impl<'a> Stacks<'a> {
    pub(super) fn new(unwinder: &'a Unwinder, symbols: &'a Symbols<'a>) -> Self {
        Stacks {
            unwinder,
            symbols,
            list: Vec::new(),
            known: HashMap::new(),
            names: HashMap::new(),
            guessed: 0,
        }
    }

    /// The index of the path on which the probe at `address` found its task.
    pub(super) fn index(&mut self, address: u64, probe: &Probe, stack: &[u8]) -> u32 {
        let start = Registers { ip: address, sp: probe.sp, bp: probe.bp };
        let unwound = self.unwinder.unwind(start, stack);
        self.guessed += u64::from(unwound.guessed);
        // The function in which the probe stands says nothing.
        let path = unwound.frames.get(1..).unwrap_or_default().to_vec();
        if let Some(index) = self.known.get(&path) {
            return *index;
        }
        let frames = path.iter().map(|address| Frame(self.name(*address))).collect();
        let index = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.list.push(frames);
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
