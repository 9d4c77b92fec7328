//! Which files of a source tree are its source: all but what a build leaves there.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::child::Stop;
use super::error::SourceError;
use super::git::Git;
use super::own_repository::OwnRepository;

/// What is left out of the top folder of a tree that git does not track, the last that fits deciding. Its own
/// `.gitignore` decides below, but not here: that of Debian's source packages names all of the top folder.
const TOP: [&str; 22] = [
    "!/*",
    "/.*",
    "!/.mailmap",
    "!/.get_maintainer*",
    "/*.a",
    "/*.deb",
    "/*.gz",
    "/*.ko",
    "/*.o",
    "/*.symvers",
    "/*.tar*",
    "/*~",
    "/GTAGS",
    "/Module.*",
    "/System.map*",
    "/TAGS",
    "/compile_commands.json",
    "/cscope.*",
    "/modules.*",
    "/tags",
    "/vmlinux*",
    "/vmlinuz*",
];

/// The files of the tree `from`, as paths in it; some may not be there. Folders with a repository of their own,
/// such as a driver's, are part of it. Nothing in `cache` is.
///
/// Tracked files are listed whatever their name, others unless the tree's `.gitignore` files name them.
///
/// # Errors
/// git's own.
pub(super) fn list(
    own: &OwnRepository,
    from: &Path,
    cache: &Path,
    stop: Stop,
) -> Result<Vec<PathBuf>, SourceError> {
    let mut files = Vec::new();
    let cache = cache.strip_prefix(from).ok().filter(|below| !below.as_os_str().is_empty());
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for path in names(own, &from.join(&folder), stop)? {
            let path = folder.join(path);
            if cache.is_some_and(|cache| path.starts_with(cache)) {
                continue;
            }
            match path.as_os_str().as_bytes().ends_with(b"/") {
                true => folders.push(path),
                false => files.push(path),
            }
        }
    }
    files.sort_unstable();
    files.dedup();
    Ok(files)
}

/// What git lists in a folder; a repository in it as its folder, with a slash at the end.
fn names(own: &OwnRepository, folder: &Path, stop: Stop) -> Result<Vec<PathBuf>, SourceError> {
    let mut arguments = vec!["ls-files", "-z", "--others", "--exclude-per-directory=.gitignore"];
    let git = match folder.join(".git").exists() {
        true => {
            arguments.extend(["--cached", "--deduplicate"]);
            Git::in_folder(folder, stop)
        }
        false => {
            arguments.extend(TOP.iter().flat_map(|pattern| ["-x", pattern]));
            own.git_over(folder)
        }
    };
    let listed = git.ask(&arguments)?;
    let names = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    Ok(names.map(|name| PathBuf::from(OsStr::from_bytes(name))).collect())
}
