//! Where finished trials are kept.

use model::{Fingerprint, Trial, TrialSpec};

/// A place that keeps trials for good.
pub trait Archive: Sync {
    /// Keeps a trial with its attachments (name, bytes), wholly or not at all, before it returns.
    ///
    /// # Errors
    /// When it could not be kept; what was kept before is untouched.
    fn keep(&self, trial: &Trial, attachments: &[(String, Vec<u8>)]) -> Result<(), ArchiveError>;

    /// Adds files to a trial that was kept, each wholly or not at all; one of the same name is
    /// replaced.
    ///
    /// # Errors
    /// When one could not be kept; the trial is untouched.
    fn attach(&self, trial: &str, attachments: &[(String, Vec<u8>)]) -> Result<(), ArchiveError>;

    /// A file of that name beside a trial; `None` where there is none.
    ///
    /// # Errors
    /// When the archive cannot be read.
    fn attachment(&self, trial: &str, name: &str) -> Result<Option<Vec<u8>>, ArchiveError>;

    /// A measured trial that was kept and depended on the same: in an exact place another one
    /// would measure the same nanoseconds.
    ///
    /// # Errors
    /// When the archive cannot be read.
    fn known(
        &self,
        spec: &TrialSpec,
        fingerprint: &Fingerprint,
    ) -> Result<Option<Trial>, ArchiveError>;
}

/// A trial that could not be kept, or an archive that could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ArchiveError(pub String);
