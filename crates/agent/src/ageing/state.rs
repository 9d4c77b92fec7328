//! Reads what memory is free and what the rest is used for.

use std::fs;

use evidence::meminfo::Meminfo;
use evidence::pagetypeinfo::{self, Count, PageTypeInfo};
use evidence::{buddyinfo, meminfo};
use model::MemoryState;
use model::memory::{ListLength, TypeLists, ZoneLists};

use crate::failure::{Failure, While as _};

/// The memory's present state. The lists by type are empty where the kernel does not tell them.
///
/// # Errors
/// The kernel tells nothing of its free lists, or nothing of what memory is used for.
pub(crate) fn read_state() -> Result<MemoryState, Failure> {
    let types = fs::read_to_string("/proc/pagetypeinfo").unwrap_or_default();
    let types = pagetypeinfo::parse(&types).value;
    let used = read_meminfo()?;
    Ok(MemoryState {
        zones: with_types(read_free()?, &types),
        cache: cache(&used),
        anon: used.anon_pages,
        slab: used.slab,
    })
}

/// The free lists alone, without types.
pub(super) fn read_free() -> Result<Vec<buddyinfo::ZoneLists>, Failure> {
    const FILE: &str = "/proc/buddyinfo";
    let text = fs::read_to_string(FILE).in_setup(format!("reading {FILE}"))?;
    Ok(buddyinfo::parse(&text).value)
}

pub(super) fn read_meminfo() -> Result<Meminfo, Failure> {
    const FILE: &str = "/proc/meminfo";
    let text = fs::read_to_string(FILE).in_setup(format!("reading {FILE}"))?;
    Ok(meminfo::parse(&text).value)
}

/// Has each CPU give what it counted for itself to the totals. Kernels before 4.8 cannot be asked
/// to.
pub(super) fn settle() {
    let _ = fs::read("/proc/sys/vm/stat_refresh");
}

/// Page cache of files and of block devices. Files in tmpfs are counted with the files, and are
/// rather anonymous memory.
fn cache(used: &Meminfo) -> Option<u64> {
    let all = used.cached?.checked_add(used.buffers.unwrap_or(0))?;
    Some(all.saturating_sub(used.shmem.unwrap_or(0)))
}

fn with_types(free: Vec<buddyinfo::ZoneLists>, types: &PageTypeInfo) -> Vec<ZoneLists> {
    let zone = |lists: buddyinfo::ZoneLists| {
        let same = |t: &&pagetypeinfo::TypeLists| t.node == lists.node && t.zone == lists.zone;
        let by_type = types.free.iter().filter(same).map(type_lists).collect();
        ZoneLists { node: lists.node, zone: lists.zone.clone(), free: lists.free, by_type }
    };
    free.into_iter().map(zone).collect()
}

fn type_lists(lists: &pagetypeinfo::TypeLists) -> TypeLists {
    let length = |count: &Count| match *count {
        Count::Exactly(count) => ListLength::Exactly(count),
        Count::MoreThan(count) => ListLength::MoreThan(count),
    };
    TypeLists { kind: lists.migrate_type.clone(), free: lists.free.iter().map(length).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_go_to_the_zones_that_they_are_of() {
        let free = "Node 0, zone DMA 1 2\nNode 0, zone DMA32 120100 3\nNode 1, zone DMA32 7 0\n";
        let types = "Node 0, zone DMA32, type Unmovable >100000 3\n\
                     Node 0, zone DMA32, type Movable 4 0\n\
                     Node 1, zone DMA32, type Movable 7 0\n";
        let zones = with_types(buddyinfo::parse(free).value, &pagetypeinfo::parse(types).value);
        let kinds = |zone: &ZoneLists| -> Vec<String> {
            zone.by_type.iter().map(|list| list.kind.clone()).collect()
        };
        assert!(zones[0].by_type.is_empty());
        assert_eq!(kinds(&zones[1]), ["Unmovable", "Movable"]);
        assert_eq!(kinds(&zones[2]), ["Movable"]);
        assert_eq!(zones[1].free, [120_100, 3]);
        let lengths = [ListLength::MoreThan(100_000), ListLength::Exactly(3)];
        assert_eq!(zones[1].by_type[0].free, lengths);
    }

    #[test]
    fn page_cache_is_without_shared_memory() {
        let text = "Buffers: 8 kB\nCached: 100 kB\nShmem: 60 kB\n";
        assert_eq!(cache(&meminfo::parse(text).value), Some(48 << 10));
        assert_eq!(cache(&meminfo::parse("Cached: 1 kB\n").value), Some(1024));
        assert_eq!(cache(&meminfo::parse("MemFree: 1 kB\n").value), None);
    }
}
