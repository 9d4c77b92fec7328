//! The file by which a trial's folder is known: whose it is and what was made in it.
//!
//! Whoever made it holds a lock on it (flock(2)) until the folder is gone, and so does his agent. So
//! a marker that can be locked belongs to nobody who lives, whatever became of its process's number.

use std::fs;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Component, Path};

use model::FORMAT;
use rustix::fs::{FileType, FlockOperation, Mode, OFlags, flock, fstat, openat};
use rustix::io::Result;
use serde::{Deserialize, Serialize};

/// The marker's name in the folder.
pub(crate) const NAME: &str = "slowpath-trial.json";

/// No marker of ours is longer, bytes.
const LONGEST: u64 = 1 << 20;

/// More folders than any trial writes into.
const MOST_FOLDERS: u32 = 1000;

/// What stands in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Marker {
    format: u32,
    /// For people who find it.
    about: String,
    /// The process that made it, for people: the number means little in a container.
    pid: u32,
    /// The boot that it was made in; `None` where the kernel does not tell.
    boot: Option<String>,
    /// How many folders there are for files: `d0`, `d1`, …
    pub(crate) folders: u32,
    /// The names of the files in each.
    pub(crate) files: Vec<String>,
    /// Whether all that is in them is the trial's, whatever its name: its workload names files itself.
    #[serde(default)]
    pub(crate) whole: bool,
}

/// What a trial puts into its folders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Contents {
    /// Files of these names.
    pub(crate) files: Vec<String>,
    /// Anything.
    pub(crate) whole: bool,
}

impl Marker {
    /// For a trial of this process.
    pub(crate) fn own(folders: u32, contents: &Contents) -> Marker {
        Marker {
            format: FORMAT,
            about: "files of a running trial of slowpath, which removes this folder afterwards"
                .to_owned(),
            pid: std::process::id(),
            boot: boot(),
            folders,
            files: contents.files.clone(),
            whole: contents.whole,
        }
    }

    /// Whether it was made since this machine started.
    pub(crate) fn is_of_this_boot(&self) -> bool {
        self.boot.is_some() && self.boot == boot()
    }

    /// Whether its names stay in the folder, so that it may be believed.
    fn is_sane(&self) -> bool {
        let plain = |name: &String| {
            let mut parts = Path::new(name).components();
            let one =
                matches!(parts.next(), Some(Component::Normal(part)) if part == name.as_str());
            one && parts.next().is_none()
        };
        self.format == FORMAT && self.folders <= MOST_FOLDERS && self.files.iter().all(plain)
    }

    /// Makes it in `folder` and returns it locked.
    ///
    /// # Errors
    /// It is there already, or cannot be written.
    pub(crate) fn place(&self, folder: &File) -> std::io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mut file = File::from(openat(folder, NAME, flags, Mode::RUSR | Mode::WUSR)?);
        // Locked before it says anything: half a marker is none. Some filesystems have no locks;
        // there nothing is swept.
        let _ = flock(&file, FlockOperation::NonBlockingLockExclusive);
        file.write_all(&serde_json::to_vec(self)?)?;
        Ok(file)
    }
}

/// The marker in `folder`, locked; `None` where there is none of ours, or its maker lives.
pub(crate) fn abandoned(folder: &File) -> Option<(Marker, File)> {
    // A pipe must not make us wait.
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(openat(folder, NAME, flags, Mode::empty()).ok()?);
    let kind = FileType::from_raw_mode(fstat(&file).ok()?.st_mode);
    if kind != FileType::RegularFile {
        return None;
    }
    flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
    let mut text = Vec::new();
    (&file).take(LONGEST).read_to_end(&mut text).ok()?;
    let marker: Marker = serde_json::from_slice(&text).ok()?;
    marker.is_sane().then_some((marker, file))
}

fn boot() -> Option<String> {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(id.trim().to_owned()).filter(|id| !id.is_empty())
}

/// Opens `name` in `folder`, a directory, never through a symbolic link.
pub(crate) fn folder_in(folder: &File, name: impl rustix::path::Arg) -> Result<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(folder, name, flags, Mode::empty()).map(File::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(folder: &tempfile::TempDir) -> File {
        File::open(folder.path()).unwrap()
    }

    #[test]
    fn a_marker_is_abandoned_when_nobody_holds_it() {
        let folder = tempfile::tempdir().unwrap();
        let marker = Marker::own(2, &Contents { files: vec!["file".to_owned()], whole: false });
        let held = marker.place(&open(&folder)).unwrap();
        assert!(abandoned(&open(&folder)).is_none());
        // What an agent inherits holds it as well.
        let inherited = held.try_clone().unwrap();
        drop(held);
        assert!(abandoned(&open(&folder)).is_none());
        drop(inherited);
        let (found, _lock) = abandoned(&open(&folder)).unwrap();
        assert_eq!(found, marker);
        assert!(found.is_of_this_boot());
        assert!(!Marker { boot: Some("another".to_owned()), ..found.clone() }.is_of_this_boot());
        assert!(!Marker { boot: None, ..found }.is_of_this_boot());
    }

    #[test]
    fn a_marker_that_is_none_of_ours_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        let own = Marker::own(1, &Contents::default());
        for name in ["../x", "a/b", "/etc", "..", ".", "", "a/"] {
            let astray = Marker { files: vec![name.to_owned()], ..own.clone() };
            fs::write(&path, serde_json::to_vec(&astray).unwrap()).unwrap();
            assert!(abandoned(&open(&folder)).is_none(), "{name}");
        }
        let whole = serde_json::to_vec(&own).unwrap();
        let newer = serde_json::to_vec(&Marker { format: FORMAT + 1, ..own }).unwrap();
        for text in [&whole[..whole.len() - 1], &newer, b"{}", b""] {
            fs::write(&path, text).unwrap();
            assert!(abandoned(&open(&folder)).is_none());
        }
        fs::write(&path, whole).unwrap();
        assert!(abandoned(&open(&folder)).is_some());
    }

    #[test]
    fn a_marker_that_is_a_link_or_a_folder_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        let real = folder.path().join("real");
        fs::write(&real, serde_json::to_vec(&Marker::own(1, &Contents::default())).unwrap())
            .unwrap();
        std::os::unix::fs::symlink(&real, &path).unwrap();
        assert!(abandoned(&open(&folder)).is_none());
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(abandoned(&open(&folder)).is_none());
    }
}
