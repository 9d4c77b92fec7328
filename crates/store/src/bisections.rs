//! Bisections: what is asked of them, and what they found.

use std::path::{Path, PathBuf};

use model::{Bisection, Hunt};

use crate::archive::Archive;
use crate::begin::Begun;
use crate::error::{Kind, StoreError};
use crate::inquiry::{Inquiries, Inquiry};

/// The bisections that an archive holds.
pub type Bisections = Inquiries<Bisection, Hunt>;

impl Inquiry for Bisection {
    type Question = Hunt;

    const KIND: Kind = Kind::Bisection;
    const QUESTION_FILE: &str = "hunt.json";
    const FOUND_FILE: &str = "bisection.json";

    fn id(&self) -> &str {
        &self.id
    }

    fn question(&self) -> &Hunt {
        &self.hunt
    }

    fn all(archive: &Archive) -> &Path {
        &archive.bisections
    }
}

impl Archive {
    /// Begins a bisection. If one with an equal hunt was begun, has not ended, and no living program
    /// holds it, the newest such goes on; else there is a new one of the ID `fresh_id`.
    ///
    /// # Errors
    /// A bisection of the fresh ID is there, or the ID is not plain; no room; or the system refuses,
    /// for example to lock.
    pub fn begin_bisection(&self, hunt: &Hunt, fresh_id: &str) -> Result<Begun, StoreError> {
        self.begin_or_go_on::<Bisection>(hunt, fresh_id)
    }

    /// Keeps what a bisection found, and returns its folder. When this returns `Ok`, all is on the
    /// disk; at any other time the bisection has not ended. One that was not begun is kept whole.
    ///
    /// One that is kept is not gone on with: what was interrupted and is to go on is not kept.
    ///
    /// # Errors
    /// The bisection has ended before; its ID is not plain; no room; or the system refuses.
    pub fn finish_bisection(&self, bisection: &Bisection) -> Result<PathBuf, StoreError> {
        self.keep_found(bisection)
    }

    /// The bisection of that ID, or the only one whose ID begins so; `None` where none does.
    ///
    /// # Errors
    /// Several match, or the one that does has not ended or cannot be read.
    pub fn bisection(&self, id_or_prefix: &str) -> Result<Option<Bisection>, StoreError> {
        self.found(id_or_prefix)
    }

    /// All bisections. One that is damaged, or of a newer format, is named and hides no other.
    ///
    /// # Errors
    /// The archive's folder cannot be read.
    pub fn bisections(&self) -> Result<Bisections, StoreError> {
        self.all_found()
    }
}
