//! The names of a fileset's files, which are the original's: `data/datafile7`,
//! `data/datadir3/datafile8`.

use std::ffi::CStr;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

const FILE: &str = "datafile";
const FOLDER: &str = "datadir";

/// Where a file of a fileset is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// The number in the file's name.
    pub(super) number: u32,
    /// The number of its folder; `None` in `data` itself.
    pub(super) folder: Option<u32>,
}

/// The path of the file or folder at hand. Keeps its memory, so that no path costs any.
#[derive(Debug)]
pub(super) struct Name(Vec<u8>);

impl Name {
    pub(super) fn new() -> Self {
        Name(Vec::with_capacity(256))
    }

    /// Makes it the path of a file in `data`.
    pub(super) fn set_file(&mut self, data: &Path, place: Place) {
        self.set(data);
        // Writing to memory does not fail.
        let _ = match place.folder {
            None => write!(self.0, "/{FILE}{}\0", place.number),
            Some(folder) => write!(self.0, "/{FOLDER}{folder}/{FILE}{}\0", place.number),
        };
    }

    /// Makes it the path of a folder in `data`.
    pub(super) fn set_folder(&mut self, data: &Path, folder: u32) {
        self.set(data);
        let _ = write!(self.0, "/{FOLDER}{folder}\0");
    }

    fn set(&mut self, data: &Path) {
        self.0.clear();
        self.0.extend_from_slice(data.as_os_str().as_bytes());
    }

    /// For a system call. Empty, so that the call fails, where there is a NUL within.
    pub(super) fn as_c_str(&self) -> &CStr {
        CStr::from_bytes_with_nul(&self.0).unwrap_or(c"")
    }

    /// For a message.
    pub(super) fn shown(&self) -> String {
        let bytes = self.0.strip_suffix(b"\0").unwrap_or(&self.0);
        String::from_utf8_lossy(bytes).into_owned()
    }
}

/// The path of a folder in `data`.
pub(super) fn folder_path(data: &Path, folder: u32) -> PathBuf {
    data.join(format!("{FOLDER}{folder}"))
}

/// The path of a file in `data`.
pub(super) fn file_path(data: &Path, place: Place) -> PathBuf {
    let folder = place.folder.map_or(data.to_owned(), |folder| folder_path(data, folder));
    folder.join(format!("{FILE}{}", place.number))
}

/// The number in a file's name; `None` where it is not one of a fileset.
pub(super) fn file_number(name: &str) -> Option<u32> {
    number(name.strip_prefix(FILE)?)
}

/// The number in a folder's name; `None` where it is not one of a fileset.
pub(super) fn folder_number(name: &str) -> Option<u32> {
    number(name.strip_prefix(FOLDER)?)
}

/// Only as it is written, so that a name has one number and a number one name.
fn number(digits: &str) -> Option<u32> {
    digits.parse().ok().filter(|number: &u32| number.to_string() == digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_places_go_both_ways() {
        let mut name = Name::new();
        for (place, path) in [
            (Place { number: 7, folder: None }, "/r/data/datafile7"),
            (Place { number: 0, folder: Some(3) }, "/r/data/datadir3/datafile0"),
        ] {
            name.set_file(Path::new("/r/data"), place);
            assert_eq!(name.shown(), path);
            assert_eq!(name.as_c_str().to_str(), Ok(path));
            assert_eq!(file_path(Path::new("/r/data"), place), Path::new(path));
        }
        name.set_folder(Path::new("/r/data"), 12);
        assert_eq!(name.shown(), "/r/data/datadir12");
        assert_eq!((file_number("datafile12"), folder_number("datadir0")), (Some(12), Some(0)));
        for other in ["datafile", "datafile07", "datafile+7", "datafile7 ", "file7", "datadir7"] {
            assert_eq!(file_number(other), None, "{other}");
        }
    }
}
