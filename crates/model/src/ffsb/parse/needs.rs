//! What an operation needs of its thread group, and `O_DIRECT` of both.

use super::options::weight;
use super::section::Section;
use super::{ProfileError, entry::Entry};
use crate::ffsb::{Op, ThreadGroup};

/// What `O_DIRECT` wants offsets and lengths to be multiples of, as the original has it.
const ALIGNMENT: u64 = 4096;

const BLOCKS: [&str; 4] =
    ["create_blocksize", "read_blocksize", "read_skipsize", "write_blocksize"];

/// The options without which an operation cannot be done.
fn needed(op: Op) -> &'static [&'static str] {
    match op {
        Op::Read => &["read_size", "read_blocksize"],
        Op::Readall => &["read_blocksize"],
        Op::Write | Op::WriteFsync | Op::Append | Op::AppendFsync => {
            &["write_size", "write_blocksize"]
        }
        Op::Create | Op::CreateFsync | Op::Writeall | Op::WriteallFsync => &["write_blocksize"],
        Op::Delete | Op::Metaop | Op::Createdir | Op::Stat | Op::OpenClose => &[],
    }
}

/// Each operation of a group has what it needs.
pub(super) fn options(
    section: &Section<'_>,
    group: &ThreadGroup,
    directio: bool,
) -> Result<(), ProfileError> {
    for op in group.weights.iter().map(|weight| weight.op) {
        for name in needed(op) {
            let entry = present(section, op, name)?;
            if directio {
                aligned(entry)?;
            }
        }
    }
    skips(section)
}

fn present<'s, 'a>(
    section: &'s Section<'a>,
    op: Op,
    name: &str,
) -> Result<&'s Entry<'a>, ProfileError> {
    let weight = weight(op);
    match section.entry(name) {
        Some(entry) if entry.number() > 0 => Ok(entry),
        Some(entry) => {
            let message = format!("`{name}` is 0, but `{weight}` needs it; expected 1 or more");
            Err(entry.line.error(message))
        }
        None => {
            let message = format!("`{weight}` needs `{name}`; expected it in {}", section.title());
            Err(section
                .entry(&weight)
                .map_or_else(|| section.error(&message), |at| at.line.error(&message)))
        }
    }
}

fn skips(section: &Section<'_>) -> Result<(), ProfileError> {
    let Some(skip) = section.entry("read_skip").filter(|skip| skip.number() > 0) else {
        return Ok(());
    };
    if section.flag("read_random") {
        let message = "`read_skip` and `read_random` exclude each other; expected only one of them";
        return Err(skip.line.error(message));
    }
    match section.number("read_skipsize") {
        None | Some(0) => {
            let message = "`read_skip` needs `read_skipsize`; expected 1 or more bytes of it";
            Err(skip.line.error(message))
        }
        Some(_) => Ok(()),
    }
}

/// With `directio`, every block is a multiple of 4 KiB.
pub(super) fn aligned_blocks<'s, 'a: 's>(
    sections: impl Iterator<Item = &'s &'s Section<'a>>,
) -> Result<(), ProfileError> {
    let entries = sections.flat_map(|section| &section.entries);
    entries.filter(|entry| BLOCKS.contains(&entry.name)).try_for_each(aligned)
}

fn aligned(entry: &Entry<'_>) -> Result<(), ProfileError> {
    if entry.number().is_multiple_of(ALIGNMENT) {
        return Ok(());
    }
    let (name, bytes) = (entry.name, entry.number());
    Err(entry.line.error(format!(
        "`{name}` is {bytes}, but with `directio` all is read and written in multiples of {ALIGNMENT} \
         bytes; expected one"
    )))
}
