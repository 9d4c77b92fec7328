//! What a filesystem does to a trial's times besides writing to a disk.

/// A sentence on it, where there is one.
pub(crate) fn on(filesystem: &str, options: &[String]) -> Option<String> {
    let text = match kind(filesystem) {
        Kind::Network => "times then include the network and the server",
        Kind::Fuse => {
            "a program serves it: times include that program, and a network where it uses one"
        }
        Kind::Host => "times then include the host of this machine",
        Kind::Memory => "nothing is written to a disk here",
        Kind::Layers => "the disk below its upper layer is not known here",
        Kind::Local if compresses(filesystem, options) => {
            "it may compress, and a trial writes zeros: hardly anything then reaches the disk"
        }
        Kind::Local => return None,
    };
    Some(format!("the directory is on {filesystem}; {text}"))
}

/// Whether no other machine can write there at the same time, for certain.
pub(crate) fn is_of_this_machine(filesystem: &str) -> bool {
    matches!(
        filesystem,
        "ext2"
            | "ext3"
            | "ext4"
            | "xfs"
            | "btrfs"
            | "bcachefs"
            | "zfs"
            | "reiserfs"
            | "f2fs"
            | "jfs"
            | "nilfs2"
            | "vfat"
            | "exfat"
            | "ntfs3"
            | "tmpfs"
            | "ramfs"
            | "overlay"
    )
}

enum Kind {
    Network,
    Fuse,
    Host,
    Memory,
    Layers,
    Local,
}

fn kind(filesystem: &str) -> Kind {
    match filesystem {
        "nfs" | "nfs4" | "cifs" | "smb3" | "smbfs" | "ceph" | "afs" | "lustre" | "gpfs"
        | "beegfs" | "pvfs2" | "orangefs" | "coda" | "gfs2" | "ocfs2" => Kind::Network,
        "9p" | "virtiofs" | "vboxsf" | "vmhgfs" => Kind::Host,
        "tmpfs" | "ramfs" | "devtmpfs" | "hugetlbfs" => Kind::Memory,
        "overlay" | "aufs" => Kind::Layers,
        // `fuseblk` is a program, too, though on a disk.
        name if name.starts_with("fuse") => Kind::Fuse,
        _ => Kind::Local,
    }
}

fn compresses(filesystem: &str, options: &[String]) -> bool {
    let asked = |option: &String| option.starts_with("compress");
    filesystem == "zfs" || filesystem == "bcachefs" || options.iter().any(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_sentence() {
        let options = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
        for (filesystem, mounted, said) in [
            ("nfs4", "rw", Some("network and the server")),
            ("fuse.sshfs", "rw", Some("a program serves it")),
            ("9p", "rw", Some("host")),
            ("tmpfs", "rw", Some("nothing is written to a disk")),
            ("overlay", "rw", Some("upper layer")),
            ("btrfs", "rw,compress=zstd:3", Some("zeros")),
            ("btrfs", "rw,space_cache=v2", None),
            ("zfs", "rw", Some("zeros")),
            ("ext4", "rw", None),
        ] {
            let note = on(filesystem, &options(mounted));
            match said {
                None => assert_eq!(note, None),
                Some(said) => assert!(note.unwrap().contains(said), "{filesystem}"),
            }
        }
    }

    #[test]
    fn a_filesystem_that_others_may_use_is_not_of_this_machine() {
        assert!(is_of_this_machine("xfs") && is_of_this_machine("overlay"));
        for shared in ["nfs", "fuse.sshfs", "virtiofs", "unheard-of"] {
            assert!(!is_of_this_machine(shared), "{shared}");
        }
    }
}
