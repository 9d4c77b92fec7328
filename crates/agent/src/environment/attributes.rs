//! Many small files as lines `NAME: VALUE`.

use std::fmt::Write as _;

use super::tree::{Tree, Unread};

/// Of one folder and those in it no more files than these are listed.
const MOST: usize = 500;

/// `NAME: VALUE` for each file below `base`; each line of a file has its own. A file that is not
/// there has none; one that is empty or cannot be read says so.
pub(super) fn lines<S: AsRef<str>>(tree: &Tree, base: &str, names: &[S]) -> String {
    let mut text = String::new();
    for name in names.iter().map(AsRef::as_ref) {
        match tree.read(&format!("{base}/{name}")) {
            Ok(value) => {
                for line in value.lines() {
                    push(&mut text, name, line.trim_end());
                }
            }
            Err(Unread::Missing) => {}
            Err(Unread::Empty) => push(&mut text, name, "(empty)"),
            Err(why) => push(&mut text, name, &format!("not available: {why}")),
        }
    }
    text
}

/// Adds a line.
pub(super) fn push(text: &mut String, name: &str, value: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{name}: {value}");
}

/// The same as a section of its own.
///
/// # Errors
/// None of the files is there.
pub(super) fn section<S: AsRef<str>>(
    tree: &Tree,
    base: &str,
    names: &[S],
) -> Result<String, String> {
    let text = lines(tree, base, names);
    if text.is_empty() { Err("there are no such files".to_owned()) } else { Ok(text) }
}

/// The readable files in `base`/`folder` and `depth` folders further down, by their names below
/// `base`; links are not followed.
pub(super) fn files(tree: &Tree, base: &str, folder: &str, depth: usize) -> Vec<String> {
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for name in tree.names(&format!("{base}/{folder}")) {
        let inner = if folder.is_empty() { name } else { format!("{folder}/{name}") };
        let whole = format!("{base}/{inner}");
        if tree.is_readable(&whole) {
            files.push(inner);
        } else if depth > 0 && tree.is_folder(&whole) {
            folders.push(inner);
        }
    }
    for inner in folders {
        files.extend(self::files(tree, base, &inner, depth - 1));
    }
    files.truncate(MOST);
    files
}

/// Names for [`lines`].
pub(super) fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::Machine;
    use super::*;

    #[test]
    fn every_line_of_a_file_has_its_name() {
        let machine = Machine::new();
        machine.write("/proc/pressure/io", "some avg10=0.00\nfull avg10=0.00  \n");
        machine.write("/proc/pressure/cpu/in", "");
        machine.write("/proc/pressure/irq", "\n");
        let text = lines(&machine.tree(), "/proc/pressure", &["cpu", "io", "irq", "gone"]);
        let expected = "cpu: not available: Is a directory (os error 21)\n\
                        io: some avg10=0.00\nio: full avg10=0.00\n\
                        irq: (empty)\n";
        assert_eq!(text, expected);
        assert!(section(&machine.tree(), "/proc", &["gone"]).is_err());
    }

    #[test]
    fn files_are_found_but_links_not_followed() {
        let machine = Machine::new();
        for file in ["/q/b", "/q/a", "/q/deep/c", "/q/deep/deeper/d"] {
            machine.write(file, "1");
        }
        machine.link("/q/loop", ".");
        assert_eq!(files(&machine.tree(), "/q", "", 1), ["a", "b", "deep/c"]);
        assert_eq!(files(&machine.tree(), "/q", "deep", 1), ["deep/c", "deep/deeper/d"]);
    }
}
