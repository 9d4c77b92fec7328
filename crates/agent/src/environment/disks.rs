//! The block devices: their drivers, models, sizes, queues and counters.

use super::attributes::{files, lines, push};
use super::layers;
use super::plan::Plan;
use super::tree::Tree;

/// Files of a device's folder. Serial numbers and the like are left out.
const OWN: [&str; 11] = [
    "size",
    "ro",
    "removable",
    "alignment_offset",
    "stat",
    "inflight",
    "bdi/read_ahead_kb",
    "bdi/min_ratio",
    "bdi/max_ratio",
    "bdi/strict_limit",
    "bdi/stable_pages_required",
];

/// Files of the hardware below it, as SCSI, NVMe and MMC have them.
const HARDWARE: [&str; 10] = [
    "vendor",
    "model",
    "rev",
    "firmware_rev",
    "name",
    "type",
    "state",
    "transport",
    "queue_depth",
    "timeout",
];

/// Files of what lies between: loop, zram, bcache, device mapper, md.
const LAYERS: [&str; 30] = [
    "loop/backing_file",
    "loop/dio",
    "disksize",
    "comp_algorithm",
    "mm_stat",
    "bcache/cache_mode",
    "bcache/state",
    "bcache/dirty_data",
    "bcache/writeback_percent",
    "dm/name",
    "dm/uuid",
    "dm/suspended",
    "md/level",
    "md/raid_disks",
    "md/degraded",
    "md/layout",
    "md/chunk_size",
    "md/component_size",
    "md/metadata_version",
    "md/array_state",
    "md/consistency_policy",
    "md/sync_action",
    "md/sync_completed",
    "md/sync_speed_min",
    "md/sync_speed_max",
    "md/mismatch_cnt",
    "md/stripe_cache_size",
    "md/safe_mode_delay",
    "md/group_thread_cnt",
    "md/journal_mode",
];

/// Files of a partition.
const PARTITION: [&str; 4] = ["start", "size", "ro", "alignment_offset"];

pub(super) fn plans(tree: &Tree) -> Vec<Plan> {
    let mut plans = vec![
        Plan::file(tree, "partitions", "/proc/partitions"),
        Plan::file(tree, "diskstats", "/proc/diskstats"),
        Plan::file(tree, "mdstat", "/proc/mdstat"),
    ];
    let disks: Vec<String> =
        tree.names("/sys/block").into_iter().filter(|name| is_used(tree, name)).collect();
    if disks.is_empty() {
        let none = Err("no block device is known here".to_owned());
        plans.push(Plan::known(tree, "disks", "/sys/block", none));
    }
    plans.extend(disks.into_iter().map(|name| {
        let source = format!("/sys/block/{name}");
        Plan::new(tree, format!("disk {}", layers::name(&name)), source.clone(), move |tree| {
            Ok(describe(tree, &tree.resolve(&source).unwrap_or(source)))
        })
    }));
    plans
}

/// Not those that the kernel makes in advance and that hold nothing.
fn is_used(tree: &Tree, name: &str) -> bool {
    let spare = ["loop", "nbd", "zram"].iter().any(|kind| name.starts_with(kind));
    let size = tree.line(&format!("/sys/block/{name}/size"));
    let is_empty = size.as_deref().is_none_or(|size| size == "0");
    !(name.starts_with("ram") || spare && is_empty)
}

fn describe(tree: &Tree, folder: &str) -> String {
    let mut text = String::new();
    for (key, values) in [
        ("drivers", layers::drivers(tree, folder)),
        ("slaves", tree.names(&format!("{folder}/slaves"))),
        ("holders", tree.names(&format!("{folder}/holders"))),
    ] {
        if !values.is_empty() {
            push(&mut text, key, &values.join(" "));
        }
    }
    text += &lines(tree, folder, &OWN);
    text += &lines(tree, folder, &HARDWARE.map(|file| format!("device/{file}")));
    text += &lines(tree, folder, &LAYERS);
    text += &lines(tree, folder, &files(tree, folder, "queue", 1));
    text + &lines(tree, folder, &partitions(tree, folder))
}

fn partitions(tree: &Tree, folder: &str) -> Vec<String> {
    let mut inner = tree.names(folder);
    inner.retain(|name| tree.exists(&format!("{folder}/{name}/partition")));
    let all = |name: &String| PARTITION.map(|file| format!("{name}/{file}"));
    inner.iter().flat_map(all).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::testing::{Machine, written};
    use super::super::{Programs, collect};

    #[test]
    fn disks_and_layers_are_told() {
        let machine = Machine::with_lvm_on_md();
        machine.write("/sys/devices/virtual/block/loop0/size", "0\n");
        machine.link("/sys/block/loop0", "../devices/virtual/block/loop0");
        machine.write("/sys/block/ram0/size", "8\n");
        let data = Some(Path::new("/data/folder"));
        let environment = collect(machine.root(), data, Programs::Leave);
        let sections = written(&environment);
        let disk = "drivers: sd ahci
size: 1000
device/model: Fast Disk
queue/scheduler: none [mq-deadline]
queue/iosched/read_expire: 500
sda1/start: 2048
";
        assert_eq!(sections["disk sda"], disk);
        let md = "slaves: sda1 sdb1\nsize: 500\nmd/level: raid1\nmd/raid_disks: 2\nmd/sync_action: idle\n";
        assert_eq!(sections["disk md0"], md);
        assert!(sections["disk dm-0"].contains("\ndm/name: group-data\n"));
        assert_eq!(sections["mdstat"], "Personalities : [raid1]\n");
        assert!(!sections.contains_key("disk loop0") && !sections.contains_key("disk ram0"));
        assert!(sections["layers of /data/folder"].starts_with("ext4 /dev/mapper/group-data\n"));
        assert_eq!(sections["filesystem of /data/folder"], "lifetime_write_kbytes: 77\n");
        assert!(sections["space of /data/folder"].starts_with("size_bytes: "));
        assert_eq!(sections["mount of /"], "20 1 8:1 / / rw - xfs /dev/root rw\n");
        let value =
            |key: &str| environment.summary.iter().find(|(k, _)| k == key).unwrap().1.clone();
        assert_eq!(value("disks"), "sda (sd ahci), sdb (sd ahci)");
        assert_eq!(value("filesystem"), "ext4");
    }
}
