//! What memory is free, by the kernel's lists.

use serde::{Deserialize, Serialize};

/// The lists at a phase's two ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryLists {
    /// Just before the phase.
    pub before: MemoryState,
    /// Just after it.
    pub after: MemoryState,
}

/// The memory at one moment, from `/proc/buddyinfo`, `/proc/pagetypeinfo` and `/proc/meminfo`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryState {
    /// A zone of a node each.
    pub zones: Vec<ZoneLists>,
    /// Page cache without anonymous memory, bytes.
    pub cache: Option<u64>,
    /// Anonymous memory, bytes.
    pub anon: Option<u64>,
    /// The kernel's own objects, bytes.
    pub slab: Option<u64>,
}

/// The free lists of one zone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZoneLists {
    /// The node.
    pub node: u32,
    /// The zone's name.
    pub zone: String,
    /// Free blocks of each order: 2^order pages.
    pub free: Vec<u64>,
    /// The same by migrate type, as far as the kernel tells.
    pub by_type: Vec<TypeLists>,
}

/// The free lists of one migrate type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeLists {
    /// The kernel's name of the type: `Unmovable`, `Movable`, …
    pub kind: String,
    /// Free blocks of each order.
    pub free: Vec<ListLength>,
}

/// The length of a free list; the kernel stops counting at 100,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ListLength {
    /// So many blocks.
    Exactly(u64),
    /// More than that.
    MoreThan(u64),
}

impl ListLength {
    /// How many blocks there are at least.
    #[must_use]
    pub fn at_least(self) -> u64 {
        match self {
            ListLength::Exactly(count) => count,
            ListLength::MoreThan(count) => count + 1,
        }
    }
}

impl MemoryState {
    /// Blocks of order 0, at least, in the lists of the type `kind` over all zones; `None` where the
    /// kernel does not tell by type.
    #[must_use]
    pub fn order_0(&self, kind: &str) -> Option<u64> {
        let lists = self.zones.iter().flat_map(|zone| &zone.by_type);
        let lengths = lists.filter(|list| list.kind == kind).filter_map(|list| list.free.first());
        lengths.map(|length| length.at_least()).reduce(|sum, next| sum.saturating_add(next))
    }
}
