//! What QEMU boots: the uncompressed kernel by its PVH entry where it has one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use experiment::PlaceError;
use kernels::{Kernel, has_pvh_entry, vmlinux};

use crate::hash::sha256;

/// A kernel as it is booted.
#[derive(Clone, Debug)]
pub(crate) struct Image {
    /// The file for `-kernel`.
    pub(crate) file: PathBuf,
    /// SHA-256 of the image as the user named it.
    pub(crate) sha256: String,
    /// What had to be done another way.
    pub(crate) note: Option<String>,
}

/// Finds or makes what is booted. An unpacked kernel stays in `cache`, under its image's hash.
///
/// # Errors
/// An image that cannot be booted at all (refused), or a cache that cannot be written.
pub(crate) fn bootable(kernel: &Kernel, cache: &Path) -> Result<Image, PlaceError> {
    let refused = |reason: String| PlaceError::Refused(reason);
    let named = kernel.image.display();
    let bytes = fs::read(&kernel.image)
        .map_err(|error| refused(format!("cannot read {named}: {error}")))?;
    let sha256 = sha256(&bytes);
    let image = |file: PathBuf, note: Option<String>| Image { file, sha256: sha256.clone(), note };
    if bytes.starts_with(b"\x7fELF") {
        if !has_pvh_entry(&bytes) {
            return Err(refused(format!(
                "{named} is a vmlinux without a PVH entry (CONFIG_PVH), which nothing can boot \
                 directly; name the bzImage of the same build"
            )));
        }
        return Ok(image(kernel.image.clone(), None));
    }
    let unpacked = cache.join("images").join(&sha256).join("vmlinux");
    if unpacked.is_file() {
        return Ok(image(unpacked, None));
    }
    match vmlinux(&bytes) {
        Ok(elf) if has_pvh_entry(&elf) => {
            write_whole(&unpacked, &elf).map_err(|error| {
                PlaceError::Host(format!(
                    "cannot keep the unpacked kernel as {}: {error}",
                    unpacked.display()
                ))
            })?;
            Ok(image(unpacked, None))
        }
        Ok(_) => Ok(image(kernel.image.clone(), Some(slow("it has no PVH entry")))),
        Err(error) => Ok(image(kernel.image.clone(), Some(slow(&error.to_string())))),
    }
}

fn slow(why: &str) -> String {
    format!("the kernel is booted compressed, which takes longer: {why}")
}

/// Writes a file so that it is there whole or not at all.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().ok_or_else(|| io::Error::other("the path has no folder"))?;
    fs::create_dir_all(folder)?;
    let draft = path.with_extension(format!("draft-{}", std::process::id()));
    let written = fs::write(&draft, bytes).and_then(|()| fs::rename(&draft, path));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}
