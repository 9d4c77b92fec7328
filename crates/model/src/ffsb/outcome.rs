//! What a run of a profile did.

use serde::{Deserialize, Serialize};

use super::{Call, Op};

/// What the threads did between the clock's start and their end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The operations that the profile weighs, in [`Op::ALL`]'s order.
    pub ops: Vec<OpCount>,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Times of system calls, in [`Call::ALL`]'s order; empty where the profile keeps none.
    pub calls: Vec<CallTimes>,
}

/// How often an operation was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpCount {
    /// Which.
    pub op: Op,
    /// Operations begun and ended.
    pub done: u64,
    /// What the original counts: reads and writes count each call, others each operation.
    pub transactions: u64,
    /// Bytes that it read or wrote.
    pub bytes: u64,
}

/// The times of one kind of system call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallTimes {
    /// Which.
    pub call: Call,
    /// Calls.
    pub count: u64,
    /// The shortest, ns.
    pub least_ns: u64,
    /// All together, ns.
    pub total_ns: u64,
    /// The longest, ns.
    pub greatest_ns: u64,
    /// Calls in each of the profile's ranges, in its order.
    pub in_ranges: Vec<u64>,
}
