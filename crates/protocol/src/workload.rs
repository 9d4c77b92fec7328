//! What phases do, in a guest and on a host alike.

use model::ffsb::Profile;
use model::settings::{Condition, Flush, OpenFlags, Rewrite};
use serde::{Deserialize, Serialize};

/// What the phases of a trial need to know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workload {
    /// How a writing phase writes.
    pub writing: Writing,
    /// What the ffsb phases follow.
    pub ffsb: Option<Ffsb>,
    /// To what a step `age` brings the memory.
    pub age: Condition,
}

/// How a writing phase writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Writing {
    /// Bytes that each writer writes into each folder.
    pub size: u64,
    /// Bytes of one write.
    pub block: u64,
    /// What becomes of the file of the round before.
    pub rewrite: Rewrite,
    /// What the file is opened with besides.
    pub oflag: OpenFlags,
    /// What is called before the file is closed.
    pub conv: Flush,
    /// Streams at once, each into a file of its own.
    pub writers: u32,
}

impl Writing {
    /// The file of a writer, counted from 0: `file` for the first, `file.2` for the second.
    #[must_use]
    pub fn file_of(file: &str, writer: u32) -> String {
        match writer {
            0 => file.to_owned(),
            writer => format!("{file}.{}", writer + 1),
        }
    }
}

/// A profile as it is run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ffsb {
    /// The profile, with as many filesystems as there are folders, in their order.
    pub profile: Profile,
    /// How long its threads work, ns.
    pub time_ns: u64,
    /// From what random choices are drawn.
    pub seed: u64,
}

/// How a pass looks from inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watch {
    /// How often, ns.
    pub every_ns: u64,
    /// After how long without a completed call stacks are looked at more often, ns.
    pub stall_ns: u64,
}
