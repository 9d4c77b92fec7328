//! `/proc/buddyinfo`: how many free blocks of each size the page allocator has.
//!
//! Source: `frag_show_print` in `mm/vmstat.c`. Pages on the CPUs' own lists are not in it. How many
//! orders there are depends on how the kernel was built: 11 mostly, 13 or others elsewhere.

use crate::{Parsed, lines, node_zone};

/// The free lists of one zone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ZoneLists {
    /// The memory node.
    pub node: u32,
    /// The zone's name: `DMA`, `DMA32`, `Normal`, `HighMem`, `Movable`, `Device`.
    pub zone: String,
    /// Free blocks, by order: a block of order n is 2^n pages.
    pub free: Vec<u64>,
}

impl ZoneLists {
    /// Free pages in all blocks together.
    #[must_use]
    pub fn pages(&self) -> u64 {
        let blocks = (0..).zip(&self.free);
        blocks.fold(0, |sum: u64, (order, free)| {
            sum.saturating_add(free.saturating_mul(2u64.saturating_pow(order)))
        })
    }
}

/// Reads the whole file, a line a zone.
// Node 0, zone   Normal  30193  17299   8554  11122   7419   5169   3256   2130   1324    798   2721
#[must_use]
pub fn parse(text: &str) -> Parsed<Vec<ZoneLists>> {
    lines::read(text, |zones: &mut Vec<ZoneLists>, line| {
        let (node, zone, rest) = node_zone::begin(line)?;
        let free = lines::counters(rest)?;
        if free.is_empty() {
            return Err("it has no counts".to_owned());
        }
        zones.push(ZoneLists { node, zone: zone.to_owned(), free });
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_zone_has_its_lists() {
        let text = "\
Node 0, zone      DMA      1      0      1      0      2      1      1      0      1      1      3 
Node 0, zone   Normal 119882    301      7      0      0      0      0      0      0      0      0 
Node 1, zone  HighMem      0      0      0      0      0      0      0      0      0      0      0      0      5 
";
        let parsed = parse(text);
        assert_eq!(parsed.notes, [""; 0]);
        let [dma, normal, high] = &parsed.value[..] else { panic!("{parsed:?}") };
        assert_eq!((dma.node, &*dma.zone, dma.free.len()), (0, "DMA", 11));
        assert_eq!(dma.pages(), 1 + 4 + 32 + 32 + 64 + 256 + 512 + 3072);
        assert_eq!(normal.pages(), 119_882 + 602 + 28);
        assert_eq!((high.node, high.free.len(), high.pages()), (1, 13, 5 << 12));
    }

    #[test]
    fn more_pages_than_numbers_go_are_not_wrapped() {
        let full = ZoneLists { free: vec![u64::MAX; 80], ..ZoneLists::default() };
        assert_eq!(full.pages(), u64::MAX);
    }

    #[test]
    fn what_is_not_understood_is_noted_with_its_line() {
        let parsed = parse("Node 0, zone DMA\nNode 0, zone DMA 1 >2\nbuddy\n");
        assert_eq!(parsed.value, []);
        assert_eq!(
            parsed.notes,
            [
                "line 1: it has no counts",
                "line 2: `>2` is no counter",
                "line 3: it does not begin with a node and a zone",
            ]
        );
    }

    proptest! {
        #[test]
        fn anything_is_survived(text: String, counts: Vec<u64>) {
            let _ = parse(&text);
            let words: Vec<_> = counts.iter().map(u64::to_string).collect();
            let parsed = parse(&format!("Node 0, zone {text} {}", words.join(" ")));
            let _ = parsed.value.iter().map(ZoneLists::pages).max();
        }
    }
}
