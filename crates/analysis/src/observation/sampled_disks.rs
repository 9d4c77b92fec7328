//! What the disks did over a stretch of time, from samples.

use std::collections::BTreeMap;

use model::observation::{DiskDone, DiskView, DisksView, MOST_MOMENTS};
use model::trace::{RequestKind, Span};

use super::DiskSample;
use super::stretches::{equal, milli};

/// What they did in `span`, by `samples` of it in the order of their times; `None` with fewer than
/// two moments, between which nothing can be counted.
///
/// Requests in flight are means over the moments. What is counted (requests, bytes, busy time)
/// is known between the first moment and the last; busy time is taken to go on at that pace in the
/// rest of `span`.
pub(super) fn view(samples: &[&DiskSample], span: Span) -> Option<DisksView> {
    let mut disks: BTreeMap<&str, Vec<&DiskSample>> = BTreeMap::new();
    for sample in samples {
        disks.entry(sample.disk.as_str()).or_default().push(sample);
    }
    let moments: Vec<Moment> =
        samples.chunk_by(|one, next| one.at_ns == next.at_ns).map(Moment::of).collect();
    if moments.len() < 2 {
        return None;
    }
    let in_flight = moments.iter().map(|moment| u128::from(moment.in_flight)).sum();
    let disks: Vec<DiskView> =
        disks.into_iter().filter_map(|(name, samples)| disk(name, &samples, span)).collect();
    let busy_ns = disks.iter().map(|disk| u128::from(disk.busy_ns)).sum();
    Some(DisksView {
        busy_milli: milli(busy_ns, span.length())?,
        in_flight_milli: milli(in_flight, moments.len() as u64)?,
        idle_wait_ns: None,
        disks,
        busy_over_time: busy_over_time(&moments),
    })
}

/// All disks at one moment.
struct Moment {
    busy: u64,
    in_flight: u64,
}

impl Moment {
    fn of(samples: &[&DiskSample]) -> Self {
        Moment {
            busy: samples.iter().filter(|sample| sample.in_flight > 0).count() as u64,
            in_flight: samples.iter().map(|sample| sample.in_flight).sum(),
        }
    }
}

/// Means of equal numbers of moments.
fn busy_over_time(moments: &[Moment]) -> Vec<u64> {
    let all = Span { from_ns: 0, to_ns: moments.len() as u64 };
    let mean = |part: Span| {
        let part = &moments[part.from_ns as usize..part.to_ns as usize];
        milli(part.iter().map(|moment| u128::from(moment.busy)).sum(), part.len() as u64)
    };
    equal(all, MOST_MOMENTS).filter_map(mean).collect()
}

fn disk(name: &str, samples: &[&DiskSample], span: Span) -> Option<DiskView> {
    let (first, last) = (samples.first()?, samples.last()?);
    let in_flight = samples.iter().map(|sample| u128::from(sample.in_flight)).sum();
    let grown = |count: fn(&DiskSample) -> u64| count(last).saturating_sub(count(first));
    let done = [
        DiskDone {
            kind: RequestKind::Read,
            requests: grown(|sample| sample.reads),
            bytes: grown(|sample| sample.read_bytes),
        },
        DiskDone {
            kind: RequestKind::Write,
            requests: grown(|sample| sample.writes),
            bytes: grown(|sample| sample.written_bytes),
        },
    ];
    Some(DiskView {
        name: name.to_owned(),
        busy_ns: busy_ns(first, last, span.length()),
        in_flight_milli: milli(in_flight, samples.len() as u64)?,
        done: done.into_iter().filter(|done| done.requests > 0).collect(),
    })
}

/// The kernel counts in ticks, so that a short stretch may seem busier than it is long.
fn busy_ns(first: &DiskSample, last: &DiskSample, length: u64) -> u64 {
    let grown = u128::from(last.busy_ms.saturating_sub(first.busy_ms)) * 1_000_000;
    let between = u128::from(last.at_ns - first.at_ns);
    let single = if first.in_flight > 0 { length } else { 0 };
    let paced = (grown * u128::from(length)).checked_div(between);
    let paced = paced.map_or(single, |ns| u64::try_from(ns).unwrap_or(length));
    paced.min(length)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MS: u64 = 1_000_000;

    fn sample(at_ms: u64, disk: &str, in_flight: u64, writes: u64, busy_ms: u64) -> DiskSample {
        DiskSample {
            at_ns: at_ms * MS,
            phase: 0,
            disk: disk.to_owned(),
            in_flight,
            writes,
            written_bytes: writes * 4096,
            busy_ms,
            ..DiskSample::default()
        }
    }

    fn view_of(samples: &[DiskSample], to_ms: u64) -> Option<DisksView> {
        view(&samples.iter().collect::<Vec<_>>(), Span { from_ns: 0, to_ns: to_ms * MS })
    }

    #[test]
    fn counts_grow_from_the_first_moment_to_the_last() {
        let samples = [
            sample(10, "sda", 1, 100, 500),
            sample(10, "sdb", 0, 0, 0),
            sample(20, "sda", 3, 150, 508),
            sample(20, "sdb", 0, 0, 0),
            sample(30, "sda", 0, 180, 512),
            sample(30, "sdb", 5, 0, 1),
        ];
        let view = view_of(&samples, 40).unwrap();
        // 12 of 20 ms are 24 of 40, 1 of 20 are 2 of 40.
        assert_eq!((view.busy_milli, view.in_flight_milli), (650, 3000));
        assert_eq!(view.busy_over_time, [1000, 1000, 1000]);
        assert_eq!(view.idle_wait_ns, None);
        let busy: Vec<u64> = view.disks.iter().map(|disk| disk.busy_ns / MS).collect();
        assert_eq!(busy, [24, 2]);
        let writes = DiskDone { kind: RequestKind::Write, requests: 80, bytes: 80 * 4096 };
        assert_eq!(view.disks[0].done, [writes]);
        assert_eq!(view.disks[1].done, []);
        assert_eq!(view.disks[0].in_flight_milli, 1333);
    }

    #[test]
    fn a_single_moment_tells_nothing() {
        assert_eq!(view_of(&[sample(10, "sda", 2, 1, 1)], 40), None);
        assert_eq!(view_of(&[], 40), None);
    }

    proptest! {
        #[test]
        fn no_disk_is_busier_than_all_the_time(
            busy in proptest::collection::vec((0_u64..4, 0_u64..100), 2..200),
        ) {
            let mut busy_ms = 0;
            let samples: Vec<DiskSample> = (0..).zip(&busy).map(|(at, (in_flight, more))| {
                busy_ms += more;
                sample(at * 10, "sda", *in_flight, 0, busy_ms)
            }).collect();
            let view = view_of(&samples, 10 * busy.len() as u64).unwrap();
            prop_assert!(view.busy_milli <= 1000);
            prop_assert!(view.busy_over_time.len() <= MOST_MOMENTS);
            prop_assert!(view.busy_over_time.iter().all(|busy| *busy <= 1000));
        }
    }
}
