//! Filesystems by their location.

use super::ProfileError;
use super::entry::Entry;
use super::section::Section;

/// Where a filesystem is.
pub(super) fn location<'s>(section: &'s Section<'_>) -> Result<&'s str, ProfileError> {
    section.text("location").ok_or_else(|| {
        section.error(format!("{} has no `location`; expected its folder", section.title()))
    })
}

/// The filesystem that `entry` names.
pub(super) fn named(
    entry: &Entry<'_>,
    filesystems: &[&Section<'_>],
) -> Result<usize, ProfileError> {
    let text = entry.text().unwrap_or_default();
    let here = |section: &&Section<'_>| section.text("location").is_some_and(|at| same(at, text));
    filesystems.iter().position(here).ok_or_else(|| {
        let known: Vec<&str> = filesystems.iter().filter_map(|fs| fs.text("location")).collect();
        let (name, known) = (entry.name, known.join(", "));
        entry.line.error(format!("`{name}`: no filesystem is at `{text}`; there are {known}"))
    })
}

/// No two filesystems may be at the same place: each would remove what the other built.
pub(super) fn apart(filesystems: &[&Section<'_>]) -> Result<(), ProfileError> {
    for (index, section) in filesystems.iter().enumerate() {
        let Some(entry) = section.entry("location") else {
            return location(section).map(|_| ());
        };
        let first = named(entry, filesystems)?;
        if first < index {
            let (text, other) = (location(section)?, filesystems[first].title());
            let message = format!("`{text}` is the location of {other} already; expected another");
            return Err(entry.line.error(message));
        }
    }
    Ok(())
}

/// Slashes at the end do not make another folder.
fn same(a: &str, b: &str) -> bool {
    a.trim_end_matches('/') == b.trim_end_matches('/')
}
