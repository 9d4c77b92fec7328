//! Splits mount options as mount(8) does: some are flags of the call, the rest is the filesystem's.

use rustix::mount::MountFlags;

/// Which options set (`true`) or clear a flag.
const FLAGS: [(&str, bool, MountFlags); 25] = [
    ("ro", true, MountFlags::RDONLY),
    ("rw", false, MountFlags::RDONLY),
    ("nosuid", true, MountFlags::NOSUID),
    ("suid", false, MountFlags::NOSUID),
    ("nodev", true, MountFlags::NODEV),
    ("dev", false, MountFlags::NODEV),
    ("noexec", true, MountFlags::NOEXEC),
    ("exec", false, MountFlags::NOEXEC),
    ("sync", true, MountFlags::SYNCHRONOUS),
    ("async", false, MountFlags::SYNCHRONOUS),
    ("dirsync", true, MountFlags::DIRSYNC),
    ("noatime", true, MountFlags::NOATIME),
    ("atime", false, MountFlags::NOATIME),
    ("nodiratime", true, MountFlags::NODIRATIME),
    ("diratime", false, MountFlags::NODIRATIME),
    ("relatime", true, MountFlags::RELATIME),
    ("norelatime", false, MountFlags::RELATIME),
    ("strictatime", true, MountFlags::STRICTATIME),
    ("nostrictatime", false, MountFlags::STRICTATIME),
    ("lazytime", true, MountFlags::LAZYTIME),
    ("nolazytime", false, MountFlags::LAZYTIME),
    ("mand", true, MountFlags::PERMIT_MANDATORY_FILE_LOCKING),
    ("nomand", false, MountFlags::PERMIT_MANDATORY_FILE_LOCKING),
    ("silent", true, MountFlags::SILENT),
    ("loud", false, MountFlags::SILENT),
];

/// The call's flags, and what is left for the filesystem, in order.
#[must_use]
pub(crate) fn split(options: &str) -> (MountFlags, String) {
    let mut flags = MountFlags::empty();
    let mut data: Vec<&str> = Vec::new();
    for option in options.split(',').map(str::trim) {
        match FLAGS.iter().find(|(name, ..)| *name == option) {
            Some((_, set, flag)) => flags.set(*flag, *set),
            None if option.is_empty() || option == "defaults" => {}
            None => data.push(option),
        }
    }
    (flags, data.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_and_data_are_told_apart() {
        let none = MountFlags::empty();
        for (options, flags, data) in [
            ("", none, ""),
            ("defaults", none, ""),
            ("noatime", MountFlags::NOATIME, ""),
            (
                "data=journal,noatime,,ro, barrier=0",
                MountFlags::NOATIME | MountFlags::RDONLY,
                "data=journal,barrier=0",
            ),
            ("sync,async,errors=panic", none, "errors=panic"),
            ("lazytime,nodiratime", MountFlags::LAZYTIME | MountFlags::NODIRATIME, ""),
        ] {
            assert_eq!(split(options), (flags, data.to_owned()), "{options}");
        }
    }
}
