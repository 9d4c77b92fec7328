//! Comparisons that begin, or go on where an earlier program stopped.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

use model::{FORMAT, Question, Trial};
use serde::{Deserialize, Serialize};

use crate::archive::Archive;
use crate::document::to_text;
use crate::error::{Kind, StoreError};
use crate::folder;
use crate::id::{COMPARISON_FILE, LOCK_FILE, QUESTION_FILE, check_id};
use crate::leftovers;
use crate::staging::{Staging, refused};

/// What `question.json` holds.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Asked {
    pub(crate) format: u32,
    pub(crate) id: String,
    pub(crate) question: Question,
}

/// A comparison that this program works on. No other continues it until this is dropped.
#[derive(Debug)]
pub struct Begun {
    /// The comparison's ID, which its trials bear as their set.
    pub id: String,
    /// Its trials so far, oldest first; broken ones among them.
    pub trials: Vec<Trial>,
    /// The lock ends with the file, also when the program is killed.
    _lock: File,
}

impl Archive {
    /// Begins a comparison. If one with an equal question was begun, has not ended, and no living
    /// program holds it, the newest such goes on; else there is a new one of the ID `fresh_id`.
    ///
    /// # Errors
    /// A comparison of the fresh ID is there, or the ID is not plain; no room; or the system
    /// refuses, for example to lock.
    pub fn begin(&self, question: &Question, fresh_id: &str) -> Result<Begun, StoreError> {
        check_id(fresh_id, "a comparison")?;
        for id in self.comparison_names()?.iter().rev() {
            if self.is_unfinished(id, question)
                && let Some(lock) = self.locked(id)?
            {
                return self.begun(id, lock);
            }
        }
        let lock = self.new_comparison(question, fresh_id)?;
        Ok(Begun { id: fresh_id.to_owned(), trials: Vec::new(), _lock: lock })
    }

    /// The question of the comparison of that ID, if it can be read.
    pub(crate) fn question(&self, id: &str) -> Option<Question> {
        asked(&self.comparisons.join(id)).ok().map(|asked| asked.question)
    }

    fn is_unfinished(&self, id: &str, question: &Question) -> bool {
        !has_ended(&self.comparisons.join(id)) && self.question(id).as_ref() == Some(question)
    }

    /// The lock of an unfinished comparison; `None` where another program holds it or has ended it.
    fn locked(&self, id: &str) -> Result<Option<File>, StoreError> {
        let folder = self.comparisons.join(id);
        let path = folder.join(LOCK_FILE);
        let refused = |cause| StoreError::io("lock", &path, cause);
        let file = File::options().create(true).append(true).open(&path).map_err(refused)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file).filter(|_| !has_ended(&folder))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(cause)) => Err(refused(cause)),
        }
    }

    fn begun(&self, id: &str, lock: File) -> Result<Begun, StoreError> {
        let members = self.members()?;
        let of_set = members.iter().filter(|member| member.set == id);
        let trials = of_set.filter_map(|member| folder::read(&self.folder(&member.trial)).ok());
        Ok(Begun { id: id.to_owned(), trials: trials.collect(), _lock: lock })
    }

    /// Makes the folder of a new comparison, locked from the moment at which others see it.
    fn new_comparison(&self, question: &Question, id: &str) -> Result<File, StoreError> {
        self.make_comparisons()?;
        leftovers::sweep(&self.comparisons);
        let target = self.comparisons.join(id);
        let write = || -> io::Result<File> {
            if target.exists() {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            let text = question_text(question, id)?;
            let staging = Staging::new(&self.comparisons, id)?;
            staging.write(QUESTION_FILE, &text)?;
            let lock = staging.lock(LOCK_FILE)?;
            staging.finish(&target)?;
            Ok(lock)
        };
        write().map_err(|cause| refused(Kind::Comparison, &target, &[], cause))
    }
}

pub(crate) fn has_ended(folder: &Path) -> bool {
    folder.join(COMPARISON_FILE).exists()
}

/// Reads what is asked in the folder of a comparison.
pub(crate) fn asked(folder: &Path) -> Result<Asked, StoreError> {
    let asked: Asked = folder::document(Kind::Comparison, folder, QUESTION_FILE)?;
    folder::check_name(Kind::Comparison, folder, QUESTION_FILE, &asked.id)?;
    Ok(asked)
}

/// The text of `question.json`.
pub(crate) fn question_text(question: &Question, id: &str) -> io::Result<Vec<u8>> {
    to_text(&Asked { format: FORMAT, id: id.to_owned(), question: question.clone() })
}
