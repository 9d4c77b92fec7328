//! What can go wrong between a source and a kernel.

use std::io;
use std::path::{Path, PathBuf};

/// Why there is no kernel from a source.
///
/// The text of each is complete: causes are part of it and not repeated by `source()`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// git is not there.
    #[error("git is not installed; install it: apt-get install git")]
    NoGit,
    /// The folder is no repository.
    #[error("{} is not a git repository; name the folder of a Linux clone: --repo DIR", folder.display())]
    NotARepository {
        /// The folder.
        folder: PathBuf,
    },
    /// The repository is of something else.
    #[error(
        "{what} holds no Linux kernel (no Kbuild, arch/x86 and scripts/kconfig); name a kernel's source"
    )]
    NotAKernel {
        /// The revision or folder.
        what: String,
    },
    /// git knows no such revision.
    #[error("{} has no revision `{revision}`{hint}", repository.display())]
    UnknownRevision {
        /// The repository.
        repository: PathBuf,
        /// As given.
        revision: String,
        /// What to do, after a semicolon; empty where nothing is known.
        hint: String,
    },
    /// There is no change between two revisions.
    #[error("there is no commit between {good} and {bad}{hint}")]
    NothingBetween {
        /// The good end, as given.
        good: String,
        /// The bad end, as given.
        bad: String,
        /// Why, after a semicolon: they are the same, or bad is older; empty where nothing is known.
        hint: String,
    },
    /// Neither end has such a path.
    #[error(
        "neither {good} nor {bad} has `{path}`; name paths as they are seen from the top of the repository, such as fs/ext4"
    )]
    UnknownPath {
        /// The path or pattern, as given.
        path: String,
        /// The good end, as given.
        good: String,
        /// The bad end, as given.
        bad: String,
    },
    /// Two revisions have no common ancestor.
    #[error(
        "{good} and {bad} have no common ancestor; name two revisions of one history (a shallow clone has too little of it: git fetch --unshallow)"
    )]
    Unrelated {
        /// The good end, as given.
        good: String,
        /// The bad end, as given.
        bad: String,
    },
    /// A commit does not come out cleanly.
    #[error("{commit} does not revert cleanly on {onto}: {why}")]
    DoesNotRevert {
        /// The commit.
        commit: String,
        /// What it was to be taken out of.
        onto: String,
        /// What git said: the files in conflict.
        why: String,
    },
    /// A patch does not go in.
    #[error("{} does not apply to {onto}: {why}", patch.display())]
    DoesNotApply {
        /// The patch file.
        patch: PathBuf,
        /// What it was to be applied to.
        onto: String,
        /// What git said.
        why: String,
    },
    /// Another failure of git.
    #[error("git {command} failed in {}: {why}", folder.display())]
    Git {
        /// What was asked of it.
        command: String,
        /// Where.
        folder: PathBuf,
        /// What it said last.
        why: String,
    },
    /// Programs or headers that building needs are not there.
    #[error("building a kernel needs {}; install: apt-get install {}", missing.join(", "), packages.join(" "))]
    NoCompiler {
        /// The programs or headers.
        missing: Vec<String>,
        /// Debian's packages that bring them.
        packages: Vec<String>,
    },
    /// The configuration does not take what was asked for.
    #[error("this kernel does not take {}; {advice}", options.join(", "))]
    Refused {
        /// The options as they were asked for, with what became of each.
        options: Vec<String>,
        /// What to do.
        advice: String,
    },
    /// The kernel does not compile or link.
    #[error("the kernel does not build: {first}")]
    DoesNotBuild {
        /// The first error of the compiler or of make, one line.
        first: String,
        /// The end of the log, some lines.
        tail: Vec<String>,
        /// The whole log.
        log: PathBuf,
    },
    /// The disk is full, or would be.
    #[error("no space for the build in {}: {why}; make room there, or put the cache elsewhere with --cache DIR", folder.display())]
    NoSpace {
        /// The folder.
        folder: PathBuf,
        /// How much is free and how much is wanted, or what the system said.
        why: String,
    },
    /// The operating system refused something.
    #[error("cannot {action} {}: {reason}", path.display())]
    Io {
        /// `read`, `write`, `run`, as in "cannot read".
        action: &'static str,
        /// The file, folder or program.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
    /// The build was told to stop.
    #[error("the build was interrupted; what is compiled is kept")]
    Stopped,
}

impl SourceError {
    /// What the system refused; a full disk is told as such.
    pub(crate) fn io(action: &'static str, path: &Path, reason: io::Error) -> SourceError {
        match reason.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => SourceError::NoSpace {
                folder: path.parent().unwrap_or(path).to_owned(),
                why: reason.to_string(),
            },
            _ => SourceError::Io { action, path: path.to_owned(), reason },
        }
    }

    /// Whether the source itself is at fault: no other machine would build it either.
    #[must_use]
    pub fn is_the_sources_fault(&self) -> bool {
        matches!(
            self,
            SourceError::DoesNotBuild { .. }
                | SourceError::DoesNotRevert { .. }
                | SourceError::DoesNotApply { .. }
                | SourceError::Refused { .. }
        )
    }

    /// Whether something of this machine is missing, rather than the request wrong.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(
            self,
            SourceError::NoGit
                | SourceError::NoCompiler { .. }
                | SourceError::NoSpace { .. }
                | SourceError::Io { .. }
                | SourceError::Git { .. }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_as_such() {
        for (kind, is_full) in [
            (io::ErrorKind::StorageFull, true),
            (io::ErrorKind::QuotaExceeded, true),
            (io::ErrorKind::PermissionDenied, false),
        ] {
            let error = SourceError::io("write", Path::new("/cache/a"), kind.into());
            assert_eq!(matches!(error, SourceError::NoSpace { .. }), is_full, "{error}");
            assert!(error.is_missing());
        }
    }
}
