//! The Xen PVH entry note, by which QEMU starts an uncompressed kernel at once.

use object::Endianness;
use object::elf::FileHeader64;
use object::read::elf::{FileHeader, ProgramHeader};

/// `XEN_ELFNOTE_PHYS32_ENTRY`, from `include/xen/interface/elfnote.h`.
const PHYS32_ENTRY: u32 = 18;

/// Whether an ELF image has the note (owner `Xen`, type 18) that names its PVH entry point, as kernels
/// with `CONFIG_PVH` do. QEMU's microvm boots such an image at once, without the unpacking.
///
/// `false` for anything that is no 64-bit ELF image.
pub fn has_pvh_entry(elf: &[u8]) -> bool {
    search(elf).unwrap_or(false)
}

fn search(elf: &[u8]) -> object::Result<bool> {
    let header = FileHeader64::<Endianness>::parse(elf)?;
    let endian = header.endian()?;
    for segment in header.program_headers(endian, elf)? {
        let Some(mut notes) = segment.notes(endian, elf)? else { continue };
        while let Some(note) = notes.next()? {
            if note.name() == b"Xen" && note.n_type(endian).0 == PHYS32_ENTRY {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
