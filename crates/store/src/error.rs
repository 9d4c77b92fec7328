//! What can go wrong in the archive, in sentences that need no addition.

use std::io;
use std::path::{Path, PathBuf};

/// An error of the archive. Its text says what failed, on what, why and what to do; the cause is
/// in the text, so a renderer need not walk to it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The system refused something.
    #[error("cannot {doing} {}: {cause}; {advice}", path.display())]
    Io {
        /// What was tried, as `write`.
        doing: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
        /// What to do about it.
        advice: &'static str,
    },
    /// There is no room for the trial; nothing of it was left behind.
    #[error(
        "cannot keep trial {id} in {}: {cause}; it needs {needed} bytes there: make room or give \
         another folder with --store (what was written before is whole)",
        folder.display()
    )]
    Full {
        /// The trial.
        id: String,
        /// The folder in which it was to be kept.
        folder: PathBuf,
        /// Bytes of all its files.
        needed: u64,
        /// What the system said.
        cause: io::Error,
    },
    /// The archive already holds a trial of that ID; it changes none.
    #[error(
        "cannot keep trial {id}: {} exists and the archive never overwrites; take a fresh ID",
        folder.display()
    )]
    Exists {
        /// The trial.
        id: String,
        /// Its folder.
        folder: PathBuf,
    },
    /// A name that cannot be an ID or an attachment.
    #[error(
        "`{name}` cannot name {what}: letters, digits, `-`, `_` and `.` are wanted, not `.` first, \
         and each name once (`trial.json` and `last` are taken)"
    )]
    Name {
        /// The name as given.
        name: String,
        /// What it was to name.
        what: &'static str,
    },
    /// The trial was written by a newer slowpath.
    #[error(
        "{} has format {found}, and this slowpath reads up to format {known}; use the newer \
         slowpath that wrote it",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u64,
        /// The newest format that this version reads.
        known: u32,
    },
    /// The folder is no whole trial.
    #[error("{} is damaged: {why}; the other trials are not affected, move it away", path.display())]
    Damaged {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The archive holds no trial.
    #[error("{} holds no trial yet; `slowpath run` adds one", folder.display())]
    Empty {
        /// The folder of all trials.
        folder: PathBuf,
    },
    /// No trial has that ID.
    #[error(
        "there is no trial `{wanted}` in {}; the nearest is {nearest}, and `slowpath trials` lists \
         all",
        folder.display()
    )]
    Unknown {
        /// The ID or prefix as given.
        wanted: String,
        /// The known ID that is most like it.
        nearest: String,
        /// The folder of all trials.
        folder: PathBuf,
    },
    /// Several trials' IDs begin so.
    #[error("`{wanted}` begins the IDs of {} trials: {}; give more of it", candidates.len(), some(candidates))]
    Ambiguous {
        /// The prefix as given.
        wanted: String,
        /// All IDs that begin with it, oldest first.
        candidates: Vec<String>,
    },
}

const SHOWN: usize = 8;

/// The newest few, and how many there are besides.
fn some(ids: &[String]) -> String {
    let rest = ids.len().saturating_sub(SHOWN);
    let shown = ids[rest..].join(", ");
    match rest {
        0 => shown,
        rest => format!("{shown} and {rest} older"),
    }
}

impl StoreError {
    pub(crate) fn io(doing: &'static str, path: &Path, cause: io::Error) -> StoreError {
        let advice = match cause.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                "make it accessible or give another folder with --store"
            }
            io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
                "something else stands where the archive belongs; give another folder with --store"
            }
            _ => "check the disk that holds it, or give another folder with --store",
        };
        StoreError::Io { doing, path: path.to_owned(), cause, advice }
    }
}
