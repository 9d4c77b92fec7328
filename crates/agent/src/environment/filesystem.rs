//! The filesystem of the directory of interest, and that of `/`.

use std::path::Path;

use rustix::fs::statvfs;

use super::attributes::{self, files, push};
use super::layers;
use super::mount::{Mount, Place, mounts};
use super::plan::Plan;
use super::tree::Tree;

pub(super) fn plans(tree: &Tree, place: &Result<Place, String>) -> Vec<Plan> {
    let place = match place {
        Ok(place) => place,
        Err(why) => return unknown(tree, why),
    };
    let path = &place.path;
    let told = |what: &str| format!("{what} of {path}");
    let mut plans = vec![mount_of(tree, &told("mount"), Some(&place.mount))];
    if path != "/" {
        let root = mounts(tree).unwrap_or_default();
        let root = root.iter().rfind(|mount| mount.point == "/");
        plans.push(mount_of(tree, "mount of /", root));
    }
    plans.push(with(tree, told("space"), "statvfs", place, space));
    plans.push(with(tree, told("layers"), "/sys/block", place, stack));
    let source = own_folder(tree, place).unwrap_or_else(|| format!("/sys/fs/{}", place.mount.kind));
    plans.push(with(tree, told("filesystem"), &source, place, own));
    let source = format!("/proc/fs/{}", place.mount.kind);
    plans.push(with(tree, told("journal and options"), &source, place, journal));
    let features = format!("/sys/fs/{}/features", place.mount.kind);
    let names = files(tree, &features, "", 0);
    plans.push(Plan::list(tree, "filesystem features of the kernel", &features, names));
    plans
}

fn unknown(tree: &Tree, why: &str) -> Vec<Plan> {
    vec![Plan::known(tree, "mount", "/proc/self/mountinfo", Err(why.to_owned()))]
}

fn with(
    tree: &Tree,
    title: String,
    source: &str,
    place: &Place,
    read: fn(&Tree, &Place) -> Result<String, String>,
) -> Plan {
    let place = place.clone();
    Plan::new(tree, title, source, move |tree| read(tree, &place))
}

fn mount_of(tree: &Tree, title: &str, mount: Option<&Mount>) -> Plan {
    let line = mount.map(|mount| format!("{}\n", mount.line));
    let line = line.ok_or_else(|| "the kernel tells of no such mount".to_owned());
    Plan::known(tree, title, "/proc/self/mountinfo", line)
}

/// Sizes in bytes; `available` is what an ordinary user may still write.
fn space(tree: &Tree, place: &Place) -> Result<String, String> {
    let space = statvfs(tree.path(&place.path)).map_err(|error| error.to_string())?;
    let bytes = |blocks: u64| blocks.saturating_mul(space.f_frsize);
    let mut text = String::new();
    for (key, value) in [
        ("size_bytes", bytes(space.f_blocks)),
        ("used_bytes", bytes(space.f_blocks.saturating_sub(space.f_bfree))),
        ("free_bytes", bytes(space.f_bfree)),
        ("available_bytes", bytes(space.f_bavail)),
        ("block_bytes", space.f_bsize),
        ("inodes", space.f_files),
        ("free_inodes", space.f_ffree),
    ] {
        push(&mut text, key, &value.to_string());
    }
    Ok(text)
}

fn stack(tree: &Tree, place: &Place) -> Result<String, String> {
    let (kind, source) = (&place.mount.kind, &place.mount.source);
    let layers = layers::below(tree, place);
    if layers.is_empty() {
        return Err(format!("no block device is known below {kind} {source}"));
    }
    let mut text = format!("{kind} {source}\n");
    layers::render(&layers, 2, &mut text);
    Ok(text)
}

/// Where the filesystem tells of itself: by its device's name, or, as btrfs, by its id.
fn own_folder(tree: &Tree, place: &Place) -> Option<String> {
    let device = place.device.as_ref()?;
    let name = device.rsplit('/').next()?;
    let kind = &place.mount.kind;
    let all = format!("/sys/fs/{kind}");
    let is_its = |id: &String| tree.exists(&format!("{all}/{id}/devices/{name}"));
    let by_id = || tree.names(&all).into_iter().find(is_its);
    let by_name = Some(name.to_owned()).filter(|name| tree.exists(&format!("{all}/{name}")));
    Some(format!("{all}/{}", by_name.or_else(by_id)?))
}

fn own(tree: &Tree, place: &Place) -> Result<String, String> {
    let folder = own_folder(tree, place)
        .ok_or_else(|| format!("the kernel tells nothing of this {}", place.mount.kind))?;
    // A label is a person's word.
    let mut names = files(tree, &folder, "", 3);
    names.retain(|name| name != "label");
    attributes::section(tree, &folder, &names)
}

/// What ext4 and its journal, and XFS, tell below `/proc/fs`.
fn journal(tree: &Tree, place: &Place) -> Result<String, String> {
    let device = place.device.as_deref().map(layers::name).unwrap_or_default();
    let kind = &place.mount.kind;
    let mut names = vec![format!("{kind}/stat")];
    if !device.is_empty() {
        names.extend([format!("{kind}/{device}/options"), format!("{kind}/{device}/mb_stats")]);
        let journals = tree.names("/proc/fs/jbd2").into_iter();
        let its = journals.filter(|name| {
            name.strip_prefix(&device).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        });
        names.extend(its.map(|name| format!("jbd2/{name}/info")));
    }
    attributes::section(tree, "/proc/fs", &names)
}

/// Where the directory of interest lies, for those who look for its numbers by hand.
pub(super) fn facts(tree: &Tree, place: &Place) -> Vec<(&'static str, String)> {
    let layers = layers::below(tree, place);
    let mut facts = vec![
        ("path", place.path.clone()),
        ("mount", place.mount.point.clone()),
        ("filesystem", place.mount.kind.clone()),
        ("mount options", place.mount.options.clone()),
        ("device", place.mount.source.clone()),
        ("disks", layers::disks(&layers).join(", ")),
    ];
    if Path::new(&place.mount.root) != Path::new("/") {
        facts.push(("mounted folder", place.mount.root.clone()));
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::super::testing::Machine;
    use super::*;

    fn place(machine: &Machine, path: &str) -> Place {
        Place::find(&machine.tree(), Path::new(path)).unwrap()
    }

    #[test]
    fn the_journal_is_found_by_its_device() {
        let machine = Machine::with_lvm_on_md();
        for (file, text) in [
            ("ext4/dm-0/options", "rw\nbarrier\n"),
            ("jbd2/dm-0-8/info", "5 transactions\n"),
            ("jbd2/dm-01-8/info", "of another\n"),
        ] {
            machine.write(&format!("/proc/fs/{file}"), text);
        }
        let text = journal(&machine.tree(), &place(&machine, "/data")).unwrap();
        let expected = "ext4/dm-0/options: rw\next4/dm-0/options: barrier\n\
                        jbd2/dm-0-8/info: 5 transactions\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_btrfs_is_found_by_its_id_and_keeps_its_label() {
        let machine = Machine::with_lvm_on_md();
        machine.write("/proc/self/mountinfo", "1 0 253:0 / / rw - btrfs /dev/x rw\n");
        for file in ["features/raid1", "label", "devices/dm-0/size", "other"] {
            machine.write(&format!("/sys/fs/btrfs/1-2/{file}"), "1\n");
        }
        machine.write("/sys/fs/btrfs/features/raid1", "0\n");
        let place = place(&machine, "/");
        let folder = own_folder(&machine.tree(), &place);
        assert_eq!(folder.as_deref(), Some("/sys/fs/btrfs/1-2"));
        let text = own(&machine.tree(), &place).unwrap();
        assert_eq!(text, "other: 1\ndevices/dm-0/size: 1\nfeatures/raid1: 1\n");
    }

    #[test]
    fn what_has_no_device_says_so() {
        let machine = Machine::new();
        machine.write("/proc/self/mountinfo", "1 0 0:9 / / rw - nfs4 server:/export rw\n");
        let why = stack(&machine.tree(), &place(&machine, "/")).unwrap_err();
        assert_eq!(why, "no block device is known below nfs4 server:/export");
        assert!(own(&machine.tree(), &place(&machine, "/")).unwrap_err().contains("nfs4"));
    }
}
