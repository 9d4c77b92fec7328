//! Where finished trials are kept.

use model::Trial;

/// A place that keeps trials for good.
pub trait Archive: Sync {
    /// Keeps a trial with its attachments (name, bytes), wholly or not at all, before it returns.
    ///
    /// # Errors
    /// When it could not be kept; what was kept before is untouched.
    fn keep(&self, trial: &Trial, attachments: &[(String, Vec<u8>)]) -> Result<(), ArchiveError>;
}

/// A trial that could not be kept.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ArchiveError(pub String);
