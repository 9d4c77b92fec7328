//! Where in a vmlinux its BTF is.

use object::elf::FileHeader64;
use object::read::elf::{FileHeader, SectionHeader};
use object::{Endianness, read};

use super::types::Header;

/// The BTF of an ELF image; `None` when it has none. Where the image's section headers were stripped,
/// it is found by its own header.
pub(super) fn find(elf: &[u8]) -> read::Result<Option<&[u8]>> {
    let header = FileHeader64::<Endianness>::parse(elf)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, elf)?;
    match sections.section_by_name(endian, b".BTF") {
        Some((_, section)) => section.data(endian, elf).map(Some),
        None if sections.is_empty() => Ok(search(elf)),
        None => Ok(None),
    }
}

fn search(elf: &[u8]) -> Option<&[u8]> {
    let mut rest = elf;
    while let Some(at) = rest.iter().position(|byte| *byte == Header::MAGIC[0]) {
        rest = rest.get(at..)?;
        if rest.starts_with(&Header::MAGIC) && Header::of(rest).is_some_and(Header::is_plausible) {
            return Some(rest);
        }
        rest = rest.get(1..)?;
    }
    None
}
