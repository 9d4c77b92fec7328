//! Watching a guest from outside: the plugin's probes at the kernel's own functions become a trace of
//! task switches, wake-ups, disk requests and memory.
//!
//! Nothing of it takes guest time. Where the kernel's structs lie comes from its BTF, where its
//! functions are from the `/proc/kallsyms` of the same boot.

mod memory;
mod probes;
mod requests;
mod stacks;
mod tasks;
mod tracer;

pub(crate) use probes::Probes;
pub(crate) use tracer::Tracer;
