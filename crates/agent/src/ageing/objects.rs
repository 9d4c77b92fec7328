//! The kernel's own objects: what it remembers of files without contents, in a file system of ours.

use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags, mknodat};
use rustix::mount::{UnmountFlags, unmount};

use super::state;
use crate::boot;
use crate::failure::{Failure, While as _};

const POINT: &str = "/slowpath-age";
const FILES_A_FOLDER: u64 = 1024;
/// A name that a `dentry` has no room for gets an object of its own, here the largest.
const NAME_LENGTH: usize = 255;
const DIGITS: usize = 4;
/// More than can be wanting after the CPUs' own counters are summed up.
const SLACK: u64 = 1 << 20;

/// The mounted file system.
#[derive(Debug)]
pub(crate) struct Objects;

impl Objects {
    /// Makes files until the kernel's objects take `bytes` bytes.
    ///
    /// # Errors
    /// No ramfs, no memory, or the kernel does not tell how much its objects take.
    pub(crate) fn fill(bytes: u64) -> Result<Self, Failure> {
        boot::mount_once("ramfs", POINT).in_setup(format!("mounting a ramfs on {POINT}"))?;
        let objects = Objects;
        for folder in 0.. {
            if slab()? >= bytes + SLACK {
                break;
            }
            make_folder(folder).in_setup(format!("making files in {POINT} for age.slab"))?;
        }
        Ok(objects)
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        let _ = unmount(POINT, UnmountFlags::DETACH);
    }
}

fn slab() -> Result<u64, Failure> {
    state::settle();
    state::read_meminfo()?.slab.ok_or_else(|| {
        Failure::setup("age.slab: /proc/meminfo does not tell what the kernel's objects take")
    })
}

fn make_folder(number: u64) -> rustix::io::Result<()> {
    let folder = Path::new(POINT).join(number.to_string());
    rustix::fs::mkdir(&folder, Mode::RWXU)?;
    let folder = rustix::fs::open(&folder, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    let begin = "-".repeat(NAME_LENGTH - DIGITS);
    for file in 0..FILES_A_FOLDER {
        let name = format!("{begin}{file:0DIGITS$}");
        mknodat(&folder, name, FileType::RegularFile, Mode::RUSR, 0)?;
    }
    Ok(())
}
