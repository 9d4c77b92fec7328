//! Gaps, ffsb profiles and memory's free lists, wherever they show.

use model::ffsb::{Call, CallTimes, Op, OpCount, Outcome, Profile};
use model::memory::{ListLength, MemoryLists, MemoryState, TypeLists, ZoneLists};
use model::{Action, Gap, PhaseRun, Trial};
use report::{Style, comparison, ffsb_of, scale_line, show, terminal};

use crate::{PIPE, compared, example, written};

const UNICODE: Style = Style { unicode: true, ..PIPE };

fn outcome() -> Outcome {
    let count = |op, done, transactions, bytes| OpCount { op, done, transactions, bytes };
    Outcome {
        ops: vec![
            count(Op::Create, 1_204, 308_224, 308_224 * 4096),
            count(Op::Delete, 17, 17, 0),
            count(Op::Read, 0, 0, 0),
        ],
        read_bytes: 0,
        written_bytes: 308_224 * 4096,
        calls: vec![
            CallTimes {
                call: Call::Write,
                count: 308_224,
                least_ns: 900,
                total_ns: 2_400_000_000,
                greatest_ns: 31_000_000,
                in_ranges: vec![308_220, 4],
            },
            CallTimes {
                call: Call::Fsync,
                count: 0,
                least_ns: 0,
                total_ns: 0,
                greatest_ns: 0,
                in_ranges: vec![0, 0],
            },
        ],
    }
}

/// A trial of two rounds of an ffsb profile, each with a final sync.
pub(crate) fn ffsb() -> Trial {
    let mut trial = example::measured();
    trial.spec.case = "create-4k".to_owned();
    trial.spec.headline = "ffsb".to_owned();
    trial.spec.ffsb = Some(Profile { time: 600, ..Profile::default() });
    for phase in &mut trial.spec.phases {
        if phase.name == "write" {
            (phase.name, phase.action) = ("ffsb".to_owned(), Action::FfsbRun);
        }
    }
    for run in &mut example::measurements(&mut trial).phases {
        if run.name == "write" {
            *run = PhaseRun {
                name: "ffsb".to_owned(),
                round: run.round,
                wall_ns: 1_500_000_000,
                ffsb: Some(outcome()),
                gaps: gaps(),
                ..PhaseRun::default()
            };
        } else if run.name == "sync" {
            run.wall_ns = 850_000_000;
        }
    }
    trial
}

fn gaps() -> Vec<Gap> {
    (1..=7).map(|n| Gap { at_ns: n * 100_000_000, took_ns: 90_000_000 / n }).collect()
}

fn zone(zone: &str, first: u64, unmovable: ListLength) -> ZoneLists {
    let lists = |kind: &str, first| TypeLists {
        kind: kind.to_owned(),
        free: std::iter::once(first).chain((1..11).map(|n| ListLength::Exactly(11 - n))).collect(),
    };
    let none =
        |kind: &str| TypeLists { kind: kind.to_owned(), free: vec![ListLength::Exactly(0); 11] };
    ZoneLists {
        node: 0,
        zone: zone.to_owned(),
        free: std::iter::once(first).chain((1..11).map(|n| 40 - n)).collect(),
        by_type: vec![
            lists("Unmovable", unmovable),
            lists("Movable", ListLength::Exactly(12)),
            none("Reclaimable"),
            none("HighAtomic"),
            none("Isolate"),
        ],
    }
}

fn lists() -> MemoryLists {
    let state = |first, unmovable, cache: u64| MemoryState {
        zones: vec![zone("DMA", 3, ListLength::Exactly(1)), zone("DMA32", first, unmovable)],
        cache: Some(cache << 20),
        anon: Some(64 << 20),
        slab: None,
    };
    MemoryLists {
        before: state(119_882, ListLength::MoreThan(100_000), 12),
        after: state(85_112, ListLength::Exactly(85_012), 40),
    }
}

/// A trial whose memory was aged before its mkfs.
pub(crate) fn aged() -> Trial {
    let mut trial = example::measured();
    trial.spec.headline = "mkfs".to_owned();
    let phases = &mut example::measurements(&mut trial).phases;
    phases.truncate(2);
    phases[0].memory = Some(lists());
    trial
}

fn ran(trial: &Trial) -> String {
    written(|out| terminal::run(out, std::slice::from_ref(trial), PIPE))
}

/// What `show` says of the first phase of that label.
fn shown(trial: &Trial, label: &str) -> String {
    let text = written(|out| show::show(out, trial, UNICODE));
    let (_, details) = text.split_once(&format!("\n\n{label}  ")).expect("the phase is shown");
    let (details, _) = details.split_once("\n\n").expect("something follows");
    format!("{label}  {details}")
}

#[test]
fn a_run_of_a_profile() {
    insta::assert_snapshot!(ran(&ffsb()));
}

#[test]
fn a_profiles_operations_and_gaps_are_shown() {
    insta::assert_snapshot!(shown(&ffsb(), "ffsb 1"));
}

#[test]
fn a_run_on_aged_memory() {
    insta::assert_snapshot!(ran(&aged()));
}

#[test]
fn free_lists_are_shown_by_zone_and_type() {
    insta::assert_snapshot!(shown(&aged(), "mkfs"));
}

#[test]
fn lists_that_were_not_read_are_not_empty() {
    let mut trial = aged();
    let phases = &mut example::measurements(&mut trial).phases;
    phases[0].memory = Some(MemoryLists { before: lists().before, ..MemoryLists::default() });
    let before = shown(&trial, "mkfs");
    assert!(before.contains("page cache 12.00 MiB → not available"), "{before}");
    assert!(before.contains("119882 → -"), "{before}");
    assert!(ran(&trial).contains("over 100,001 pages before mkfs, not available after"));
    example::measurements(&mut trial).phases[0].memory = Some(MemoryLists::default());
    assert!(
        shown(&trial, "mkfs").contains("lists of free memory were not read"),
        "{}",
        shown(&trial, "mkfs")
    );
    assert!(ran(&trial).contains("free blocks by order: not available"));
}

#[test]
fn a_profiles_results_are_its_runs_with_their_syncs() {
    let mut trial = ffsb();
    let labels = |trial: &Trial| -> Vec<_> {
        let of = ffsb_of(trial);
        of.iter().map(|of| (of.run.label(), of.sync.map(PhaseRun::label))).collect()
    };
    let pair = |n| (format!("ffsb {n}"), Some(format!("sync {n}")));
    assert_eq!(labels(&trial), [pair(1), pair(2)]);
    assert_eq!(ffsb_of(&trial)[0].profile.time, 600);
    let block = ffsb_of(&trial)[0].closing_block();
    assert_eq!((block.run_ns, block.sync_ns), (1_500_000_000, 850_000_000));
    assert_eq!((block.user_ns, block.system_ns), (0, 49_382_716));
    trial.spec.phases[3].round = None;
    assert_eq!(labels(&trial)[0].1, None);
    assert!(ffsb_of(&example::measured()).is_empty());
    assert!(ffsb_of(&Trial { spec: trial.spec, ..example::broken() }).is_empty());
}

#[test]
fn a_comparison_tells_each_scale_once() {
    let spec = ffsb().spec;
    let mut other = spec.clone();
    other.settings.set_pair("scale=100").unwrap();
    let mut unscaled = spec.clone();
    unscaled.settings.set_pair("scale=1").unwrap();
    assert_eq!(scale_line(&unscaled), None);
    let specs = [spec.clone(), other, spec, unscaled];
    let text = written(|out| comparison::write_of(out, &compared::worse(), &specs, PIPE));
    let (_, context) = text.split_once("case    dd-sync\n").unwrap();
    let (scales, _) = context.split_once("place").unwrap();
    insta::assert_snapshot!(scales);
}
