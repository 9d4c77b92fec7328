//! Watching a guest from outside: the plugin's probes at the kernel's own functions become a trace of
//! task switches, wake-ups, disk requests and memory, and its samples the call paths that ran.
//!
//! Nothing of it takes guest time. Where the kernel's structs lie comes from its BTF, where its
//! functions are from the `/proc/kallsyms` of the same boot, and users' code is known by its bytes.

mod memory;
mod probes;
mod programs;
mod requests;
mod samples;
mod stacks;
mod tasks;
mod tracer;
mod user_code;

pub(crate) use probes::Probes;
pub(crate) use programs::{NamedProgram, programs, vdso};
pub(crate) use tracer::Tracer;
pub(crate) use user_code::{UserCode, is_kernel};
