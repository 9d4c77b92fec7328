//! The agent's job where there is no guest: phases in folders of the running machine.

use model::case::Phase;
use model::settings::Rewrite;
use serde::{Deserialize, Serialize};

/// What `slowpath-agent phases` reads from standard input, as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostJob {
    /// The format's number, [`model::FORMAT`]: program and agent are files of their own, of which one
    /// may be older.
    pub format: u32,
    /// Time from the start to the end of the last phase, ns; then the trial is broken.
    pub limit_ns: u64,
    /// The folders to write into, one after the other. They are there and empty.
    pub folders: Vec<String>,
    /// The disks below them by their names in `/proc/diskstats`; empty where they are unknown.
    pub disks: Vec<String>,
    /// All phases; each writes or syncs.
    pub phases: Vec<Phase>,
    /// Bytes that a writing phase writes into each folder.
    pub size: u64,
    /// Bytes of one write.
    pub block: u64,
    /// What becomes of the file of the round before.
    pub rewrite: Rewrite,
}
