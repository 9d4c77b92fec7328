//! Memory of which every second page stays and the others go free.
//!
//! The page allocator hands out the pages of a large block one after the other, so pages that are
//! allocated in turn for two owners are each other's neighbours. When one owner lets go, no free
//! page has a free neighbour, and none is merged with it to a larger block: the free list of order
//! 0 grows by a page for each page that stays.

/// Both halves, all allocated.
#[derive(Debug)]
pub(crate) struct Checkerboard<T> {
    /// What stays.
    pub(crate) kept: T,
    /// What goes free.
    pub(crate) dropped: T,
}

impl<T> Checkerboard<T> {
    /// Lets the one half go; the other one.
    #[must_use]
    pub(crate) fn free_half(self) -> T {
        drop(self.dropped);
        self.kept
    }
}

/// Pages of each half so that `wanted` come to be in the list: some wait on a CPU's own list, and
/// some find their neighbour free because something else was allocated in between.
#[must_use]
pub(crate) fn with_margin(wanted: u64) -> u64 {
    const PART: u64 = 64;
    const LEAST: u64 = 512;
    wanted + wanted / PART + LEAST
}
