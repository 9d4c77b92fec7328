//! Folders of `/proc` whose entries are numbers: processes, and their threads.

use std::fs;

/// The entries of a folder that are numbers, ascending; none where it cannot be read.
pub(crate) fn numbers(folder: &str) -> Vec<u32> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let number =
        |entry: std::io::Result<fs::DirEntry>| entry.ok()?.file_name().to_str()?.parse().ok();
    let mut numbers: Vec<u32> = entries.filter_map(number).collect();
    numbers.sort_unstable();
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_count_and_they_ascend() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["10", "9", "self", "-1"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        assert_eq!(numbers(folder.path().to_str().unwrap()), [9, 10]);
        assert!(numbers("/nowhere/at/all").is_empty());
    }
}
