//! What a module says about itself, in its `.modinfo` section.

use object::Endianness;
use object::elf::FileHeader64;
use object::read::elf::{FileHeader, SectionHeader};

use crate::error::KernelError;
use crate::name;

/// What a module says about itself. Names are written with `_`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModuleInfo {
    /// Its name; empty in modules older than Linux 4.13, which do not carry one.
    pub name: String,
    /// The kernel that it was built for and how, such as
    /// `6.1.0-57-amd64 SMP preempt mod_unload modversions`; empty when it does not say.
    pub vermagic: String,
    /// The modules whose symbols it uses; it does not load without them.
    pub depends: Vec<String>,
    /// Modules or aliases that should be loaded before it if they are there. Those that should come
    /// after it (`post:`) are not kept.
    pub softdep_pre: Vec<String>,
    /// Other names by which it is asked for, as they stand in the module.
    pub aliases: Vec<String>,
}

/// Reads the `.modinfo` section of a module: `key=value` strings, each ended by a zero byte
/// (`include/linux/moduleparam.h`). Values that are not UTF-8 keep what is readable.
///
/// # Errors
/// The bytes are no 64-bit ELF file, or have no `.modinfo` section.
pub fn module_info(elf: &[u8]) -> Result<ModuleInfo, KernelError> {
    let not_a_module = |reason: String| KernelError::NotAModule { reason };
    let section = section(elf).map_err(|error| not_a_module(error.to_string()))?;
    let section = section.ok_or_else(|| not_a_module("it has no .modinfo section".to_owned()))?;
    let mut info = ModuleInfo::default();
    for entry in section.split(|byte| *byte == 0) {
        let entry = String::from_utf8_lossy(entry);
        if let Some((key, value)) = entry.split_once('=') {
            info.add(key, value);
        }
    }
    Ok(info)
}

fn section(elf: &[u8]) -> object::Result<Option<&[u8]>> {
    let header = FileHeader64::<Endianness>::parse(elf)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, elf)?;
    match sections.section_by_name(endian, b".modinfo") {
        Some((_, section)) => section.data(endian, elf).map(Some),
        None => Ok(None),
    }
}

impl ModuleInfo {
    fn add(&mut self, key: &str, value: &str) {
        match key {
            "name" => self.name = name::normal(value),
            "vermagic" => self.vermagic = value.trim_end().to_owned(),
            "depends" => self.depends.extend(depends(value)),
            "softdep" => self.softdep_pre.extend(softdep_pre(value)),
            "alias" => self.aliases.push(value.to_owned()),
            _ => {}
        }
    }
}

fn depends(value: &str) -> impl Iterator<Item = String> {
    value.split(',').filter(|name| !name.is_empty()).map(name::normal)
}

/// `pre: a b post: c` gives a and b (modprobe.d(5)).
fn softdep_pre(value: &str) -> Vec<String> {
    let mut pre = false;
    let mut names = Vec::new();
    for word in value.split_whitespace() {
        match word {
            "pre:" => pre = true,
            "post:" => pre = false,
            word if pre => names.push(name::normal(word)),
            _ => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_comes_before_is_kept_of_soft_dependencies() {
        for (value, expected) in [
            ("pre: crypto-crc32c", vec!["crypto_crc32c"]),
            ("pre: a b post: c pre: d", vec!["a", "b", "d"]),
            ("post: c", vec![]),
            ("stray", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(softdep_pre(value), expected, "{value}");
        }
    }

    #[test]
    fn no_dependencies_are_an_empty_list() {
        assert_eq!(depends("").count(), 0);
        assert_eq!(depends("jbd2,raid6-pq").collect::<Vec<_>>(), ["jbd2", "raid6_pq"]);
    }
}
