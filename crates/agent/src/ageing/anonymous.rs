//! Single pages of a program's own memory, which the kernel can move.

use std::ptr;

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

use super::checkerboard::{Checkerboard, with_margin};
use crate::failure::{Failure, While as _};
use crate::pages::PAGE;

/// A mapping whose pages come one by one, when they are touched. Children do not get it.
#[derive(Debug)]
pub(crate) struct Region {
    start: *mut u8,
    pages: usize,
}

// SAFETY: the mapping is owned and has no ties to a thread.
unsafe impl Send for Region {}

impl Region {
    fn new(pages: usize) -> rustix::io::Result<Self> {
        let length = pages * PAGE;
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        // SAFETY: a new mapping at an address that the kernel chooses.
        let start = unsafe { mmap_anonymous(ptr::null_mut(), length, protection, flags) }?;
        for advice in [Advice::LinuxNoHugepage, Advice::LinuxDontFork] {
            // A kernel without huge pages refuses the first, and needs it not.
            // SAFETY: advises on the mapping just made.
            let _ = unsafe { madvise(start, length, advice) };
        }
        Ok(Region { start: start.cast(), pages })
    }

    /// Has the kernel allocate page `index`.
    fn touch(&mut self, index: usize) {
        assert!(index < self.pages, "page {index} of {}", self.pages);
        // SAFETY: the address is within the mapping, which is writable.
        unsafe { self.start.add(index * PAGE).write_volatile(1) };
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: nothing borrows the mapping any more.
        let _ = unsafe { munmap(self.start.cast(), self.pages * PAGE) };
    }
}

/// A checkerboard whose free half has at least `wanted` pages, for `age.movable`; `None` for 0.
///
/// # Errors
/// No address space.
pub(crate) fn checkerboard(wanted: u64) -> Result<Option<Checkerboard<Region>>, Failure> {
    if wanted == 0 {
        return Ok(None);
    }
    let pages = usize::try_from(with_margin(wanted)).unwrap_or(usize::MAX);
    let what = || format!("allocating pages for age.movable={wanted}");
    let mut board = Checkerboard {
        kept: Region::new(pages).in_setup(what())?,
        dropped: Region::new(pages).in_setup(what())?,
    };
    for index in 0..pages {
        board.kept.touch(index);
        board.dropped.touch(index);
    }
    Ok(Some(board))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_touched_pages_are_there() {
        let mut region = Region::new(64).unwrap();
        for index in [0, 5, 63] {
            region.touch(index);
        }
        let mut present = [0u8; 64];
        // SAFETY: a byte for each page of the mapping.
        let result = unsafe {
            libc::mincore(region.start.cast(), region.pages * PAGE, present.as_mut_ptr())
        };
        assert_eq!(result, 0);
        let there: Vec<_> = (0..64).filter(|index| present[*index] & 1 == 1).collect();
        assert_eq!(there, [0, 5, 63]);
    }
}
