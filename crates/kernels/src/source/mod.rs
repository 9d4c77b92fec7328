//! A kernel's source: a revision of a git repository, or a tree, with commits reverted and patches applied.
//!
//! Nothing here writes into the user's repository or tree. What is built is a checkout of our own in the
//! cache, which shares the repository's objects and keeps the times of files that do not change, so that
//! `make` builds anew only what has to be.

mod checkout;
mod child;
mod error;
mod facts;
mod git;
mod hint;
mod own_repository;
mod patched_files;
mod patches;
mod range;
mod repository;
mod reverts;
mod tree_copy;
mod tree_files;

use std::path::PathBuf;

pub use checkout::{Checkout, LaidOut};
pub use error::SourceError;
pub use facts::maintainers;
pub use range::{Range, RangeCommit};
pub use repository::{Commit, Repository};

/// What a kernel is built from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Where the source comes from.
    pub origin: Origin,
    /// Commits that are taken back in it, in this order; only of a repository.
    pub reverts: Vec<String>,
    /// Patch files that are applied after that, in this order.
    pub patches: Vec<PathBuf>,
    /// Files with kernel options on top of the default configuration; a whole `.config` takes its place.
    pub config: Vec<PathBuf>,
}

/// Where a kernel's source comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A revision of a git repository, as git understands it.
    Revision {
        /// A folder of the repository, or a bare one.
        repository: PathBuf,
        /// `v6.12`, a commit, a branch.
        revision: String,
    },
    /// A source tree as it stands, whether or not git knows it.
    Tree(PathBuf),
}
