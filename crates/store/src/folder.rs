//! The archive's folders: what is in one, and the names of all.

use std::fs;
use std::io;
use std::path::Path;

use model::Trial;
use serde::de::DeserializeOwned;

use crate::document::parse;
use crate::error::{Kind, StoreError};
use crate::id::TRIAL_FILE;

/// Reads the trial of a folder, which bears its ID as name.
pub(crate) fn read(folder: &Path) -> Result<Trial, StoreError> {
    let trial: Trial = document(Kind::Trial, folder, TRIAL_FILE)?;
    check_name(Kind::Trial, folder, TRIAL_FILE, &trial.id)?;
    Ok(trial)
}

/// Reads a document of a folder.
pub(crate) fn document<T: DeserializeOwned>(
    of: Kind,
    folder: &Path,
    file: &str,
) -> Result<T, StoreError> {
    let path = folder.join(file);
    let text = fs::read(&path).map_err(|cause| match cause.kind() {
        io::ErrorKind::NotFound => StoreError::damaged(of, folder, format!("it has no {file}")),
        io::ErrorKind::NotADirectory => {
            StoreError::damaged(of, folder, "it is no folder".to_owned())
        }
        _ => StoreError::io("read", &path, cause),
    })?;
    parse(of, &path, &text)
}

/// A folder that was copied or renamed by hand is not what its document says.
pub(crate) fn check_name(of: Kind, folder: &Path, file: &str, id: &str) -> Result<(), StoreError> {
    if folder.file_name().and_then(|name| name.to_str()) == Some(id) {
        return Ok(());
    }
    Err(StoreError::damaged(of, folder, format!("its {file} is that of {of} {id}")))
}

/// The names of everything that is no unfinished folder, sorted, and so the oldest first.
pub(crate) fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<io::Result<Vec<String>>>()?;
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    Ok(names)
}
