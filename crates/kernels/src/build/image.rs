//! What of a build is booted.

use std::fs;
use std::path::PathBuf;

use super::log::Log;
use super::make::Make;
use crate::pvh::has_pvh_entry;
use crate::source::SourceError;

/// The kernel as the lab boots it: the ELF image with its PVH entry, which a bzImage only packs. Packing it, for
/// the lab to unpack it again, would take a fifth of a small rebuild. One without such an entry is made a bzImage.
///
/// # Errors
/// It cannot be made.
pub(crate) fn bootable(make: &Make<'_>, log: &mut Log) -> Result<PathBuf, SourceError> {
    let elf = stripped(make)?;
    let bytes = fs::read(&elf).map_err(|error| SourceError::io("read", &elf, error))?;
    if has_pvh_entry(&bytes) {
        return Ok(elf);
    }
    make.run(log, &["bzImage"], &[])?;
    Ok(make.out.join("arch/x86/boot/bzImage"))
}

/// What a bzImage has inside: vmlinux without symbols and debugging information, as
/// `arch/x86/boot/compressed/Makefile` makes it.
fn stripped(make: &Make<'_>) -> Result<PathBuf, SourceError> {
    let objcopy = &make.tools.objcopy;
    let elf = make.out.join("vmlinux.slowpath");
    let mut command = make.programs.command(objcopy, None);
    command.args(["-R", ".comment", "-S"]).arg(make.out.join("vmlinux")).arg(&elf);
    let output = command.output().map_err(|error| SourceError::io("run", objcopy, error))?;
    match output.status.success() {
        true => Ok(elf),
        false => {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            Err(SourceError::io("write", &elf, std::io::Error::other(said)))
        }
    }
}
