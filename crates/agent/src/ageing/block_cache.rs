//! Page cache that reclaim can take: of a disk of its own, which holds nothing.
//!
//! What lies in tmpfs and ramfs counts as cached and cannot be reclaimed, and reading the trial's
//! disks would shift what is measured on them. A `null_blk` disk to which nothing was written takes
//! no memory and reads as zeros at once. Its pages are in the cache like those of any other block
//! device (`Buffers` in `/proc/meminfo`): clean, and of the kind that cannot be moved.

use std::fs::File;
use std::num::NonZero;
use std::path::Path;

use protocol::Disk;
use rustix::fs::{Advice, fadvise};

use crate::disks;
use crate::failure::{Failure, While as _};

const MEBIBYTE: u64 = 1 << 20;
/// What one call reads at most, by the queue's default.
const AHEAD: u64 = 128 << 10;

/// The open disk: the kernel forgets the cache of one that nobody has open.
#[derive(Debug)]
pub(crate) struct BlockCache {
    _disk: File,
}

impl BlockCache {
    /// Brings `bytes` bytes, rounded up to whole MiB, into the page cache.
    ///
    /// # Errors
    /// There is no `null_blk`, or the disk cannot be read.
    pub(crate) fn fill(bytes: u64) -> Result<Self, Failure> {
        let size = bytes.next_multiple_of(MEBIBYTE);
        let index = free_index();
        disks::make(index, &fast(size / MEBIBYTE))?;
        let path = disks::device(index);
        let what = format!("bringing {} into the page cache", path.display());
        let disk = File::open(&path).in_setup(&what)?;
        for part in 0..size / AHEAD {
            fadvise(&disk, part * AHEAD, NonZero::new(AHEAD), Advice::WillNeed).in_setup(&what)?;
        }
        Ok(BlockCache { _disk: disk })
    }
}

/// A disk that takes no time.
fn fast(size_mib: u64) -> Disk {
    Disk { size_mib, mbps: 0, latency_ns: 0, cache: false, max_request_kib: 0, prewrite: false }
}

/// The first disk that there is not: by its number kernels before 6.0 name it whatever its folder's
/// name.
fn free_index() -> usize {
    let taken = |index: &usize| Path::new("/sys/block").join(disks::name(*index)).exists();
    (0..).find(|index| !taken(index)).unwrap_or_default()
}
