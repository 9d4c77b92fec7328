//! Occupies a filesystem up to a percentage before the workload gets it.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::settings::FillStyle;
use protocol::Fill;

use crate::failure::{Failure, While as _};

const MEBIBYTE: u64 = 1 << 20;
const SMALL_FILE: u64 = 64 << 10;
const FILES_A_FOLDER: u64 = 100;
const FOLDER: &str = "slowpath-fill";
/// Rounds in which what metadata took is made up for.
const CORRECTIONS: u32 = 4;
/// Guest time that is given for space to become free; an idle guest costs nothing.
const FREEING: Duration = Duration::from_secs(2);

/// Fills the filesystem mounted at `point`, then syncs it.
///
/// # Errors
/// The percentage cannot be reached to within one hundredth of the filesystem.
pub(crate) fn fill(point: &Path, wanted: &Fill) -> Result<(), Failure> {
    let what = format!("filling {} to {} %", point.display(), wanted.percent);
    let space = Space::of(point).in_setup(&what)?;
    let target = space.free_at(wanted.percent);
    if space.free_bytes() + space.tolerance() < target {
        return Err(unreachable(&what, &space));
    }
    let mut filler = Filler {
        point,
        target,
        zeros: vec![0; usize::try_from(MEBIBYTE).unwrap_or_default()],
        files: 0,
    };
    let filled = match wanted.style {
        FillStyle::One => filler.one(),
        FillStyle::Many => filler.many(),
        FillStyle::Fragmented => filler.fragmented(),
    };
    filled.in_setup(&what)?;
    let space = Space::of(point).in_setup(&what)?;
    if space.free_bytes().abs_diff(target) > space.tolerance() {
        return Err(unreachable(&what, &space));
    }
    rustix::fs::sync();
    Ok(())
}

fn unreachable(what: &str, space: &Space) -> Failure {
    Failure::setup(format!(
        "{what}: that cannot be reached; {} of {} bytes are free",
        space.free_bytes(),
        space.blocks * space.block
    ))
}

/// A filesystem's size and free space, in its own blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Space {
    block: u64,
    blocks: u64,
    free: u64,
}

impl Space {
    fn of(point: &Path) -> rustix::io::Result<Self> {
        let told = rustix::fs::statvfs(point)?;
        Ok(Space { block: told.f_frsize, blocks: told.f_blocks, free: told.f_bfree })
    }

    fn free_bytes(&self) -> u64 {
        self.free * self.block
    }

    /// Free bytes when `percent` of all blocks are occupied.
    fn free_at(&self, percent: u32) -> u64 {
        self.blocks * u64::from(100 - percent.min(100)) / 100 * self.block
    }

    fn tolerance(&self) -> u64 {
        self.blocks.div_ceil(100) * self.block
    }
}

struct Filler<'a> {
    point: &'a Path,
    /// Bytes that shall stay free.
    target: u64,
    zeros: Vec<u8>,
    files: u64,
}

impl Filler<'_> {
    /// Bytes still to be occupied, once all that was written has its place.
    fn missing(&self) -> io::Result<u64> {
        let root = File::open(self.point)?;
        rustix::fs::syncfs(&root)?;
        Ok(Space::of(self.point)?.free_bytes().saturating_sub(self.target))
    }

    fn one(&mut self) -> io::Result<()> {
        let mut file = File::create(self.point.join(FOLDER))?;
        for _ in 0..CORRECTIONS {
            match self.missing()? {
                0 => break,
                missing => self.write(&mut file, missing)?,
            }
        }
        Ok(())
    }

    fn many(&mut self) -> io::Result<()> {
        for _ in 0..CORRECTIONS {
            let mut missing = self.missing()?;
            while missing > 0 {
                let size = missing.min(MEBIBYTE);
                self.new_file(size)?;
                missing -= size;
            }
        }
        Ok(())
    }

    /// Fills all, then deletes files spread evenly until enough is free. "All" is what the filesystem
    /// gives: ext4 keeps up to 2 % for itself.
    fn fragmented(&mut self) -> io::Result<()> {
        loop {
            match self.new_file(SMALL_FILE) {
                Ok(()) => {}
                Err(e) if e.kind() == io::ErrorKind::StorageFull => break,
                Err(e) => return Err(e),
            }
        }
        self.missing()?;
        let surplus = self.surplus()?;
        for number in (0..self.files).filter(|n| is_deleted(*n, surplus, self.files)) {
            fs::remove_file(self.file(number))?;
        }
        self.give_back(surplus)
    }

    /// Files whose deletion would leave free what shall be.
    fn surplus(&self) -> io::Result<u64> {
        let free = Space::of(self.point)?.free_bytes();
        Ok((self.target.saturating_sub(free) / SMALL_FILE).min(self.files))
    }

    /// Deletes further files, from the end, while less is free than shall be.
    fn give_back(&mut self, deleted: u64) -> io::Result<()> {
        let stays = |number: &u64| !is_deleted(*number, deleted, self.files);
        let mut left = (0..self.files).rev().filter(stays);
        for _ in 0..CORRECTIONS {
            self.missing()?;
            // XFS and Btrfs give the space of a deleted file back some time later.
            std::thread::sleep(FREEING);
            self.missing()?;
            let short = usize::try_from(self.surplus()?).unwrap_or(0);
            for number in left.by_ref().take(short) {
                fs::remove_file(self.file(number))?;
            }
        }
        Ok(())
    }

    fn file(&self, number: u64) -> PathBuf {
        let folder = (number / FILES_A_FOLDER).to_string();
        let folders = self.point.join(FOLDER);
        folders.join(folder).join(number.to_string())
    }

    fn new_file(&mut self, size: u64) -> io::Result<()> {
        let path = self.file(self.files);
        if let (true, Some(folder)) = (self.files.is_multiple_of(FILES_A_FOLDER), path.parent()) {
            fs::create_dir_all(folder)?;
        }
        let mut file = File::create_new(path)?;
        self.files += 1;
        self.write(&mut file, size)
    }

    fn write(&self, file: &mut File, size: u64) -> io::Result<()> {
        let mut left = size;
        while left > 0 {
            let length =
                usize::try_from(left).map_or(self.zeros.len(), |l| l.min(self.zeros.len()));
            file.write_all(&self.zeros[..length])?;
            left -= length as u64;
        }
        Ok(())
    }
}

/// Whether file `number` is one of `gone` files, spread evenly over `all`, that are deleted.
fn is_deleted(number: u64, gone: u64, all: u64) -> bool {
    (number + 1) * gone / all > number * gone / all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deleted_share_is_spread_evenly() {
        for gone in [1, 10, 333, 500, 990, 999] {
            let numbers: Vec<u64> = (0..1000).filter(|n| is_deleted(*n, gone, 1000)).collect();
            assert_eq!(numbers.len() as u64, gone);
            let gaps: Vec<u64> = numbers.windows(2).map(|w| w[1] - w[0]).collect();
            let (least, most) = (gaps.iter().min(), gaps.iter().max());
            assert!(most <= least.map(|l| l + 1).as_ref(), "{gone}: {gaps:?}");
        }
    }

    #[test]
    fn what_stays_free_is_a_share_of_all_blocks() {
        let space = Space { block: 4096, blocks: 1000, free: 950 };
        assert_eq!(space.free_at(90), 100 * 4096);
        assert_eq!(space.tolerance(), 10 * 4096);
    }
}
