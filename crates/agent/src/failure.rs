//! Why a trial cannot go on.

use std::fmt::Display;

use model::BrokenKind;
use protocol::AgentReport;

/// A failure that breaks the trial.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub(crate) struct Failure {
    /// Which kind of breakage.
    pub(crate) kind: BrokenKind,
    /// What failed, on what, why.
    pub(crate) reason: String,
}

impl Failure {
    /// The trial could not be prepared.
    pub(crate) fn setup(reason: impl Into<String>) -> Self {
        Failure { kind: BrokenKind::Setup, reason: reason.into() }
    }

    /// A step of the case failed.
    pub(crate) fn workload(reason: impl Into<String>) -> Self {
        Failure { kind: BrokenKind::Workload, reason: reason.into() }
    }

    /// What is sent to the host.
    #[must_use]
    pub(crate) fn report(self) -> AgentReport {
        AgentReport::Broken { kind: self.kind, reason: self.reason }
    }
}

/// Names what was being done when an error came.
pub(crate) trait While<T> {
    /// A [`Failure::setup`]: "`what`: the error".
    ///
    /// # Errors
    /// The error of `self`.
    fn in_setup(self, what: impl Display) -> Result<T, Failure>;

    /// A [`Failure::workload`]: "`what`: the error".
    ///
    /// # Errors
    /// The error of `self`.
    fn in_workload(self, what: impl Display) -> Result<T, Failure>;
}

impl<T, E: Into<std::io::Error>> While<T> for Result<T, E> {
    fn in_setup(self, what: impl Display) -> Result<T, Failure> {
        self.map_err(|error| Failure::setup(format!("{what}: {}", error.into())))
    }

    fn in_workload(self, what: impl Display) -> Result<T, Failure> {
        self.map_err(|error| Failure::workload(format!("{what}: {}", error.into())))
    }
}
