//! What can go wrong with what the unwinder reads.

/// Why an unwinder cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnwindError {
    /// The image cannot be read.
    #[error("the kernel's stacks cannot be unwound: {reason}; hand over its uncompressed vmlinux")]
    Vmlinux {
        /// What is wrong.
        reason: String,
    },
    /// A module cannot be read.
    #[error(
        "stacks through module {name} cannot be unwound: {reason}; hand over the plain .ko file that was loaded, or leave the module out"
    )]
    Module {
        /// The module.
        name: String,
        /// What is wrong.
        reason: String,
    },
}
