//! What can go wrong in the archive, in sentences that need no addition.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// What the archive keeps, as sentences name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A trial.
    Trial,
    /// The trials of one run, comparison or bisection.
    Set,
    /// A comparison.
    Comparison,
    /// A bisection.
    Bisection,
}

impl Kind {
    /// What is being done when one is kept.
    pub(crate) fn keeping(self) -> &'static str {
        match self {
            Kind::Trial => "keep a trial in",
            Kind::Set => "keep a set in",
            Kind::Comparison => "keep a comparison in",
            Kind::Bisection => "keep a bisection in",
        }
    }

    /// What is being done when all are listed.
    pub(crate) fn listing(self) -> &'static str {
        match self {
            Kind::Trial => "list the trials in",
            Kind::Set => "list the sets in",
            Kind::Comparison => "list the comparisons in",
            Kind::Bisection => "list the bisections in",
        }
    }

    /// As `a trial`.
    pub(crate) fn one(self) -> &'static str {
        match self {
            Kind::Trial => "a trial",
            Kind::Set => "a set",
            Kind::Comparison => "a comparison",
            Kind::Bisection => "a bisection",
        }
    }

    /// The command that makes one.
    fn command(self) -> &'static str {
        match self {
            Kind::Trial | Kind::Set => "run",
            Kind::Comparison => "compare",
            Kind::Bisection => "bisect",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Trial => "trial",
            Kind::Set => "set",
            Kind::Comparison => "comparison",
            Kind::Bisection => "bisection",
        })
    }
}

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
    /// There is no room for it; nothing of it was left behind.
    #[error(
        "cannot keep {of} {id} in {}: {cause}; it needs {needed} bytes there: make room or give \
         another folder with --store (what was written before is whole)",
        folder.display()
    )]
    Full {
        /// What was to be kept.
        of: Kind,
        /// Its ID.
        id: String,
        /// The folder in which it was to be kept.
        folder: PathBuf,
        /// Bytes of all its files.
        needed: u64,
        /// What the system said.
        cause: io::Error,
    },
    /// The archive already holds one of that ID; it changes none.
    #[error(
        "cannot keep {of} {id}: {} exists and the archive never overwrites; take a fresh ID",
        path.display()
    )]
    Exists {
        /// What was to be kept.
        of: Kind,
        /// Its ID.
        id: String,
        /// What is there.
        path: PathBuf,
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
    /// It was written by a newer slowpath.
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
    /// The folder is not wholly what it should be.
    #[error("{} is damaged: {why}; the other {of}s are not affected, move it away", path.display())]
    Damaged {
        /// What it should be.
        of: Kind,
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
    /// No set and no trial has that ID.
    #[error(
        "there is no set and no trial `{wanted}` in {}; the nearest is {nearest}, and `slowpath \
         trials` lists all",
        folder.display()
    )]
    UnknownSet {
        /// The ID or prefix as given.
        wanted: String,
        /// The known ID that is most like it.
        nearest: String,
        /// The folder of all trials.
        folder: PathBuf,
    },
    /// The set does not hold that many variants.
    #[error("{id} holds {}, so `{wanted}` names none; give {id}{}", variants(*count), up_to(id, *count))]
    NoVariant {
        /// What was asked for, as `SET:K`.
        wanted: String,
        /// The set's ID.
        id: String,
        /// How many variants it holds, at least 1.
        count: usize,
    },
    /// Several IDs begin so.
    #[error("`{wanted}` begins the IDs of {} {of}s: {}; give more of it", candidates.len(), some(candidates))]
    Ambiguous {
        /// What the IDs are of.
        of: Kind,
        /// The prefix as given.
        wanted: String,
        /// All IDs that begin with it, oldest first.
        candidates: Vec<String>,
    },
    /// It was begun and has found nothing yet.
    #[error(
        "{of} {id} has not ended; the same `slowpath {}` goes on with it, and its trials are the set \
         {id}",
        of.command()
    )]
    Unfinished {
        /// What has not ended.
        of: Kind,
        /// Its ID.
        id: String,
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

fn variants(count: usize) -> String {
    if count == 1 { "one variant".to_owned() } else { format!("{count} variants") }
}

/// What may follow the ID of a set with so many variants.
fn up_to(id: &str, count: usize) -> String {
    if count == 1 { String::new() } else { format!(":1 to {id}:{count}") }
}

impl StoreError {
    pub(crate) fn damaged(of: Kind, path: &Path, why: String) -> StoreError {
        StoreError::Damaged { of, path: path.to_owned(), why }
    }

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
