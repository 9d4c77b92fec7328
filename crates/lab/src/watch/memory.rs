//! The kernel's counts of pages.

use model::trace::MemoryAt;

use super::probes::Counts;

const PAGE: u64 = 4096;

/// What the two arrays of counts say at a moment.
pub(super) fn at(at_ns: u64, counts: &Counts, zone: &[u8], node: &[u8]) -> MemoryAt {
    let bytes = |array: &[u8], index: Option<usize>| count(array, index?).map(|pages| pages * PAGE);
    MemoryAt {
        at_ns,
        free: bytes(zone, counts.free),
        cache: bytes(node, counts.cache),
        dirty: bytes(node, counts.dirty),
        writeback: bytes(node, counts.writeback),
    }
}

/// A count; what the CPUs still hold apart can make a sum negative for a moment, which is 0 then, as
/// the kernel itself reads it (`global_node_page_state`, include/linux/vmstat.h).
fn count(array: &[u8], index: usize) -> Option<u64> {
    let bytes = array.get(index * 8..index * 8 + 8)?.first_chunk()?;
    Some(u64::try_from(i64::from_le_bytes(*bytes)).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_pages_and_never_negative() {
        let array =
            |counts: &[i64]| counts.iter().flat_map(|c| c.to_le_bytes()).collect::<Vec<_>>();
        let counts = Counts { free: Some(0), cache: Some(2), dirty: Some(0), writeback: Some(9) };
        let seen = at(7, &counts, &array(&[100]), &array(&[-3, 0, 5]));
        assert_eq!(seen.free, Some(100 * PAGE));
        assert_eq!(seen.cache, Some(5 * PAGE));
        assert_eq!(seen.dirty, Some(0));
        assert_eq!(seen.writeback, None, "it is behind the array's end");
    }
}
