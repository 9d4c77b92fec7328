//! `observation::write`.

use model::observation::PhaseView;
use model::{Observation, PhaseRun, Trial};
use report::{Style, observation};

use crate::{PIPE, TERMINAL, example, observed, written};

const UNICODE: Style = Style { unicode: true, ..PIPE };

fn shown(trial: &Trial, seen: &Observation, style: Style) -> String {
    written(|out| observation::write(out, trial, seen, style))
}

fn of(seen: &Observation, style: Style) -> String {
    shown(&example::measured(), seen, style)
}

#[test]
fn stalls_on_a_lock() {
    insta::assert_snapshot!(of(&observed::outside(), UNICODE));
}

#[test]
fn stalls_on_a_lock_in_colour() {
    insta::assert_snapshot!(of(&observed::outside(), TERMINAL).replace('\x1b', "ESC"));
}

#[test]
fn stalls_on_a_lock_in_60_columns_of_ascii() {
    let text = of(&observed::outside(), Style { width: 60, ..PIPE });
    assert!(text.is_ascii());
    let wide: Vec<_> = text.lines().filter(|line| line.len() > 60).collect();
    assert!(wide.is_empty(), "{wide:#?}");
    insta::assert_snapshot!(text);
}

#[test]
fn a_directory_without_stacks() {
    let mut trial = example::measured();
    trial.spec.place = "dir:/mnt/scratch".to_owned();
    insta::assert_snapshot!(shown(&trial, &observed::directory(), PIPE));
}

#[test]
fn nothing_is_made_of_nothing() {
    insta::assert_snapshot!(of(&Observation::default(), PIPE));
}

#[test]
fn phases_without_a_stall_are_named_by_their_limits() {
    let mut seen = observed::outside();
    seen.stalls.clear();
    seen.limits.extend([("ffsb", 20_000_000), ("direct", 1_200_000_000)].map(|(phase, ns)| {
        model::observation::StallLimit { phase: phase.to_owned(), limit: model::Nanos(ns) }
    }));
    let text = of(&seen, PIPE);
    let told: Vec<_> = text.lines().filter(|line| line.contains("no stall")).collect();
    assert_eq!(
        told,
        [
            "  no stall: no stretch without a completed call was longer than 20.00 ms (write, ffsb)",
            "  no stall: no stretch without a completed call was longer than 1.200 s (direct)",
        ]
    );
}

#[test]
fn a_pass_that_measured_other_times_is_no_proof() {
    let mut seen = observed::outside();
    seen.same_times = Some(false);
    let text = of(&seen, PIPE);
    assert!(text.contains("warning: this pass measured other times than the trial"), "{text}");
}

#[test]
fn who_waits_at_a_disk_or_a_timer_is_told_apart() {
    for (frame, said) in [
        ("null_cmd_timer_expired [null_blk]", "an interrupt (a disk's completion) while dd ran"),
        ("hrtimer_wakeup", "an interrupt (a timer) while dd ran"),
        ("sysvec_thermal", "an interrupt while dd ran"),
    ] {
        let mut seen = observed::outside();
        let waker = seen.stalls[0].waited_for.as_mut().unwrap();
        (waker.task, waker.interrupt) = ("dd".to_owned(), true);
        waker.frames = vec![frame.to_owned(), "hrtimer_interrupt".to_owned()];
        if frame.starts_with("sysvec") {
            waker.frames.truncate(1);
        }
        assert!(of(&seen, PIPE).contains(said), "{said}");
    }
}

#[test]
fn what_is_missing_is_neither_0_nor_left_out() {
    let mut seen = observed::outside();
    let stall = &mut seen.stalls[0];
    stall.gap = None;
    stall.memory[1].dirty = None;
    stall.waiting[0].frames.clear();
    stall.waiting[1].tasks.clear();
    stall.disks.as_mut().unwrap().idle_wait_ns = None;
    let text = of(&seen, PIPE);
    for said in [
        "  1  length not available in write 2\n",
        "dirty 12.00 MiB -> not available, writeback",
        "3 x D: ffsb, ffsb-helper (3 waits)\n                 call path not available\n",
        "1 x D: a task whose name is not available (41 waits)",
        "waiting with none busy not available",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

/// A trial of 30 rounds and more, and what was seen of it.
fn long() -> (Trial, Observation) {
    let (mut trial, mut seen) = (example::measured(), observed::outside());
    let (write, stall) = (seen.phases[1].clone(), seen.stalls[0].clone());
    let runs = (1..=30).map(|round| PhaseRun {
        name: if round == 7 { "write" } else { "rewrite" }.to_owned(),
        round: Some(round),
        wall_ns: 100_000_000 * u64::from(round),
        ..PhaseRun::default()
    });
    example::measurements(&mut trial).phases = runs.collect();
    let labels = example::measurements(&mut trial).phases.iter().map(PhaseRun::label);
    seen.phases = labels.map(|phase| PhaseView { phase, ..write.clone() }).collect();
    let of = |n: usize| seen.phases[n % 12].phase.clone();
    seen.stalls =
        (0..64).map(|n| model::observation::Stall { phase: of(n), ..stall.clone() }).collect();
    (trial, seen)
}

#[test]
fn thirty_phases_stay_readable() {
    let (trial, seen) = long();
    let text = shown(&trial, &seen, PIPE);
    assert!(text.lines().count() < 150, "{text}");
    let (_, disks) = text.split_once("\ndisks").unwrap();
    let (disks, rest) = disks.split_once("\n\n").unwrap();
    let rows: Vec<_> =
        disks.lines().skip(4).filter_map(|row| row.trim().split("  ").next()).collect();
    assert_eq!(rows.len(), 10, "{disks}");
    assert_eq!(rows[9], "the whole");
    assert_eq!((rows[0], rows[1], rows[8]), ("write 7", "rewrite 23", "rewrite 30"));
    let id = &trial.id;
    assert!(
        rest.contains(&format!("21 more phases are not shown here; slowpath show {id} --json"))
    );
    assert!(text.contains(&format!("59 more stalls; slowpath show {id} --json has the longest")));
    assert!(text.contains("20 stalls in 4 more phases"));
}

#[test]
fn no_name_breaks_the_layout() {
    let mut seen = observed::outside();
    let long = "_RNvXs_".to_owned() + &"very_long_mangled_name".repeat(20) + " [module]";
    for group in seen.stalls[0].waiting.iter_mut().chain(&mut seen.phases[1].waits) {
        group.frames = vec![long.clone(); 30];
        group.tasks = (0..40).map(|n| format!("task-{n}\x1b[2J")).collect();
    }
    for width in [60, 80, 100, 200] {
        let text = of(&seen, Style { width, unicode: true, ..PIPE });
        let wide: Vec<_> = text.lines().filter(|line| line.chars().count() > width).collect();
        assert!(wide.is_empty(), "{width}: {wide:#?}");
        assert!(!text.contains('\x1b'));
    }
}
