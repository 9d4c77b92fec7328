//! What did not build, so that it is not tried again.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::source::SourceError;

/// Errors that the same source, configuration and compiler give each time, by the kernel's key: those of this
/// program, and in `failed-KEY.json` beside the kernels those of the compiler. Who wants it tried again all the same
/// removes that file.
#[derive(Debug)]
pub(crate) struct Failures {
    folder: PathBuf,
    known: Mutex<HashMap<String, SourceError>>,
}

/// What is kept of a kernel that does not build.
#[derive(Deserialize, Serialize)]
struct Kept {
    first: String,
    tail: Vec<String>,
    log: PathBuf,
}

/// Words of a compiler that was ended or has failed itself: that says nothing of the source.
const NOT_THE_SOURCE: [&str; 3] = ["Killed", "internal compiler error", "Cannot allocate memory"];

impl Failures {
    /// Those that are kept in `folder`, which need not exist.
    pub(crate) fn new(folder: PathBuf) -> Failures {
        Failures { folder, known: Mutex::default() }
    }

    /// The error that this kernel gave.
    pub(crate) fn of(&self, key: &str) -> Option<SourceError> {
        let failures = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        failures.get(key).and_then(lasting).or_else(|| self.kept(key))
    }

    /// Remembers the error, if it would come again.
    pub(crate) fn remember(&self, key: &str, error: &SourceError) {
        if let Some(error) = lasting(error) {
            self.keep(key, &error);
            let mut failures = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            failures.insert(key.to_owned(), error);
        }
    }

    fn kept(&self, key: &str) -> Option<SourceError> {
        let kept = serde_json::from_slice(&fs::read(self.file(key)).ok()?);
        let Kept { first, tail, log } = kept.ok()?;
        Some(SourceError::DoesNotBuild { first, tail, log })
    }

    /// What cannot be kept is found out again.
    fn keep(&self, key: &str, error: &SourceError) {
        let SourceError::DoesNotBuild { first, tail, log } = error else { return };
        let words = tail.iter().chain([first]);
        if words.clone().any(|line| NOT_THE_SOURCE.iter().any(|word| line.contains(word))) {
            return;
        }
        let kept = Kept { first: first.clone(), tail: tail.clone(), log: log.clone() };
        if let Ok(text) = serde_json::to_vec(&kept) {
            let _ = fs::write(self.file(key), text);
        }
    }

    fn file(&self, key: &str) -> PathBuf {
        self.folder.join(format!("failed-{key}.json"))
    }
}

/// A copy of an error that the source itself is to blame for.
fn lasting(error: &SourceError) -> Option<SourceError> {
    match error {
        SourceError::Refused { options, advice } => {
            Some(SourceError::Refused { options: options.clone(), advice: advice.clone() })
        }
        SourceError::DoesNotBuild { first, tail, log } => Some(SourceError::DoesNotBuild {
            first: first.clone(),
            tail: tail.clone(),
            log: log.clone(),
        }),
        _ => None,
    }
}
