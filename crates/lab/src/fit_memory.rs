//! How much of the guest's memory a condition takes to which a step `age` brings it.

use model::settings::Condition;
use model::units::Bytes;

/// A page on x86-64.
const PAGE: u64 = 4096;

/// Bookkeeping of the pages that the agent holds (page tables, arrays of pipes): 1 part in this.
const RECORDS: u64 = 64;

/// Pages that the agent allocates beyond those that were asked for: 1 part in this, and at least so
/// many.
const MARGIN: (u64, u64) = (64, 512);

/// What the condition takes at most while it is brought about and after. Of the pages that are
/// counted for free lists one half stays occupied and the other goes free; `age.high` takes what is
/// left and gives most of it back, so it asks for nothing of its own.
pub(crate) fn needed(condition: &Condition) -> Bytes {
    let singles = pages(condition.unmovable).saturating_add(pages(condition.movable));
    let held = [condition.cache, condition.anon, condition.slab];
    let held = held.iter().fold(0u64, |sum, bytes| sum.saturating_add(bytes.0));
    let all = singles.saturating_add(held);
    Bytes(all.saturating_add(all / RECORDS))
}

/// Bytes of both halves of a checkerboard whose free half has `wanted` pages.
fn pages(wanted: u64) -> u64 {
    if wanted == 0 {
        return 0;
    }
    let (part, least) = MARGIN;
    wanted.saturating_add(wanted / part).saturating_add(least).saturating_mul(2 * PAGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_and_all_that_is_held_count() {
        let none = Condition::default();
        assert_eq!(needed(&none), Bytes(0));
        assert_eq!(needed(&Condition { high: Some(Bytes(1 << 20)), ..none }), Bytes(0));
        let lists = needed(&Condition { unmovable: 100_000, ..none });
        assert!((800..840).contains(&(lists.0 >> 20)), "{lists}");
        assert_eq!(lists, needed(&Condition { movable: 100_000, ..none }));
        let part = Bytes(64 << 20);
        let held = Condition { cache: part, anon: part, slab: part, ..none };
        assert_eq!(needed(&held), Bytes(195 << 20));
        let all = Condition { unmovable: 100_000, ..held };
        assert_eq!(needed(&all), Bytes(lists.0 + (195 << 20)));
    }

    #[test]
    fn what_no_guest_has_is_not_wrapped() {
        let most = Condition { unmovable: u64::MAX, ..Condition::default() };
        assert_eq!(needed(&most), Bytes(u64::MAX));
    }
}
