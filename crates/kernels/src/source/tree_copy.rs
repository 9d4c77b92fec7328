//! Makes our tree the same as a source tree of the user's, writing only what differs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata, Permissions};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread::{self, ScopedJoinHandle};

use sha2::{Digest, Sha256};

use super::checkout::hexadecimal;
use super::child::Stop;
use super::error::SourceError;
use super::own_repository::{OwnRepository, remove};
use super::{patched_files, tree_files};

/// How many files are compared at once.
const WORKERS: usize = 2;

/// A file of the tree: its path there, and where its content comes from.
type File = (PathBuf, PathBuf);

/// What a file is, as it enters the tree's identity: `None` where there is none.
type Print = Option<[u8; 32]>;

/// Copies the tree `from` with the patches into the tree below `folder`, and returns its identity: a SHA-256 over
/// paths, modes and contents. Contents are compared, not times: a file that differs is written and bears the
/// time of now, even where the user's is older, so that `make` sees the change.
///
/// # Errors
/// A patch that does not apply; files that cannot be read or written, [`SourceError::Stopped`].
pub(super) fn lay_out(
    own: &OwnRepository,
    from: &Path,
    folder: &Path,
    patches: &[PathBuf],
    stop: Stop,
) -> Result<String, SourceError> {
    // It lies in CACHE/source.
    let cache = folder.parent().and_then(Path::parent).unwrap_or(folder);
    let listed = tree_files::list(own, from, cache, stop)?;
    let sources = listed.into_iter().map(|path| (path.clone(), from.join(path)));
    let mut sources: BTreeMap<PathBuf, PathBuf> = sources.collect();
    for (path, patched) in patched_files::make(from, folder, patches, stop)? {
        match patched {
            Some(patched) => drop(sources.insert(path, patched)),
            None => drop(sources.remove(&path)),
        }
    }
    let files: Vec<File> = sources.into_iter().collect();
    make_room(own.tree(), &files)?;
    let prints = place_all(own.tree(), &files, stop)?;
    remove(&folder.join("patched"))?;
    Ok(identity(&files, &prints))
}

/// Removes what is not among the files, and makes their folders.
fn make_room(tree: &Path, files: &[File]) -> Result<(), SourceError> {
    let folders: BTreeSet<&Path> =
        files.iter().flat_map(|(path, _)| path.ancestors().skip(1)).collect();
    let is_wanted = |path: &Path, is_folder: bool| match is_folder {
        true => folders.contains(path),
        false => files.binary_search_by(|(file, _)| file.as_path().cmp(path)).is_ok(),
    };
    tidy(tree, Path::new(""), &is_wanted)?;
    for folder in &folders {
        let folder = tree.join(folder);
        match fs::create_dir(&folder) {
            Err(reason) if reason.kind() != ErrorKind::AlreadyExists => {
                return Err(SourceError::io("create", &folder, reason));
            }
            _ => {}
        }
    }
    Ok(())
}

fn tidy(
    tree: &Path,
    below: &Path,
    is_wanted: &dyn Fn(&Path, bool) -> bool,
) -> Result<(), SourceError> {
    let folder = tree.join(below);
    let refused = |reason| SourceError::io("read", &folder, reason);
    for entry in fs::read_dir(&folder).map_err(refused)? {
        let entry = entry.map_err(refused)?;
        let path = below.join(entry.file_name());
        let is_folder = entry.file_type().map_err(refused)?.is_dir();
        match (is_wanted(&path, is_folder), is_folder) {
            (false, _) => remove(&entry.path())?,
            (true, true) => tidy(tree, &path, is_wanted)?,
            (true, false) => {}
        }
    }
    Ok(())
}

/// Places all files; what each of them is.
fn place_all(tree: &Path, files: &[File], stop: Stop) -> Result<Vec<Print>, SourceError> {
    let share = files.len().div_ceil(WORKERS).max(1);
    let place_some = |files: &[File]| -> Result<Vec<Print>, SourceError> {
        let one = |(path, from): &File| match stop() {
            true => Err(SourceError::Stopped),
            false => place(from, &tree.join(path)),
        };
        files.iter().map(one).collect()
    };
    let shares = thread::scope(|scope| {
        let place_some = &place_some;
        let workers: Vec<_> =
            files.chunks(share).map(|files| scope.spawn(move || place_some(files))).collect();
        let join =
            |worker: ScopedJoinHandle<_>| worker.join().unwrap_or_else(|it| resume_unwind(it));
        workers.into_iter().map(join).collect::<Vec<_>>()
    });
    Ok(shares.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
}

/// Makes the file `to` the same as `from`, if it is not. What is neither a file nor a link has no part in a
/// source.
fn place(from: &Path, to: &Path) -> Result<Print, SourceError> {
    let there = fs::symlink_metadata(to).ok();
    match fs::symlink_metadata(from) {
        Ok(about) if about.is_file() => place_file(from, &about, to, there.as_ref()).map(Some),
        Ok(about) if about.is_symlink() => place_link(from, to, there.is_some()).map(Some),
        Err(reason) if reason.kind() != ErrorKind::NotFound => {
            Err(SourceError::io("read", from, reason))
        }
        _ => remove(to).map(|()| None),
    }
}

fn place_file(
    from: &Path,
    about: &Metadata,
    to: &Path,
    there: Option<&Metadata>,
) -> Result<[u8; 32], SourceError> {
    let write = |reason| SourceError::io("write", to, reason);
    let wanted = fs::read(from).map_err(|reason| SourceError::io("read", from, reason))?;
    let is_program = |about: &Metadata| about.permissions().mode() & 0o100 != 0;
    let same_size = there.filter(|it| it.is_file() && it.len() == wanted.len() as u64);
    let is_same = same_size.is_some() && fs::read(to).is_ok_and(|there| there == wanted);
    if !is_same {
        remove(to)?;
        fs::write(to, &wanted).map_err(write)?;
    }
    let was_program = is_same && there.is_some_and(is_program);
    if is_program(about) != was_program {
        let mode = if is_program(about) { 0o755 } else { 0o644 };
        fs::set_permissions(to, Permissions::from_mode(mode)).map_err(write)?;
    }
    let kind: &[u8] = if is_program(about) { b"program\0" } else { b"file\0" };
    Ok(print(kind, &wanted))
}

fn place_link(from: &Path, to: &Path, there: bool) -> Result<[u8; 32], SourceError> {
    let wanted = fs::read_link(from).map_err(|reason| SourceError::io("read", from, reason))?;
    if !fs::read_link(to).is_ok_and(|there| there == wanted) {
        if there {
            remove(to)?;
        }
        symlink(&wanted, to).map_err(|reason| SourceError::io("write", to, reason))?;
    }
    Ok(print(b"link\0", wanted.as_os_str().as_bytes()))
}

fn print(kind: &[u8], content: &[u8]) -> [u8; 32] {
    Sha256::new().chain_update(kind).chain_update(content).finalize().into()
}

fn identity(files: &[File], prints: &[Print]) -> String {
    let mut whole = Sha256::new();
    for ((path, _), print) in files.iter().zip(prints) {
        if let Some(print) = print {
            whole.update(path.as_os_str().as_bytes());
            whole.update([0]);
            whole.update(print);
        }
    }
    hexadecimal(&whole.finalize())
}
