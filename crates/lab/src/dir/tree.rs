//! Removes a tree of files, each by its name in an opened folder.
//!
//! No symbolic link is followed, and no other filesystem entered: a link is itself removed, and a
//! folder on which something is mounted stays, with an error.

use std::ffi::CString;
use std::fs::File;
use std::io;

use rustix::fs::{AtFlags, Dir, FileType, fstat, unlinkat};
use rustix::io::Errno;

use super::marker::folder_in;

/// No workload's tree is deeper; what is stays.
const DEEPEST: usize = 256;

/// Removes everything in `folder`, but not the folder.
///
/// # Errors
/// The first thing that cannot be removed, by its path in `folder`.
pub(crate) fn empty(folder: &File) -> io::Result<()> {
    let device = fstat(folder)?.st_dev;
    within(folder, device, DEEPEST)
}

fn within(folder: &File, device: u64, deeper: usize) -> io::Result<()> {
    for (name, kind) in entries(folder)? {
        let removed = match kind {
            FileType::Directory => subfolder(folder, &name, device, deeper),
            _ => gone(unlinkat(folder, &name, AtFlags::empty())).map_err(io::Error::from),
        };
        removed.map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", name.to_string_lossy()))
        })?;
    }
    Ok(())
}

/// All at once, so that removing does not confuse the reading.
fn entries(folder: &File) -> io::Result<Vec<(CString, FileType)>> {
    let mut entries = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if name != c"." && name != c".." {
            entries.push((name.to_owned(), kind(folder, name, entry.file_type())?));
        }
    }
    Ok(entries)
}

/// Some filesystems do not tell kinds with names.
fn kind(folder: &File, name: &std::ffi::CStr, told: FileType) -> io::Result<FileType> {
    if told != FileType::Unknown {
        return Ok(told);
    }
    let stat = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(FileType::from_raw_mode(stat.st_mode))
}

fn subfolder(parent: &File, name: &CString, device: u64, deeper: usize) -> io::Result<()> {
    let Some(deeper) = deeper.checked_sub(1) else {
        return Err(io::Error::other("folders lie too deep in one another"));
    };
    let folder = match folder_in(parent, name.as_c_str()) {
        Err(Errno::NOENT) => return Ok(()),
        other => other?,
    };
    if fstat(&folder)?.st_dev != device {
        return Err(io::Error::other("another filesystem is mounted there"));
    }
    within(&folder, device, deeper)?;
    Ok(gone(unlinkat(parent, name, AtFlags::REMOVEDIR))?)
}

/// What is gone already is as good as removed.
pub(super) fn gone(result: rustix::io::Result<()>) -> rustix::io::Result<()> {
    match result {
        Err(Errno::NOENT) => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_tree_goes_and_what_links_lead_to_stays() {
        let (tree, precious) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let kept = precious.path().join("kept");
        fs::write(&kept, "precious").unwrap();
        let deep = tree.path().join("data/dir0/deeper");
        fs::create_dir_all(&deep).unwrap();
        fs::write(deep.join("file"), "x").unwrap();
        symlink(precious.path(), tree.path().join("data/link")).unwrap();
        symlink(&kept, deep.join("file-link")).unwrap();
        empty(&File::open(tree.path()).unwrap()).unwrap();
        assert_eq!(fs::read_dir(tree.path()).unwrap().count(), 0);
        assert_eq!(fs::read(&kept).unwrap(), b"precious");
    }
}
