//! `/proc/zoneinfo`: each zone's marks, counters, and pages that its CPUs hold for themselves.
//!
//! Source: `zoneinfo_show_print` in `mm/vmstat.c`. All counts are pages unless they say otherwise.

use std::collections::BTreeMap;

use crate::{Parsed, lines, node_zone};

/// One zone; `None` where the kernel prints no such line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Zone {
    /// The memory node.
    pub node: u32,
    /// The zone's name: `DMA`, `DMA32`, `Normal`, `HighMem`, `Movable`, `Device`.
    pub zone: String,
    /// Free pages.
    pub free: Option<u64>,
    /// The mark below which only who must not wait gets pages.
    pub min: Option<u64>,
    /// The mark below which kswapd wakes.
    pub low: Option<u64>,
    /// The mark above which kswapd sleeps.
    pub high: Option<u64>,
    /// Pages from the zone's first to its last, holes among them.
    pub spanned: Option<u64>,
    /// Pages that are there.
    pub present: Option<u64>,
    /// Pages that the allocator has in its care; since 3.8.
    pub managed: Option<u64>,
    /// Pages held back from allocations that could use higher zones too, by the zone preferred.
    pub protection: Vec<u64>,
    /// The other counters of the zone (`nr_free_pages`, `numa_hit`, `boost`, `scanned`, …).
    pub counters: BTreeMap<String, u64>,
    /// The counters of the node (`nr_dirty`, `nr_written`, …), which stand with its first zone
    /// alone; since 4.8. Older kernels count all of it by zone.
    pub node_counters: BTreeMap<String, u64>,
    /// The lists that each CPU keeps for itself. Kernels before 2.6.25 have two a CPU.
    pub pagesets: Vec<Pageset>,
    /// Lines of the form `name: value` that have no place above, in the file's order.
    pub others: Vec<(String, u64)>,
}

/// What one CPU holds of a zone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pageset {
    /// The CPU.
    pub cpu: u32,
    /// Free pages on its lists.
    pub count: Option<u64>,
    /// Pages from which on it gives some back.
    pub high: Option<u64>,
    /// Pages that it takes or gives at once.
    pub batch: Option<u64>,
    /// The least that `high` may become; not printed by 6.12 and before.
    pub high_min: Option<u64>,
    /// The most that `high` may become; not printed by 6.12 and before.
    pub high_max: Option<u64>,
    /// How far a counter may go on this CPU before the zone's own follows.
    pub stat_threshold: Option<u64>,
}

/// Reads the whole file.
// Node 0, zone   Normal
//   per-node stats
//       nr_dirty     46
//   pages free     4623906
//         min      14750
//         protection: (0, 0, 0)
//       nr_zone_write_pending 52
//   pagesets
//     cpu: 0
//               count:    9604
//   vm stats threshold: 36
//   start_pfn:           1048576
#[must_use]
pub fn parse(text: &str) -> Parsed<Vec<Zone>> {
    let mut in_node = false;
    lines::read(text, |zones: &mut Vec<Zone>, line| {
        let line = line.trim();
        if line.starts_with("Node ") {
            in_node = false;
            zones.push(begin(line)?);
            return Ok(());
        }
        let zone = zones.last_mut().ok_or("it stands before the first zone")?;
        if let Some((name, value)) = line.split_once(':') {
            return labelled(zone, name.trim_end(), value.trim());
        }
        match line {
            "per-node stats" => in_node = true,
            "pagesets" => in_node = false,
            _ => {
                let counter = line.strip_prefix("pages ");
                in_node &= counter.is_none();
                return count(zone, in_node, counter.unwrap_or(line));
            }
        }
        Ok(())
    })
}

fn begin(line: &str) -> Result<Zone, String> {
    let (node, zone, rest) = node_zone::begin(line)?;
    if !rest.trim().is_empty() {
        return Err(format!("`{}` after the zone's name is unknown here", rest.trim()));
    }
    Ok(Zone { node, zone: zone.to_owned(), ..Zone::default() })
}

fn count(zone: &mut Zone, in_node: bool, line: &str) -> Result<(), String> {
    let (name, value) = line.split_once([' ', '\t']).ok_or("it has no value")?;
    // Old: `scanned  0 (a: 3 i: 12)` has colons, and reads as a label's line.
    let value = lines::counter(value.trim_start())?;
    let field = match name {
        _ if in_node => return put(&mut zone.node_counters, name, value),
        "free" => &mut zone.free,
        "min" => &mut zone.min,
        "low" => &mut zone.low,
        "high" => &mut zone.high,
        "spanned" => &mut zone.spanned,
        "present" => &mut zone.present,
        "managed" => &mut zone.managed,
        _ => return put(&mut zone.counters, name, value),
    };
    *field = Some(value);
    Ok(())
}

fn put(counters: &mut BTreeMap<String, u64>, name: &str, value: u64) -> Result<(), String> {
    counters.insert(name.to_owned(), value);
    Ok(())
}

fn labelled(zone: &mut Zone, name: &str, value: &str) -> Result<(), String> {
    // scanned  0 (a: 3 i: 12)
    if name.starts_with("scanned ") {
        return count(zone, false, name.split(" (").next().unwrap_or(name));
    }
    match name {
        "cpu" => zone.pagesets.push(Pageset { cpu: cpu(value)?, ..Pageset::default() }),
        "protection" => zone.protection = protection(value)?,
        _ => match pageset_field(zone.pagesets.last_mut(), name) {
            Some(field) => *field = Some(lines::counter(value)?),
            None => zone.others.push((name.to_owned(), lines::counter(value)?)),
        },
    }
    Ok(())
}

// cpu: 0
// cpu: 0 pcp: 1
fn cpu(value: &str) -> Result<u32, String> {
    let word = value.split(' ').next().unwrap_or(value);
    word.parse().map_err(|_| format!("`{word}` is no CPU"))
}

fn protection(value: &str) -> Result<Vec<u64>, String> {
    let list = value.strip_prefix('(').and_then(|list| list.strip_suffix(')'));
    let list = list.ok_or("its list has no parentheses")?;
    list.split(',').map(|word| lines::counter(word.trim())).collect()
}

fn pageset_field<'a>(pageset: Option<&'a mut Pageset>, name: &str) -> Option<&'a mut Option<u64>> {
    let pageset = pageset?;
    Some(match name {
        "count" => &mut pageset.count,
        "high" => &mut pageset.high,
        "batch" => &mut pageset.batch,
        "high_min" => &mut pageset.high_min,
        "high_max" => &mut pageset.high_max,
        "vm stats threshold" => &mut pageset.stat_threshold,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
