//! The setup header at the start of a bzImage.
//!
//! Source of all offsets: `Documentation/arch/x86/boot.rst` and `arch/x86/boot/header.S`.

use crate::error::KernelError;

const SECTOR: usize = 512;
const BOOT_FLAG: usize = 0x1fe;
const MAGIC: usize = 0x202;

/// What a bzImage's setup header says about the rest of the file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SetupHeader<'a> {
    image: &'a [u8],
}

impl<'a> SetupHeader<'a> {
    /// Recognises a bzImage by its boot flag and the magic `HdrS`.
    pub(crate) fn of(image: &'a [u8]) -> Option<Self> {
        let header = SetupHeader { image };
        let known =
            header.u16(BOOT_FLAG) == Some(0xaa55) && image.get(MAGIC..)?.starts_with(b"HdrS");
        known.then_some(header)
    }

    /// The version text, such as `6.1.0-57-amd64 (debian-kernel@…) #1 SMP …`; the header's pointer is
    /// relative to 0x200 and 0 means none.
    pub(crate) fn version(&self) -> Option<&'a str> {
        let pointer = self.u16(0x20e).filter(|pointer| *pointer != 0)?;
        let text = self.image.get(usize::from(pointer) + 0x200..)?;
        let end = text.iter().take(SECTOR).position(|byte| *byte == 0)?;
        std::str::from_utf8(text.get(..end)?).ok()
    }

    /// The packed kernel with the uncompressed length that follows it (4 bytes, little-endian).
    pub(crate) fn payload(&self) -> Result<&'a [u8], KernelError> {
        let protocol = self.u16(0x206).unwrap_or(0);
        if protocol < 0x0208 {
            let reason = "its boot protocol is older than 2.08 (Linux 2.6.26) and does not say where the kernel is";
            return Err(KernelError::NotAnImage { reason });
        }
        self.payload_bytes().ok_or(KernelError::Damaged {
            what: "the bzImage",
            format: "setup header",
            reason: "the kernel inside it ends beyond the file".to_owned(),
        })
    }

    fn payload_bytes(&self) -> Option<&'a [u8]> {
        // 0 stands for 4 for the sake of very old boot loaders; the boot sector itself comes on top.
        let sectors = match self.image.get(0x1f1)? {
            0 => 4,
            sectors => usize::from(*sectors),
        };
        let start = ((sectors + 1) * SECTOR).checked_add(self.u32(0x248)?)?;
        self.image.get(start..start.checked_add(self.u32(0x24c)?)?)
    }

    fn u16(&self, offset: usize) -> Option<u16> {
        let bytes = self.image.get(offset..offset + 2)?;
        Some(u16::from_le_bytes(bytes.try_into().ok()?))
    }

    fn u32(&self, offset: usize) -> Option<usize> {
        let bytes = self.image.get(offset..offset + 4)?;
        usize::try_from(u32::from_le_bytes(bytes.try_into().ok()?)).ok()
    }
}
