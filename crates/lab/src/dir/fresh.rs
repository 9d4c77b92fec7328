//! A trial's own folder: made fresh, and taken apart piece by piece, each by its name.
//!
//! Nothing is removed that was not made here, and nothing is reached through a symbolic link: every
//! folder is opened as one, and names are removed from it.

use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use rustix::fs::{AtFlags, Dir, Mode, mkdirat, unlinkat};
use rustix::io::Errno;

use super::ground::Ground;
use super::marker::{self, Contents, Marker, folder_in};
use super::tree::{self, gone};

/// How the folder's name begins; [`RANDOM`] letters and digits follow.
pub(crate) const PREFIX: &str = ".slowpath-";

/// How many letters and digits follow [`PREFIX`].
pub(crate) const RANDOM: usize = 6;

/// A folder of a trial.
pub(crate) struct Fresh {
    /// The directory that the user named.
    parent: File,
    /// Its path below which the folder lies.
    path: PathBuf,
    folder: File,
    marker: Marker,
    /// The marker's file, locked; `None` before it is made and once the folder is taken apart.
    lock: Option<File>,
    /// Whether dropping it removes it.
    removes: bool,
}

impl Fresh {
    /// Makes a folder, to be removed when dropped, in `ground` with `folders` folders for `contents`.
    ///
    /// # Errors
    /// The filesystem's; then nothing is left.
    pub(crate) fn make(ground: &Ground, folders: u32, contents: &Contents) -> io::Result<Fresh> {
        let parent = ground.folder.try_clone()?;
        let made = tempfile::Builder::new()
            .prefix(PREFIX)
            .rand_bytes(RANDOM)
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(&ground.path)?;
        let folder = folder_in(&parent, made.path().file_name().unwrap_or_default())?;
        // From here on it is ours to remove.
        let path = made.keep();
        let marker = Marker::own(folders, contents);
        let mut fresh = Fresh { parent, path, folder, marker, lock: None, removes: true };
        fresh.lock = Some(fresh.marker.place(&fresh.folder)?);
        for index in 0..folders {
            mkdirat(&fresh.folder, name(index), Mode::RWXU)?;
        }
        Ok(fresh)
    }

    /// Takes over the folder `name` in `ground`, if a trial left it that was killed. It stays unless
    /// [`Fresh::remove`] is called.
    pub(crate) fn adopt(ground: &Ground, name: &OsStr) -> Option<Fresh> {
        let folder = folder_in(&ground.folder, name).ok()?;
        let (marker, lock) = marker::abandoned(&folder)?;
        Some(Fresh {
            parent: ground.folder.try_clone().ok()?,
            path: ground.path.join(name),
            folder,
            marker,
            lock: Some(lock),
            removes: false,
        })
    }

    /// Whether it was made since this machine started.
    pub(crate) fn is_of_this_boot(&self) -> bool {
        self.marker.is_of_this_boot()
    }

    /// Where it lies.
    pub(crate) fn path(&self) -> &PathBuf {
        &self.path
    }

    /// The paths of the folders for files.
    pub(crate) fn folders(&self) -> impl Iterator<Item = PathBuf> {
        (0..self.marker.folders).map(|index| self.path.join(name(index)))
    }

    /// The lock once more, for the agent, which may outlive this program by a moment.
    ///
    /// # Errors
    /// There are no descriptors left.
    pub(crate) fn lock(&self) -> io::Result<Option<OwnedFd>> {
        self.lock.as_ref().map(|lock| lock.try_clone().map(OwnedFd::from)).transpose()
    }

    /// Removes what was made.
    ///
    /// # Errors
    /// Something cannot be removed, or there is something in it that was not made here; then it stays.
    pub(crate) fn remove(mut self) -> io::Result<()> {
        self.removes = false;
        self.take_apart()
    }

    /// Leaves it as a program that is killed does.
    #[cfg(test)]
    pub(crate) fn abandon(mut self) -> PathBuf {
        self.removes = false;
        self.path.clone()
    }

    fn take_apart(&mut self) -> io::Result<()> {
        for index in 0..self.marker.folders {
            let name = name(index);
            let within =
                |error: io::Error| io::Error::new(error.kind(), format!("{name}: {error}"));
            self.empty(&name).map_err(within)?;
        }
        if let Some(stranger) = self.stranger()? {
            return Err(io::Error::other(format!(
                "it holds `{stranger}`, which is not slowpath's"
            )));
        }
        // On NFS a file that is open leaves another name behind when it is removed.
        self.lock = None;
        gone(unlinkat(&self.folder, marker::NAME, AtFlags::empty()))?;
        let name = self.path.file_name().unwrap_or_default();
        Ok(gone(unlinkat(&self.parent, name, AtFlags::REMOVEDIR))?)
    }

    /// Removes a folder for files with its files.
    fn empty(&self, name: &str) -> io::Result<()> {
        let folder = match folder_in(&self.folder, name) {
            Err(Errno::NOENT) => return Ok(()),
            other => other?,
        };
        if self.marker.whole {
            tree::empty(&folder)?;
        }
        for file in &self.marker.files {
            gone(unlinkat(&folder, file, AtFlags::empty()))?;
        }
        Ok(gone(unlinkat(&self.folder, name, AtFlags::REMOVEDIR))?)
    }

    /// Something in the folder besides the marker.
    fn stranger(&self) -> io::Result<Option<String>> {
        for entry in Dir::read_from(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if ![b".", b"..".as_slice(), marker::NAME.as_bytes()].contains(&name) {
                return Ok(Some(OsStr::from_bytes(name).display().to_string()));
            }
        }
        Ok(None)
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        if self.removes {
            // What cannot be removed now is a leftover, which a later trial sweeps.
            let _ = self.take_apart();
        }
    }
}

fn name(index: u32) -> String {
    format!("d{index}")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::*;

    fn ground(folder: &tempfile::TempDir) -> Ground {
        Ground::open(folder.path(), Path::new("/")).unwrap()
    }

    fn made(folder: &tempfile::TempDir) -> Fresh {
        let contents = Contents { files: ["a", "b"].map(str::to_owned).to_vec(), whole: false };
        Fresh::make(&ground(folder), 2, &contents).unwrap()
    }

    #[test]
    fn a_workload_that_names_its_files_itself_leaves_nothing() {
        let parent = tempfile::tempdir().unwrap();
        let contents = Contents { whole: true, ..Contents::default() };
        let fresh = Fresh::make(&ground(&parent), 2, &contents).unwrap();
        for folder in fresh.folders() {
            fs::create_dir(folder.join("data")).unwrap();
            fs::write(folder.join("data/file0"), "x").unwrap();
        }
        fresh.remove().unwrap();
        assert_eq!(count(parent.path()), 0);
    }

    fn count(path: &Path) -> usize {
        fs::read_dir(path).unwrap().count()
    }

    #[test]
    fn all_that_was_made_is_removed() {
        let parent = tempfile::tempdir().unwrap();
        let fresh = made(&parent);
        let name = fresh.path().file_name().unwrap().to_str().unwrap().to_owned();
        assert!(name.starts_with(PREFIX) && name.len() == PREFIX.len() + RANDOM);
        assert_eq!(fs::metadata(fresh.path()).unwrap().permissions().mode() & 0o777, 0o700);
        let folders: Vec<_> = fresh.folders().collect();
        assert_eq!(folders.len(), 2);
        for folder in folders {
            fs::write(folder.join("a"), "x").unwrap();
        }
        fresh.remove().unwrap();
        assert_eq!(count(parent.path()), 0);
        drop(made(&parent));
        assert_eq!(count(parent.path()), 0);
    }

    #[test]
    fn what_others_put_there_stays_and_is_named() {
        let parent = tempfile::tempdir().unwrap();
        let fresh = made(&parent);
        let (path, foreign) = (fresh.path().clone(), fresh.path().join("letter"));
        fs::write(&foreign, "dear").unwrap();
        let error = fresh.remove().unwrap_err();
        assert!(error.to_string().contains("`letter`"), "{error}");
        assert_eq!(fs::read(&foreign).unwrap(), b"dear");
        // It is still known as ours, and goes once the stranger has gone.
        fs::remove_file(&foreign).unwrap();
        let name = path.file_name().unwrap().to_owned();
        Fresh::adopt(&ground(&parent), &name).unwrap().remove().unwrap();
        assert_eq!(count(parent.path()), 0);
    }

    #[test]
    fn a_foreign_file_among_ours_stays() {
        let parent = tempfile::tempdir().unwrap();
        let fresh = made(&parent);
        let foreign = fresh.folders().next().unwrap().join("letter");
        fs::write(&foreign, "dear").unwrap();
        let error = fresh.remove().unwrap_err();
        assert!(error.to_string().starts_with("d0: "), "{error}");
        assert_eq!(fs::read(&foreign).unwrap(), b"dear");
    }

    #[test]
    fn no_symbolic_link_is_followed() {
        let (parent, precious) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let kept = precious.path().join("a");
        fs::write(&kept, "precious").unwrap();
        let fresh = made(&parent);
        let path = fresh.path().clone();
        // A link in a file's place is itself removed.
        symlink(&kept, path.join("d1/a")).unwrap();
        // A link in a folder's place stays, as whatever else is not ours.
        fs::remove_dir(path.join("d0")).unwrap();
        symlink(precious.path(), path.join("d0")).unwrap();
        assert!(fresh.remove().is_err());
        assert_eq!(fs::read(&kept).unwrap(), b"precious");
        fs::remove_file(path.join("d0")).unwrap();
        let name = path.file_name().unwrap();
        Fresh::adopt(&ground(&parent), name).unwrap().remove().unwrap();
        assert_eq!((count(parent.path()), count(precious.path())), (0, 1));
        // Nor is one taken for a folder of ours.
        symlink(precious.path(), &path).unwrap();
        let marker = File::open(precious.path()).unwrap();
        let contents = Contents { files: vec!["a".to_owned()], whole: false };
        drop(Marker::own(1, &contents).place(&marker).unwrap());
        assert!(Fresh::adopt(&ground(&parent), name).is_none());
        assert_eq!(fs::read(&kept).unwrap(), b"precious");
    }
}
