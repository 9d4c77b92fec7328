//! The places in which trials run.
//!
//! [`Exact`] is the exact lab: a kernel in QEMU's microvm machine whose clock counts instructions,
//! with disks simulated in the guest. `exact` leads through a trial; beneath it, `prepare` turns a
//! spec into files and arguments, `conduct` runs the machine, and `states` keeps booted machines.
//!
//! [`Dir`] is a directory of the running machine.

mod channels;
mod child;
mod conduct;
mod config;
mod dir;
mod disk_model;
mod emulator;
mod exact;
mod filesystems;
mod fit;
mod fit_memory;
mod frames;
mod hash;
mod images;
mod initramfs;
mod job;
mod luggage;
mod machine;
mod memfile;
mod observe;
mod payload;
mod prepare;
mod profile;
mod qmp;
mod seeds;
mod session;
mod sources;
mod states;
mod symbol_cache;
mod tools;
mod watch;

pub use config::Config;
pub use dir::Dir;
pub use emulator::{Emulator, Without};
pub use exact::Exact;
pub use filesystems::{Recipe, recipe};
pub use sources::{is_revision, source};
pub use tools::find_program;
