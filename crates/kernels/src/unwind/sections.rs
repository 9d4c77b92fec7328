//! What the unwinder needs of an ELF file: its code and its ORC.

use std::collections::{BTreeMap, HashMap};

use object::read::elf::ElfFile64;
use object::{
    LittleEndian, Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionIndex, SectionKind,
    SymbolKind,
};

use super::orc::ROW;

/// Of each row, a word that says where its code is.
const ADDRESSES: &str = ".orc_unwind_ip";

/// A vmlinux or a module.
pub(super) struct Sections<'a>(ElfFile64<'a, LittleEndian>);

/// The ORC of a file: of each row the address of its code, if that is known.
pub(super) struct Orc<'a> {
    pub(super) addresses: Vec<Option<u64>>,
    pub(super) rows: &'a [[u8; ROW]],
    /// What `.orc_header` holds.
    pub(super) header: Option<&'a [u8]>,
}

/// Where the sections of a module were loaded.
pub(super) type Places = HashMap<SectionIndex, u64>;

impl<'a> Sections<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Result<Self, String> {
        let file = ElfFile64::parse(bytes);
        file.map(Sections).map_err(|error| format!("not a 64-bit ELF file ({error})"))
    }

    /// The code of a linked image with its addresses.
    pub(super) fn linked_code(&self) -> Vec<(u64, Vec<u8>)> {
        self.code(|section, _| Some(section))
    }

    /// The code of a module, as far as it was placed.
    pub(super) fn placed_code(&self, places: &Places) -> Vec<(u64, Vec<u8>)> {
        self.code(|_, index| places.get(&index).copied())
    }

    fn code(&self, place: impl Fn(u64, SectionIndex) -> Option<u64>) -> Vec<(u64, Vec<u8>)> {
        let mut code = Vec::new();
        for section in self.0.sections().filter(|section| section.kind() == SectionKind::Text) {
            let place = place(section.address(), section.index());
            if let (Some(place), Ok(bytes)) = (place, section.data()) {
                code.push((place, bytes.to_vec()));
            }
        }
        code
    }

    /// The ORC of a linked image. Each word of `.orc_unwind_ip` is the distance from itself to the
    /// code (`orc_ip()` in `arch/x86/kernel/unwind_orc.c`).
    pub(super) fn linked_orc(&self) -> Result<Option<Orc<'a>>, String> {
        let Some(section) = self.0.section_by_name(ADDRESSES) else { return Ok(None) };
        let mut at = section.address();
        let addresses = words(&section)?.iter().map(|word| {
            let distance = i64::from(i32::from_le_bytes(*word));
            let address = at.wrapping_add_signed(distance);
            at = at.wrapping_add(4);
            Some(address)
        });
        self.orc(addresses.collect()).map(Some)
    }

    /// The ORC of a module, whose words are relocations against its sections.
    pub(super) fn placed_orc(&self, places: &Places) -> Result<Option<Orc<'a>>, String> {
        let Some(section) = self.0.section_by_name(ADDRESSES) else { return Ok(None) };
        let mut addresses = vec![None; words(&section)?.len()];
        for (at, relocation) in section.relocations() {
            let RelocationTarget::Symbol(symbol) = relocation.target() else { continue };
            let address = self.placed(symbol, places);
            let address = address.map(|address| address.wrapping_add_signed(relocation.addend()));
            let word = usize::try_from(at / 4).ok().and_then(|at| addresses.get_mut(at));
            if let (Some(word), Some(address)) = (word, address) {
                *word = Some(address);
            }
        }
        self.orc(addresses).map(Some)
    }

    fn placed(&self, symbol: object::SymbolIndex, places: &Places) -> Option<u64> {
        let symbol = self.0.symbol_by_index(symbol).ok()?;
        places.get(&symbol.section_index()?)?.checked_add(symbol.address())
    }

    fn orc(&self, addresses: Vec<Option<u64>>) -> Result<Orc<'a>, String> {
        let rows = self.data(".orc_unwind").unwrap_or_default().as_chunks().0;
        if rows.len() != addresses.len() {
            let (words, rows) = (addresses.len(), rows.len());
            return Err(format!("its ORC has {words} addresses and {rows} rows"));
        }
        Ok(Orc { addresses, rows, header: self.data(".orc_header") })
    }

    fn data(&self, section: &str) -> Option<&'a [u8]> {
        self.0.section_by_name(section)?.data().ok()
    }

    /// Where the sections lie, by functions whose addresses are known. A function whose name stands
    /// twice in the file, or twice among those known, says nothing.
    pub(super) fn places(&self, known: impl Iterator<Item = (&'a str, u64)>) -> Places {
        let known = once_only(known);
        let functions = self.0.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text);
        let functions = functions.filter_map(|symbol| {
            Some((symbol.name().ok()?, (symbol.section_index()?, symbol.address())))
        });
        let mut places = Places::new();
        for (name, (section, offset)) in once_only(functions) {
            let loaded = known.get(name).and_then(|address| address.checked_sub(offset));
            if let Some(start) = loaded {
                places.entry(section).or_insert(start);
            }
        }
        places
    }
}

fn words<'a>(section: &impl ObjectSection<'a>) -> Result<&'a [[u8; 4]], String> {
    let bytes = section.data().map_err(|error| format!("its ORC cannot be read ({error})"))?;
    Ok(bytes.as_chunks().0)
}

/// The values of those names that have one value.
fn once_only<'a, T>(named: impl Iterator<Item = (&'a str, T)>) -> BTreeMap<&'a str, T> {
    let mut values: BTreeMap<&str, Option<T>> = BTreeMap::new();
    for (name, value) in named {
        values.entry(name).and_modify(|value| *value = None).or_insert(Some(value));
    }
    values.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}
