//! Comparisons: what is asked of them, and what they found.

use std::path::{Path, PathBuf};

use model::{Comparison, Question};

use crate::archive::Archive;
use crate::begin::Begun;
use crate::error::{Kind, StoreError};
use crate::inquiry::{Inquiries, Inquiry, asked};

/// The comparisons that an archive holds.
pub type Comparisons = Inquiries<Comparison, Question>;

impl Inquiry for Comparison {
    type Question = Question;

    const KIND: Kind = Kind::Comparison;
    const QUESTION_FILE: &str = "question.json";
    const FOUND_FILE: &str = "comparison.json";

    fn id(&self) -> &str {
        &self.id
    }

    fn question(&self) -> &Question {
        &self.question
    }

    fn all(archive: &Archive) -> &Path {
        &archive.comparisons
    }
}

impl Archive {
    /// Begins a comparison. If one with an equal question was begun, has not ended, and no living
    /// program holds it, the newest such goes on; else there is a new one of the ID `fresh_id`.
    ///
    /// # Errors
    /// A comparison of the fresh ID is there, or the ID is not plain; no room; or the system
    /// refuses, for example to lock.
    pub fn begin(&self, question: &Question, fresh_id: &str) -> Result<Begun, StoreError> {
        self.begin_or_go_on::<Comparison>(question, fresh_id)
    }

    /// Keeps what a comparison found, and returns its folder. When this returns `Ok`, all is on the
    /// disk; at any other time the comparison has not ended. One that was not begun, since all its
    /// trials were there, is kept whole.
    ///
    /// # Errors
    /// The comparison has ended before; its ID is not plain; no room; or the system refuses.
    pub fn finish(&self, comparison: &Comparison) -> Result<PathBuf, StoreError> {
        self.keep_found(comparison)
    }

    /// The comparison of that ID, or the only one whose ID begins so; `None` where none does.
    ///
    /// # Errors
    /// Several match, or the one that does has not ended or cannot be read.
    pub fn comparison(&self, id_or_prefix: &str) -> Result<Option<Comparison>, StoreError> {
        self.found(id_or_prefix)
    }

    /// All comparisons. One that is damaged, or of a newer format, is named and hides no other.
    ///
    /// # Errors
    /// The archive's folder cannot be read.
    pub fn comparisons(&self) -> Result<Comparisons, StoreError> {
        self.all_found()
    }

    /// The question of the comparison of that ID, if it can be read.
    pub(crate) fn question(&self, id: &str) -> Option<Question> {
        asked::<Comparison>(&self.comparisons.join(id)).ok()
    }
}
