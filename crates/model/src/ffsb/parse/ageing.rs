//! Ageing, which is not supported: refused, unless `agefs = 0` says that it is off.

use super::ProfileError;
use super::section::{Kind, Section};

const INSTEAD: &str =
    "filesets that are built before the run are supported: `num_files`, `init_size`, `init_util`";

/// # Errors
/// What would age a filesystem.
pub(super) fn refuse(section: &Section<'_>) -> Result<(), ProfileError> {
    if let Some(agefs) = section.entry("agefs") {
        return match agefs.number() {
            0 => Ok(()),
            _ => Err(agefs.line.error(format!("`agefs`: ageing is not supported; {INSTEAD}"))),
        };
    }
    if let Some(util) = section.entry("desired_util") {
        let message = format!("`desired_util`: ageing is not supported; {INSTEAD}");
        return Err(util.line.error(message));
    }
    match section.of(Kind::Threadgroup).next() {
        Some(group) => Err(group.error(format!(
            "{} within {} would age it, which is not supported; {INSTEAD}. If it stands for itself, \
             [end] is missing before it",
            group.title(),
            section.title()
        ))),
        None => Ok(()),
    }
}
