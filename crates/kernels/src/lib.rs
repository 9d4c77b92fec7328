//! Kernels that the lab can boot, and their modules.
//!
//! This room finds a kernel in a file, in an unpacked package, in a build tree or among those that
//! are installed, or fetches one of Debian's. It reads what the image says of itself, unpacks it, and
//! says which modules must be loaded in which order, with each one's plain ELF bytes.
//!
//! It also makes readable what was copied out of a running kernel: addresses ([`Symbols`]), structs
//! ([`Layout`]) and stacks ([`Unwinder`]); and the functions of users' programs ([`Program`]).
//!
//! [`Debian`] fetches (it runs the package client) and [`Builds`] builds (it runs git and make), both in the cache; nothing
//! else here writes files or starts processes, but for git, which [`Repository`] asks. The rest reads files, runs neither
//! `depmod` nor `modprobe`, and nothing here knows of cases, trials or the emulator.

mod alias;
mod btf;
mod build;
mod builtin;
mod compression;
mod debian;
mod error;
mod image;
mod installed;
mod kernel;
mod layout;
mod locate;
mod modinfo;
mod module;
mod name;
mod program;
mod pvh;
mod resolve;
mod setup_header;
mod source;
mod symbols;
mod tree;
mod unwind;
mod version;
mod with_us;

pub use btf::{Layout, LayoutError, Member};
pub use build::{Builds, Built, build_needs};
pub use debian::{Debian, Offer};
pub use error::KernelError;
pub use image::{release, vmlinux};
pub use kernel::Kernel;
pub use modinfo::{ModuleInfo, module_info};
pub use module::{Module, check_vermagic, read_module, without_signature};
pub use program::Program;
pub use pvh::has_pvh_entry;
pub use source::{
    Checkout, Commit, LaidOut, Origin, Range, RangeCommit, Repository, Source, SourceError,
    maintainers,
};
pub use symbols::{Place, Symbols, is_function};
pub use tree::ModuleTree;
pub use unwind::{Registers, UnwindError, Unwinder, Unwound};
