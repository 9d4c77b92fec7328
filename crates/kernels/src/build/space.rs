//! Whether there is room for a build.

use std::path::Path;

use rustix::fs::statvfs;

use crate::source::SourceError;

/// The laid-out source of a recent kernel, bytes.
const TREE: u64 = 1_800_000_000;

/// A build folder of the lab's configuration with debugging information, and what is kept of it, bytes.
const SMALL: u64 = 1_300_000_000;

/// A distribution's kernel with its modules, bytes.
const LARGE: u64 = 6_000_000_000;

/// What a build in a folder that is there already may take more, bytes.
const AGAIN: u64 = 400_000_000;

/// What is to be made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// The source is laid out for the first time.
    pub(crate) tree: bool,
    /// The build folder is there already.
    pub(crate) again: bool,
    /// It is a whole configuration of the user's.
    pub(crate) whole: bool,
}

impl Wanted {
    fn bytes(self) -> u64 {
        let build = match (self.again, self.whole) {
            (true, _) => AGAIN,
            (false, true) => LARGE,
            (false, false) => SMALL,
        };
        build + if self.tree { TREE } else { 0 }
    }
}

/// Checks it before anything is made. `free` takes the place of what the system says of the folder.
///
/// # Errors
/// [`SourceError::NoSpace`] with both figures.
pub(crate) fn check(folder: &Path, wanted: Wanted, free: Option<u64>) -> Result<(), SourceError> {
    let wanted = wanted.bytes();
    match free.or_else(|| free_in(folder)) {
        Some(free) if free < wanted => Err(SourceError::NoSpace {
            folder: folder.to_path_buf(),
            why: format!("{} are free, and it takes about {}", gigabytes(free), gigabytes(wanted)),
        }),
        // Where nothing is known, the build finds out.
        _ => Ok(()),
    }
}

/// Bytes that an ordinary user may still write.
fn free_in(folder: &Path) -> Option<u64> {
    let there = folder.ancestors().find(|folder| folder.is_dir())?;
    let space = statvfs(there).ok()?;
    Some(space.f_bavail.saturating_mul(space.f_frsize))
}

#[allow(clippy::cast_precision_loss, reason = "one decimal is shown")]
fn gigabytes(bytes: u64) -> String {
    format!("{:.1} GB", bytes as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_already_takes_no_more() {
        let folder = Path::new("/cache");
        let check = |tree, again, whole, free| {
            check(folder, Wanted { tree, again, whole }, Some(free))
                .map_err(|error| error.to_string())
        };
        let error = check(true, false, false, 2_000_000_000).unwrap_err();
        assert!(
            error.starts_with(
                "no space for the build in /cache: 2.0 GB are free, and it takes about 3.1 GB; make room"
            ),
            "{error}"
        );
        assert!(check(false, false, false, 2_000_000_000).is_ok());
        assert!(check(false, false, true, 2_000_000_000).is_err());
        assert!(check(false, true, true, 2_000_000_000).is_ok());
        assert!(check(false, true, false, 100_000_000).is_err());
    }

    #[test]
    fn the_system_knows_how_much_is_free() {
        let folder = tempfile::tempdir().unwrap();
        assert!(free_in(&folder.path().join("not/yet/there")).is_some());
    }
}
