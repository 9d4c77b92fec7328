//! What did not build, so that it is not tried again in this program.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::source::SourceError;

/// Errors that the same source, configuration and compiler give each time, by the kernel's key.
#[derive(Debug, Default)]
pub(crate) struct Failures(Mutex<HashMap<String, SourceError>>);

impl Failures {
    /// The error that this kernel gave.
    pub(crate) fn of(&self, key: &str) -> Option<SourceError> {
        let failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        failures.get(key).and_then(lasting)
    }

    /// Remembers the error, if it would come again.
    pub(crate) fn remember(&self, key: &str, error: &SourceError) {
        if let Some(error) = lasting(error) {
            let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            failures.insert(key.to_owned(), error);
        }
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
