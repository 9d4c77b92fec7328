//! Writing a folder or a file whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::error::{Kind, StoreError};

/// How the names of unfinished folders begin; the dot keeps them out of every listing.
pub(crate) const PREFIX: &str = ".new-";

static COUNTER: AtomicU32 = AtomicU32::new(0);

/// A file of a folder: its name and what is in it.
pub(crate) type Content<'c> = (&'c str, &'c [u8]);

/// A folder under a hidden name. Dropped before [`Staging::finish`], it is removed.
pub(crate) struct Staging {
    hidden: PathBuf,
    finished: bool,
}

impl Staging {
    /// Makes a hidden folder in `parent`, which no other call or process shares.
    pub(crate) fn new(parent: &Path, name: &str) -> io::Result<Staging> {
        let count = COUNTER.fetch_add(1, Ordering::Relaxed);
        let hidden = parent.join(format!("{PREFIX}{name}-{}-{count}", process::id()));
        fs::create_dir(&hidden)?;
        Ok(Staging { hidden, finished: false })
    }

    /// Writes one file and waits until it is on the disk.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut file = File::create_new(self.hidden.join(name))?;
        file.write_all(bytes)?;
        file.sync_all()
    }

    /// Makes an empty file and locks it, so that the folder appears locked.
    pub(crate) fn lock(&self, name: &str) -> io::Result<File> {
        let file = File::create_new(self.hidden.join(name))?;
        file.try_lock()?;
        Ok(file)
    }

    /// Gives the folder its name. One that is there, and not empty, stays as it is.
    pub(crate) fn finish(mut self, target: &Path) -> io::Result<()> {
        sync_folder(&self.hidden)?;
        fs::rename(&self.hidden, target)?;
        self.finished = true;
        target.parent().map_or(Ok(()), sync_folder)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if !self.finished {
            // What cannot be removed now is a leftover, which the archive ignores and later sweeps.
            let _ = fs::remove_dir_all(&self.hidden);
        }
    }
}

/// Writes a folder `id` in `parent` and returns its path. When this returns `Ok`, all is on the
/// disk; at any other time the folder is not there at all.
pub(crate) fn keep(
    of: Kind,
    parent: &Path,
    id: &str,
    files: &[Content<'_>],
) -> Result<PathBuf, StoreError> {
    let target = parent.join(id);
    let write = || -> io::Result<()> {
        if target.exists() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let staging = Staging::new(parent, id)?;
        for (name, bytes) in files {
            staging.write(name, bytes)?;
        }
        staging.finish(&target)
    };
    write().map_err(|cause| refused(of, &target, files, cause))?;
    Ok(target)
}

/// Writes a file of a folder that is there; it appears whole or not at all. One writer at a time.
pub(crate) fn write_whole(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let hidden = target.with_extension("new");
    let write = || -> io::Result<()> {
        let mut file = File::create(&hidden)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&hidden, target)
    };
    write().inspect_err(|_| drop(fs::remove_file(&hidden)))?;
    target.parent().map_or(Ok(()), sync_folder)
}

/// Why nothing could be kept at `target`, whose last part is the ID.
pub(crate) fn refused(
    of: Kind,
    target: &Path,
    files: &[Content<'_>],
    cause: io::Error,
) -> StoreError {
    let parent = target.parent().unwrap_or(target);
    let id = || target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match cause.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            StoreError::Full {
                of,
                id: id(),
                folder: parent.to_owned(),
                needed: files.iter().map(|(_, bytes)| bytes.len() as u64).sum(),
                cause,
            }
        }
        io::ErrorKind::AlreadyExists | io::ErrorKind::DirectoryNotEmpty => {
            StoreError::Exists { of, id: id(), path: target.to_owned() }
        }
        _ => StoreError::io(of.keeping(), parent, cause),
    }
}

/// Waits until the folder's entries are on the disk. Some network filesystems cannot say.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all().or_else(|error| match error.kind() {
        io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported => Ok(()),
        _ => Err(error),
    })
}
