//! What lies below a directory: its filesystem, its disk, its free space.

use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use experiment::PlaceError;
use model::Fingerprint;
use rustix::fs::fstatvfs;

use super::disk::{self, Disk};
use super::mountinfo::{self, Mount};

/// The directory that the user named, held open.
pub(crate) struct Ground {
    /// Its path without symbolic links.
    pub(crate) path: PathBuf,
    /// The directory.
    pub(crate) folder: File,
    /// What is mounted there; `None` where the kernel does not tell.
    mount: Option<Mount>,
    /// The disk below; see [`disk::below`].
    disk: Option<Disk>,
}

impl Ground {
    /// Opens the directory and looks what is below it, on the machine whose files lie below `root`.
    ///
    /// # Errors
    /// It is not there, cannot be opened, or is no directory ([`PlaceError::Refused`]).
    pub(crate) fn open(named: &Path, root: &Path) -> Result<Ground, PlaceError> {
        let refused = |why: String| PlaceError::Refused(format!("{}: {why}", named.display()));
        let path = fs::canonicalize(named)
            .map_err(|error| refused(format!("there is no such directory ({error})")))?;
        if !path.is_dir() {
            return Err(refused("that is no directory".to_owned()));
        }
        let folder =
            File::open(&path).map_err(|error| refused(format!("cannot be opened: {error}")))?;
        let mount = mount_of(&folder, root);
        let disk = mount.as_ref().and_then(|mount| disk::below(mount, root));
        Ok(Ground { path, folder, mount, disk })
    }

    /// The filesystem's type.
    pub(crate) fn filesystem(&self) -> Option<&str> {
        self.mount.as_ref().map(|mount| mount.filesystem.as_str())
    }

    /// Its mount options.
    pub(crate) fn options(&self) -> &[String] {
        self.mount.as_ref().map_or(&[], |mount| &mount.options)
    }

    /// The disk's name in `/proc/diskstats`.
    pub(crate) fn disk(&self) -> Option<&str> {
        self.disk.as_ref().map(|disk| disk.name.as_str())
    }

    /// Bytes that an ordinary user may still write; `None` where the filesystem does not tell.
    pub(crate) fn free(&self) -> Option<u64> {
        let space = fstatvfs(&self.folder).ok().filter(|space| space.f_blocks > 0)?;
        space.f_bavail.checked_mul(space.f_frsize)
    }

    /// Adds what is known.
    pub(crate) fn describe(&self, fingerprint: &mut Fingerprint) {
        fingerprint.set("dir.path", self.path.display().to_string());
        if let Some(mount) = &self.mount {
            fingerprint.set("dir.filesystem", &mount.filesystem);
            fingerprint.set("dir.mount_options", mount.options.join(","));
            fingerprint.set("dir.device", &mount.source);
        }
        if let Some(disk) = &self.disk {
            disk.describe(fingerprint);
        }
    }
}

/// By its number, since paths may be hidden by later mounts.
fn mount_of(folder: &File, root: &Path) -> Option<Mount> {
    let own = root.join("proc/self");
    let fdinfo = fs::read_to_string(own.join(format!("fdinfo/{}", folder.as_raw_fd()))).ok()?;
    let id = mountinfo::id_in(&fdinfo)?;
    let mounts = fs::read(own.join("mountinfo")).ok()?;
    let mounts = mountinfo::parse(&String::from_utf8_lossy(&mounts));
    mounts.into_iter().find(|mount| mount.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_own_filesystem_is_known() {
        let ground = Ground::open(Path::new("/proc/self"), Path::new("/")).unwrap();
        assert_eq!((ground.filesystem(), ground.disk()), (Some("proc"), None));
        assert_eq!(ground.free(), None);
        let mut fingerprint = Fingerprint::default();
        ground.describe(&mut fingerprint);
        assert_eq!(fingerprint.get("dir.filesystem"), Some("proc"));
        assert!(fingerprint.get("dir.mount_options").unwrap().starts_with("rw"));
        assert_eq!(fingerprint.get("dir.disk"), None);
    }

    #[test]
    fn what_the_kernel_does_not_tell_is_left_out() {
        let (folder, root) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let ground = Ground::open(folder.path(), root.path()).unwrap();
        let mut fingerprint = Fingerprint::default();
        ground.describe(&mut fingerprint);
        let items: Vec<_> = fingerprint.items().map(|(item, _)| item).collect();
        assert_eq!(items, ["dir.path"]);
    }

    #[test]
    fn what_is_no_directory_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        for (path, said) in [(file.clone(), "no directory"), (file.with_file_name("x"), "no such")]
        {
            let Err(PlaceError::Refused(why)) = Ground::open(&path, Path::new("/")) else {
                panic!("{said}")
            };
            assert!(why.contains(said), "{why}");
        }
    }
}
