//! Kernel images: a bzImage, or an ELF vmlinux.

use crate::compression::Compression;
use crate::error::KernelError;
use crate::setup_header::SetupHeader;

const ELF_MAGIC: &[u8] = b"\x7fELF";
/// How `linux_banner` (`init/version.c`) begins.
const BANNER: &[u8] = b"Linux version ";

/// The uncompressed vmlinux inside a bzImage, or the bytes themselves when they are ELF already.
///
/// gzip, xz, lzma, zstd, bzip2 and lz4 are read. After the ELF there may follow the relocations that
/// a relocatable kernel carries (`CONFIG_RELOCATABLE`); loaders ignore them.
///
/// # Errors
/// The bytes are no x86 image, are packed with lzo, or are damaged.
pub fn vmlinux(image_bytes: &[u8]) -> Result<Vec<u8>, KernelError> {
    if image_bytes.starts_with(ELF_MAGIC) {
        return Ok(image_bytes.to_vec());
    }
    let payload = header(image_bytes)?.payload()?;
    if payload.starts_with(ELF_MAGIC) {
        return Ok(payload.to_vec());
    }
    let kernel = unpack(payload)?;
    if !kernel.starts_with(ELF_MAGIC) {
        return Err(KernelError::NotAnImage { reason: "what is packed in it is not ELF" });
    }
    Ok(kernel)
}

/// The kernel's release, such as `6.1.0-57-amd64`, from the image's own version string: the bzImage
/// header's, or `Linux version …` in an ELF. No unpacking is needed.
///
/// # Errors
/// The bytes are no x86 image, or hold no version string.
pub fn release(image_bytes: &[u8]) -> Result<String, KernelError> {
    let (found, looked_for) = if image_bytes.starts_with(ELF_MAGIC) {
        (banner_release(image_bytes), "Linux version X")
    } else {
        let version = header(image_bytes)?.version();
        (version.and_then(|text| text.split_whitespace().next()), "kernel_version")
    };
    found.map(str::to_owned).ok_or(KernelError::NoRelease { looked_for })
}

fn header(image: &[u8]) -> Result<SetupHeader<'_>, KernelError> {
    let reason = "neither a bzImage's setup header nor an ELF header at its start";
    SetupHeader::of(image).ok_or(KernelError::NotAnImage { reason })
}

/// Every packing of an x86 kernel ends in the uncompressed length (4 bytes, little-endian):
/// `size_append` in `scripts/Makefile.lib`, and gzip's own trailer.
fn unpack(payload: &[u8]) -> Result<Vec<u8>, KernelError> {
    let compression = Compression::of(payload).ok_or_else(|| unknown(payload))?;
    if compression == Compression::Lzo {
        let advice = "build the kernel with CONFIG_KERNEL_ZSTD, or name its vmlinux";
        return Err(KernelError::UnknownPacking { format: "lzo".to_owned(), advice });
    }
    let damaged = |reason: String| KernelError::Damaged {
        what: "the kernel in the bzImage",
        format: compression.name(),
        reason,
    };
    let (packed, length) =
        payload.split_last_chunk::<4>().ok_or_else(|| damaged("it is cut off".to_owned()))?;
    // Only gzip has the length inside its own format.
    let packed = if compression == Compression::Gzip { payload } else { packed };
    let kernel = compression.unpack(packed).map_err(|error| damaged(error.to_string()))?;
    let length = u32::from_le_bytes(*length) as usize;
    if kernel.len() != length {
        return Err(damaged(format!("it has {} bytes and should have {length}", kernel.len())));
    }
    Ok(kernel)
}

fn unknown(payload: &[u8]) -> KernelError {
    KernelError::UnknownPacking {
        format: format!("something that begins with {:02x?}", payload.get(..6).unwrap_or(payload)),
        advice: "name the vmlinux that this image was made from",
    }
}

/// The first word after `Linux version ` that begins with a digit; the format string of
/// `/proc/version` does not.
fn banner_release(elf: &[u8]) -> Option<&str> {
    let mut rest = elf;
    while let Some(at) = rest.iter().position(|byte| *byte == b'L') {
        rest = rest.get(at..)?;
        if let Some(word) = rest.strip_prefix(BANNER).and_then(first_word) {
            return Some(word);
        }
        rest = rest.get(1..)?;
    }
    None
}

fn first_word(text: &[u8]) -> Option<&str> {
    let end = text.iter().take(65).position(|byte| !byte.is_ascii_graphic())?;
    let word = std::str::from_utf8(text.get(..end)?).ok()?;
    word.starts_with(|c: char| c.is_ascii_digit()).then_some(word)
}
