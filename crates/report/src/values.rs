//! Every measured value with a name, for counting them and for telling runs apart.

mod ffsb;
pub(crate) mod memory;

use std::collections::{BTreeMap, HashSet};

use model::{DiskUse, Gap, Measurements, PhaseRun, SlowCall};

/// A value in which two measurements differ; `None` where a side does not have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The value's name, as [`values`] gives it.
    pub name: String,
    /// The value on this side.
    pub here: Option<String>,
    /// The value on the other.
    pub there: Option<String>,
}

/// Every measured value as text, under a name of its own such as `phase[write 2].wall_ns`. What
/// was not measured is not in it. Two measurements are equal if and only if their values are.
#[must_use]
pub fn values(measurements: &Measurements) -> Vec<(String, String)> {
    let Measurements { phases, witness, clock } = measurements;
    let labels = labels(measurements);
    let mut all = vec![
        ("witness".to_owned(), witness.clone()),
        ("clock".to_owned(), clock.clone()),
        ("phases".to_owned(), labels.join(", ")),
    ];
    for (label, phase) in labels.iter().zip(phases) {
        let values = phase_values(phase).into_iter();
        all.extend(values.map(|(name, value)| (format!("phase[{label}].{name}"), value)));
    }
    all
}

/// The values in which `here` differs from `there`: first in the order of `here`, then those that
/// only `there` has.
#[must_use]
pub fn differences(here: &Measurements, there: &Measurements) -> Vec<Difference> {
    let (here, there) = (values(here), values(there));
    let of_there: BTreeMap<_, _> = there.iter().map(|(n, v)| (n, v)).collect();
    let of_here: BTreeMap<_, _> = here.iter().map(|(n, v)| (n, v)).collect();
    let only_there = there.iter().filter(|(name, _)| !of_here.contains_key(name));
    here.iter()
        .chain(only_there)
        .map(|(name, _)| (name, of_here.get(name), of_there.get(name)))
        .filter(|(_, here, there)| here != there)
        .map(|(name, here, there)| Difference {
            name: name.clone(),
            here: here.map(|value| (*value).clone()),
            there: there.map(|value| (*value).clone()),
        })
        .collect()
}

/// The phases' labels, made unlike where a case has two steps of one name: `sync`, `sync#2`.
#[must_use]
pub fn labels(measurements: &Measurements) -> Vec<String> {
    unlike(measurements.phases.iter().map(PhaseRun::label))
}

fn unlike(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut taken: HashSet<String> = HashSet::new();
    names
        .map(|name| {
            let mut own = name.clone();
            let mut count = 1;
            while !taken.insert(own.clone()) {
                count += 1;
                own = format!("{name}#{count}");
            }
            own
        })
        .collect()
}

fn phase_values(phase: &PhaseRun) -> Vec<(String, String)> {
    // Taken apart, so that a value that is added to the model cannot be forgotten here.
    let PhaseRun {
        name,
        round,
        began_ns,
        wall_ns,
        user_ns,
        system_ns,
        minor_faults,
        major_faults,
        voluntary_switches,
        involuntary_switches,
        bytes,
        read_bytes,
        write_bytes,
        disks,
        write_latency,
        slowest,
        instructions,
        kernel_instructions,
        gaps,
        ffsb,
        memory,
    } = phase;
    let mut all = vec![("name".to_owned(), name.clone())];
    let numbers = [
        ("round", round.map(u64::from)),
        ("began_ns", *began_ns),
        ("wall_ns", Some(*wall_ns)),
        ("user_ns", Some(*user_ns)),
        ("system_ns", Some(*system_ns)),
        ("minor_faults", Some(*minor_faults)),
        ("major_faults", Some(*major_faults)),
        ("voluntary_switches", Some(*voluntary_switches)),
        ("involuntary_switches", Some(*involuntary_switches)),
        ("bytes", *bytes),
        ("read_bytes", *read_bytes),
        ("write_bytes", *write_bytes),
        ("instructions", *instructions),
        ("kernel_instructions", *kernel_instructions),
    ];
    let there = numbers.into_iter().filter_map(|(n, v)| v.map(|v| (n.to_owned(), v)));
    all.extend(there.map(|(name, value)| (name, value.to_string())));
    all.extend(disk_values(disks));
    all.extend(latency_values(write_latency));
    all.extend(slowest_values(slowest));
    all.extend(gap_values(gaps));
    all.extend(ffsb.iter().flat_map(ffsb::values));
    all.extend(memory.iter().flat_map(memory::values));
    all
}

fn disk_values(disks: &[DiskUse]) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (at, disk) in disks.iter().enumerate() {
        let DiskUse { name, reads, read_bytes, writes, written_bytes, flushes, busy_ms } = disk;
        let disk = format!("disk[{}]", at + 1);
        all.push((format!("{disk}.name"), name.clone()));
        let numbers = [
            ("reads", Some(*reads)),
            ("read_bytes", Some(*read_bytes)),
            ("writes", Some(*writes)),
            ("written_bytes", Some(*written_bytes)),
            ("flushes", *flushes),
            ("busy_ms", Some(*busy_ms)),
        ];
        let there = numbers.into_iter().filter_map(|(item, value)| Some((item, value?)));
        all.extend(there.map(|(item, value)| (format!("{disk}.{item}"), value.to_string())));
    }
    all
}

fn latency_values(buckets: &[(u64, u64)]) -> Vec<(String, String)> {
    let names = buckets.iter().map(|(bound, _)| format!("write_latency[{bound}ns]"));
    unlike(names).into_iter().zip(buckets.iter().map(|(_, calls)| calls.to_string())).collect()
}

fn slowest_values(calls: &[SlowCall]) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (at, call) in calls.iter().enumerate() {
        let SlowCall { at_ns, took_ns, offset } = call;
        let values = [("at_ns", at_ns), ("took_ns", took_ns), ("offset", offset)];
        all.extend(
            values.map(|(item, value)| (format!("slowest[{}].{item}", at + 1), value.to_string())),
        );
    }
    all
}

fn gap_values(gaps: &[Gap]) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (at, gap) in gaps.iter().enumerate() {
        let Gap { at_ns, took_ns } = gap;
        all.extend(
            [("at_ns", at_ns), ("took_ns", took_ns)]
                .map(|(item, value)| (format!("gap[{}].{item}", at + 1), value.to_string())),
        );
    }
    all
}
