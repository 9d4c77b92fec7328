//! JSON files with a format number.

use std::io;
use std::path::Path;

use model::FORMAT;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::{Kind, StoreError};

/// What every format has and will have.
#[derive(Deserialize)]
struct Header {
    format: u64,
}

/// The text of a file, as every document of the archive is written.
pub(crate) fn to_text<T: Serialize>(document: &T) -> io::Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(document)?;
    text.push(b'\n');
    Ok(text)
}

/// The document of that text, unless it is of a newer format or none at all.
pub(crate) fn parse<T: DeserializeOwned>(
    of: Kind,
    path: &Path,
    text: &[u8],
) -> Result<T, StoreError> {
    let no_document = |error: serde_json::Error| StoreError::damaged(of, path, error.to_string());
    let header: Header = serde_json::from_slice(text).map_err(no_document)?;
    if header.format > u64::from(FORMAT) {
        return Err(StoreError::Newer {
            path: path.to_owned(),
            found: header.format,
            known: FORMAT,
        });
    }
    serde_json::from_slice(text).map_err(no_document)
}
