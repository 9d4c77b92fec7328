//! The Kconfig files of a tree: which symbols there are, and what a configuration follows from.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::digest::Digest;
use crate::source::SourceError;

/// Folders at the top of a tree that no configuration follows from.
const ASIDE: [&str; 5] = [".git", "Documentation", "LICENSES", "samples", "tools"];

/// The Kconfig files of a tree that count for x86, and what else makes a configuration.
#[derive(Debug)]
pub(crate) struct Menus {
    tree: PathBuf,
    files: Vec<PathBuf>,
}

impl Menus {
    /// Looks through the tree.
    ///
    /// # Errors
    /// A folder cannot be read.
    pub(crate) fn find(tree: &Path) -> Result<Menus, SourceError> {
        let mut menus = Menus { tree: tree.to_path_buf(), files: Vec::new() };
        let mut folders = vec![tree.to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in
                fs::read_dir(&folder).map_err(|error| SourceError::io("read", &folder, error))?
            {
                let entry = entry.map_err(|error| SourceError::io("read", &folder, error))?;
                let kind =
                    entry.file_type().map_err(|error| SourceError::io("read", &folder, error))?;
                let path = entry.path();
                if kind.is_dir() && !menus.is_aside(&path) {
                    folders.push(path);
                } else if kind.is_file() && menus.counts(&path) {
                    menus.files.push(path);
                }
            }
        }
        menus.files.sort();
        Ok(menus)
    }

    /// Hash of all that a configuration follows from but for what is asked and the tools' versions.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(crate) fn hash(&self) -> Result<String, SourceError> {
        let mut digest = Digest::new("menus");
        for file in &self.files {
            digest.add(
                &file.strip_prefix(&self.tree).unwrap_or(file).to_string_lossy(),
                &read(file)?,
            );
        }
        Ok(digest.hex())
    }

    /// All symbols that the tree knows.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(crate) fn symbols(&self) -> Result<BTreeSet<String>, SourceError> {
        let mut symbols = BTreeSet::new();
        for file in self.files.iter().filter(|file| is_menu(file)) {
            symbols.extend(read(file)?.lines().filter_map(defined).map(str::to_owned));
        }
        Ok(symbols)
    }

    /// Other architectures have options of the same names.
    fn is_aside(&self, folder: &Path) -> bool {
        let Ok(inside) = folder.strip_prefix(&self.tree) else { return false };
        let foreign = inside.parent() == Some(Path::new("arch")) && !inside.ends_with("x86");
        foreign || ASIDE.iter().any(|aside| inside == Path::new(aside))
    }

    fn counts(&self, file: &Path) -> bool {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let Some(folder) = file.strip_prefix(&self.tree).ok().and_then(Path::parent) else {
            return false;
        };
        let tool = folder == Path::new("scripts") || folder.starts_with("scripts/kconfig");
        tool || is_menu(file) || (name.starts_with("tiny") && name.ends_with(".config"))
    }
}

fn is_menu(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("Kconfig"))
}

fn defined(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some("config" | "menuconfig"), Some(symbol), None) => Some(symbol),
        _ => None,
    }
}

fn read(file: &Path) -> Result<String, SourceError> {
    let bytes = fs::read(file).map_err(|error| SourceError::io("read", file, error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_and_what_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        put("fs/Kconfig", "config EXT4_FS\n\ttristate \"ext4\"\nmenuconfig MISC\n# config NOT\n");
        put("arch/x86/Kconfig.cpu", "config M486\n");
        put("arch/arm/Kconfig", "config ARM\n");
        put("tools/Kconfig", "config TOOL\n");
        put("fs/sync.c", "int x;\n");
        let look = || Menus::find(folder.path()).unwrap();
        let symbols: Vec<String> = look().symbols().unwrap().into_iter().collect();
        assert_eq!(symbols, ["EXT4_FS", "M486", "MISC"]);

        let before = look().hash().unwrap();
        put("fs/sync.c", "int y;\n");
        put("arch/arm/Kconfig", "config ARM64\n");
        assert_eq!(look().hash().unwrap(), before);
        put("arch/x86/configs/tiny.config", "CONFIG_X=y\n");
        let with_tiny = look().hash().unwrap();
        assert_ne!(with_tiny, before);
        put("scripts/kconfig/conf.c", "int main;\n");
        assert_ne!(look().hash().unwrap(), with_tiny);
    }
}
