//! Trials that need not be run again.

use model::{Fingerprint, Trial, TrialSpec};

use crate::archive::Archive;
use crate::error::StoreError;
use crate::folder;
use crate::key::same_numbers;

impl Archive {
    /// The newest measured trial that such a spec and fingerprint gave. Everything that the numbers
    /// depend on is equal, as [`spec_key`](crate::spec_key) lists it; the case's name, the headline,
    /// the limits and the names of kernel and module files may differ.
    ///
    /// That it would measure the same again holds in the exact place only.
    ///
    /// # Errors
    /// There is no index and the archive's folder cannot be read.
    pub fn known(
        &self,
        spec: &TrialSpec,
        fingerprint: &Fingerprint,
    ) -> Result<Option<Trial>, StoreError> {
        let candidates = match self.index.measured(spec, fingerprint) {
            Some(candidates) => candidates,
            None => self.names()?.into_iter().rev().collect(),
        };
        let mut trials = candidates.iter().filter_map(|id| folder::read(&self.folder(id)).ok());
        Ok(trials.find(|trial| {
            trial.measured().is_some()
                && trial.fingerprint == *fingerprint
                && same_numbers(&trial.spec, spec)
        }))
    }
}
