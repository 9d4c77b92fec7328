//! The agent's bytes depend on its own rooms alone, so that a change to the program does not move the nanoseconds.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Rooms that are none of the agent's, each with a file that is changed.
const OTHERS: [&str; 8] =
    ["slowpath", "lab", "report", "store", "experiment", "kernels", "plugin", "analysis"];

/// What a build needs.
const PARTS: [&str; 7] =
    ["Cargo.toml", "Cargo.lock", "crates", "scripts", "xtask", "rust-toolchain.toml", ".cargo"];

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).expect("a folder");
        for entry in fs::read_dir(from).expect("a folder").flatten() {
            // A crate may have been built in its own folder.
            if entry.file_name() != "target" {
                copy(&entry.path(), &to.join(entry.file_name()));
            }
        }
    } else {
        fs::copy(from, to).expect("a copy");
    }
}

/// A copy of the sources in a folder of that name.
fn copied(folder: &Path, name: &str) -> PathBuf {
    let copied = folder.join(name);
    fs::create_dir(&copied).expect("a folder");
    for part in PARTS.iter().filter(|part| workspace().join(part).exists()) {
        copy(&workspace().join(part), &copied.join(part));
    }
    copied
}

fn build(workspace: &Path) -> Vec<u8> {
    let target = workspace.join("target");
    let mut build = Command::new(workspace.join("scripts/build-agent"));
    build.env("CARGO_TARGET_DIR", &target).env("CARGO_NET_OFFLINE", "true");
    // Cargo sets these for the test itself.
    for name in ["CARGO_MANIFEST_DIR", "CARGO_PKG_VERSION", "RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"]
    {
        build.env_remove(name);
    }
    let output = build.output().expect("the script starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    fs::read(target.join("debug/slowpath-agent")).expect("the agent")
}

/// Adds a function to a room's library, and a dependency-free file to its crate.
fn change(crates: &Path, room: &str) -> bool {
    let source = ["src/lib.rs", "src/main.rs"].map(|file| crates.join(room).join(file));
    let Some(file) = source.into_iter().find(|file| file.is_file()) else { return false };
    let text = fs::read_to_string(&file).expect("a source file");
    let added = "\n/// Not there before.\n#[must_use]\npub fn added() -> u64 {\n    47\n}\n";
    fs::write(&file, text + added).expect("a change");
    true
}

#[test]
fn a_change_in_other_rooms_leaves_the_agents_bytes_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let plain = copied(folder.path(), "plain");
    // Another path of another length: neither may reach the bytes.
    let changed = copied(folder.path(), "changed-elsewhere");
    let count = OTHERS.iter().filter(|room| change(&changed.join("crates"), room)).count();
    assert!(count >= 6, "only {count} rooms were changed");
    let (plain, changed) = (build(&plain), build(&changed));
    assert!(plain.len() > 100_000, "{} bytes are no agent", plain.len());
    assert!(plain == changed, "the agent's bytes moved");
}
