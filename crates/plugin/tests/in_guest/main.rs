//! The plugin in a real QEMU, with a guest that is a few instructions in the place of its firmware.
//!
//! `SLOWPATH_QEMU` names another QEMU than the one on the path. Without any, nothing is tested.
#![cfg(target_arch = "x86_64")]

mod frames;
mod guest;
mod probes;
mod profile;
#[path = "../qemu/mod.rs"]
mod qemu;
mod samples;
