//! What is told of a profile that cannot be used.

use std::fmt;

/// A profile that cannot be used: where, why, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileError {
    /// Line from 1; `None` where the whole profile lacks something.
    pub line: Option<usize>,
    /// The text of that line.
    pub source_line: String,
    /// What is wrong and what was expected.
    pub message: String,
}

impl ProfileError {
    /// An error of no single line.
    pub(super) fn whole(message: impl Into<String>) -> Self {
        ProfileError { line: None, source_line: String::new(), message: message.into() }
    }
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => {
                write!(f, "line {line}: {}\n  {line} | {}", self.message, self.source_line)
            }
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for ProfileError {}
