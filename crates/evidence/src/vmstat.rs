//! `/proc/vmstat`: the counters of memory management, for all zones and nodes together.
//!
//! Source: `vmstat_text` in `mm/vmstat.c` and `include/linux/vm_event_item.h`. Which counters there
//! are depends on the kernel's age and options. Those named `nr_…` are pages now (or since the boot
//! where the word is `dirtied`, `written` or the like), the others are events since the boot.

use std::collections::BTreeMap;

use crate::{Parsed, lines};

/// Ends of the names of counters that stand once a zone (`TEXTS_FOR_ZONES`).
const ZONES: [&str; 6] = ["dma", "dma32", "normal", "high", "movable", "device"];

/// The counters by the kernel's names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vmstat(BTreeMap<String, u64>);

/// Reads the whole file.
// nr_dirty 46
// pgalloc_normal 92242914
#[must_use]
pub fn parse(text: &str) -> Parsed<Vmstat> {
    lines::read(text, |vmstat: &mut Vmstat, line| {
        let (name, value) = line.trim().split_once(' ').ok_or("it has no value")?;
        vmstat.0.insert(name.to_owned(), lines::counter(value.trim())?);
        Ok(())
    })
}

impl Vmstat {
    /// One counter by the kernel's name for it; `None` where the kernel has none of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<u64> {
        self.0.get(name).copied()
    }

    /// All counters, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(name, value)| (&**name, *value))
    }

    /// What a counter that some kernels keep a zone is in all zones together: the sum of `name`
    /// and of `name_dma` to `name_device`, as far as they are there.
    #[must_use]
    pub fn all_zones(&self, name: &str) -> Option<u64> {
        let zones = ZONES.iter().map(|zone| self.get(&format!("{name}_{zone}")));
        sum(zones.chain([self.get(name)]))
    }

    /// Pages allocated (`pgalloc_*`).
    #[must_use]
    pub fn pgalloc(&self) -> Option<u64> {
        self.all_zones("pgalloc")
    }

    /// Times that an allocation had to reclaim by itself (`allocstall`; a zone since 4.8).
    #[must_use]
    pub fn allocstall(&self) -> Option<u64> {
        self.all_zones("allocstall")
    }

    /// Pages that kswapd looked at (`pgscan_kswapd`; a zone before 4.8).
    #[must_use]
    pub fn pgscan_kswapd(&self) -> Option<u64> {
        self.all_zones("pgscan_kswapd")
    }

    /// Pages that allocating tasks looked at in order to reclaim (`pgscan_direct`; a zone before
    /// 4.8).
    #[must_use]
    pub fn pgscan_direct(&self) -> Option<u64> {
        self.all_zones("pgscan_direct")
    }

    /// Pages that anyone looked at in order to reclaim.
    #[must_use]
    pub fn pgscan(&self) -> Option<u64> {
        let rest = ["pgscan_khugepaged", "pgscan_proactive"].map(|name| self.get(name));
        sum(rest.into_iter().chain([self.pgscan_kswapd(), self.pgscan_direct()]))
    }

    /// Pages that kswapd reclaimed (`pgsteal_kswapd`; a zone before 4.8; `kswapd_steal` before
    /// 3.5).
    #[must_use]
    pub fn pgsteal_kswapd(&self) -> Option<u64> {
        self.all_zones("pgsteal_kswapd").or_else(|| self.get("kswapd_steal"))
    }

    /// Pages that allocating tasks reclaimed (`pgsteal_direct`; a zone before 4.8; none before
    /// 3.5).
    #[must_use]
    pub fn pgsteal_direct(&self) -> Option<u64> {
        self.all_zones("pgsteal_direct")
    }

    /// Pages that anyone reclaimed. Before 3.5 the kernel counts them a zone, as `pgsteal_*`.
    #[must_use]
    pub fn pgsteal(&self) -> Option<u64> {
        let rest = ["pgsteal_khugepaged", "pgsteal_proactive"].map(|name| self.get(name));
        let by_whom = rest.into_iter().chain([self.pgsteal_kswapd(), self.pgsteal_direct()]);
        self.all_zones("pgsteal").or_else(|| sum(by_whom))
    }
}

fn sum(counters: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    counters.flatten().reduce(u64::saturating_add)
}

/// A method of the counter's name for each.
macro_rules! counters {
    ($($(#[$doc:meta])+ $name:ident,)+) => {
        impl Vmstat {
            $($(#[$doc])+
            #[must_use]
            pub fn $name(&self) -> Option<u64> {
                self.get(stringify!($name))
            })+
        }
    };
}

counters! {
    /// Pages that wait to be written.
    nr_dirty,
    /// Pages that are being written.
    nr_writeback,
    /// Pages that became dirty since the boot; since 2.6.37.
    nr_dirtied,
    /// Pages that were written since the boot; since 2.6.37.
    nr_written,
    /// Dirty pages from which on a writer is made to wait; since 2.6.37.
    nr_dirty_threshold,
    /// Dirty pages from which on the flushers write; since 2.6.37.
    nr_dirty_background_threshold,
    /// Pages written while reclaim was held back for them; since 5.16.
    nr_throttled_written,
    /// Pages that reclaim itself wrote.
    nr_vmscan_write,
    /// Pages under writeback that reclaim met again and marked to be freed at once; since 3.2.
    nr_vmscan_immediate_reclaim,
    /// Pages freed.
    pgfree,
    /// Times that a task had to wait for kswapd; since 3.6.
    pgscan_direct_throttle,
    /// Times that kswapd went to balance a node.
    pageoutrun,
    /// Times that kswapd found itself below the low mark soon after it had gone to sleep.
    kswapd_low_wmark_hit_quickly,
    /// Times that kswapd found itself below the high mark soon after it had gone to sleep.
    kswapd_high_wmark_hit_quickly,
    /// Times that an allocation compacted memory by itself; since 2.6.35.
    compact_stall,
    /// Of these, how many were in vain.
    compact_fail,
    /// Of these, how many made a large enough block.
    compact_success,
    /// Pages that compaction looked at in order to move them; since 3.8, as the next two.
    compact_migrate_scanned,
    /// Pages that compaction looked at in order to move others there.
    compact_free_scanned,
    /// Pages that compaction took off their lists.
    compact_isolated,
    /// Times that kcompactd was woken; since 4.6.
    compact_daemon_wake,
}

#[cfg(test)]
mod tests;
