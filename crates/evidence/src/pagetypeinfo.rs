//! `/proc/pagetypeinfo`: free blocks by zone, kind of page and size; since 5.4 only root may read it.
//!
//! Source: `pagetypeinfo_show` in `mm/vmstat.c`; since 2.6.24. The kinds are those of
//! `migratetype_names` in `mm/page_alloc.c` and differ by age and options: `Unmovable`, `Movable`,
//! `Reclaimable`, `HighAtomic` (`Reserve` before 4.4), `CMA`, `Isolate`.

use crate::{Parsed, lines, node_zone};

/// The whole file. Kernels print it once a node; here all nodes lie in the same lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageTypeInfo {
    /// The order of a pageblock: memory changes its kind by such blocks.
    pub block_order: Option<u32>,
    /// Pages of a pageblock.
    pub pages_per_block: Option<u64>,
    /// The free lists.
    pub free: Vec<TypeLists>,
    /// Pageblocks by kind.
    pub blocks: Vec<ZoneBlocks>,
    /// Pageblocks that hold pages of another kind than their own, by kind; only where the kernel
    /// keeps page owners (`page_owner=on`).
    pub mixed_blocks: Vec<ZoneBlocks>,
}

/// The free lists of one kind of page in one zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeLists {
    /// The memory node.
    pub node: u32,
    /// The zone's name.
    pub zone: String,
    /// The kind of page.
    pub migrate_type: String,
    /// Free blocks, by order: a block of order n is 2^n pages.
    pub free: Vec<Count>,
}

/// How many blocks a list has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// As many.
    Exactly(u64),
    /// The kernel stopped counting there and printed `>`, since 5.4: as many, or any number more.
    MoreThan(u64),
}

impl Count {
    /// The blocks that are there for certain.
    #[must_use]
    pub fn at_least(self) -> u64 {
        match self {
            Self::Exactly(count) | Self::MoreThan(count) => count,
        }
    }
}

/// The pageblocks of one zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZoneBlocks {
    /// The memory node.
    pub node: u32,
    /// The zone's name.
    pub zone: String,
    /// How many of each kind, in the file's order.
    pub blocks: Vec<(String, u64)>,
}

/// Which table's rows come.
#[derive(Clone, Copy)]
enum Table {
    Blocks,
    MixedBlocks,
}

/// Reads the whole file.
// Page block order: 9
// Pages per block:  512
//
// Free pages count per migrate type at order       0      1      2      3      4      5      6 …
// Node    0, zone   Normal, type    Unmovable    297   1022   1018    613    495    295    161 …
// Node    0, zone   Normal, type      Movable >100000  1305   1659   8778   6420   4686   3052 …
//
// Number of blocks type     Unmovable      Movable  Reclaimable   HighAtomic      Isolate
// Node 0, zone   Normal          206         9572          654            0            0
#[must_use]
pub fn parse(text: &str) -> Parsed<PageTypeInfo> {
    let mut columns: Option<(Table, Vec<&str>)> = None;
    lines::read(text, |info, line| {
        let line = line.trim();
        let head = head(line);
        if head.is_some() {
            columns = head;
            return Ok(());
        }
        take(info, columns.as_ref(), line)
    })
}

fn head(line: &str) -> Option<(Table, Vec<&str>)> {
    let (table, names) = if let Some(names) = line.strip_prefix("Number of blocks type ") {
        (Table::Blocks, names)
    } else {
        (Table::MixedBlocks, line.strip_prefix("Number of mixed blocks ")?)
    };
    Some((table, names.split_ascii_whitespace().collect()))
}

fn take(
    info: &mut PageTypeInfo,
    columns: Option<&(Table, Vec<&str>)>,
    line: &str,
) -> Result<(), String> {
    if line.starts_with("Free pages count per migrate type at order") {
        return Ok(());
    }
    if let Some(order) = line.strip_prefix("Page block order:") {
        info.block_order = Some(small(order.trim())?);
    } else if let Some(pages) = line.strip_prefix("Pages per block:") {
        info.pages_per_block = Some(lines::counter(pages.trim())?);
    } else {
        let (node, zone, rest) = node_zone::begin(line)?;
        let zone = zone.to_owned();
        if let Some(rest) = rest.trim_start().strip_prefix(", type") {
            info.free.push(free_lists(node, zone, rest)?);
        } else {
            let (table, names) = columns.ok_or("no table of blocks has begun")?;
            let row = ZoneBlocks { node, zone, blocks: row(names, rest)? };
            match table {
                Table::Blocks => info.blocks.push(row),
                Table::MixedBlocks => info.mixed_blocks.push(row),
            }
        }
    }
    Ok(())
}

fn small(word: &str) -> Result<u32, String> {
    word.parse().map_err(|_| format!("`{word}` is no order"))
}

fn free_lists(node: u32, zone: String, rest: &str) -> Result<TypeLists, String> {
    let mut words = rest.split_ascii_whitespace();
    let migrate_type = words.next().ok_or("it names no type")?.to_owned();
    let free = counts(words)?;
    if free.is_empty() {
        return Err("it has no counts".to_owned());
    }
    Ok(TypeLists { node, zone, migrate_type, free })
}

fn counts<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Vec<Count>, String> {
    let mut free = Vec::new();
    while let Some(word) = words.next() {
        free.push(match word.strip_prefix('>') {
            // A kernel that pads the number parts it from its sign.
            Some("") => Count::MoreThan(lines::counter(words.next().unwrap_or(">"))?),
            Some(number) => Count::MoreThan(lines::counter(number)?),
            None => Count::Exactly(lines::counter(word)?),
        });
    }
    Ok(free)
}

fn row(names: &[&str], rest: &str) -> Result<Vec<(String, u64)>, String> {
    let counts = lines::counters(rest)?;
    if counts.len() != names.len() {
        return Err(format!("it has {} counts for {} types", counts.len(), names.len()));
    }
    Ok(names.iter().map(|&name| name.to_owned()).zip(counts).collect())
}

#[cfg(test)]
mod tests;
