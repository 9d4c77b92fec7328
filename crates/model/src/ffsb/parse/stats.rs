//! `[stats]` sections: one account for the whole profile.

use super::ProfileError;
use super::section::{Kind, Section};
use super::value::Value;
use crate::ffsb::Stats;

/// What is kept of the calls' times; nothing where no section asks for it.
///
/// # Errors
/// A section that says something else than the first.
pub(super) fn stats(
    global: &Section<'_>,
    threadgroups: &[&Section<'_>],
) -> Result<Stats, ProfileError> {
    let inner = threadgroups.iter().flat_map(|group| group.of(Kind::Stats));
    let mut sections = global.of(Kind::Stats).chain(inner);
    let Some(first) = sections.next() else { return Ok(Stats::default()) };
    let stats = own(first);
    match sections.find(|section| own(section) != stats) {
        Some(other) => Err(other.error(
            "this [stats] says something else than another, but calls are counted for all thread \
             groups together; expected them alike, or one",
        )),
        None => Ok(stats),
    }
}

fn own(section: &Section<'_>) -> Stats {
    let mut stats = Stats {
        enabled: section.flag("enable_stats"),
        ranges_enabled: section.flag("enable_range"),
        ..Stats::default()
    };
    for entry in &section.entries {
        match entry.value {
            Value::Call(call) if !stats.ignore.contains(&call) => stats.ignore.push(call),
            Value::Range(from, to) => stats.ranges.push((from, to)),
            _ => {}
        }
    }
    stats
}
