//! Filesystems that take their settings from another: by `clone`, or by having only a location.

use super::ProfileError;
use super::location::named;
use super::section::{Kind, Section};

/// Whose settings the filesystem `index` has: its own index where it has its own.
///
/// # Errors
/// A clone of no filesystem or of itself, or settings beside a `clone`.
pub(super) fn source(index: usize, filesystems: &[&Section<'_>]) -> Result<usize, ProfileError> {
    let mut at = index;
    for _ in filesystems {
        match next(at, filesystems)? {
            Some(other) => at = other,
            None => return Ok(at),
        }
    }
    let section = filesystems[index];
    let message = format!("{} takes its settings from itself in the end", section.title());
    Err(match section.entry("clone") {
        Some(clone) => clone.line.error(format!("{message}; expected a filesystem with its own")),
        None => section.error(format!("{message}; expected settings of its own")),
    })
}

fn next(index: usize, filesystems: &[&Section<'_>]) -> Result<Option<usize>, ProfileError> {
    let section = filesystems[index];
    if let Some(clone) = section.entry("clone") {
        alone(section)?;
        return named(clone, filesystems).map(Some);
    }
    let bare = section.entries.iter().all(|entry| entry.name == "location");
    let inherits = bare && section.of(Kind::Threadgroup).next().is_none();
    Ok(index.checked_sub(1).filter(|_| inherits))
}

/// The original ignores what stands beside a `clone`.
fn alone(section: &Section<'_>) -> Result<(), ProfileError> {
    let beside = section.entries.iter().find(|entry| !["location", "clone"].contains(&entry.name));
    match beside {
        Some(entry) => Err(entry.line.error(format!(
            "`{}` stands beside `clone`, which takes all settings from elsewhere; expected only one \
             of the two",
            entry.name
        ))),
        None => Ok(()),
    }
}
