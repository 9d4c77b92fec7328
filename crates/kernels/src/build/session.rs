//! The time in which make works in a build folder: nobody else works there meanwhile, and it is known afterwards
//! whether it was left in order.

use std::fs::{self, File, Metadata, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use crate::source::SourceError;

/// The file that is locked meanwhile. It is empty unless make is at work, or was when it was cut off.
const FILE: &str = ".slowpath-session";

/// How often one who waits looks again.
const GLANCE: Duration = Duration::from_millis(50);

/// Make may work in the folder.
#[derive(Debug)]
pub(crate) struct Session {
    folder: PathBuf,
    file: File,
}

impl Session {
    /// Begins, once all that an earlier program has started here has ended: a make whose slowpath was killed
    /// takes a moment. What one has written that was cut off may be half a file with the time of a whole one,
    /// so it goes.
    ///
    /// # Errors
    /// [`SourceError::Stopped`] while it waits; the folder cannot be read or written.
    pub(crate) fn begin(folder: &Path, stop: &dyn Fn() -> bool) -> Result<Session, SourceError> {
        let path = folder.join(FILE);
        let refused = |error| SourceError::io("write", &path, error);
        let mut file = open(&path).map_err(refused)?;
        while !is_locked(&file).map_err(refused)? {
            if stop() {
                return Err(SourceError::Stopped);
            }
            thread::sleep(GLANCE);
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(refused)?;
        if !text.is_empty() {
            let begun = file.metadata().and_then(|file| file.modified()).map_err(refused)?;
            sweep(folder, begun).map_err(|error| SourceError::io("remove", folder, error))?;
        }
        file.rewind().and_then(|()| file.write_all(b"at work\n")).map_err(refused)?;
        Ok(Session { folder: folder.to_path_buf(), file })
    }

    /// The locked file. Whoever inherits it holds the lock too.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// All has ended in order: what is there is whole.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn finish(self) -> Result<(), SourceError> {
        self.file
            .set_len(0)
            .map_err(|error| SourceError::io("write", &self.folder.join(FILE), error))
    }
}

fn open(path: &Path) -> io::Result<File> {
    File::options().read(true).write(true).create(true).truncate(false).open(path)
}

fn is_locked(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Removes the files that were written since `begun`. make makes again what is missing.
fn sweep(folder: &Path, begun: SystemTime) -> io::Result<()> {
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next)? {
            let entry = entry?;
            let metadata = entry.metadata()?;
            if metadata.is_dir() {
                folders.push(entry.path());
            } else if is_since(&metadata, begun)? && entry.file_name() != FILE {
                fs::remove_file(entry.path())?;
            }
        }
    }
    Ok(())
}

fn is_since(metadata: &Metadata, begun: SystemTime) -> io::Result<bool> {
    Ok(metadata.is_file() && metadata.modified()? >= begun)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that was written an hour before, and one that was not.
    fn write_both(folder: &Path) {
        fs::create_dir_all(folder.join("fs")).unwrap();
        let old = File::create(folder.join("fs/old.o")).unwrap();
        old.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
        fs::write(folder.join("fs/new.o"), "half").unwrap();
    }

    fn has(folder: &Path, name: &str) -> bool {
        folder.join(name).exists()
    }

    #[test]
    fn what_was_finished_stays() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let session = Session::begin(folder, &|| false).unwrap();
        write_both(folder);
        session.finish().unwrap();
        Session::begin(folder, &|| false).unwrap();
        assert!(has(folder, "fs/old.o") && has(folder, "fs/new.o"));
    }

    #[test]
    fn of_what_was_cut_off_only_what_is_older_stays() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        drop(Session::begin(folder, &|| false).unwrap());
        write_both(folder);
        Session::begin(folder, &|| false).unwrap().finish().unwrap();
        assert!(has(folder, "fs/old.o") && !has(folder, "fs/new.o"));
        // Once it was put in order, it is.
        write_both(folder);
        Session::begin(folder, &|| false).unwrap();
        assert!(has(folder, "fs/new.o"));
    }

    #[test]
    fn another_waits_until_all_that_hold_it_have_ended() {
        let folder = tempfile::tempdir().unwrap();
        let session = Session::begin(folder.path(), &|| false).unwrap();
        let inherited = session.file().try_clone().unwrap();
        drop(session);
        let waiting = Session::begin(folder.path(), &|| true).unwrap_err();
        assert!(matches!(waiting, SourceError::Stopped), "{waiting}");
        drop(inherited);
        Session::begin(folder.path(), &|| true).unwrap();
    }
}
