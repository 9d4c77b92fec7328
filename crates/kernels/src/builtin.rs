//! What is built into a kernel's image, by the lists that its build leaves beside the modules.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

use crate::error::KernelError;
use crate::name;

/// Built-in modules and the aliases under which they answer, all written with `_`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Builtins {
    names: BTreeSet<String>,
    aliases: BTreeSet<String>,
}

impl Builtins {
    /// Reads `modules.builtin` and `modules.builtin.modinfo`; one that is not there adds nothing.
    pub(crate) fn read(dir: &Path) -> Result<Self, KernelError> {
        let list = read_if_there(&dir.join("modules.builtin"))?;
        let modinfo = read_if_there(&dir.join("modules.builtin.modinfo"))?;
        Ok(Builtins { names: names(&list), aliases: aliases(&modinfo) })
    }

    pub(crate) fn has(&self, module: &str) -> bool {
        self.names.contains(module)
    }

    pub(crate) fn has_alias(&self, alias: &str) -> bool {
        self.aliases.contains(alias)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

/// The file's bytes; nothing when it does not exist.
pub(crate) fn read_if_there(path: &Path) -> Result<Vec<u8>, KernelError> {
    match fs::read(path) {
        Ok(bytes) => Ok(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(KernelError::read(path, error)),
    }
}

/// One path a line: `kernel/fs/configfs/configfs.ko`.
fn names(list: &[u8]) -> BTreeSet<String> {
    let list = String::from_utf8_lossy(list);
    list.lines().filter_map(|line| name::from_file(Path::new(line))).collect()
}

/// Strings ended by zero bytes: `crc32c_generic.alias=crypto-crc32c`
/// (`__MODULE_INFO_PREFIX` in `include/linux/moduleparam.h`).
fn aliases(modinfo: &[u8]) -> BTreeSet<String> {
    let entries =
        modinfo.split(|byte| *byte == 0).filter_map(|entry| std::str::from_utf8(entry).ok());
    let keys = entries.filter_map(|entry| entry.split_once('='));
    keys.filter(|(key, _)| key.ends_with(".alias")).map(|(_, alias)| name::normal(alias)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_lists() {
        let names =
            names(b"kernel/fs/configfs/configfs.ko\nkernel/arch/x86/crypto/crc32c-intel.ko\n");
        assert!(names.contains("configfs") && names.contains("crc32c_intel"));
        let aliases =
            aliases(b"xor.license=GPL\0crc32c_generic.alias=crypto-crc32c\0x.alias=a=b\0");
        assert_eq!(aliases.into_iter().collect::<Vec<_>>(), ["a=b", "crypto_crc32c"]);
    }
}
