//! Disks and memory over the phase's time.

use std::io;

use super::section;
use super::seen::Seen;
use crate::observation::over_time::{ABOUT, Lane, lanes};
use crate::page::{Page, Role};

/// Writes the sides below each other, at one scale.
pub(super) fn write(page: &mut Page<'_>, seen: &[Seen<'_>]) -> io::Result<()> {
    let shown: Vec<Lane<'_>> = seen.iter().map(lane).collect();
    section(page, "disks and memory over time", ABOUT)?;
    lanes(page, "", &shown, "    ")?;
    for side in seen.iter().filter(|side| side.memory.is_empty()) {
        let lead = format!("    {}  ", if seen.len() > 1 { side.short } else { "memory" });
        let what = if seen.len() > 1 { "memory: " } else { "" };
        page.labelled(&lead, Role::Plain, &format!("{what}{}", side.not_available()))?;
    }
    Ok(())
}

fn lane<'a>(side: &Seen<'a>) -> Lane<'a> {
    Lane {
        label: side.short.to_owned(),
        headline: false,
        wall_ns: Some(side.account.wall_ns),
        disks: side.disks,
        memory: side.memory,
    }
}
