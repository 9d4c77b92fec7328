//! The program's exit codes; scripts rely on them.

use std::fmt;
use std::process::ExitCode;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done = 0,
    /// A variant is worse; or a recipe's numbers came out otherwise though nothing that they
    /// depend on differs.
    Worse = 1,
    /// Wrong input; nothing was run.
    Usage = 2,
    /// The question cannot be answered: too much noise, or a recipe's fingerprint differs.
    CannotTell = 3,
    /// Something needed is missing.
    Missing = 4,
    /// At least one trial is broken.
    Broken = 5,
    /// A signal ended the run.
    Interrupted = 130,
}

impl Exit {
    /// The code that `git bisect run` understands: good, bad, skip this commit; and a code that
    /// stops the bisection instead of condemning a commit for trouble of ours.
    pub(crate) fn for_git_bisect(self) -> ExitCode {
        ExitCode::from(match self {
            Exit::Done => 0,
            Exit::Worse => 1,
            Exit::CannotTell | Exit::Broken => 125,
            Exit::Usage | Exit::Missing | Exit::Interrupted => 129,
        })
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// Why the program cannot go on: the code and what to tell.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
    /// Whoever read our output has read enough.
    pub(crate) closed_pipe: bool,
}

impl Failure {
    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        Failure { exit: Exit::Usage, message: message.to_string(), closed_pipe: false }
    }

    pub(crate) fn interrupted(message: impl fmt::Display) -> Self {
        Failure { exit: Exit::Interrupted, message: message.to_string(), closed_pipe: false }
    }

    pub(crate) fn missing(message: impl fmt::Display) -> Self {
        Failure { exit: Exit::Missing, message: message.to_string(), closed_pipe: false }
    }
}

impl From<experiment::PlaceError> for Failure {
    fn from(error: experiment::PlaceError) -> Self {
        match error {
            experiment::PlaceError::Refused(message) => Failure::usage(message),
            experiment::PlaceError::Missing(message) | experiment::PlaceError::Host(message) => {
                Failure::missing(message)
            }
        }
    }
}

impl From<experiment::RunError> for Failure {
    fn from(error: experiment::RunError) -> Self {
        match error {
            experiment::RunError::Place(error) => error.into(),
            experiment::RunError::Archive(error) => Failure::missing(error),
        }
    }
}

impl From<store::StoreError> for Failure {
    fn from(error: store::StoreError) -> Self {
        match error {
            // What was typed names nothing, or too much.
            store::StoreError::Unknown { .. }
            | store::StoreError::UnknownSet { .. }
            | store::StoreError::NoVariant { .. }
            | store::StoreError::Unfinished { .. }
            | store::StoreError::Ambiguous { .. }
            | store::StoreError::Empty { .. }
            | store::StoreError::Name { .. } => Failure::usage(error),
            _ => Failure::missing(error),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        let closed_pipe = error.kind() == std::io::ErrorKind::BrokenPipe;
        Failure { closed_pipe, ..Failure::missing(format!("cannot write: {error}")) }
    }
}
