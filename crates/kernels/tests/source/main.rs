//! Kernels' sources: what is asked of a repository, and what is laid out in the cache.
#![allow(clippy::unwrap_used, reason = "a fixture that cannot be made is a failed test")]

mod asking;
mod copying;
mod facts;
mod laying_out;
mod linux;
mod patching;
mod ranges;
mod reverting;
mod untouched;
