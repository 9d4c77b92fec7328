//! Reading one trial's folder.

use std::fs;
use std::io;
use std::path::Path;

use model::{FORMAT, Trial};
use serde::Deserialize;

use crate::error::StoreError;
use crate::id::TRIAL_FILE;

/// What every format has and will have.
#[derive(Deserialize)]
struct Header {
    format: u64,
}

/// Reads the trial of a folder, which bears its ID as name.
pub(crate) fn read(folder: &Path) -> Result<Trial, StoreError> {
    let path = folder.join(TRIAL_FILE);
    let text = fs::read(&path).map_err(|cause| match cause.kind() {
        io::ErrorKind::NotFound => damaged(folder, format!("it has no {TRIAL_FILE}")),
        io::ErrorKind::NotADirectory => damaged(folder, "it is no folder".to_owned()),
        _ => StoreError::io("read", &path, cause),
    })?;
    let trial = parse(&path, &text)?;
    let name = folder.file_name().and_then(|name| name.to_str());
    if name != Some(trial.id.as_str()) {
        let why = format!("its {TRIAL_FILE} is that of trial {}", trial.id);
        return Err(damaged(folder, why));
    }
    Ok(trial)
}

fn parse(path: &Path, text: &[u8]) -> Result<Trial, StoreError> {
    let no_trial = |error: serde_json::Error| damaged(path, error.to_string());
    let header: Header = serde_json::from_slice(text).map_err(no_trial)?;
    if header.format > u64::from(FORMAT) {
        return Err(StoreError::Newer {
            path: path.to_owned(),
            found: header.format,
            known: FORMAT,
        });
    }
    serde_json::from_slice(text).map_err(no_trial)
}

fn damaged(path: &Path, why: String) -> StoreError {
    StoreError::Damaged { path: path.to_owned(), why }
}
