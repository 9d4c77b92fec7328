//! The filesystems that a trial can make and mount.

use std::fmt;
use std::str::FromStr;

use crate::units::{UnitError, serde_as_text};

/// A filesystem that slowpath knows how to make and mount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Filesystem {
    /// ext2, no journal.
    Ext2,
    /// ext3, served by the ext4 driver in kernels since 4.3.
    Ext3,
    /// ext4.
    Ext4,
    /// XFS.
    Xfs,
    /// Btrfs.
    Btrfs,
    /// ReiserFS (version 3), removed from Linux in 6.13.
    Reiserfs,
    /// F2FS.
    F2fs,
    /// IBM's JFS.
    Jfs,
    /// NILFS2.
    Nilfs2,
}

impl Filesystem {
    /// All of them, in the order in which messages list them.
    pub const ALL: [Filesystem; 9] = [
        Filesystem::Ext2,
        Filesystem::Ext3,
        Filesystem::Ext4,
        Filesystem::Xfs,
        Filesystem::Btrfs,
        Filesystem::Reiserfs,
        Filesystem::F2fs,
        Filesystem::Jfs,
        Filesystem::Nilfs2,
    ];

    /// The name that mount(2) takes and that settings use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Filesystem::Ext2 => "ext2",
            Filesystem::Ext3 => "ext3",
            Filesystem::Ext4 => "ext4",
            Filesystem::Xfs => "xfs",
            Filesystem::Btrfs => "btrfs",
            Filesystem::Reiserfs => "reiserfs",
            Filesystem::F2fs => "f2fs",
            Filesystem::Jfs => "jfs",
            Filesystem::Nilfs2 => "nilfs2",
        }
    }
}

impl fmt::Display for Filesystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Filesystem {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        Filesystem::ALL.into_iter().find(|fs| fs.name() == text).ok_or_else(|| {
            UnitError::new(
                text,
                "a filesystem of ours; there are ext2, ext3, ext4, xfs, btrfs, reiserfs, f2fs, \
                 jfs and nilfs2",
            )
        })
    }
}

serde_as_text!(Filesystem);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_filesystem_is_told_which_there_are() {
        let message = "zfs".parse::<Filesystem>().unwrap_err().to_string();
        for fs in Filesystem::ALL {
            assert!(message.contains(fs.name()), "{message}");
            assert_eq!(fs.name().parse::<Filesystem>().unwrap(), fs);
        }
    }
}
