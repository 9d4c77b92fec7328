//! What the exact lab works with.

use std::path::PathBuf;
use std::sync::Arc;

use kernels::{Builds, Debian};
use model::units::Bytes;

use crate::emulator::Without;

/// What the exact lab works with.
#[derive(Clone, Debug)]
pub struct Config {
    /// QEMU, where it is not the one in PATH.
    pub qemu: Option<PathBuf>,
    /// The agent's file.
    pub agent: PathBuf,
    /// The plugin's file, where there is one.
    pub plugin: Option<PathBuf>,
    /// Where states are kept.
    pub cache: PathBuf,
    /// Where `debian:` kernels come from.
    pub debian: Arc<Debian>,
    /// Where kernels are built from source.
    pub builds: Arc<Builds>,
    /// How large `cache` may become.
    pub cache_limit: Bytes,
    /// Whether instructions are counted by function.
    pub profile: bool,
    /// Whether trials send their kernel's symbols, which an observation will need.
    pub symbols: bool,
    /// What is left out on purpose.
    pub without: Vec<Without>,
    /// Below which `installed:` kernels lie: `/`.
    pub root: PathBuf,
}
