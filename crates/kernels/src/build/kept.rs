//! The kernels that were built, in the cache. Each appears whole or not at all.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::programs::Versions;
use crate::source::SourceError;

/// What a kernel's folder says of it.
const ABOUT: &str = "about.json";

/// The number of that file's format.
pub(crate) const FORMAT: u32 = 1;

/// What is known of a kernel that was built.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct About {
    /// The format's number.
    pub(crate) format: u32,
    /// The source in words.
    pub(crate) source: String,
    /// What identifies the source's content.
    pub(crate) identity: String,
    /// SHA-256 of the whole configuration.
    pub(crate) config: String,
    /// What the tools said of their versions.
    #[serde(flatten)]
    pub(crate) tools: Versions,
    /// How long the build took, with its configuration.
    pub(crate) seconds: f64,
    /// Whether nothing of it had been compiled before.
    pub(crate) clean: bool,
    /// What is otherwise than one would think, in sentences.
    pub(crate) notes: Vec<String>,
}

/// The folder of all kernels that were built: one each, by its key.
#[derive(Clone, Debug)]
pub(crate) struct Kept(PathBuf);

/// A kernel in the making; nothing is left of it unless it is kept.
pub(crate) struct Draft {
    folder: PathBuf,
    kept: Kept,
}

impl Kept {
    /// In this folder, which need not exist.
    pub(crate) fn new(folder: PathBuf) -> Kept {
        Kept(folder)
    }

    /// The kernel of this key, if it is there.
    pub(crate) fn find(&self, key: &str) -> Option<(PathBuf, About)> {
        let folder = self.0.join(key);
        let about = about(&folder)?;
        Some((folder, about))
    }

    /// Seconds that the builds took, oldest first.
    pub(crate) fn seconds(&self) -> Vec<f64> {
        let entries = fs::read_dir(&self.0).into_iter().flatten().flatten();
        let when = |folder: &Path| {
            folder
                .join(ABOUT)
                .metadata()
                .and_then(|file| file.modified())
                .unwrap_or(SystemTime::UNIX_EPOCH)
        };
        let timed = |folder: PathBuf| Some((when(&folder), about(&folder)?.seconds));
        let mut all: Vec<(SystemTime, f64)> =
            entries.filter_map(|entry| timed(entry.path())).collect();
        all.sort_by_key(|(when, _)| *when);
        all.into_iter().map(|(_, seconds)| seconds).collect()
    }

    /// Begins a kernel in `folder`, of which the caller holds the lock, and which is on the same disk. What one
    /// that was killed has left there goes.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub(crate) fn draft(&self, folder: PathBuf) -> Result<Draft, SourceError> {
        let make = || {
            remove(&folder)?;
            fs::create_dir_all(&self.0)?;
            fs::create_dir_all(&folder)
        };
        match make() {
            Ok(()) => Ok(Draft { folder, kept: self.clone() }),
            Err(error) => Err(SourceError::io("write", &folder, error)),
        }
    }

    /// Keeps the log of a build that failed, and says where.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn failed(&self, key: &str, log: &Path) -> Result<PathBuf, SourceError> {
        let target = self.0.join(format!("failed-{key}.log"));
        let copy = || {
            fs::create_dir_all(&self.0)?;
            fs::copy(log, &target)
        };
        match copy() {
            Ok(_) => Ok(target),
            Err(error) => Err(SourceError::io("write", &target, error)),
        }
    }
}

impl Draft {
    /// Where the kernel's files go.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Puts a copy of a file into it.
    ///
    /// # Errors
    /// It cannot be read or written.
    pub(crate) fn copy(&self, file: &Path, to: &str) -> Result<(), SourceError> {
        let target = self.folder.join(to);
        let copy = || {
            target.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::copy(file, &target)
        };
        copy().map(drop).map_err(|error| SourceError::io("copy", file, error))
    }

    /// Takes it for whole, and returns its folder.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn keep(self, key: &str, about: &About) -> Result<PathBuf, SourceError> {
        let target = self.kept.0.join(key);
        let keep = || -> io::Result<()> {
            fs::write(self.folder.join(ABOUT), serde_json::to_vec_pretty(about)?)?;
            // A power cut after the rename must not leave a folder of empty files that looks whole.
            rustix::fs::syncfs(File::open(&self.folder)?)?;
            // Another slowpath may have built the same from another clone.
            if self.kept.find(key).is_some() {
                return Ok(());
            }
            remove(&target)?;
            fs::rename(&self.folder, &target)
        };
        keep().map_err(|error| SourceError::io("write", &target, error))?;
        Ok(target)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // What cannot be removed now is swept away by the next one.
        let _ = remove(&self.folder);
    }
}

fn about(folder: &Path) -> Option<About> {
    let about: About = serde_json::from_slice(&fs::read(folder.join(ABOUT)).ok()?).ok()?;
    (about.format == FORMAT).then_some(about)
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}
