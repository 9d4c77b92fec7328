//! The values of the memory's free lists.

use model::memory::{ListLength, MemoryLists, MemoryState, TypeLists, ZoneLists};

/// Every value under a name such as `memory.before.zone[1].free[0]`, where the last number is the
/// order.
pub(super) fn values(lists: &MemoryLists) -> Vec<(String, String)> {
    let MemoryLists { before, after } = lists;
    let mut all = Vec::new();
    for (when, state) in [("before", before), ("after", after)] {
        let values = state_values(state).into_iter();
        all.extend(values.map(|(item, value)| (format!("memory.{when}.{item}"), value)));
    }
    all
}

fn state_values(state: &MemoryState) -> Vec<(String, String)> {
    let MemoryState { zones, cache, anon, slab } = state;
    // So that lists in which nothing stands are not like lists that there are not.
    let mut all = vec![("zones".to_owned(), zones.len().to_string())];
    let sums = [("cache", cache), ("anon", anon), ("slab", slab)];
    let there = sums.into_iter().filter_map(|(item, value)| Some((item, (*value)?)));
    all.extend(there.map(|(item, value)| (item.to_owned(), value.to_string())));
    for (at, zone) in zones.iter().enumerate() {
        let values = zone_values(zone).into_iter();
        all.extend(values.map(|(item, value)| (format!("zone[{}].{item}", at + 1), value)));
    }
    all
}

fn zone_values(lists: &ZoneLists) -> Vec<(String, String)> {
    let ZoneLists { node, zone, free, by_type } = lists;
    let mut all = vec![("node".to_owned(), node.to_string()), ("name".to_owned(), zone.clone())];
    let orders = free.iter().enumerate();
    all.extend(orders.map(|(order, blocks)| (format!("free[{order}]"), blocks.to_string())));
    for (at, lists) in by_type.iter().enumerate() {
        let values = type_values(lists).into_iter();
        all.extend(values.map(|(item, value)| (format!("type[{}].{item}", at + 1), value)));
    }
    all
}

fn type_values(lists: &TypeLists) -> Vec<(String, String)> {
    let TypeLists { kind, free } = lists;
    let orders = free.iter().enumerate();
    let lengths = orders.map(|(order, blocks)| (format!("free[{order}]"), length(*blocks)));
    std::iter::once(("name".to_owned(), kind.clone())).chain(lengths).collect()
}

/// As the kernel prints it.
pub(crate) fn length(length: ListLength) -> String {
    match length {
        ListLength::Exactly(blocks) => blocks.to_string(),
        ListLength::MoreThan(blocks) => format!(">{blocks}"),
    }
}
