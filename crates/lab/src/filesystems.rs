//! How each filesystem is made: program, arguments, modules.

use model::Filesystem;
use model::units::Bytes;

/// What making and mounting a filesystem needs.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// Its mkfs program.
    pub program: &'static str,
    /// The Debian and Ubuntu package that has it.
    pub package: &'static str,
    /// Arguments that make it quiet and have it ask nothing.
    pub arguments: &'static [&'static str],
    /// Names under which its driver may be a module; the first that the kernel has is loaded.
    pub drivers: &'static [&'static str],
    /// The smallest disk on which its mkfs of 2022 and later works.
    pub least: Bytes,
}

const EXT_ARGUMENTS: &[&str] = &["-q", "-F"];
const MIB: u64 = 1 << 20;

/// The recipe of a filesystem.
#[must_use]
pub fn recipe(fs: Filesystem) -> Recipe {
    match fs {
        // Debian's ext4 driver serves ext2 (CONFIG_EXT4_USE_FOR_EXT2), and ext3 everywhere.
        Filesystem::Ext2 => Recipe {
            program: "mkfs.ext2",
            package: "e2fsprogs",
            arguments: EXT_ARGUMENTS,
            drivers: &["ext2", "ext4"],
            least: Bytes(MIB),
        },
        Filesystem::Ext3 => Recipe {
            program: "mkfs.ext3",
            package: "e2fsprogs",
            arguments: EXT_ARGUMENTS,
            drivers: &["ext4"],
            least: Bytes(4 * MIB),
        },
        Filesystem::Ext4 => Recipe {
            program: "mkfs.ext4",
            package: "e2fsprogs",
            arguments: EXT_ARGUMENTS,
            drivers: &["ext4"],
            least: Bytes(4 * MIB),
        },
        Filesystem::Xfs => Recipe {
            program: "mkfs.xfs",
            package: "xfsprogs",
            arguments: &["-q", "-f"],
            drivers: &["xfs"],
            least: Bytes(300 * MIB),
        },
        Filesystem::Btrfs => Recipe {
            program: "mkfs.btrfs",
            package: "btrfs-progs",
            arguments: &["-q", "-f"],
            drivers: &["btrfs"],
            least: Bytes(120 * MIB),
        },
        Filesystem::Reiserfs => Recipe {
            program: "mkfs.reiserfs",
            package: "reiserfsprogs",
            arguments: &["-q", "-f", "-f"],
            drivers: &["reiserfs"],
            least: Bytes(40 * MIB),
        },
        Filesystem::F2fs => Recipe {
            program: "mkfs.f2fs",
            package: "f2fs-tools",
            arguments: &["-q", "-f"],
            drivers: &["f2fs"],
            least: Bytes(64 * MIB),
        },
        Filesystem::Jfs => Recipe {
            program: "mkfs.jfs",
            package: "jfsutils",
            arguments: &["-q"],
            drivers: &["jfs"],
            least: Bytes(16 * MIB),
        },
        Filesystem::Nilfs2 => Recipe {
            program: "mkfs.nilfs2",
            package: "nilfs-tools",
            arguments: &["-q", "-f"],
            drivers: &["nilfs2"],
            least: Bytes(128 * MIB),
        },
    }
}
