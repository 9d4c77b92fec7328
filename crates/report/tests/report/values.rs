//! `values::values` and `values::differences`.

use model::ffsb::{Call, CallTimes, Op, OpCount, Outcome};
use model::memory::{ListLength, MemoryLists, MemoryState, TypeLists, ZoneLists};
use model::{DiskUse, Gap, Measurements, PhaseRun, SlowCall};
use proptest::prelude::*;
use report::values::{differences, values};

use crate::{example, measurements};

#[test]
fn every_value_has_a_name() {
    let mut trial = example::measured();
    let measurements = example::measurements(&mut trial);
    measurements.phases.truncate(3);
    measurements.phases[2].write_latency.truncate(2);
    measurements.phases.push(measurements.phases[0].clone());
    let lines: Vec<_> =
        values(measurements).into_iter().map(|(n, v)| format!("{n} = {v}")).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn what_only_some_phases_have_is_named_too() {
    let mut trial = measurements::ffsb();
    let measured = example::measurements(&mut trial);
    measured.phases[2].gaps.truncate(1);
    let mut aged = measurements::aged();
    let lists = example::measurements(&mut aged).phases[0].memory.as_mut().unwrap();
    lists.after.zones.clear();
    lists.before.zones.drain(..1);
    lists.before.zones[0].free.truncate(2);
    for lists in &mut lists.before.zones[0].by_type {
        lists.free.truncate(1);
    }
    measured.phases[2].memory = Some(lists.clone());
    let named = values(measured).into_iter().filter(|(name, _)| name.starts_with("phase[ffsb 1]"));
    let lines: Vec<_> = named.skip(10).map(|(name, value)| format!("{name} = {value}")).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn differences_name_both_sides() {
    let (mut a, mut b) = (example::measured(), example::measured());
    let (a, b) = (example::measurements(&mut a), example::measurements(&mut b));
    assert!(differences(a, b).is_empty());
    b.phases[2].wall_ns += 1;
    b.phases[2].instructions = None;
    b.phases[3].bytes = Some(7);
    let lines: Vec<_> = differences(a, b).into_iter().map(|d| format!("{d:?}")).collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    Difference { name: "phase[write 1].wall_ns", here: Some("2345678901"), there: Some("2345678902") }
    Difference { name: "phase[write 1].instructions", here: Some("1172839450"), there: None }
    Difference { name: "phase[sync 1].bytes", here: None, there: Some("7") }
    "#);
}

prop_compose! {
    fn disk()(name in "[ab]", writes in 0u64..2, busy_ms in 0u64..2) -> DiskUse {
        DiskUse { name, writes, busy_ms, ..DiskUse::default() }
    }
}

prop_compose! {
    fn outcome()(
        ops in prop::collection::vec((0usize..2, 0u64..2), 0..3),
        calls in prop::collection::vec((0usize..2, 0u64..2), 0..2),
        in_ranges in prop::collection::vec(0u64..2, 0..2),
        written_bytes in 0u64..2,
    ) -> Outcome {
        let op = |(op, n): (usize, u64)| OpCount { op: Op::ALL[op], done: n, transactions: n, bytes: n };
        let call = |(call, n): (usize, u64)| CallTimes {
            call: Call::ALL[call],
            count: n,
            least_ns: n,
            total_ns: n,
            greatest_ns: n,
            in_ranges: in_ranges.clone(),
        };
        Outcome {
            ops: ops.into_iter().map(op).collect(),
            calls: calls.into_iter().map(call).collect(),
            read_bytes: 0,
            written_bytes,
        }
    }
}

prop_compose! {
    fn length()(more in any::<bool>(), n in 0u64..2) -> ListLength {
        if more { ListLength::MoreThan(n) } else { ListLength::Exactly(n) }
    }
}

prop_compose! {
    fn zone()(
        zone in "[ab]",
        free in prop::collection::vec(0u64..2, 0..2),
        lengths in prop::collection::vec(length(), 0..3),
        types in 0usize..3,
    ) -> ZoneLists {
        let of_type = |n: usize| TypeLists { kind: format!("type {n}"), free: lengths.clone() };
        ZoneLists { node: 0, zone, free, by_type: (0..types).map(of_type).collect() }
    }
}

prop_compose! {
    fn lists()(
        before in prop::collection::vec(zone(), 0..2),
        after in prop::collection::vec(zone(), 0..2),
        cache in prop::option::of(0u64..2),
        slab in prop::option::of(0u64..2),
    ) -> MemoryLists {
        MemoryLists {
            before: MemoryState { zones: before, cache, anon: slab, slab },
            after: MemoryState { zones: after, cache: slab, anon: None, slab: cache },
        }
    }
}

prop_compose! {
    fn phase()(
        name in "[ab]( 1|#2)?",
        round in prop::option::of(1u32..3),
        wall_ns in 0u64..2,
        bytes in prop::option::of(0u64..2),
        disks in prop::collection::vec(disk(), 0..3),
        write_latency in prop::collection::vec((0u64..2, 0u64..2), 0..3),
        slow in prop::collection::vec(0u64..2, 0..2),
        gaps in prop::collection::vec(0u64..2, 0..2),
        ffsb in prop::option::of(outcome()),
        memory in prop::option::of(lists()),
    ) -> PhaseRun {
        let slowest = slow.into_iter().map(|n| SlowCall { at_ns: n, took_ns: n, offset: n });
        PhaseRun {
            name, round, wall_ns, bytes, disks, write_latency,
            slowest: slowest.collect(),
            gaps: gaps.into_iter().map(|n| Gap { at_ns: n, took_ns: 1 - n }).collect(),
            ffsb,
            memory,
            ..PhaseRun::default()
        }
    }
}

prop_compose! {
    pub(crate) fn measurements()(
        phases in prop::collection::vec(phase(), 0..4),
        witness in ".{0,9}",
        clock in "[ab]",
    ) -> Measurements {
        Measurements { phases, witness, clock }
    }
}

proptest! {
    #[test]
    fn measurements_are_equal_if_and_only_if_their_values_are(
        a in measurements(), b in measurements()
    ) {
        prop_assert_eq!(a == b, differences(&a, &b).is_empty());
        prop_assert!(differences(&a, &a).is_empty());
    }

    #[test]
    fn no_two_values_bear_one_name(measurements in measurements()) {
        let mut names: Vec<_> = values(&measurements).into_iter().map(|(name, _)| name).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        prop_assert_eq!(names.len(), count);
    }
}
