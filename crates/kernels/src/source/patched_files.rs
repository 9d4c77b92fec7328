//! What patches make of the files of a source tree: worked out on copies of those that they name, so that a
//! file is written into the laid out tree once, as it is to be, or not at all.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};

use super::child::Stop;
use super::error::SourceError;
use super::git::Git;
use super::own_repository::remove;
use super::patches::{read, refused, told};

/// The files that the patches may change, by their path in the tree: where the changed file is, or `None` where
/// there is none any more.
pub(super) type Patched = BTreeMap<PathBuf, Option<PathBuf>>;

/// Applies the patches to copies of files of the tree `from`, below `folder`.
///
/// # Errors
/// [`SourceError::DoesNotApply`], [`SourceError::Io`] for one that cannot be read.
pub(super) fn make(
    from: &Path,
    folder: &Path,
    patches: &[PathBuf],
    stop: Stop,
) -> Result<Patched, SourceError> {
    let drafts = folder.join("patched");
    remove(&drafts)?;
    let mut patched = Patched::new();
    if patches.is_empty() {
        return Ok(patched);
    }
    fs::create_dir(&drafts).map_err(|reason| SourceError::io("create", &drafts, reason))?;
    // In a repository above, git would apply nothing that lies outside its folder of the same name.
    let git = Git::in_own_folder(&drafts, stop).environment("GIT_CEILING_DIRECTORIES", folder);
    let onto = from.display().to_string();
    for patch in patches {
        let text = read(patch)?;
        for name in old_names(&text).into_iter().chain(new_names(&git, &text)?) {
            if let Entry::Vacant(unseen) = patched.entry(name) {
                copy(&from.join(unseen.key()), &drafts.join(unseen.key()))?;
                unseen.insert(None);
            }
        }
        let ended = git.run(&["apply", "--whitespace=nowarn", "-"], &text)?;
        if !ended.status.success() {
            return Err(refused(patch, &onto, told(&ended.stderr)));
        }
    }
    for (name, draft) in &mut patched {
        *draft = Some(drafts.join(name)).filter(|draft| fs::symlink_metadata(draft).is_ok());
    }
    Ok(patched)
}

/// The names that a patch gives to files before it; some lines that look like names are none.
fn old_names(patch: &[u8]) -> Vec<PathBuf> {
    let text = String::from_utf8_lossy(patch);
    text.lines().filter_map(old_name).map(PathBuf::from).filter(|path| stays_below(path)).collect()
}

fn old_name(line: &str) -> Option<&str> {
    let line = line.trim_end();
    match ["rename from ", "copy from "].iter().find_map(|mark| line.strip_prefix(mark)) {
        Some(name) => Some(name),
        // Of `a/fs/sync.c` the first part is not the file's, and a time may follow.
        None => {
            line.strip_prefix("--- ")?.split('\t').next()?.split_once('/').map(|(_, name)| name)
        }
    }
}

/// The names of files after a patch, as git reads it. None where git cannot read it; applying it says why.
fn new_names(git: &Git, patch: &[u8]) -> Result<Vec<PathBuf>, SourceError> {
    let listed = git.run(&["apply", "--numstat", "-z", "-"], patch)?.stdout;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let names = listed.split('\0').filter_map(|entry| entry.splitn(3, '\t').nth(2));
    Ok(names.map(PathBuf::from).filter(|path| stays_below(path)).collect())
}

fn stays_below(path: &Path) -> bool {
    path.file_name().is_some() && path.components().all(|part| matches!(part, Component::Normal(_)))
}

/// Copies a file or link, if it is there.
fn copy(from: &Path, to: &Path) -> Result<(), SourceError> {
    let Ok(about) = fs::symlink_metadata(from) else { return Ok(()) };
    let write = |reason| SourceError::io("write", to, reason);
    if about.is_dir() {
        return Ok(());
    }
    to.parent().map_or(Ok(()), fs::create_dir_all).map_err(write)?;
    match about.is_symlink() {
        true => fs::read_link(from).and_then(|target| symlink(target, to)),
        false => fs::copy(from, to).map(drop),
    }
    .map_err(write)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_out_are_none() {
        let patch = b"--- a/fs/sync.c\t2020-01-01\n--- a/../../etc/passwd\nrename from mm/old.c\n\
            --- x\n--- a//etc/passwd\n+++ b/fs/new.c\n";
        assert_eq!(old_names(patch), ["fs/sync.c", "mm/old.c"].map(PathBuf::from));
    }
}
