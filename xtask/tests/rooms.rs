//! Who may use whom: the table of `ARCHITECTURE.md`, held against `cargo metadata`.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

/// A room and the rooms that it may use. What only tests use is not held.
const ROOMS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("evidence", &["model"]),
    ("protocol", &["model"]),
    ("agent", &["model", "evidence", "protocol"]),
    ("analysis", &["model"]),
    ("kernels", &["model", "evidence"]),
    ("experiment", &["model", "evidence", "analysis"]),
    ("lab", &["model", "protocol", "kernels", "experiment"]),
    ("store", &["model", "experiment"]),
    ("report", &["model", "analysis"]),
    ("slowpath-plugin", &[]),
    (
        "slowpath",
        &[
            "model",
            "evidence",
            "analysis",
            "protocol",
            "agent",
            "kernels",
            "experiment",
            "lab",
            "store",
            "report",
        ],
    ),
    ("xtask", &["model", "slowpath"]),
];

/// The rooms that open no file, start no process and read no clock.
const PURE: &[&str] = &["model", "evidence", "analysis", "report"];

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    serde_json::from_slice(&output.stdout).expect("cargo prints JSON")
}

fn name(package: &Value) -> &str {
    package["name"].as_str().expect("a name")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).expect("a list")
}

/// For each crate of ours, what it depends on outside tests.
fn uses() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = metadata();
    let packages = list(&metadata["packages"]);
    let ours: BTreeSet<&str> = packages.iter().map(name).collect();
    let needs = |package: &Value| {
        let all = list(&package["dependencies"]).iter();
        let normal = all.filter(|dependency| dependency["kind"].as_str() != Some("dev"));
        let names = normal.map(|dependency| name(dependency).to_owned());
        names.filter(|name| ours.contains(name.as_str())).collect()
    };
    packages.iter().map(|package| (name(package).to_owned(), needs(package))).collect()
}

#[test]
fn a_room_uses_only_the_rooms_that_it_may() {
    let allowed: BTreeMap<&str, BTreeSet<&str>> =
        ROOMS.iter().map(|(room, may)| (*room, may.iter().copied().collect())).collect();
    for (room, used) in uses() {
        let may =
            allowed.get(room.as_str()).unwrap_or_else(|| panic!("{room} has no line in ROOMS"));
        for other in used {
            assert!(may.contains(other.as_str()), "{room} may not use {other}");
        }
    }
}

/// `model`, `evidence`, `analysis` and `report` get what they work on handed in.
#[test]
fn pure_rooms_touch_neither_files_nor_processes_nor_clocks() {
    let crates = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates");
    for room in PURE {
        let mut folders = vec![format!("{crates}/{room}/src").into()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir::<std::path::PathBuf>(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]").next().unwrap();
                for word in ["std::fs", "std::process", "std::net", "SystemTime", "Instant::now"] {
                    assert!(!code.contains(word), "{} uses {word}", path.display());
                }
            }
        }
    }
}
