//! What of a fileset is in a folder: found, kept or removed. What no fileset has is never removed.

use std::fs::{self, DirEntry};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, While as _};

use super::names::{Place, file_number, file_path, folder_number, folder_path};

/// What is in a fileset's `data`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// Files and their bytes, by number.
    pub(super) files: Vec<(Place, u64)>,
    /// The numbers of folders, sorted.
    pub(super) folders: Vec<u32>,
}

/// `data` below a filesystem's folder.
pub(super) fn data(root: &Path) -> PathBuf {
    root.join("data")
}

/// `meta` below a filesystem's folder; the original has it for an operation that is not done here.
pub(super) fn meta(root: &Path) -> PathBuf {
    root.join("meta")
}

/// Makes a folder for its owner alone, as the original does.
pub(super) fn make(path: &Path) -> Result<(), Failure> {
    match rustix::fs::mkdir(path, rustix::fs::Mode::RWXU) {
        Err(rustix::io::Errno::EXIST) if is_folder(path) => Ok(()),
        made => made.in_setup(format!("making the folder {}", path.display())),
    }
}

fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// Finds what is in `data`; nothing where there is no `data`.
///
/// # Errors
/// It cannot be read, or something there is not of a fileset.
pub(super) fn find(data: &Path) -> Result<Found, Failure> {
    let mut found = Found::default();
    match fs::symlink_metadata(data) {
        Ok(metadata) if metadata.is_dir() => {}
        Ok(_) => return Err(foreign(data)),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(found),
        Err(error) => return Err(error).in_setup(format!("looking at {}", data.display())),
    }
    for entry in entries(data)? {
        let name = entry.file_name();
        match name.to_str().and_then(folder_number) {
            Some(folder) if is_folder(&entry.path()) => found.folders.push(folder),
            _ => found.files.push(file(&entry, None)?),
        }
    }
    for folder in &found.folders {
        for entry in entries(&folder_path(data, *folder))? {
            found.files.push(file(&entry, Some(*folder))?);
        }
    }
    found.files.sort_unstable();
    found.folders.sort_unstable();
    Ok(found)
}

fn entries(folder: &Path) -> Result<Vec<DirEntry>, Failure> {
    let reading = || format!("reading the folder {}", folder.display());
    let entries = fs::read_dir(folder).in_setup(reading())?;
    entries.collect::<Result<_, _>>().in_setup(reading())
}

fn file(entry: &DirEntry, folder: Option<u32>) -> Result<(Place, u64), Failure> {
    let name = entry.file_name();
    let number = name.to_str().and_then(file_number).ok_or_else(|| foreign(&entry.path()))?;
    let metadata = fs::symlink_metadata(entry.path())
        .in_setup(format!("looking at {}", entry.path().display()))?;
    match metadata.is_file() {
        true => Ok((Place { number, folder }, metadata.len())),
        false => Err(foreign(&entry.path())),
    }
}

fn foreign(path: &Path) -> Failure {
    Failure::setup(format!(
        "{} is not of a fileset, so nothing was removed: move it away, or name another folder",
        path.display()
    ))
}

/// Removes these files and folders of `data`.
///
/// # Errors
/// One cannot be removed.
pub(super) fn remove(data: &Path, found: &Found) -> Result<(), Failure> {
    for (place, _) in &found.files {
        let path = file_path(data, *place);
        fs::remove_file(&path).in_setup(format!("removing {}", path.display()))?;
    }
    found.folders.iter().try_for_each(|folder| remove_empty(&folder_path(data, *folder)))
}

/// Removes a folder that is empty; none is fine.
///
/// # Errors
/// It is not empty, or cannot be removed.
pub(super) fn remove_empty(folder: &Path) -> Result<(), Failure> {
    match fs::remove_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed.in_setup(format!("removing the folder {}", folder.display())),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn fileset() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("data/datadir1")).unwrap();
        fs::write(root.path().join("data/datafile3"), "four").unwrap();
        fs::write(root.path().join("data/datadir1/datafile0"), "").unwrap();
        root
    }

    #[test]
    fn a_fileset_is_found_and_removed() {
        let root = fileset();
        let data = data(root.path());
        let found = find(&data).unwrap();
        let place = |number, folder| Place { number, folder };
        assert_eq!(found.files, [(place(0, Some(1)), 0), (place(3, None), 4)]);
        assert_eq!(found.folders, [1]);
        remove(&data, &found).unwrap();
        assert_eq!(find(&data).unwrap(), Found::default());
        remove_empty(&data).unwrap();
        remove_empty(&data).unwrap();
        assert_eq!(find(&data).unwrap(), Found::default());
    }

    #[test]
    fn what_no_fileset_has_is_refused() {
        let outside = tempfile::tempdir().unwrap();
        let refused = |spoil: &dyn Fn(&Path)| {
            let root = fileset();
            spoil(&data(root.path()));
            find(&data(root.path())).unwrap_err().reason
        };
        let letter = refused(&|data| fs::write(data.join("letter"), "").unwrap());
        assert!(letter.contains("data/letter is not of a fileset"), "{letter}");
        for spoil in [
            &(|data: &Path| fs::write(data.join("datadir1/x"), "").unwrap()) as &dyn Fn(&Path),
            &|data| fs::create_dir(data.join("datafile9")).unwrap(),
            &|data| symlink(outside.path(), data.join("datadir2")).unwrap(),
            &|data| symlink(outside.path(), data.join("datafile2")).unwrap(),
        ] {
            assert!(refused(spoil).contains("is not of a fileset"));
        }
    }

    #[test]
    fn a_data_elsewhere_is_refused() {
        let (root, other) = (tempfile::tempdir().unwrap(), fileset());
        symlink(data(other.path()), data(root.path())).unwrap();
        assert!(find(&data(root.path())).is_err());
        assert!(make(&data(root.path())).is_err());
    }
}
