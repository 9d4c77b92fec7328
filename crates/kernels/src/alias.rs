//! Which modules answer to an alias such as `crypto-crc32c`.
//!
//! `modules.alias`, which depmod writes, is used where it exists; otherwise the modules themselves
//! are read. Either way only those modules count that a filesystem may ask for, so that one kernel
//! gives the same list with and without depmod, and a VIA or QAT driver is never among them.

use std::collections::BTreeMap;
use std::path::Path;

use crate::builtin::read_if_there;
use crate::error::KernelError;
use crate::layout::{ModuleFiles, source_folder};
use crate::module::read_with_info;
use crate::name;

/// Folders of the kernel's sources whose modules' aliases are of interest.
pub(crate) type Folders = &'static [&'static str];

/// Where the ciphers and checksums lie that filesystems ask for, the generic ones first.
pub(crate) const CIPHERS: Folders = &["crypto", "lib", "arch/x86/crypto"];
/// Where the filesystems lie. They are large: Debian's 6.12 has 9 MB of them, a second to unpack.
pub(crate) const FILESYSTEMS: Folders = &["fs"];

/// Modules by alias, each alias written with `_`, the generic ones first.
#[derive(Debug, Clone, Default)]
pub(crate) struct AliasIndex {
    modules: BTreeMap<String, Vec<String>>,
}

impl AliasIndex {
    /// Builds the index of the modules in these folders.
    ///
    /// # Errors
    /// A module in one of the folders cannot be read.
    pub(crate) fn build(
        dir: &Path,
        files: &ModuleFiles,
        folders: Folders,
    ) -> Result<Self, KernelError> {
        let listed = read_if_there(&dir.join("modules.alias"))?;
        let candidates = candidates(dir, files, folders);
        if listed.is_empty() {
            Self::from_modules(&candidates)
        } else {
            Ok(Self::from_list(&listed, &candidates))
        }
    }

    /// The modules that answer to the alias.
    pub(crate) fn modules(&self, alias: &str) -> &[String] {
        self.modules.get(alias).map_or(&[], Vec::as_slice)
    }

    fn from_modules(candidates: &[(&str, &Path)]) -> Result<Self, KernelError> {
        let mut index = AliasIndex::default();
        for (module, path) in candidates {
            let (_, info) = read_with_info(path)?;
            for alias in &info.aliases {
                index.add(alias, module);
            }
        }
        Ok(index)
    }

    /// `alias crypto-crc32c crc32c_generic` a line.
    fn from_list(list: &[u8], candidates: &[(&str, &Path)]) -> Self {
        let mut by_module: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        let list = String::from_utf8_lossy(list);
        for line in list.lines() {
            let mut words = line.split_whitespace();
            if let (Some("alias"), Some(alias), Some(module)) =
                (words.next(), words.next(), words.next())
            {
                by_module.entry(name::normal(module)).or_default().push(alias);
            }
        }
        let mut index = AliasIndex::default();
        for (module, _) in candidates {
            for alias in by_module.get(*module).into_iter().flatten() {
                index.add(alias, module);
            }
        }
        index
    }

    /// Aliases of devices (`pci:…`, `cpu:…`) are left out: they are patterns and nobody asks by them.
    fn add(&mut self, alias: &str, module: &str) {
        if alias.contains(':') {
            return;
        }
        let modules = self.modules.entry(name::normal(alias)).or_default();
        if !modules.iter().any(|other| other == module) {
            modules.push(module.to_owned());
        }
    }
}

/// The modules that lie in the folders, folder by folder, by name in each.
fn candidates<'a>(
    dir: &Path,
    files: &'a ModuleFiles,
    folders: Folders,
) -> Vec<(&'a str, &'a Path)> {
    let in_folder = |folder: &'static str| {
        files.iter().filter(move |(_, path)| {
            source_folder(dir, path).is_some_and(|inside| inside.starts_with(folder))
        })
    };
    let all = folders.iter().flat_map(|folder| in_folder(folder));
    all.map(|(module, path)| (module.as_str(), path.as_path())).collect()
}
