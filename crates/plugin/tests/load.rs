//! The plugin in a real QEMU, with a machine that has nothing in it.
//!
//! `SLOWPATH_QEMU` names another QEMU than the one on the path. Without any, nothing is tested.

mod qemu;

use std::io::{ErrorKind, Write};
use std::process::{Command, Output, Stdio};

/// QEMU with these arguments for the plugin, told to quit; `None` without QEMU.
fn run(arguments: &str) -> Option<Output> {
    let spawned = Command::new(qemu::program())
        .args(["-M", "none", "-accel", "tcg", "-nodefaults", "-display", "none"])
        .args(["-monitor", "stdio", "-plugin"])
        .arg(format!("{}{arguments}", qemu::plugin().display()))
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

#[test]
fn a_run_without_a_guest_says_hello_and_ends() {
    for profile in ["on", "off"] {
        let Some(output) = run(&format!(",fd=2,profile={profile},stop=on,shift=1")) else {
            return;
        };
        assert!(output.status.success(), "{output:?}");
        let frames = qemu::frames(&output.stderr);
        let [(1, text), (5, counts)] = frames.as_slice() else { panic!("{frames:?}") };
        let text = std::str::from_utf8(text).expect("hello is UTF-8");
        assert!(text.starts_with(&format!("plugin={}\n", env!("CARGO_PKG_VERSION"))), "{text}");
        for line in
            [&format!("profile={profile}"), "target=x86_64", "shift=1", "probes=0", "sample=0"]
        {
            assert!(text.lines().any(|l| l == line), "no {line} in {text}");
        }
        assert_eq!(*counts, [0; 24]);
    }
}

#[test]
fn long_arguments_arrive_whole() {
    let piece = "/di+540>+fffffffffffffff8>+8:16";
    let probe = |id| format!(",probe={id}@ffffffff8100898{id}~1000000{}", piece.repeat(10));
    let probes: String = (0..6).map(probe).collect();
    assert!(probes.len() > 1500, "{}", probes.len());
    let Some(output) = run(&format!(",fd=2{probes}")) else { return };
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("probes=6\n"), "{said}");
    let Some(output) = run(",fd=2,sample=50021/sp+0:4096^16384") else { return };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("sample=50021\n"), "{said}");
    let Some(output) = run(&format!(",fd=2{probes}/di")) else { return };
    assert_eq!(output.status.code(), Some(1), "the last piece is read");
}

#[test]
fn qemu_does_not_start_with_arguments_that_mean_nothing() {
    let table = [
        ("", "argument `fd` is missing"),
        (",fd=99", "cannot write to descriptor 99: Bad file descriptor"),
        (",fd=2,profile=perhaps", "bad argument `profile=perhaps`: the value must be on or off"),
        (
            ",fd=2,sample=999",
            "bad argument `sample=999`: the value must be N[/PIECE]... with N from 1000",
        ),
        (",fd=2,hlt=off", "unknown argument `hlt=off`"),
        (
            ",fd=2,probe=1@401000",
            "bad argument `probe=1@401000`: the value must be ID@ADDRESS[~NS][/PIECE]... with a kernel",
        ),
    ];
    for (arguments, wanted) in table {
        let Some(output) = run(arguments) else { return };
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments}: {said}");
        assert!(said.contains(&format!("slowpath plugin: {wanted}")), "{arguments}: {said}");
    }
}
