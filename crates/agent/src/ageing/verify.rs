//! Whether the memory is in the condition that was asked for. A trial in which it is not is broken.

use model::MemoryState;
use model::memory::{ListLength, TypeLists, ZoneLists};
use model::settings::Condition;
use model::units::Bytes;

use super::high_orders::large_bytes;
use crate::failure::Failure;

/// Compares each figure that was asked for.
///
/// The kernel stops counting a list by type at 100,000 (since 5.4); what a zone has besides the
/// other types' lists is then in this one. Where it counts two lists of a zone not to their end,
/// each is taken for as long as the zone's total allows; where it does not tell by type at all, the
/// totals must do.
///
/// # Errors
/// The first figure that is not as it was wanted, with what was found.
pub(crate) fn verify(wanted: &Condition, found: &MemoryState) -> Result<(), Failure> {
    singles(wanted, found)?;
    let high = found.zones.iter().map(|zone| large_bytes(&zone.free)).sum::<u64>();
    if let Some(most) = wanted.high.filter(|most| high > most.0) {
        return Err(not_in_condition(&format!(
            "age.high={most} wants at most {} of free memory in blocks of 32K and more; there are {}",
            bytes(most.0),
            bytes(high)
        )));
    }
    at_least("cache", wanted.cache, "of page cache", found.cache)?;
    at_least("anon", wanted.anon, "of anonymous memory", found.anon)?;
    at_least("slab", wanted.slab, "of the kernel's own objects", found.slab)
}

fn singles(wanted: &Condition, found: &MemoryState) -> Result<(), Failure> {
    for (key, least, kind) in
        [("unmovable", wanted.unmovable, "Unmovable"), ("movable", wanted.movable, "Movable")]
    {
        let (length, untold) = match longest(found, kind) {
            Some(length) => (length, ""),
            None => (total(found), " of all types together, which this kernel does not tell apart"),
        };
        if length < least {
            return Err(not_in_condition(&format!(
                "age.{key}={least} wants at least {least} pages in the {key} lists of order 0; there are \
                 {length}{untold}"
            )));
        }
    }
    let (both, total) = (wanted.unmovable.saturating_add(wanted.movable), total(found));
    if total < both {
        return Err(not_in_condition(&format!(
            "age.unmovable={} and age.movable={} want at least {both} pages in the lists of order 0; \
             there are {total}",
            wanted.unmovable, wanted.movable
        )));
    }
    Ok(())
}

fn at_least(key: &str, least: Bytes, what: &str, found: Option<u64>) -> Result<(), Failure> {
    let Some(have) = found else {
        return match least.0 {
            0 => Ok(()),
            _ => Err(not_in_condition(&format!(
                "age.{key}={least} wants {least} {what}; this kernel does not tell how much there is"
            ))),
        };
    };
    if have >= least.0 {
        return Ok(());
    }
    let (wanted, have) = (bytes(least.0), bytes(have));
    Err(not_in_condition(&format!(
        "age.{key}={least} wants at least {wanted} {what}; there are {have}"
    )))
}

fn not_in_condition(figure: &str) -> Failure {
    Failure::setup(format!("the memory is not in the condition that was asked for: {figure}"))
}

/// Whole KiB, as the kernel counts.
fn bytes(bytes: u64) -> String {
    format!("{} KiB", bytes.div_ceil(1024))
}

/// Single free pages of all zones and types.
fn total(state: &MemoryState) -> u64 {
    state.zones.iter().filter_map(|zone| zone.free.first()).sum()
}

/// Pages in the lists of order 0 of `kind`; `None` where the kernel does not tell by type.
fn longest(state: &MemoryState, kind: &str) -> Option<u64> {
    state.zones.iter().filter_map(|zone| longest_of(zone, kind)).reduce(|sum, next| sum + next)
}

fn longest_of(zone: &ZoneLists, kind: &str) -> Option<u64> {
    let own = zone.by_type.iter().find(|list| list.kind == kind).and_then(singles_of)?;
    let ListLength::MoreThan(_) = own else { return Some(own.at_least()) };
    let others = zone.by_type.iter().filter(|list| list.kind != kind).filter_map(singles_of);
    let others: u64 = others.map(ListLength::at_least).sum();
    let total = zone.free.first().copied().unwrap_or(0);
    Some(total.saturating_sub(others).max(own.at_least()))
}

fn singles_of(list: &TypeLists) -> Option<ListLength> {
    list.free.first().copied()
}

#[cfg(test)]
mod tests {
    use ListLength::{Exactly, MoreThan};

    use super::*;

    fn state(total: u64, lists: &[(&str, ListLength)]) -> MemoryState {
        let list = |(kind, length): &(&str, ListLength)| TypeLists {
            kind: (*kind).to_owned(),
            free: vec![*length, Exactly(0)],
        };
        let zone = ZoneLists {
            node: 0,
            zone: "DMA32".to_owned(),
            free: vec![total, 5, 5, 2],
            by_type: lists.iter().map(list).collect(),
        };
        let some = Some(64 << 20);
        MemoryState { zones: vec![zone], cache: some, anon: some, slab: some }
    }

    fn said(wanted: &Condition, found: &MemoryState) -> String {
        verify(wanted, found).unwrap_err().reason
    }

    #[test]
    fn each_figure_is_checked_and_told() {
        let found = state(83_300, &[("Unmovable", Exactly(83_211)), ("Movable", Exactly(89))]);
        let none = Condition::default();
        for (wanted, reason) in [
            (
                Condition { unmovable: 100_000, ..none },
                "age.unmovable=100000 wants at least 100000 pages in the unmovable lists of order 0; \
                 there are 83211",
            ),
            (
                Condition { movable: 90, ..none },
                "age.movable=90 wants at least 90 pages in the movable lists of order 0; there are 89",
            ),
            (
                Condition { high: Some(Bytes(32 << 10)), ..none },
                "age.high=32K wants at most 32 KiB of free memory in blocks of 32K and more; there are \
                 64 KiB",
            ),
            (
                Condition { cache: Bytes(65 << 20), ..none },
                "age.cache=65M wants at least 66560 KiB of page cache; there are 65536 KiB",
            ),
            (
                Condition { anon: Bytes(65 << 20), ..none },
                "age.anon=65M wants at least 66560 KiB of anonymous memory; there are 65536 KiB",
            ),
            (
                Condition { slab: Bytes(65 << 20), ..none },
                "age.slab=65M wants at least 66560 KiB of the kernel's own objects; there are 65536 KiB",
            ),
        ] {
            let begin = "the memory is not in the condition that was asked for: ";
            assert_eq!(said(&wanted, &found), format!("{begin}{reason}"));
        }
    }

    #[test]
    fn what_was_asked_for_and_is_there_passes() {
        let found = state(83_300, &[("Unmovable", Exactly(83_211)), ("Movable", Exactly(89))]);
        assert_eq!(verify(&Condition::default(), &found), Ok(()));
        let all = Bytes(64 << 20);
        let wanted = Condition {
            unmovable: 83_211,
            movable: 89,
            high: Some(Bytes(64 << 10)),
            cache: all,
            anon: all,
            slab: all,
        };
        assert_eq!(verify(&wanted, &found), Ok(()));
        assert_eq!(verify(&Condition::default(), &MemoryState::default()), Ok(()));
    }

    #[test]
    fn a_list_that_is_not_counted_to_its_end_is_what_the_others_leave() {
        let found = state(120_500, &[("Unmovable", MoreThan(100_000)), ("Movable", Exactly(400))]);
        let wanted = |unmovable| Condition { unmovable, ..Condition::default() };
        assert_eq!(verify(&wanted(120_100), &found), Ok(()));
        assert!(said(&wanted(120_101), &found).ends_with("there are 120100"));
    }

    #[test]
    fn two_such_lists_cannot_both_have_all() {
        let lists = [("Unmovable", MoreThan(100_000)), ("Movable", MoreThan(100_000))];
        let found = state(260_002, &lists);
        let wanted = |pages| Condition { unmovable: pages, movable: pages, ..Condition::default() };
        assert_eq!(verify(&wanted(130_001), &found), Ok(()));
        assert!(said(&wanted(130_002), &found).contains("want at least 260004"));
        assert!(said(&wanted(160_002), &found).ends_with("there are 160001"));
    }

    #[test]
    fn a_kernel_that_tells_less_is_taken_at_its_totals() {
        let mut found = state(500, &[]);
        let wanted = |unmovable| Condition { unmovable, ..Condition::default() };
        assert_eq!(verify(&wanted(500), &found), Ok(()));
        assert!(said(&wanted(501), &found).contains("does not tell apart"));
        found.slab = None;
        let slab = Condition { slab: Bytes(1), ..Condition::default() };
        assert!(said(&slab, &found).contains("does not tell how much"));
    }
}
