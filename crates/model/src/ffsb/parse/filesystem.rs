//! `[filesystem]` sections.

use super::entry::Entry;
use super::section::Section;
use super::value::Value;
use super::{ProfileError, ageing, inherit, location, reach};
use crate::ffsb::{Fileset, SizeWeight};

/// The original's block while a fileset is built.
const CREATE_BLOCKSIZE: u64 = 4096;

/// The filesets of all filesystems, with nothing left to inherit.
pub(super) fn filesets(sections: &[&Section<'_>]) -> Result<Vec<Fileset>, ProfileError> {
    location::apart(sections)?;
    let fileset = |(index, section): (usize, &&Section<'_>)| {
        ageing::refuse(section)?;
        let settings = sections[inherit::source(index, sections)?];
        let location = location::location(section)?.to_owned();
        Ok(Fileset { location, ..own(settings)? })
    };
    sections.iter().enumerate().map(fileset).collect()
}

/// What a section itself says.
fn own(section: &Section<'_>) -> Result<Fileset, ProfileError> {
    let size_weights = size_weights(section);
    let (min_filesize, max_filesize) = sizes(section, !size_weights.is_empty())?;
    let num_files = section.number("num_files").unwrap_or(0);
    let counted = num_files > 0;
    let given = |name| section.number(name).filter(|number| *number > 0);
    let init_size = given("init_size").filter(|_| !counted);
    let util = given("init_util").filter(|_| !counted && init_size.is_none());
    let fileset = Fileset {
        location: String::new(),
        num_files,
        num_dirs: section.number("num_dirs").unwrap_or(0),
        reuse: section.flag("reuse"),
        min_filesize,
        max_filesize,
        size_weights,
        create_blocksize: at_least_1(section, "create_blocksize", CREATE_BLOCKSIZE, "4096")?,
        init_size,
        init_util: util.and_then(|thousandths| u32::try_from(thousandths).ok()),
    };
    ends(section, &fileset)?;
    Ok(fileset)
}

fn size_weights(section: &Section<'_>) -> Vec<SizeWeight> {
    let weighed = section.entries.iter().filter_map(|entry| match entry.value {
        Value::SizeWeight(weight) => Some(weight),
        _ => None,
    });
    weighed.collect()
}

/// The smallest and the largest size.
fn sizes(section: &Section<'_>, weighed: bool) -> Result<(u64, u64), ProfileError> {
    let (min, max) = (section.entry("min_filesize"), section.entry("max_filesize"));
    let number = |entry: Option<&Entry<'_>>| entry.map_or(0, Entry::number);
    let sizes = (number(min), number(max));
    match (min, max) {
        (Some(min), Some(max)) if sizes.0 > sizes.1 => {
            let later = if min.line.number > max.line.number { min } else { max };
            Err(later.line.error(format!(
                "`min_filesize` is {} and `max_filesize` {}; expected the least first",
                sizes.0, sizes.1
            )))
        }
        (Some(min), None) if sizes.0 > 0 && !weighed => Err(min
            .line
            .error("`min_filesize` stands without `max_filesize`, which is 0 then; expected both")),
        // Where sizes have weights, these two decide nothing.
        _ => Ok((sizes.0, sizes.1.max(sizes.0))),
    }
}

/// What an option says; `default` where it is left out, which stands for `meaning`.
fn at_least_1(
    section: &Section<'_>,
    name: &str,
    default: u64,
    meaning: &str,
) -> Result<u64, ProfileError> {
    match section.entry(name) {
        Some(entry) if entry.number() == 0 => Err(entry.line.error(format!(
            "`{name}` is 0; expected at least 1, or that it is left out for {meaning}"
        ))),
        Some(entry) => Ok(entry.number()),
        None => Ok(default),
    }
}

/// Files without content would never fill what `init_size` or `init_util` asks for.
fn ends(section: &Section<'_>, fileset: &Fileset) -> Result<(), ProfileError> {
    let asked = match (fileset.init_size, fileset.init_util) {
        (Some(_), _) => section.entry("init_size"),
        (None, Some(_)) => section.entry("init_util"),
        (None, None) => None,
    };
    match asked.filter(|_| reach::largest(fileset) == 0) {
        Some(entry) => Err(entry.line.error(format!(
            "`{}` wants files with content, but all are empty; expected `max_filesize` or \
             `size_weight`",
            entry.name
        ))),
        None => Ok(()),
    }
}
