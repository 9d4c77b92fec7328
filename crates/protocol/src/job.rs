//! The job: what the agent does, in order, with nothing left to decide.

use std::collections::BTreeMap;

use model::case::Phase;
use model::settings::FillStyle;

use crate::workload::{Watch, Workload};
use serde::{Deserialize, Serialize};

/// A trial as the agent gets it. Done in the order of the fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// How results leave the guest.
    pub results: Results,
    /// Guest time from here to the end of the last phase, ns; then the trial is broken.
    pub limit_ns: u64,
    /// The seed's harmless perturbation.
    pub perturbation: Perturbation,
    /// Modules to load, in this order.
    pub modules: Vec<ModuleLoad>,
    /// Values for files under `/proc/sys`, by their dotted names.
    pub sysctl: BTreeMap<String, String>,
    /// The disks to make.
    pub disks: Vec<Disk>,
    /// How filesystems are made.
    pub mkfs: Mkfs,
    /// The filesystem's name for mount(2).
    pub mount_type: String,
    /// Mount options, comma-separated.
    pub mount_options: String,
    /// What occupies each filesystem after `mount`, before the next phase; not timed.
    pub fill: Option<Fill>,
    /// All phases.
    pub phases: Vec<Phase>,
    /// What the phases do.
    pub workload: Workload,
    /// A look from inside, in a pass of its own.
    pub watch: Option<Watch>,
    /// [`WITH_SYMBOLS`] or [`WITHOUT_SYMBOLS`].
    pub symbols: u8,
}

/// `/proc/kallsyms` is sent after the last phase. A digit, like its opposite, so that the job's text
/// and every instruction up to there are the same either way (a JSON parser treats 0 apart).
pub const WITH_SYMBOLS: u8 = 2;

/// It is not sent.
pub const WITHOUT_SYMBOLS: u8 = 1;

/// How results leave the guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Results {
    /// The plugin copies the buffer named by a marker.
    Plugin,
    /// Hexadecimal lines on the serial console, after the last phase.
    Serial,
}

/// What a seed shifts, alike for every variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Perturbation {
    /// Hexadecimal bytes, credited to the kernel's pool as entropy.
    pub entropy: String,
    /// Idle time before the first phase, ns.
    pub idle_ns: u64,
    /// Memory that the agent touches and holds, bytes.
    pub hold_bytes: u64,
    /// By how much the environment of the programs that are run is larger, bytes.
    pub environment_bytes: u64,
}

/// A module of the payload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleLoad {
    /// Path below [`crate::PAYLOAD_ROOT`].
    pub path: String,
    /// Parameters, as on insmod's command line.
    pub parameters: String,
    /// Whether the kernel may refuse it: only soft dependencies ask for it.
    pub optional: bool,
}

/// A `null_blk` disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disk {
    /// Size in MiB.
    pub size_mib: u64,
    /// MiB/s; 0 is unlimited.
    pub mbps: u32,
    /// Time of a request, ns.
    pub latency_ns: u64,
    /// Whether it has a volatile write cache.
    pub cache: bool,
    /// The largest request that it takes, in KiB; see the host's disk model.
    pub max_request_kib: u32,
    /// Whether each block is written once before the first phase.
    pub prewrite: bool,
}

/// A mkfs program with its arguments; the device comes last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mkfs {
    /// Path of the program below [`crate::PAYLOAD_ROOT`].
    pub program: String,
    /// Arguments before the device.
    pub arguments: Vec<String>,
}

/// What occupies a filesystem.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fill {
    /// Percentage of the filesystem's blocks, 1 to 99.
    pub percent: u32,
    /// How.
    pub style: FillStyle,
}
