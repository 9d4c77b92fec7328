//! `values::values` and `values::differences`.

use model::{DiskUse, Measurements, PhaseRun, SlowCall};
use proptest::prelude::*;
use report::values::{differences, values};

use crate::example;

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
    fn phase()(
        name in "[ab]( 1|#2)?",
        round in prop::option::of(1u32..3),
        wall_ns in 0u64..2,
        bytes in prop::option::of(0u64..2),
        disks in prop::collection::vec(disk(), 0..3),
        write_latency in prop::collection::vec((0u64..2, 0u64..2), 0..3),
        slow in prop::collection::vec(0u64..2, 0..2),
    ) -> PhaseRun {
        let slowest = slow.into_iter().map(|n| SlowCall { at_ns: n, took_ns: n, offset: n });
        PhaseRun {
            name, round, wall_ns, bytes, disks, write_latency,
            slowest: slowest.collect(),
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
