//! Finding the plugin and QEMU, and reading what the plugin wrote.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

/// The plugin beside this test's own executable.
pub(crate) fn plugin() -> PathBuf {
    let executable = env::current_exe().expect("a test knows its executable");
    let path = executable.with_file_name("libslowpath_plugin.so");
    assert!(path.exists(), "cargo has not built {}", path.display());
    path
}

/// The QEMU to test with, which may not be there.
pub(crate) fn program() -> OsString {
    env::var_os("SLOWPATH_QEMU").unwrap_or_else(|| "qemu-system-x86_64".into())
}

/// The frames, as kind and payload.
pub(crate) fn frames(mut bytes: &[u8]) -> Vec<(u8, &[u8])> {
    let mut frames = Vec::new();
    while !bytes.is_empty() {
        let (length, rest) = bytes.split_first_chunk().expect("a length");
        let (kind, rest) = rest.split_first().expect("a kind");
        let (payload, rest) = rest.split_at(u32::from_le_bytes(*length) as usize);
        frames.push((*kind, payload));
        bytes = rest;
    }
    frames
}
