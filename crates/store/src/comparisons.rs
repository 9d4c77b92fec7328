//! Comparisons that have ended.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use model::{Comparison, Question};

use crate::archive::Archive;
use crate::document::to_text;
use crate::error::{Kind, StoreError};
use crate::find::{Miss, resolve};
use crate::folder;
use crate::id::{COMPARISON_FILE, LAST, QUESTION_FILE, check_id};
use crate::question::{asked, has_ended, question_text};
use crate::staging::{keep, refused, sync_folder, write_whole};

/// The comparisons that an archive holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparisons {
    /// Those that have ended, oldest first.
    pub ended: Vec<Comparison>,
    /// Those that were begun and have not ended, by their IDs, with what they ask; oldest first.
    pub unfinished: Vec<(String, Question)>,
    /// What stands among them and cannot be read, each with the reason in a sentence that names
    /// it.
    pub unreadable: Vec<(PathBuf, String)>,
}

impl Archive {
    /// Keeps what a comparison found, and returns its folder. When this returns `Ok`, all is on the
    /// disk; at any other time the comparison has not ended. One that was not begun, since all its
    /// trials were there, is kept whole.
    ///
    /// # Errors
    /// The comparison has ended before; its ID is not plain; no room; or the system refuses.
    pub fn finish(&self, comparison: &Comparison) -> Result<PathBuf, StoreError> {
        let id = comparison.id.as_str();
        check_id(id, "a comparison")?;
        let folder = self.comparisons.join(id);
        let failed = |cause| StoreError::io("write", &folder, cause);
        let text = to_text(comparison).map_err(failed)?;
        let found = (COMPARISON_FILE, text.as_slice());
        if !folder.exists() {
            self.make_comparisons()?;
            let question = question_text(&comparison.question, id).map_err(failed)?;
            return keep(
                Kind::Comparison,
                &self.comparisons,
                id,
                &[(QUESTION_FILE, &question), found],
            );
        }
        let target = folder.join(COMPARISON_FILE);
        if target.exists() {
            return Err(StoreError::Exists {
                of: Kind::Comparison,
                id: id.to_owned(),
                path: target,
            });
        }
        write_whole(&target, &text)
            .map_err(|cause| refused(Kind::Comparison, &folder, &[found], cause))?;
        Ok(folder)
    }

    /// The comparison of that ID, or the only one whose ID begins so; `None` where none does.
    ///
    /// # Errors
    /// Several match, or the one that does has not ended or cannot be read.
    pub fn comparison(&self, id_or_prefix: &str) -> Result<Option<Comparison>, StoreError> {
        let names = self.comparison_names()?;
        if id_or_prefix.is_empty() || id_or_prefix == LAST {
            return Ok(None);
        }
        match resolve(&names, id_or_prefix) {
            Ok(id) => match read(&self.comparisons.join(id))? {
                Read::Ended(comparison) => Ok(Some(comparison)),
                Read::Asked(_) => Err(StoreError::Unfinished { id: id.to_owned() }),
            },
            Err(Miss::Ambiguous { candidates }) => Err(StoreError::Ambiguous {
                of: Kind::Comparison,
                wanted: id_or_prefix.to_owned(),
                candidates,
            }),
            Err(Miss::Empty | Miss::Unknown { .. }) => Ok(None),
        }
    }

    /// All comparisons. One that is damaged, or of a newer format, is named and hides no other.
    ///
    /// # Errors
    /// The archive's folder cannot be read.
    pub fn comparisons(&self) -> Result<Comparisons, StoreError> {
        let mut all = Comparisons::default();
        for name in self.comparison_names()? {
            let path = self.comparisons.join(&name);
            match read(&path) {
                Ok(Read::Ended(comparison)) => all.ended.push(comparison),
                Ok(Read::Asked(question)) => all.unfinished.push((name, question)),
                Err(error) => all.unreadable.push((path, error.to_string())),
            }
        }
        Ok(all)
    }

    /// The names in the folder of all comparisons, oldest first; none where there is no such folder.
    pub(crate) fn comparison_names(&self) -> Result<Vec<String>, StoreError> {
        match folder::names(&self.comparisons) {
            Ok(names) => Ok(names),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(cause) => Err(StoreError::io("list the comparisons in", &self.comparisons, cause)),
        }
    }

    /// Archives that are older than comparisons have no folder for them.
    pub(crate) fn make_comparisons(&self) -> Result<(), StoreError> {
        let folder = &self.comparisons;
        if folder.is_dir() {
            return Ok(());
        }
        fs::create_dir_all(folder)
            .and_then(|()| folder.parent().map_or(Ok(()), sync_folder))
            .map_err(|cause| StoreError::io("make", folder, cause))
    }
}

/// A comparison, or what is asked where it has not ended.
enum Read {
    Ended(Comparison),
    Asked(Question),
}

fn read(folder: &Path) -> Result<Read, StoreError> {
    if !has_ended(folder) {
        return asked(folder).map(|asked| Read::Asked(asked.question));
    }
    let comparison: Comparison = folder::document(Kind::Comparison, folder, COMPARISON_FILE)?;
    folder::check_name(Kind::Comparison, folder, COMPARISON_FILE, &comparison.id)?;
    Ok(Read::Ended(comparison))
}
