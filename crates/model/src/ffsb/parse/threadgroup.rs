//! `[threadgroup]` sections.

use super::section::Section;
use super::value::Value;
use super::{ProfileError, location};
use crate::ffsb::{Op, OpWeight, ThreadGroup};

/// All thread groups, each with something to do.
pub(super) fn all(
    sections: &[&Section<'_>],
    filesystems: &[&Section<'_>],
) -> Result<Vec<ThreadGroup>, ProfileError> {
    sections.iter().map(|section| group(section, filesystems)).collect()
}

fn group(section: &Section<'_>, filesystems: &[&Section<'_>]) -> Result<ThreadGroup, ProfileError> {
    let number = |name| section.number(name).unwrap_or(0);
    let bound = section.entry("bindfs").map(|entry| location::named(entry, filesystems));
    Ok(ThreadGroup {
        num_threads: num_threads(section)?,
        bindfs: bound.transpose()?,
        op_delay: number("op_delay"),
        read_random: section.flag("read_random"),
        read_skip: section.flag("read_skip"),
        read_size: number("read_size"),
        read_blocksize: number("read_blocksize"),
        read_skipsize: number("read_skipsize"),
        write_random: section.flag("write_random"),
        write_size: number("write_size"),
        write_blocksize: number("write_blocksize"),
        fsync_file: section.flag("fsync_file"),
        weights: weights(section)?,
    })
}

fn num_threads(section: &Section<'_>) -> Result<u32, ProfileError> {
    let Some(entry) = section.entry("num_threads") else {
        let title = section.title();
        return Err(section.error(format!("{title} has no `num_threads`; expected 1 or more")));
    };
    let number = u32::try_from(entry.number()).ok().filter(|number| *number > 0);
    number.ok_or_else(|| entry.line.error("`num_threads` is 0; expected 1 or more"))
}

/// The operations that are done, in the original's order.
fn weights(section: &Section<'_>) -> Result<Vec<OpWeight>, ProfileError> {
    let mut weights = Vec::new();
    for entry in &section.entries {
        match entry.value {
            Value::Weight(OpWeight { weight: 0, .. }) => {}
            Value::Weight(OpWeight { op: Op::Metaop, .. }) => {
                return Err(entry.line.error(
                    "`metaop_weight`: metaop is not supported; all other operations are, of those \
                     on folders createdir",
                ));
            }
            Value::Weight(weight) => weights.push(weight),
            _ => {}
        }
    }
    weights.sort_by_key(|weight| weight.op);
    match weights.is_empty() {
        true => Err(section.error(format!(
            "{} does nothing; expected the weight of an operation, such as `create_weight = 1`",
            section.title()
        ))),
        false => Ok(weights),
    }
}
