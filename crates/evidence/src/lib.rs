//! Bytes become typed evidence here, one file a format.
//!
//! This room opens no file and reads no clock: text comes in, values and notes leave. A parser
//! returns what it understood and a note on each line that it did not; what a kernel does not tell
//! is `None`, never 0. No input makes it panic.

pub mod diskstats;
pub mod pid_io;

/// What a parser understood, with notes on what it did not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed<T> {
    /// What was understood.
    pub value: T,
    /// What was not, a sentence each.
    pub notes: Vec<String>,
}
