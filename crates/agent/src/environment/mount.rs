//! Where a directory lies: its mount and its block device.
//!
//! Source: `Documentation/filesystems/proc.rst`, section 3.5 (`/proc/PID/mountinfo`).

use std::fs;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, StatxFlags, statx};

use super::tree::Tree;

const MOUNTINFO: &str = "/proc/self/mountinfo";

/// Whether statx(2) tells the mount: `STATX_MNT_ID` of `linux/stat.h`, since Linux 5.8.
const MOUNT_ID: StatxFlags = StatxFlags::from_bits_retain(0x1000);

/// A mount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mount {
    /// The line of `mountinfo` that tells of it.
    pub(super) line: String,
    id: u64,
    /// `major:minor`.
    number: String,
    /// Which folder of the filesystem is mounted.
    pub(super) root: String,
    /// Where it is mounted.
    pub(super) point: String,
    /// The filesystem's type.
    pub(super) kind: String,
    /// What was mounted.
    pub(super) source: String,
    /// The mount's options, then the filesystem's.
    pub(super) options: String,
}

/// A directory, and where it lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Without symbolic links.
    pub(super) path: String,
    pub(super) mount: Mount,
    /// The block device of its filesystem: a folder below `/sys/devices`.
    pub(super) device: Option<String>,
}

impl Place {
    /// Where `about` lies on the machine; a relative path is that of the running machine.
    ///
    /// # Errors
    /// There is no such directory, or the kernel does not tell what is mounted.
    pub(super) fn find(tree: &Tree, about: &Path) -> Result<Place, String> {
        let path = match tree.is_own() {
            true => fs::canonicalize(about).ok().and_then(|path| tree.name_of(&path)),
            false => about.to_str().and_then(|name| tree.resolve(name)),
        };
        let path = path.ok_or_else(|| format!("there is no {}", about.display()))?;
        let mounts = mounts(tree).map_err(|why| format!("{MOUNTINFO}: {why}"))?;
        let mount = of(tree, &path, &mounts)
            .ok_or_else(|| format!("{MOUNTINFO} tells of no mount at {path}"))?;
        let device = device(tree, mount);
        Ok(Place { path, mount: mount.clone(), device })
    }
}

/// All mounts that this process sees.
pub(super) fn mounts(tree: &Tree) -> Result<Vec<Mount>, String> {
    let text = tree.read(MOUNTINFO).map_err(|why| why.to_string())?;
    Ok(text.lines().filter_map(parse).collect())
}

// 36 35 98:0 /mnt1 /mnt/my\040disk rw,noatime master:1 - ext3 /dev/root rw,errors=continue
fn parse(line: &str) -> Option<Mount> {
    let (mount, filesystem) = line.split_once(" - ")?;
    let mut words = mount.split(' ');
    let (id, number) = (words.next()?.parse().ok()?, words.nth(1)?.to_owned());
    let (root, point, own) = (words.next()?, words.next()?, words.next()?);
    let mut words = filesystem.split(' ');
    let (kind, source) = (words.next()?, words.next()?);
    Some(Mount {
        line: line.to_owned(),
        id,
        number,
        root: unescaped(root),
        point: unescaped(point),
        kind: unescaped(kind),
        source: unescaped(source),
        options: format!("{own},{}", words.next().unwrap_or_default()),
    })
}

/// The kernel writes space, tab, newline, `#` and backslash as `\` and three octal digits.
fn unescaped(word: &str) -> String {
    let mut parts = word.split('\\');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let byte = part.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match byte.filter(u8::is_ascii) {
            Some(byte) => text = text + &char::from(byte).to_string() + &part[3..],
            None => text = text + "\\" + part,
        }
    }
    text
}

/// By its number where the kernel tells it, since a path may be hidden by later mounts; else the
/// last of those with the longest path.
fn of<'a>(tree: &Tree, path: &str, mounts: &'a [Mount]) -> Option<&'a Mount> {
    let id = tree.is_own().then(|| id(path)).flatten();
    let numbered = id.and_then(|id| mounts.iter().find(|mount| mount.id == id));
    let holds = |mount: &&Mount| Path::new(path).starts_with(&mount.point);
    numbered.or_else(|| mounts.iter().filter(holds).max_by_key(|mount| mount.point.len()))
}

fn id(path: &str) -> Option<u64> {
    let found = statx(CWD, path, AtFlags::empty(), MOUNT_ID).ok()?;
    (found.stx_mask & MOUNT_ID.bits() != 0).then_some(found.stx_mnt_id)
}

/// By number; btrfs has numbers of its own, so its source is asked then, which may be a link.
fn device(tree: &Tree, mount: &Mount) -> Option<String> {
    tree.resolve(&format!("/sys/dev/block/{}", mount.number)).or_else(|| {
        let device = tree.resolve(Some(&mount.source).filter(|s| s.starts_with("/dev/"))?)?;
        tree.resolve(&format!("/sys/class/block/{}", device.rsplit('/').next()?))
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::Machine;
    use super::*;

    #[test]
    fn a_path_lies_in_the_last_of_the_longest_mounts() {
        let machine = Machine::new();
        machine.write("/my disk/in", "");
        machine.write("/my disks/in", "");
        machine.write(
            "/proc/self/mountinfo",
            "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n\
             2 1 0:30 / /my\\040disk rw,noatime master:1 - tmpfs my\\134t rw\n\
             3 1 0:31 /sub /my\\040disk ro shared:2 - nfs4 server:/export rw,vers=4.2\n",
        );
        let found = |path: &str| Place::find(&machine.tree(), Path::new(path)).unwrap().mount;
        let disk = found("/my disk/in");
        assert_eq!((disk.id, disk.root.as_str(), disk.kind.as_str()), (3, "/sub", "nfs4"));
        assert_eq!(disk.options, "ro,rw,vers=4.2");
        assert_eq!(found("/my disks").id, 1);
        assert!(Place::find(&machine.tree(), Path::new("/gone")).is_err());
    }

    #[test]
    fn btrfs_is_found_by_its_source() {
        let machine = Machine::with_lvm_on_md();
        machine.write("/dev/dm-0", "");
        machine.link("/dev/mapper/group-data", "../dm-0");
        let source = "/dev/mapper/group-data";
        machine.write("/proc/self/mountinfo", &format!("1 0 0:40 / / rw - btrfs {source} rw\n"));
        let place = Place::find(&machine.tree(), Path::new("/data")).unwrap();
        assert_eq!(place.device.as_deref(), Some("/sys/devices/virtual/block/dm-0"));
    }

    #[test]
    fn the_running_machine_knows_its_mounts() {
        let place = Place::find(&Tree::new(Path::new("/")), Path::new("/proc/self")).unwrap();
        assert_eq!((place.mount.kind.as_str(), place.device), ("proc", None));
    }

    #[test]
    fn what_is_no_line_is_passed_over() {
        for line in ["", "a", "1 2 3 - ", "x 0 8:1 / / rw - ext4 /dev/sda1 rw"] {
            assert_eq!(parse(line), None);
        }
        assert_eq!(unescaped("a\\9é\\40"), "a\\9é\\40");
    }
}
