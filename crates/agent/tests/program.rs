//! The agent's program as it is called on a host.

use std::process::{Command, Output};

fn agent(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_slowpath-agent"))
        .args(arguments)
        .output()
        .expect("the agent starts")
}

#[test]
fn a_stream_is_printed_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let name = file.to_str().unwrap();
    let out = agent(&["stream", name, "--size", "1M", "--block", "1k"]);
    assert_eq!(out.status.code(), Some(0));
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(json["bytes"], 1 << 20);
    assert!(json["wall_ns"].as_u64() > Some(0));
    assert_eq!(std::fs::metadata(&file).unwrap().len(), 1 << 20);
}

#[test]
fn wrong_arguments_and_failed_writes_have_their_own_codes() {
    let wrong = agent(&["stream"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("Usage:"));
    let failed = agent(&["stream", "/dev/full", "--size", "1k", "--block", "1k"]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&failed.stderr).contains("No space left"));
}

#[test]
fn the_version_is_told() {
    let out = agent(&["--version"]);
    assert!(String::from_utf8_lossy(&out.stdout).starts_with("slowpath-agent "));
}
