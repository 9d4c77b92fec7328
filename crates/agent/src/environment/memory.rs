//! Memory: how much, how it is used, and the settings that writing depends on.

use super::attributes::names;
use super::plan::Plan;
use super::tree::Tree;

/// Of `/proc/sys/vm`.
const VM: [&str; 26] = [
    "block_dump",
    "compaction_proactiveness",
    "dirty_background_bytes",
    "dirty_background_ratio",
    "dirty_bytes",
    "dirty_expire_centisecs",
    "dirty_ratio",
    "dirty_writeback_centisecs",
    "dirtytime_expire_seconds",
    "extfrag_threshold",
    "highmem_is_dirtyable",
    "laptop_mode",
    "lowmem_reserve_ratio",
    "min_free_kbytes",
    "min_slab_ratio",
    "min_unmapped_ratio",
    "nr_hugepages",
    "overcommit_memory",
    "page-cluster",
    "percpu_pagelist_fraction",
    "percpu_pagelist_high_fraction",
    "swappiness",
    "vfs_cache_pressure",
    "watermark_boost_factor",
    "watermark_scale_factor",
    "zone_reclaim_mode",
];

pub(super) fn plans(tree: &Tree) -> Vec<Plan> {
    let hugepages = "/sys/kernel/mm/transparent_hugepage";
    vec![
        Plan::file(tree, "meminfo", "/proc/meminfo"),
        Plan::file(tree, "buddyinfo", "/proc/buddyinfo"),
        Plan::file(tree, "pagetypeinfo", "/proc/pagetypeinfo"),
        Plan::file(tree, "zoneinfo", "/proc/zoneinfo"),
        Plan::file(tree, "vmstat", "/proc/vmstat"),
        Plan::list(tree, "numa nodes", "/sys/devices/system/node", nodes(tree)),
        Plan::list(
            tree,
            "transparent hugepages",
            hugepages,
            names(&["enabled", "defrag", "shmem_enabled", "khugepaged/defrag"]),
        ),
        Plan::list(tree, "vm settings", "/proc/sys/vm", names(&VM)),
        Plan::file(tree, "swaps", "/proc/swaps"),
        Plan::list(
            tree,
            "zswap",
            "/sys/module/zswap/parameters",
            names(&["enabled", "compressor", "zpool", "max_pool_percent"]),
        ),
        Plan::list(tree, "pressure", "/proc/pressure", names(&["cpu", "io", "memory", "irq"])),
    ]
}

fn nodes(tree: &Tree) -> Vec<String> {
    let mut list = names(&["online", "has_cpu", "has_memory"]);
    for node in tree.names("/sys/devices/system/node") {
        if node.strip_prefix("node").is_some_and(|rest| rest.parse::<u32>().is_ok()) {
            list.extend(
                ["cpulist", "distance", "meminfo", "numastat"].map(|file| format!("{node}/{file}")),
            );
        }
    }
    list
}

/// All memory and swap in kB, as the kernel tells, and how many nodes have memory.
pub(super) fn facts(tree: &Tree) -> Vec<(&'static str, String)> {
    let text = tree.read("/proc/meminfo").unwrap_or_default();
    let field = |name: &str| {
        let fields = text.lines().filter_map(|line| line.split_once(':'));
        let mut named = fields.filter(|(key, _)| *key == name);
        named.next().map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
    };
    let node = |name: &&String| name.starts_with("node");
    let count = nodes(tree).iter().filter(node).count() / 4;
    let count = if count == 0 { String::new() } else { count.to_string() };
    let huge = tree.line("/sys/kernel/mm/transparent_hugepage/enabled").unwrap_or_default();
    vec![
        ("memory", field("MemTotal")),
        ("swap", field("SwapTotal")),
        ("numa nodes", count),
        ("transparent hugepages", huge),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::testing::Machine;
    use super::*;

    #[test]
    fn nodes_are_read_and_counted() {
        let machine = Machine::new();
        for file in ["node0/cpulist", "node1/cpulist", "node10/numastat", "nodes/x", "power/x"] {
            machine.write(&format!("/sys/devices/system/node/{file}"), "1\n");
        }
        machine.write("/proc/meminfo", "MemTotal:   24684084 kB\nSwapTotal: 0 kB\n");
        let list = nodes(&machine.tree());
        assert_eq!(list.len(), 3 + 3 * 4);
        assert_eq!(list.last().unwrap(), "node10/numastat");
        let facts = facts(&machine.tree());
        assert_eq!(facts[0].1, "24684084 kB");
        assert_eq!(facts[1].1, "0 kB");
        assert_eq!(facts[2].1, "3");
        assert_eq!(facts[3].1, "");
    }
}
