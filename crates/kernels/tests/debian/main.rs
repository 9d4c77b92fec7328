//! The room on Debian's kernels, with a package client that plays its part.
#![allow(clippy::unwrap_used, reason = "a fixture that cannot be made is a failed test")]

mod fetching;
mod offline;
mod refusing;
mod stage;
