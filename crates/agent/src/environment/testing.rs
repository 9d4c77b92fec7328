//! Machines made of files, and a reader of what was written about them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::Environment;
use super::tree::Tree;

/// A machine in a temporary folder.
pub(super) struct Machine(tempfile::TempDir);

impl Machine {
    pub(super) fn new() -> Self {
        Machine(tempfile::tempdir().unwrap())
    }

    pub(super) fn root(&self) -> &Path {
        self.0.path()
    }

    pub(super) fn tree(&self) -> Tree {
        Tree::new(self.root())
    }

    fn made(&self, name: &str) -> PathBuf {
        let path = self.root().join(name.trim_start_matches('/'));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        fs::write(self.made(name), text).unwrap();
    }

    pub(super) fn link(&self, name: &str, target: &str) {
        symlink(target, self.made(name)).unwrap();
    }

    /// An ext4 on LVM on a mirror of partitions of two disks that a PCI controller drives.
    pub(super) fn with_lvm_on_md() -> Self {
        let machine = Machine::new();
        for (disk, number) in [("sda", "8:0"), ("sdb", "8:16")] {
            machine.disk(disk, number);
        }
        machine.virtual_disk("md0", "9:0", &["sda/sda1", "sdb/sdb1"]);
        machine.write("/sys/devices/virtual/block/md0/md/level", "raid1\n");
        machine.write("/sys/devices/virtual/block/md0/md/raid_disks", "2\n");
        machine.write("/sys/devices/virtual/block/md0/md/sync_action", "idle\n");
        machine.write("/proc/mdstat", "Personalities : [raid1]\n");
        machine.virtual_disk("dm-0", "253:0", &[]);
        machine.link("/sys/devices/virtual/block/dm-0/slaves/md0", "../../md0");
        machine.write("/sys/devices/virtual/block/dm-0/dm/name", "group-data\n");
        machine.write("/sys/devices/virtual/block/dm-0/dm/uuid", "LVM-abc\n");
        machine.write(
            "/proc/self/mountinfo",
            "20 1 8:1 / / rw - xfs /dev/root rw\n\
             21 20 253:0 / /data rw,noatime - ext4 /dev/mapper/group-data rw\n",
        );
        machine.write("/sys/fs/ext4/dm-0/lifetime_write_kbytes", "77\n");
        machine.write("/data/folder/file", "");
        machine
    }

    /// Each disk has a controller of its own.
    fn disk(&self, name: &str, number: &str) {
        let controller = format!("/sys/devices/pci0/{name}-controller");
        let port = format!("{controller}/port");
        let folder = format!("{port}/block/{name}");
        self.link(&format!("{controller}/driver"), "../../../bus/pci/drivers/ahci");
        self.link(&format!("{port}/driver"), "../../../../bus/scsi/drivers/sd");
        self.write(&format!("{port}/model"), "Fast Disk   \n");
        self.link(&format!("{folder}/device"), "../..");
        self.write(&format!("{folder}/size"), "1000\n");
        self.write(&format!("{folder}/queue/scheduler"), "none [mq-deadline]\n");
        self.write(&format!("{folder}/queue/iosched/read_expire"), "500\n");
        self.write(&format!("{folder}/{name}1/partition"), "1\n");
        self.write(&format!("{folder}/{name}1/start"), "2048\n");
        self.known_as(name, number, &folder);
    }

    fn virtual_disk(&self, name: &str, number: &str, below: &[&str]) {
        let folder = format!("/sys/devices/virtual/block/{name}");
        self.write(&format!("{folder}/size"), "500\n");
        for part in below {
            let (disk, partition) = part.split_once('/').unwrap();
            let port = format!("../../../../pci0/{disk}-controller/port/block");
            let target = format!("{port}/{disk}/{partition}");
            self.link(&format!("{folder}/slaves/{partition}"), &target);
        }
        self.known_as(name, number, &folder);
    }

    fn known_as(&self, name: &str, number: &str, folder: &str) {
        let devices = folder.trim_start_matches("/sys/");
        self.link(&format!("/sys/block/{name}"), &format!("../{devices}"));
        self.link(&format!("/sys/class/block/{name}"), &format!("../../{devices}"));
        self.link(&format!("/sys/dev/block/{number}"), &format!("../../{devices}"));
    }
}

/// The sections of the file that is written about an environment, by title, as its form tells;
/// `not available: WHY` for those without text.
pub(super) fn written(environment: &Environment) -> BTreeMap<String, String> {
    let mut file = Vec::new();
    environment.write(&mut file).unwrap();
    let file = String::from_utf8(file).unwrap();
    let mut parts = file.split("\n\n== ");
    let first = parts.next().unwrap();
    assert!(first.starts_with("slowpath snapshot 1\n"), "{first}");
    assert!(first.lines().skip(1).all(|line| line.contains(": ")), "{first}");
    parts.map(section).collect()
}

fn section(part: &str) -> (String, String) {
    let (heading, text) = part.split_once('\n').unwrap();
    let (title, _) = heading.strip_suffix(')').unwrap().rsplit_once(" (").unwrap();
    let lines = text.lines().map(|line| line.strip_prefix('\\').unwrap_or(line).to_owned() + "\n");
    (title.to_owned(), lines.collect())
}
