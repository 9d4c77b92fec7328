//! slowpath's agent: does a trial where it is measured.
//!
//! In the exact place it is PID 1 of the emulated guest ([`guest`]): it takes a job and a payload from
//! the host, makes disks, runs the phases, and sends what it measured. On a host it is a program
//! ([`command`]) that runs phases in folders that it is given. It knows nothing of cases, seeds,
//! kernels or places, decides nothing, and compares nothing.

mod ageing;
mod aio;
mod boot;
mod children;
mod clock;
pub mod command;
mod disk_write;
mod disks;
mod entropy;
pub mod environment;
mod exec;
mod failure;
mod ffsb;
mod fill;
mod fw_cfg;
mod gaps;
pub mod guest;
mod guest_disks;
mod host;
mod kernel_log;
mod latency;
mod marker;
mod modules;
mod mount_options;
mod mounts;
mod numbered;
mod outbox;
mod pages;
mod payload;
mod phases;
mod ports;
mod stream;
mod syscalls;
mod sysctl;
mod usage;
mod watch;
mod watchdog;
mod whereabouts;
mod writers;
