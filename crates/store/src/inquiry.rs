//! What is asked, takes many trials to answer, and is kept as two documents of a folder: what is
//! asked, from the beginning, and what was found, once it has ended.
//!
//! Comparisons and bisections are such. What they have in common stands here and in `begin`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use model::FORMAT;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::archive::Archive;
use crate::document::to_text;
use crate::error::{Kind, StoreError};
use crate::find::{Miss, resolve};
use crate::folder;
use crate::id::{LAST, check_id};
use crate::staging::{keep, refused, sync_folder, write_whole};

/// What was found of something that was asked.
pub(crate) trait Inquiry: Serialize + DeserializeOwned {
    /// What is asked.
    type Question: Clone + PartialEq + Serialize + DeserializeOwned;

    /// What sentences call it.
    const KIND: Kind;
    /// The file that holds what is asked.
    const QUESTION_FILE: &str;
    /// The file that holds what was found.
    const FOUND_FILE: &str;

    /// Its ID.
    fn id(&self) -> &str;

    /// What was asked.
    fn question(&self) -> &Self::Question;

    /// The folder of all such.
    fn all(archive: &Archive) -> &Path;
}

/// What the file holds that says what is asked.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Asked<Q> {
    pub(crate) format: u32,
    pub(crate) id: String,
    pub(crate) question: Q,
}

/// What was found, or what is asked where it has not ended.
pub(crate) enum Read<F: Inquiry> {
    Ended(F),
    Asked(F::Question),
}

/// All that an archive holds of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Inquiries<F, Q> {
    /// Those that have ended, oldest first.
    pub ended: Vec<F>,
    /// Those that were begun and have not ended, by their IDs, with what they ask; oldest first.
    pub unfinished: Vec<(String, Q)>,
    /// What stands among them and cannot be read, each with the reason in a sentence that names
    /// it.
    pub unreadable: Vec<(PathBuf, String)>,
}

impl<F, Q> Default for Inquiries<F, Q> {
    fn default() -> Self {
        Inquiries { ended: Vec::new(), unfinished: Vec::new(), unreadable: Vec::new() }
    }
}

impl Archive {
    /// Keeps what was found, and returns its folder. One that was not begun is kept whole.
    pub(crate) fn keep_found<F: Inquiry>(&self, found: &F) -> Result<PathBuf, StoreError> {
        let id = found.id();
        check_id(id, F::KIND.one())?;
        let folder = F::all(self).join(id);
        let failed = |cause| StoreError::io("write", &folder, cause);
        let text = to_text(found).map_err(failed)?;
        let file = (F::FOUND_FILE, text.as_slice());
        if !folder.exists() {
            make::<F>(self)?;
            let asked = asked_text(found.question(), id).map_err(failed)?;
            return keep(F::KIND, F::all(self), id, &[(F::QUESTION_FILE, &asked), file]);
        }
        let target = folder.join(F::FOUND_FILE);
        if target.exists() {
            return Err(StoreError::Exists { of: F::KIND, id: id.to_owned(), path: target });
        }
        write_whole(&target, &text).map_err(|cause| refused(F::KIND, &folder, &[file], cause))?;
        Ok(folder)
    }

    /// What was found under that ID, or the only one that begins so; `None` where none does.
    pub(crate) fn found<F: Inquiry>(&self, id_or_prefix: &str) -> Result<Option<F>, StoreError> {
        let names = names::<F>(self)?;
        if id_or_prefix.is_empty() || id_or_prefix == LAST {
            return Ok(None);
        }
        match resolve(&names, id_or_prefix) {
            Ok(id) => match read::<F>(&F::all(self).join(id))? {
                Read::Ended(found) => Ok(Some(found)),
                Read::Asked(_) => Err(StoreError::Unfinished { of: F::KIND, id: id.to_owned() }),
            },
            Err(Miss::Ambiguous { candidates }) => Err(StoreError::Ambiguous {
                of: F::KIND,
                wanted: id_or_prefix.to_owned(),
                candidates,
            }),
            Err(Miss::Empty | Miss::Unknown { .. }) => Ok(None),
        }
    }

    /// All of that kind.
    pub(crate) fn all_found<F: Inquiry>(&self) -> Result<Inquiries<F, F::Question>, StoreError> {
        let mut all = Inquiries::default();
        for name in names::<F>(self)? {
            let path = F::all(self).join(&name);
            match read::<F>(&path) {
                Ok(Read::Ended(found)) => all.ended.push(found),
                Ok(Read::Asked(question)) => all.unfinished.push((name, question)),
                Err(error) => all.unreadable.push((path, error.to_string())),
            }
        }
        Ok(all)
    }
}

/// The names in the folder of all such, oldest first; none where there is no such folder.
pub(crate) fn names<F: Inquiry>(archive: &Archive) -> Result<Vec<String>, StoreError> {
    match folder::names(F::all(archive)) {
        Ok(names) => Ok(names),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(cause) => Err(StoreError::io(F::KIND.listing(), F::all(archive), cause)),
    }
}

/// Archives that are older than this kind have no folder for it.
pub(crate) fn make<F: Inquiry>(archive: &Archive) -> Result<(), StoreError> {
    let folder = F::all(archive);
    if folder.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(folder)
        .and_then(|()| folder.parent().map_or(Ok(()), sync_folder))
        .map_err(|cause| StoreError::io("make", folder, cause))
}

pub(crate) fn has_ended<F: Inquiry>(folder: &Path) -> bool {
    folder.join(F::FOUND_FILE).exists()
}

/// Reads what is asked in a folder.
pub(crate) fn asked<F: Inquiry>(folder: &Path) -> Result<F::Question, StoreError> {
    let asked: Asked<F::Question> = folder::document(F::KIND, folder, F::QUESTION_FILE)?;
    folder::check_name(F::KIND, folder, F::QUESTION_FILE, &asked.id)?;
    Ok(asked.question)
}

fn read<F: Inquiry>(folder: &Path) -> Result<Read<F>, StoreError> {
    if !has_ended::<F>(folder) {
        return asked::<F>(folder).map(Read::Asked);
    }
    let found: F = folder::document(F::KIND, folder, F::FOUND_FILE)?;
    folder::check_name(F::KIND, folder, F::FOUND_FILE, found.id())?;
    Ok(Read::Ended(found))
}

/// The text of the file that says what is asked.
pub(crate) fn asked_text<Q: Clone + Serialize>(question: &Q, id: &str) -> io::Result<Vec<u8>> {
    to_text(&Asked { format: FORMAT, id: id.to_owned(), question })
}
