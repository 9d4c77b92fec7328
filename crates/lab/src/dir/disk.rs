//! The block device below a filesystem, as sysfs tells of it.

use std::fs;
use std::path::{Path, PathBuf};

use model::Fingerprint;

use super::mountinfo::Mount;

/// A disk and what of it writing depends on; `None` is what the kernel does not tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Disk {
    /// Its name in `/proc/diskstats`: the whole disk, not a partition, whose flushes the kernel does
    /// not count.
    pub(crate) name: String,
    model: Option<String>,
    rotational: Option<String>,
    scheduler: Option<String>,
    cache: Option<String>,
}

/// The disk below `mount`, whose machine's files lie below `root`; `None` where there is none, as
/// with tmpfs, or it is not known, as with a network.
pub(crate) fn below(mount: &Mount, root: &Path) -> Option<Disk> {
    let device = by_number(mount, root).or_else(|| by_name(mount, root))?;
    // A partition's folder lies in its disk's.
    let folder = match device.join("partition").exists() {
        true => device.parent()?.to_owned(),
        false => device,
    };
    let text = |file: &str| {
        let text = fs::read_to_string(folder.join(file)).ok()?;
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    };
    Some(Disk {
        // The kernel puts `!` where a device's name has `/`.
        name: folder.file_name()?.to_str()?.replace('!', "/"),
        model: text("device/model"),
        rotational: text("queue/rotational").map(|digit| yes_or_no(&digit)),
        scheduler: text("queue/scheduler").map(|list| chosen(&list)),
        cache: text("queue/write_cache"),
    })
}

fn by_number(mount: &Mount, root: &Path) -> Option<PathBuf> {
    fs::canonicalize(root.join("sys/dev/block").join(&mount.device)).ok()
}

/// Btrfs has device numbers of its own, so its source is asked; `/dev/mapper/NAME` is a link.
fn by_name(mount: &Mount, root: &Path) -> Option<PathBuf> {
    let source = mount.source.strip_prefix('/').filter(|source| source.starts_with("dev/"))?;
    let device = fs::canonicalize(root.join(source)).ok()?;
    fs::canonicalize(root.join("sys/class/block").join(device.file_name()?)).ok()
}

fn yes_or_no(digit: &str) -> String {
    if digit == "0" { "no" } else { "yes" }.to_owned()
}

// none [mq-deadline] kyber
fn chosen(list: &str) -> String {
    let bracketed = list.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    bracketed.map_or(list, |(name, _)| name).to_owned()
}

impl Disk {
    /// Adds what is known.
    pub(crate) fn describe(&self, fingerprint: &mut Fingerprint) {
        fingerprint.set("dir.disk", &self.name);
        for (item, value) in [
            ("dir.disk.model", &self.model),
            ("dir.disk.rotational", &self.rotational),
            ("dir.disk.scheduler", &self.scheduler),
            ("dir.disk.cache", &self.cache),
        ] {
            if let Some(value) = value {
                fingerprint.set(item, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn write(root: &Path, file: &str, text: &str) {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn link(root: &Path, target: &str, name: &str) {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
    }

    /// A machine with a partitioned disk, `sda`, and a device-mapper volume, `dm-0`.
    fn machine() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let sda = "sys/devices/pci/block/sda";
        write(root, &format!("{sda}/device/model"), "Fast Disk   \n");
        write(root, &format!("{sda}/queue/rotational"), "0\n");
        write(root, &format!("{sda}/queue/scheduler"), "none [mq-deadline] kyber\n");
        write(root, &format!("{sda}/sda2/partition"), "2\n");
        link(root, "../../devices/pci/block/sda/sda2", "sys/dev/block/8:2");
        link(root, "../../devices/pci/block/sda/sda2", "sys/class/block/sda2");
        write(root, "dev/sda2", "");
        write(root, "sys/devices/virtual/block/dm-0/queue/rotational", "1\n");
        write(root, "sys/devices/virtual/block/dm-0/queue/scheduler", "none\n");
        link(root, "../../devices/virtual/block/dm-0", "sys/class/block/dm-0");
        write(root, "dev/dm-0", "");
        link(root, "../dm-0", "dev/mapper/volume");
        folder
    }

    fn found(device: &str, source: &str) -> Option<Disk> {
        let mount = Mount {
            id: 1,
            device: device.to_owned(),
            filesystem: "btrfs".to_owned(),
            source: source.to_owned(),
            options: Vec::new(),
        };
        below(&mount, machine().path())
    }

    #[test]
    fn a_partition_leads_to_its_disk() {
        let sda = Disk {
            name: "sda".to_owned(),
            model: Some("Fast Disk".to_owned()),
            rotational: Some("no".to_owned()),
            scheduler: Some("mq-deadline".to_owned()),
            cache: None,
        };
        assert_eq!(found("8:2", "/dev/root"), Some(sda.clone()));
        assert_eq!(found("0:44", "/dev/sda2"), Some(sda));
    }

    #[test]
    fn a_volume_is_its_own_disk() {
        let volume = found("0:44", "/dev/mapper/volume").unwrap();
        assert_eq!((volume.name.as_str(), volume.model), ("dm-0", None));
        assert_eq!(volume.rotational.as_deref(), Some("yes"));
        assert_eq!(volume.scheduler.as_deref(), Some("none"));
    }

    #[test]
    fn what_is_no_disk_has_none() {
        for source in ["tmpfs", "server:/export", "/dev/gone", ""] {
            assert_eq!(found("0:44", source), None);
        }
    }
}
