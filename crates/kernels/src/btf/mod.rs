//! How a kernel's data is laid out in memory, from the type information that it carries: BTF.
//!
//! Source: the kernel's `Documentation/bpf/btf.rst` and `include/uapi/linux/btf.h`.

mod kind;
mod layout;
mod section;
mod types;

pub use layout::{Layout, LayoutError, Member};
