//! Where trials run, as text: what `--on` takes and specs hold.

/// The exact lab, in which time is virtual and disks are simulated.
pub const EXACT: &str = "exact";

/// What precedes the path of a directory of the running machine.
pub const DIRECTORY: &str = "dir:";

/// The settings that mean something in a directory.
pub const IN_A_DIRECTORY: [&str; 11] = [
    "size",
    "block",
    "rounds",
    "rewrite",
    "disks",
    "oflag",
    "conv",
    "writers",
    "scale",
    "sample.every",
    "stall.limit",
];

/// Whether the place is the exact lab, in which equal trials measure the same nanoseconds.
#[must_use]
pub fn is_exact(place: &str) -> bool {
    place == EXACT
}
