//! The plugin in a real QEMU, with a machine that has nothing in it.
//!
//! `SLOWPATH_QEMU` names another QEMU than the one on the path. Without any, nothing is tested.

use std::env;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// The plugin beside this test's own executable.
fn plugin() -> PathBuf {
    let executable = env::current_exe().expect("a test knows its executable");
    let path = executable.with_file_name("libslowpath_plugin.so");
    assert!(path.exists(), "cargo has not built {}", path.display());
    path
}

/// QEMU with these arguments for the plugin, told to quit; `None` without QEMU.
fn qemu(arguments: &str) -> Option<Output> {
    let qemu = env::var_os("SLOWPATH_QEMU").unwrap_or_else(|| "qemu-system-x86_64".into());
    let spawned = Command::new(&qemu)
        .args(["-M", "none", "-accel", "tcg", "-nodefaults", "-display", "none"])
        .args(["-monitor", "stdio", "-plugin"])
        .arg(format!("{}{arguments}", plugin().display()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match spawned {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return None;
        }
        spawned => spawned.expect("QEMU starts"),
    };
    // QEMU that refuses the plugin does not read this.
    let _ = child.stdin.take().expect("stdin is a pipe").write_all(b"quit\n");
    Some(child.wait_with_output().expect("QEMU ends"))
}

/// Takes one frame off the front.
fn frame<'a>(bytes: &mut &'a [u8]) -> (u8, &'a [u8]) {
    let (length, rest) = bytes.split_first_chunk().expect("a length");
    let (kind, rest) = rest.split_first().expect("a kind");
    let (payload, rest) = rest.split_at(u32::from_le_bytes(*length) as usize);
    *bytes = rest;
    (*kind, payload)
}

#[test]
fn a_run_without_a_guest_says_hello_and_ends() {
    for profile in ["on", "off"] {
        let Some(output) = qemu(&format!(",fd=2,profile={profile},stop=on,shift=1")) else {
            return;
        };
        assert!(output.status.success(), "{output:?}");
        let mut bytes = output.stderr.as_slice();
        let (kind, text) = frame(&mut bytes);
        let text = std::str::from_utf8(text).expect("hello is UTF-8");
        assert_eq!(kind, 1);
        assert!(text.starts_with(&format!("plugin={}\n", env!("CARGO_PKG_VERSION"))), "{text}");
        for line in [&format!("profile={profile}"), "target=x86_64", "shift=1"] {
            assert!(text.lines().any(|l| l == line), "no {line} in {text}");
        }
        assert_eq!(frame(&mut bytes), (5, [0; 24].as_slice()));
        assert!(bytes.is_empty(), "{bytes:?}");
    }
}

#[test]
fn qemu_does_not_start_with_arguments_that_mean_nothing() {
    let table = [
        ("", "argument `fd` is missing"),
        (",fd=99", "cannot write to descriptor 99: Bad file descriptor"),
        (",fd=2,profile=perhaps", "bad argument `profile=perhaps`: the value must be on or off"),
        (",fd=2,hlt=off", "unknown argument `hlt=off`"),
    ];
    for (arguments, wanted) in table {
        let Some(output) = qemu(arguments) else { return };
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments}: {said}");
        assert!(said.contains(&format!("slowpath plugin: {wanted}")), "{arguments}: {said}");
    }
}
