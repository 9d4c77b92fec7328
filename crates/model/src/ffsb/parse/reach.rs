//! Whether the operations of a thread group find files, and files that are long enough. The original
//! ends in the midst of the run where they do not.

use std::ops::Range;

use super::ProfileError;
use super::options::weight;
use super::section::Section;
use crate::ffsb::{Fileset, Op, Profile, ThreadGroup};

/// The operations of a group find what they work on.
pub(super) fn files(
    section: &Section<'_>,
    group: &ThreadGroup,
    profile: &Profile,
) -> Result<(), ProfileError> {
    for op in group.weights.iter().map(|weight| weight.op) {
        for index in reached(group, profile) {
            let fileset = &profile.filesystems[index];
            let why = missing(op, index, profile).or_else(|| short(op, group, fileset));
            if let Some(why) = why {
                let name = weight(op);
                let message = format!("`{name}` {why}");
                let at = section.entry(&name).map(|entry| entry.line.error(&message));
                return Err(at.unwrap_or_else(|| section.error(&message)));
            }
        }
    }
    Ok(())
}

/// The filesystems on which a group works.
fn reached(group: &ThreadGroup, profile: &Profile) -> Range<usize> {
    match group.bindfs {
        Some(index) => index..index + 1,
        None => 0..profile.filesystems.len(),
    }
}

fn makes_file(op: Op) -> bool {
    matches!(op, Op::Create | Op::CreateFsync)
}

/// Whether no file is there when the run begins, and none is made in it.
fn missing(op: Op, index: usize, profile: &Profile) -> Option<String> {
    let fileset = &profile.filesystems[index];
    let built = fileset.num_files > 0 || fileset.init_size.is_some() || fileset.init_util.is_some();
    let creates = |group: &ThreadGroup| {
        reached(group, profile).contains(&index)
            && group.weights.iter().any(|weight| makes_file(weight.op))
    };
    let idle = makes_file(op) || op == Op::Createdir;
    if idle || built || profile.threadgroups.iter().any(creates) {
        return None;
    }
    let location = &fileset.location;
    Some(format!(
        "wants files, but {location} has none and none are created; expected `num_files` there"
    ))
}

/// Whether the smallest file is shorter than what the operation reads or overwrites.
fn short(op: Op, group: &ThreadGroup, fileset: &Fileset) -> Option<String> {
    let (name, bytes) = match op {
        Op::Read => ("read_size", read_reach(group)),
        Op::Write | Op::WriteFsync => ("write_size", group.write_size),
        _ => return None,
    };
    let (smallest, location) = (smallest(fileset), &fileset.location);
    (bytes > smallest).then(|| {
        format!(
            "goes over {bytes} bytes of a file, but the smallest on {location} has {smallest}; \
             expected a smaller `{name}` or larger files"
        )
    })
}

/// How far a `read` goes into a file: its blocks, and what it skips between them.
fn read_reach(group: &ThreadGroup) -> u64 {
    if !group.read_skip {
        return group.read_size;
    }
    let skips = group.read_size.saturating_sub(1) / group.read_blocksize.max(1);
    group.read_size.saturating_add(skips.saturating_mul(group.read_skipsize))
}

/// Bytes of the smallest file that there may be.
fn smallest(fileset: &Fileset) -> u64 {
    let weighed = fileset.size_weights.iter().map(|weight| weight.size).min();
    weighed.unwrap_or(fileset.min_filesize)
}

/// Bytes of the largest file that there may be.
pub(super) fn largest(fileset: &Fileset) -> u64 {
    let weighed = fileset.size_weights.iter().map(|weight| weight.size).max();
    weighed.unwrap_or(fileset.max_filesize)
}
