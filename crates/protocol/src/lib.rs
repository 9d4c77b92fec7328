//! What host and agent say to each other.
//!
//! The host hands a [`Job`] (JSON) and a payload (a cpio archive, newc) to the guest through
//! QEMU's `fw_cfg` device; the agent answers with messages on numbered channels, carried out by the
//! emulator's plugin or, where that cannot be, over the serial console ([`serial`]). Where the guest
//! stands is told by [`marker`] instructions.
//!
//! On a host, where there is no guest, the agent is a program: it reads a [`HostJob`] from standard
//! input and prints an [`AgentReport`], both as JSON.

mod host_job;
pub mod job;
pub mod marker;
pub mod serial;
mod workload;

pub use host_job::HostJob;
pub use job::{
    Disk, Fill, Job, Mkfs, ModuleLoad, Perturbation, Results, WITH_SYMBOLS, WITHOUT_SYMBOLS,
};
pub use workload::{Ffsb, Watch, Workload, Writing};

use model::{BrokenKind, Measurements};
use serde::{Deserialize, Serialize};

/// The `fw_cfg` name under which the job lies.
pub const JOB_FILE: &str = "opt/slowpath/job";

/// The `fw_cfg` name under which the payload lies.
pub const PAYLOAD_FILE: &str = "opt/slowpath/payload";

/// Where the agent unpacks the payload in the guest.
pub const PAYLOAD_ROOT: &str = "/payload";

/// The channels on which the agent sends.
pub mod channel {
    /// A [`super::AgentReport`] as JSON; the last message of a trial.
    pub const REPORT: u8 = 1;
    /// The kernel's log as text.
    pub const KERNEL_LOG: u8 = 2;
    /// `/proc/kallsyms`, asked for by [`super::Job::symbols`].
    pub const SYMBOLS: u8 = 3;
    /// What programs printed (mkfs) as text.
    pub const OUTPUT: u8 = 4;
    /// `/proc/modules`: where the modules lie.
    pub const MODULES: u8 = 5;
    /// Samples of a pass that looks from inside, in `evidence::samples`' form; in pieces, to be put
    /// together in their order.
    pub const SAMPLES: u8 = 6;
    /// The machine's environment as text, in a pass that looks from inside.
    pub const ENVIRONMENT: u8 = 7;
}

/// How a trial ended where it was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AgentReport {
    /// All phases ran.
    Measured(Measurements),
    /// Something failed.
    Broken {
        /// Which kind of breakage.
        kind: BrokenKind,
        /// What failed, on what, why.
        reason: String,
    },
}
