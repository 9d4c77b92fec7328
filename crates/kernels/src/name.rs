//! Module names: `-` and `_` are the same, and a file's name gives the module's.

use std::path::Path;

/// The name as the kernel writes it in `/proc/modules`: with `_` for each `-`
/// (`scripts/Makefile.lib`, `name-fix`).
pub(crate) fn normal(name: &str) -> String {
    name.replace('-', "_")
}

/// The module's name from its file's: `crc32c-intel.ko.xz` is `crc32c_intel`. `None` when the file
/// is no module by its name.
pub(crate) fn from_file(path: &Path) -> Option<String> {
    let file = path.file_name()?.to_str()?;
    let stem = [".ko", ".ko.xz", ".ko.zst", ".ko.gz"].iter().find_map(|end| file.strip_suffix(end));
    stem.filter(|stem| !stem.is_empty()).map(normal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_names_its_module() {
        for (file, name) in [
            ("a/ext4.ko", Some("ext4")),
            ("crc32c-intel.ko.xz", Some("crc32c_intel")),
            ("x.ko.zst", Some("x")),
            ("x.ko.gz", Some("x")),
            ("x.ko.bz2", None),
            ("x.o", None),
            (".ko", None),
        ] {
            assert_eq!(from_file(Path::new(file)).as_deref(), name, "{file}");
        }
    }
}
