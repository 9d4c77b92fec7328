//! The kernels that are installed on a machine.

use std::path::{Path, PathBuf};

use crate::error::KernelError;
use crate::locate::images;
use crate::version;

/// The image of an installed version.
///
/// # Errors
/// [`KernelError::NotInstalled`] lists what is there.
pub(crate) fn image_of(root: &Path, version: &str) -> Result<PathBuf, KernelError> {
    let found = images(root)?.into_iter().find(|(other, _)| other == version);
    found.map(|(_, image)| image).ok_or_else(|| KernelError::NotInstalled {
        version: version.to_owned(),
        root: root.to_path_buf(),
        installed: versions(root),
    })
}

/// The installed versions, newest first; none when the folders cannot be read.
pub(crate) fn versions(root: &Path) -> Vec<String> {
    let images = images(root).unwrap_or_default();
    let mut versions: Vec<String> = images.into_iter().map(|(version, _)| version).collect();
    versions.sort_by(|left, right| version::compare(right, left));
    versions
}
