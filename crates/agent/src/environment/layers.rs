//! What lies below a filesystem: its device, the devices below that one, down to the disks.

use std::fmt::Write as _;
use std::path::Path;

use super::mount::Place;
use super::tree::Tree;

/// More layers than these are no machine but a loop.
const DEEPEST: usize = 12;

/// A block device and those that it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layer {
    /// The kernel's name: `dm-0`.
    pub(super) name: String,
    /// `disk`, `partition`, `raid1`, `lvm`, `crypt`, `loop`, …
    kind: String,
    /// A name or model, where it has one.
    detail: String,
    drivers: Vec<String>,
    below: Vec<Layer>,
}

/// The layers below `place`; several devices where a filesystem spans them.
pub(super) fn below(tree: &Tree, place: &Place) -> Vec<Layer> {
    let Some(device) = &place.device else { return Vec::new() };
    let siblings = btrfs_devices(tree, device);
    let devices = if siblings.is_empty() { vec![device.clone()] } else { siblings };
    devices.iter().map(|device| layer(tree, device, DEEPEST)).collect()
}

/// All devices of the btrfs that `device` is part of.
fn btrfs_devices(tree: &Tree, device: &str) -> Vec<String> {
    let all = |id: String| {
        let folder = format!("/sys/fs/btrfs/{id}/devices");
        let found = tree.names(&folder).into_iter();
        found.filter_map(|name| tree.resolve(&format!("{folder}/{name}"))).collect::<Vec<_>>()
    };
    let mut filesystems = tree.names("/sys/fs/btrfs").into_iter().map(all);
    filesystems.find(|devices| devices.iter().any(|one| one == device)).unwrap_or_default()
}

fn layer(tree: &Tree, device: &str, depth: usize) -> Layer {
    let (kind, detail) = kind(tree, device);
    let mut below = Vec::new();
    if depth > 0 {
        below = devices_below(tree, device).iter().map(|one| layer(tree, one, depth - 1)).collect();
    }
    Layer { name: name(device), kind, detail, drivers: drivers(tree, device), below }
}

/// The kernel puts `!` where a device's name has `/`.
pub(super) fn name(device: &str) -> String {
    device.rsplit('/').next().unwrap_or(device).replace('!', "/")
}

fn kind(tree: &Tree, device: &str) -> (String, String) {
    let text = |file: &str| tree.line(&format!("{device}/{file}"));
    let told = |kind: &str, detail: &str| (kind.to_owned(), text(detail).unwrap_or_default());
    if text("partition").is_some() {
        told("partition", "")
    } else if let Some(level) = text("md/level") {
        (level, String::new())
    } else if let Some(id) = text("dm/uuid").or_else(|| text("dm/name")) {
        told(mapper(&id), "dm/name")
    } else if tree.exists(&format!("{device}/loop")) {
        told("loop", "loop/backing_file")
    } else {
        told("disk", "device/model")
    }
}

/// Who made a device-mapper device, by how its id begins.
fn mapper(id: &str) -> &'static str {
    let kinds =
        [("LVM-", "lvm"), ("CRYPT-", "crypt"), ("mpath-", "multipath"), ("part", "partition")];
    kinds.iter().find(|(start, _)| id.starts_with(start)).map_or("mapper", |(_, kind)| kind)
}

fn devices_below(tree: &Tree, device: &str) -> Vec<String> {
    if tree.exists(&format!("{device}/partition")) {
        return device.rsplit_once('/').map(|(disk, _)| disk.to_owned()).into_iter().collect();
    }
    if let Some(file) = tree.line(&format!("{device}/loop/backing_file")) {
        return Place::find(tree, Path::new(&file))
            .ok()
            .and_then(|p| p.device)
            .into_iter()
            .collect();
    }
    let slaves = tree.names(&format!("{device}/slaves"));
    slaves.iter().filter_map(|name| tree.resolve(&format!("{device}/slaves/{name}"))).collect()
}

/// The drivers of the devices on the way from a disk up to its bus, the disk's own first: `sd`, `ahci`.
pub(super) fn drivers(tree: &Tree, device: &str) -> Vec<String> {
    let own = drivers_up(tree, device);
    if !own.is_empty() {
        return own;
    }
    // NVMe with several paths hangs below no bus; its controllers do.
    let subsystem = format!("{device}/device");
    let controllers = tree.names(&subsystem).into_iter().filter(|name| name.starts_with("nvme"));
    let mut paths = controllers.filter_map(|name| tree.resolve(&format!("{subsystem}/{name}")));
    paths
        .find_map(|path| Some(drivers_up(tree, &path)).filter(|d| !d.is_empty()))
        .unwrap_or_default()
}

fn drivers_up(tree: &Tree, device: &str) -> Vec<String> {
    let parents = std::iter::successors(Some(device), |path| Some(path.rsplit_once('/')?.0));
    let parents = parents.take_while(|path| path.starts_with("/sys/devices/"));
    parents.filter_map(|path| tree.link(&format!("{path}/driver"))).collect()
}

/// A line for each layer, the deeper the further in.
pub(super) fn render(layers: &[Layer], indent: usize, text: &mut String) {
    for layer in layers {
        let drivers = match layer.drivers.is_empty() {
            true => String::new(),
            false => format!("[{}]", layer.drivers.join(" ")),
        };
        let words = [&layer.name, &layer.kind, &layer.detail, &drivers];
        let words: Vec<_> = words.into_iter().filter(|word| !word.is_empty()).cloned().collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:indent$}{}", "", words.join(" "));
        render(&layer.below, indent + 2, text);
    }
}

/// The lowest devices, each once, with their drivers: `sda (sd ahci)`.
pub(super) fn disks(layers: &[Layer]) -> Vec<String> {
    let mut found = Vec::new();
    for layer in layers {
        let new = match (layer.below.is_empty(), layer.drivers.is_empty()) {
            (true, true) => vec![layer.name.clone()],
            (true, false) => vec![format!("{} ({})", layer.name, layer.drivers.join(" "))],
            (false, _) => disks(&layer.below),
        };
        for disk in new {
            if !found.contains(&disk) {
                found.push(disk);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::testing::Machine;
    use super::*;

    fn shown(machine: &Machine, path: &str) -> (String, Vec<String>) {
        let tree = machine.tree();
        let layers = below(&tree, &Place::find(&tree, Path::new(path)).unwrap());
        let mut text = String::new();
        render(&layers, 0, &mut text);
        (text, disks(&layers))
    }

    #[test]
    fn lvm_on_a_mirror_leads_to_two_disks() {
        let (text, disks) = shown(&Machine::with_lvm_on_md(), "/data/folder");
        let expected = "dm-0 lvm group-data
  md0 raid1
    sda1 partition [sd ahci]
      sda disk Fast Disk [sd ahci]
    sdb1 partition [sd ahci]
      sdb disk Fast Disk [sd ahci]
";
        assert_eq!(text, expected);
        assert_eq!(disks, ["sda (sd ahci)", "sdb (sd ahci)"]);
    }

    #[test]
    fn btrfs_may_span_devices_and_a_loop_rests_on_a_file() {
        let machine = Machine::with_lvm_on_md();
        machine.write("/sys/devices/virtual/block/loop0/loop/backing_file", "/data/folder/file\n");
        machine.link("/sys/dev/block/7:0", "../../devices/virtual/block/loop0");
        for name in ["loop0", "dm-0"] {
            let target = format!("../../../../devices/virtual/block/{name}");
            machine.link(&format!("/sys/fs/btrfs/1-2/devices/{name}"), &target);
        }
        machine.write(
            "/proc/self/mountinfo",
            "1 0 7:0 / / rw - btrfs /dev/loop0 rw\n2 1 9:0 / /data rw - xfs /dev/md0 rw\n",
        );
        let (text, disks) = shown(&machine, "/");
        assert!(text.starts_with("dm-0 lvm group-data\n  md0 raid1\n    sda1"), "{text}");
        assert!(text.contains("\nloop0 loop /data/folder/file\n  md0 raid1\n    sda1"), "{text}");
        assert_eq!(disks.len(), 2);
    }

    #[test]
    fn a_loop_of_layers_ends() {
        let machine = Machine::with_lvm_on_md();
        machine.link("/sys/devices/virtual/block/md0/slaves/dm-0", "../../dm-0");
        let (text, _) = shown(&machine, "/data");
        assert_eq!(text.matches("dm-0").count(), DEEPEST / 2 + 1);
    }

    #[test]
    fn an_nvme_of_several_paths_has_its_controllers_drivers() {
        let machine = Machine::new();
        machine.write("/sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1/size", "1\n");
        let subsystem = "/sys/devices/virtual/nvme-subsystem/nvme-subsys0";
        machine.link(&format!("{subsystem}/nvme0n1/device"), "..");
        machine.link(&format!("{subsystem}/nvme0"), "../../../pci0/port/nvme/nvme0");
        machine.write("/sys/devices/pci0/port/nvme/nvme0/model", "M\n");
        machine.link("/sys/devices/pci0/port/driver", "../../../bus/pci/drivers/nvme");
        let device = format!("{subsystem}/nvme0n1");
        assert_eq!(drivers(&machine.tree(), &device), ["nvme"]);
        assert_eq!(mapper("part1-mpath-1"), "partition");
    }
}
