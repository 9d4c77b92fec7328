//! The agent's job where there is no guest: phases in folders of the running machine.

use model::case::Phase;
use serde::{Deserialize, Serialize};

use crate::workload::{Watch, Workload};

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
    /// All phases; none of them needs a disk of its own.
    pub phases: Vec<Phase>,
    /// What they do.
    pub workload: Workload,
    /// A look from inside, in a pass of its own.
    pub watch: Option<Watch>,
    /// The file that takes what was seen: an inherited descriptor's path.
    pub samples: Option<String>,
    /// The file that takes the machine's environment, likewise.
    pub environment: Option<String>,
}
