//! The room on kernels built from source, with a tree and a compiler that play their part.
#![allow(clippy::unwrap_used, reason = "a fixture that cannot be made is a failed test")]

mod building;
mod configuring;
#[allow(dead_code, reason = "modules are made by hand for other tests")]
#[path = "../fixtures/elf.rs"]
mod elf;
mod ending;
mod failing;
mod real;
mod stage;
