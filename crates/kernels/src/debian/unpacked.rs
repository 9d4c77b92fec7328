//! The unpacked kernels in the cache. Each appears whole or not at all.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::client::failed;
use super::offer::{self, Offer};
use super::release::is_release;
use crate::error::KernelError;
use crate::version::compare;

/// Where a kernel is made ready. No release begins with a dot.
const DRAFT: &str = ".draft";

/// What the folder of a kernel says of where it came from.
const RECORD: &str = "packages.txt";

/// One folder a kernel, named after its release.
#[derive(Debug)]
pub(crate) struct Unpacked {
    folder: PathBuf,
}

/// A kernel in the making; nothing is left of it unless it is kept.
pub(crate) struct Draft {
    folder: PathBuf,
    target: PathBuf,
}

impl Unpacked {
    /// The kernels in this folder, which need not exist.
    pub(crate) fn new(folder: PathBuf) -> Unpacked {
        Unpacked { folder }
    }

    /// The folder of this release, if it is there.
    pub(crate) fn find(&self, release: &str) -> Option<PathBuf> {
        let folder = self.folder.join(release);
        (is_release(release) && folder.is_dir()).then_some(folder)
    }

    /// The releases that are there, newest first.
    pub(crate) fn releases(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut releases: Vec<String> = names.filter(|name| self.find(name).is_some()).collect();
        releases.sort_by(|left, right| compare(right, left));
        releases
    }

    /// Begins a kernel, and sweeps away what one that was killed has left. Only one at a time: the
    /// caller holds the lock.
    ///
    /// # Errors
    /// [`KernelError::Write`].
    pub(crate) fn draft(&self, release: &str) -> Result<Draft, KernelError> {
        let draft = Draft { folder: self.folder.join(DRAFT), target: self.folder.join(release) };
        let make = || -> io::Result<()> {
            if draft.folder.exists() {
                fs::remove_dir_all(&draft.folder)?;
            }
            fs::create_dir_all(draft.package())?;
            fs::create_dir(draft.root())
        };
        match make() {
            Ok(()) => Ok(draft),
            Err(reason) => Err(KernelError::write(&draft.folder, reason)),
        }
    }
}

impl Draft {
    /// An empty folder for the package's file.
    pub(crate) fn package(&self) -> PathBuf {
        self.folder.join("package")
    }

    /// The folder in which the package is unpacked.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.join("root")
    }

    /// Takes what was unpacked for whole, writes down where it came from, and returns its folder.
    ///
    /// # Errors
    /// There is no image in it, or [`KernelError::Write`].
    pub(crate) fn keep(self, offer: &Offer) -> Result<PathBuf, KernelError> {
        let root = self.root();
        let image = format!("boot/vmlinuz-{}", offer.release);
        if !root.join(&image).is_file() {
            let what = format!("kernel {}", offer.release);
            return Err(failed(&what, format!("there is no {image} in {}", offer.package)));
        }
        let keep = || -> io::Result<()> {
            fs::write(root.join(RECORD), offer::to_text(std::slice::from_ref(offer)))?;
            reach_disk(&root)?;
            fs::rename(&root, &self.target)
        };
        keep().map_err(|reason| KernelError::write(&self.target, reason))?;
        Ok(self.target.clone())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // What cannot be removed now is swept away by the next one.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A power cut after the rename must not leave a folder of empty files that looks whole.
fn reach_disk(folder: &Path) -> io::Result<()> {
    Ok(rustix::fs::syncfs(File::open(folder)?)?)
}
