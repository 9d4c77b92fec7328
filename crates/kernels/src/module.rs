//! One module file.

use std::fs;
use std::path::{Path, PathBuf};

use crate::compression::Compression;
use crate::error::KernelError;
use crate::modinfo::{ModuleInfo, module_info};
use crate::name;

/// A module, ready to be loaded.
#[derive(Clone, PartialEq, Eq)]
pub struct Module {
    /// Its name as `/proc/modules` shows it, with `_` and never `-`.
    pub name: String,
    /// The file that it came from.
    pub path: PathBuf,
    /// The unpacked ELF file (with its signature, if any), for `finit_module` or `init_module`.
    pub bytes: Vec<u8>,
    /// Whether only soft dependencies ask for it. The kernel may refuse to load such a module without
    /// harm: `crc32_pclmul` answers `ENODEV` on a CPU without that instruction, and `modprobe` too
    /// goes on then. `false` from [`read_module`].
    pub optional: bool,
}

impl std::fmt::Debug for Module {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Module")
            .field("name", &self.name)
            .field("path", &self.path)
            .field("bytes", &self.bytes.len())
            .field("optional", &self.optional)
            .finish()
    }
}

/// Reads a module file; its content, not its name, decides whether it is xz, zstd, gzip or plain.
///
/// # Errors
/// The file cannot be read, is damaged, or is no module.
pub fn read_module(path: &Path) -> Result<Module, KernelError> {
    read_with_info(path).map(|(module, _)| module)
}

/// Reads a module file and what it says about itself.
pub(crate) fn read_with_info(path: &Path) -> Result<(Module, ModuleInfo), KernelError> {
    let raw = fs::read(path).map_err(|error| KernelError::read(path, error))?;
    let in_file = |error: KernelError| error.within(path);
    let bytes = unpack(raw).map_err(in_file)?;
    let mut info = module_info(&bytes).map_err(in_file)?;
    if info.name.is_empty() {
        info.name = name::from_file(path).ok_or_else(nameless).map_err(in_file)?;
    }
    let name = info.name.clone();
    Ok((Module { name, path: path.to_path_buf(), bytes, optional: false }, info))
}

fn nameless() -> KernelError {
    let reason = "neither its .modinfo nor its file name says which module it is".to_owned();
    KernelError::NotAModule { reason }
}

fn unpack(raw: Vec<u8>) -> Result<Vec<u8>, KernelError> {
    let Some(compression) = Compression::of(&raw) else { return Ok(raw) };
    compression.unpack(&raw).map_err(|error| KernelError::Damaged {
        what: "the module",
        format: compression.name(),
        reason: error.to_string(),
    })
}

/// Refuses a module that was built for another kernel, before anything is booted: the first word of
/// its vermagic must be `release`.
///
/// This is stricter than a kernel with `CONFIG_MODVERSIONS`, which compares the symbols' checksums
/// instead (`same_magic()` in `kernel/module/version.c`).
///
/// # Errors
/// [`KernelError::WrongVermagic`] names both versions; [`KernelError::NoVermagic`] when the module
/// does not say what it was built for.
pub fn check_vermagic(module: &Module, release: &str) -> Result<(), KernelError> {
    let info = module_info(&module.bytes).map_err(|error| error.within(&module.path))?;
    match info.vermagic.split_whitespace().next() {
        Some(built_for) if built_for == release => Ok(()),
        Some(built_for) => Err(KernelError::WrongVermagic {
            module: module.name.clone(),
            path: module.path.clone(),
            built_for: built_for.to_owned(),
            release: release.to_owned(),
        }),
        None => {
            Err(KernelError::NoVermagic { module: module.name.clone(), path: module.path.clone() })
        }
    }
}
/// The module without the signature at its end, if it has one.
///
/// A kernel takes such a module and marks itself tainted, unless it was built to insist
/// (`CONFIG_MODULE_SIG_FORCE`). Source: `struct module_signature` in the kernel's
/// `include/linux/module_signature.h`: the magic text stands last, before it 12 bytes of which the last
/// four are the signature's length, big-endian.
#[must_use]
pub fn without_signature(bytes: &[u8]) -> &[u8] {
    const MAGIC: &[u8] = b"~Module signature appended~\n";
    let Some(before) = bytes.strip_suffix(MAGIC) else { return bytes };
    let Some((rest, length)) = before.split_last_chunk::<4>() else { return bytes };
    let length = u32::from_be_bytes(*length) as usize;
    let end = rest.len().checked_sub(8).and_then(|end| end.checked_sub(length));
    end.map_or(bytes, |end| &bytes[..end])
}
