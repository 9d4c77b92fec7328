//! Bytes become typed evidence here, one file a format.
//!
//! This room opens no file and reads no clock: text comes in, values and notes leave. A parser
//! returns what it understood and a note on each line that it did not; what a kernel does not tell
//! is `None`, never 0. No input makes it panic.
//!
//! Most formats are files below `/proc`, and bear their names. [`samples`] is slowpath's own: the
//! container in which a collector keeps such texts, read moment by moment.

pub mod buddyinfo;
pub mod diskstats;
mod lines;
pub mod meminfo;
mod node_zone;
pub mod pagetypeinfo;
pub mod pid_io;
pub mod pid_sched;
pub mod pid_schedstat;
pub mod pid_stack;
pub mod pid_stat;
pub mod pressure;
pub mod samples;
pub mod vmstat;
pub mod zoneinfo;

/// What a parser understood, with notes on what it did not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed<T> {
    /// What was understood.
    pub value: T,
    /// What was not, a sentence each.
    pub notes: Vec<String>,
}
