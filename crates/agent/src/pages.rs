//! Memory in whole pages that is there from the start: no page fault comes of using it.

use std::ops::{Deref, DerefMut};
use std::os::unix::fs::FileExt as _;
use std::ptr;

use rustix::io::Result;
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mlock, mmap_anonymous, munmap};

/// Bytes of a page on x86-64.
pub(crate) const PAGE: usize = 4096;

/// A private, zeroed, page-aligned mapping, whose pages are all present. Children do not get it,
/// so that starting a program does not cost by its size.
#[derive(Debug)]
pub(crate) struct Pages {
    start: *mut u8,
    length: usize,
}

// SAFETY: the mapping is owned and has no ties to a thread.
unsafe impl Send for Pages {}
// SAFETY: a shared reference gives read access only.
unsafe impl Sync for Pages {}

impl Pages {
    /// At least `bytes` bytes, at least one page.
    ///
    /// # Errors
    /// As mmap(2): no memory.
    pub(crate) fn new(bytes: usize) -> Result<Self> {
        let length = bytes.max(1).next_multiple_of(PAGE);
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        let flags = MapFlags::PRIVATE | MapFlags::POPULATE;
        // SAFETY: a new mapping at an address that the kernel chooses.
        let start = unsafe { mmap_anonymous(ptr::null_mut(), length, protection, flags) }?;
        // SAFETY: advises on the mapping just made.
        let _ = unsafe { madvise(start, length, Advice::LinuxDontFork) };
        Ok(Pages { start: start.cast(), length })
    }

    /// Keeps the pages in memory.
    ///
    /// # Errors
    /// As mlock(2).
    pub(crate) fn lock(&self) -> Result<()> {
        // SAFETY: the range is this mapping.
        unsafe { mlock(self.start.cast(), self.length) }
    }

    /// The physical address of each page; `None` where the kernel does not tell.
    #[must_use]
    pub(crate) fn physical(&self) -> Option<Vec<u64>> {
        let pagemap = std::fs::File::open("/proc/self/pagemap").ok()?;
        let mut entries = vec![0; self.length / PAGE * 8];
        let first = (self.start as u64) / PAGE as u64;
        pagemap.read_exact_at(&mut entries, first * 8).ok()?;
        entries.as_chunks().0.iter().map(|e| frame(u64::from_ne_bytes(*e))).collect()
    }
}

/// The physical address in an entry of `/proc/PID/pagemap`
/// (`Documentation/admin-guide/mm/pagemap.rst`): bit 63 says present, bits 0 to 54 are the frame.
fn frame(entry: u64) -> Option<u64> {
    let number = entry & ((1 << 55) - 1);
    (entry >> 63 == 1 && number != 0).then_some(number * PAGE as u64)
}

impl Deref for Pages {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the mapping is readable and as long as `self`.
        unsafe { std::slice::from_raw_parts(self.start, self.length) }
    }
}

impl DerefMut for Pages {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: the mapping is writable, as long as `self`, and borrowed by nobody else.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.length) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: nothing borrows the mapping any more.
        let _ = unsafe { munmap(self.start.cast(), self.length) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_zeroed_aligned_and_whole() {
        let mut pages = Pages::new(5000).unwrap();
        assert_eq!(pages.len(), 8192);
        assert_eq!(pages.as_ptr() as usize % PAGE, 0);
        assert!(pages.iter().all(|b| *b == 0));
        pages[8191] = 1;
    }

    #[test]
    fn a_page_without_a_frame_has_no_address() {
        assert_eq!(frame(1 << 63 | 5), Some(5 * 4096));
        assert_eq!(frame(5), None);
        assert_eq!(frame(1 << 63), None);
    }
}
