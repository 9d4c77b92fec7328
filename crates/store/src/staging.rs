//! Writing a folder whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

/// How the names of unfinished folders begin; the dot keeps them out of every listing.
pub(crate) const PREFIX: &str = ".new-";

static COUNTER: AtomicU32 = AtomicU32::new(0);

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

/// Waits until the folder's entries are on the disk. Some network filesystems cannot say.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all().or_else(|error| match error.kind() {
        io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported => Ok(()),
        _ => Err(error),
    })
}
