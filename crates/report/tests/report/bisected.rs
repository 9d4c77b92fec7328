//! Bisections to show. All of it is made up: commits, figures, releases.

use model::bisection::{Step, chain};
use model::comparison::BrokenSide;
use model::{
    Bisection, Change, ChangeKind, CommitFacts, Comparison, Contrast, Ended, Extent, FORMAT, Found,
    Hunt, Judgement, Question, Remedy, RemedyKind, Settings, Side, Standing, Tried, Variant,
    Verdict,
};

use crate::compared::series;

pub(crate) const ID: &str = "20260131-150012-4ba81e";

/// Candidates of the made-up history.
const COMMITS: usize = 40;

/// The commit that made it slow, and what stands before it.
pub(crate) const CULPRIT: usize = 22;

/// Name, rounds, and the good end's time in ms.
type Phase = (&'static str, Option<(u32, u32)>, f64);

/// The last one decides.
const PHASES: [Phase; 3] =
    [("prepare", None, 412.0), ("age", None, 861.0), ("mke2fs", Some((1, 1)), 187.0)];

/// Ratio, its interval's ends, and the verdict.
pub(crate) type Effect = (f64, (f64, f64), Verdict);

pub(crate) const SLOWER: Effect = (5.4, (4.7, 5.5), Verdict::Worse);
const RECOVERED: Effect = (0.189, (0.181, 0.215), Verdict::Better);
pub(crate) const SAME: Effect = (1.001, (0.994, 1.008), Verdict::Same);

fn settings() -> Settings {
    let mut settings = Settings::default();
    for pair in [
        "kernel.repo=/home/user/linux",
        "program.mkfs=mke2fs",
        "mkfs=-q -t ext2 -m 0",
        "disk.size=4G",
        "disk.mbps=400",
        "age.unmovable=120000",
        "sysctl.vm.percpu_pagelist_high_fraction=100000",
    ] {
        settings.set_pair(pair).expect("a valid setting");
    }
    settings
}

/// A commit by its number, with 40 digits.
pub(crate) fn commit(at: usize) -> Change {
    let name = format!("{:012x}{at:028x}", 0x5adc_5be7_cd00_usize + at * 0x0123_4567);
    let title = match at {
        0 => "Linux 6.12-rc1, made up".to_owned(),
        at if at == CULPRIT + 1 => "Bias the placement of kernel pages at lower PFNs".to_owned(),
        at => format!("mm: made-up change {at}"),
    };
    Change { set: vec![("kernel".to_owned(), name.clone())], name, title }
}

pub(crate) fn hunt() -> Hunt {
    Hunt {
        case: "mke2fs-aged".to_owned(),
        headline: "mke2fs".to_owned(),
        place: "exact".to_owned(),
        settings: settings(),
        kind: ChangeKind::Commit,
        good: commit(0),
        candidates: chain((1..=COMMITS).map(commit)),
        paths: Vec::new(),
        fixes: Vec::new(),
        threshold: 0.02,
        confidence: 0.95,
        seeds: 2,
        most: 24,
        notes: Vec::new(),
    }
}

fn side(hunt: &Hunt, name: &str, factor: f64) -> Side {
    let series = PHASES.iter().map(|(phase, rounds, middle)| {
        let factor = if *phase == "mke2fs" { factor } else { 1.0 };
        series(phase, *rounds, middle * factor)
    });
    Side {
        variant: Variant {
            name: name.to_owned(),
            place: hunt.place.clone(),
            settings: hunt.settings.clone(),
        },
        kernel: Some("6.12.0-slowpath".to_owned()),
        series: series.collect(),
        broken: None,
    }
}

fn judgement(phase: &str, rounds: Option<(u32, u32)>, (ratio, ends, verdict): Effect) -> Judgement {
    let clear = verdict != Verdict::CannotTell && verdict != Verdict::Same;
    Judgement {
        phase: phase.to_owned(),
        rounds,
        verdict,
        pairs: 6,
        effect: ratio.ln(),
        interval: Some((ends.0.ln(), ends.1.ln())),
        confidence: 0.96875,
        p: if clear { 0.03125 } else { 0.5625 },
        smallest: Some(f64::ln(1.032)),
        needed: (verdict == Verdict::CannotTell).then_some(40),
    }
}

/// Two sides of which the second takes `effect` times as long as the first, which takes `base` times as long
/// as the good end.
pub(crate) fn comparison(hunt: &Hunt, names: [&str; 2], base: f64, effect: Effect) -> Comparison {
    let sides = vec![side(hunt, names[0], base), side(hunt, names[1], base * effect.0)];
    let judged = PHASES.iter().map(|(phase, rounds, _)| match *phase {
        "mke2fs" => judgement(phase, *rounds, effect),
        _ => judgement(phase, *rounds, SAME),
    });
    Comparison {
        format: FORMAT,
        id: ID.to_owned(),
        started: "2026-01-31T15:00:12Z".to_owned(),
        question: Question {
            case: hunt.case.clone(),
            headline: hunt.headline.clone(),
            variants: sides.iter().map(|side| side.variant.clone()).collect(),
            threshold: hunt.threshold,
            confidence: hunt.confidence,
            extent: Extent::UntilClear(hunt.most),
        },
        ended: Ended::Clear,
        sides,
        contrasts: vec![Contrast::Judged(judged.collect())],
        explanations: Vec::new(),
        notes: Vec::new(),
    }
}

pub(crate) fn ends(hunt: &Hunt, effect: Effect) -> Comparison {
    let bad = hunt.change(Some(hunt.bad())).short(hunt.kind);
    let names = [format!("good ({})", hunt.good.short(hunt.kind)), format!("bad ({bad})")];
    comparison(hunt, [&names[0], &names[1]], 1.0, effect)
}

fn tried(candidate: usize, standing: Standing, position: Option<f64>, suspects: usize) -> Tried {
    let broken = standing == Standing::Broken;
    let reason = match standing {
        Standing::Broken => Some("it does not build: mm/page_alloc.c:1234: made-up error"),
        Standing::CannotTell => Some("24 seeds leave it between old and new"),
        _ => None,
    };
    Tried {
        candidate,
        standing,
        seeds: if broken { 0 } else { 2 },
        position,
        interval: position.map(|position| (position - 0.03, position + 0.04)),
        reason: reason.map(str::to_owned),
        trials: vec!["20260131-150101-80aa01".to_owned()],
        suspects,
        between: (None, COMMITS - 1),
    }
}

fn facts(at: usize) -> CommitFacts {
    let Change { name, title, .. } = commit(at + 1);
    CommitFacts {
        id: name,
        subject: title,
        author: "D. Author <author@example.org>".to_owned(),
        date: "2026-01-12T16:43:51+02:00".to_owned(),
        files: vec!["mm/page_alloc.c".to_owned(), "mm/internal.h".to_owned()],
        maintainers: vec![
            "A. Maintainer <maintainer@example.org> (maintainer:MEMORY MANAGEMENT)".to_owned(),
            "listserver@example.org (open list:MEMORY MANAGEMENT)".to_owned(),
        ],
    }
}

fn step(hunt: &Hunt, culprit: usize, base: f64, effect: Effect) -> Step {
    let parent = culprit.checked_sub(1);
    let name = |at| hunt.change(at).short(hunt.kind).to_owned();
    let names = [name(parent), name(Some(culprit))];
    Step {
        among: vec![culprit],
        parent,
        proof: Some(comparison(hunt, [&names[0], &names[1]], base, effect)),
        commit: (hunt.kind == ChangeKind::Commit).then(|| facts(culprit)),
    }
}

fn remedy(hunt: &Hunt, what: RemedyKind, name: &str, effect: Effect) -> Remedy {
    let comparison = comparison(hunt, ["bad", name], SLOWER.0, effect);
    Remedy { what, comparison: Some(comparison), reason: None }
}

fn bisection(hunt: Hunt, found: Found) -> Bisection {
    Bisection {
        format: FORMAT,
        id: ID.to_owned(),
        started: "2026-01-31T15:00:12Z".to_owned(),
        ends: ends(&hunt, SLOWER),
        hunt,
        tried: Vec::new(),
        found,
        remedies: Vec::new(),
        notes: Vec::new(),
    }
}

/// A single culprit, which reverts cleanly; a fix helps as well.
pub(crate) fn culprit() -> Bisection {
    let mut hunt = hunt();
    hunt.fixes.push(Change {
        name: "fix.patch".to_owned(),
        title: String::new(),
        set: vec![("patch".to_owned(), "/home/user/fix.patch".to_owned())],
    });
    hunt.notes.push(
        "v6.12-rc1 (0123456789ab) is no ancestor of HEAD: where their histories part, 5adc5be7cd00, \
         stands for it; what only v6.12-rc1 has is not searched"
            .to_owned(),
    );
    let found = Found::Steps(vec![step(&hunt, CULPRIT, 1.02, (5.3, (4.6, 5.4), Verdict::Worse))]);
    let remedies = vec![
        remedy(&hunt, RemedyKind::Revert(CULPRIT), "bad with the culprit reverted", RECOVERED),
        remedy(
            &hunt,
            RemedyKind::Fix(0),
            "bad with fix.patch",
            (0.3, (0.28, 0.32), Verdict::Better),
        ),
    ];
    Bisection {
        remedies,
        // As the search leaves them, which begins with those of the hunt.
        notes: hunt.notes.clone(),
        tried: vec![
            tried(19, Standing::Old, Some(0.01), 40),
            tried(29, Standing::New, Some(0.98), 20),
            tried(24, Standing::Broken, None, 10),
            tried(23, Standing::New, Some(1.02), 10),
            tried(21, Standing::Old, Some(0.0), 4),
            tried(22, Standing::New, Some(0.99), 2),
        ],
        ..bisection(hunt, found)
    }
}

/// The same, but the culprit does not revert.
pub(crate) fn not_reverted() -> Bisection {
    let mut found = culprit();
    found.remedies = vec![Remedy {
        what: RemedyKind::Revert(CULPRIT),
        comparison: None,
        reason: Some("it does not revert cleanly: both sides change mm/page_alloc.c".to_owned()),
    }];
    found
}

/// The same, but the proof does not tell.
pub(crate) fn not_proved() -> Bisection {
    let mut found = culprit();
    let open = (1.019, (0.97, 1.07), Verdict::CannotTell);
    found.found = Found::Steps(vec![step(&found.hunt, CULPRIT, 1.0, open)]);
    found.remedies.clear();
    found
}

/// The ends do not differ.
pub(crate) fn no_difference(effect: Effect) -> Bisection {
    let mut found = bisection(hunt(), Found::NoDifference);
    found.ends = ends(&found.hunt, effect);
    found
}

/// Two culprits, the second the larger.
pub(crate) fn two_steps() -> Bisection {
    let hunt = hunt();
    let small = (1.5, (1.44, 1.56), Verdict::Worse);
    let large = (3.6, (3.4, 3.7), Verdict::Worse);
    let steps = vec![step(&hunt, 9, 1.0, small), step(&hunt, CULPRIT, 1.5, large)];
    let remedies = vec![
        remedy(&hunt, RemedyKind::Revert(9), "a", (0.66, (0.64, 0.69), Verdict::Better)),
        remedy(&hunt, RemedyKind::Revert(CULPRIT), "b", (0.28, (0.27, 0.3), Verdict::Better)),
    ];
    let between = |tried, between| Tried { between, ..tried };
    Bisection {
        remedies,
        tried: vec![
            tried(19, Standing::Neither, Some(0.24), 40),
            between(tried(9, Standing::New, Some(1.0), 20), (None, 19)),
            between(tried(8, Standing::Old, Some(0.02), 9), (None, 19)),
            between(tried(29, Standing::New, Some(0.98), 20), (Some(19), COMMITS - 1)),
            between(tried(22, Standing::New, Some(1.0), 10), (Some(19), COMMITS - 1)),
            between(tried(21, Standing::Old, Some(0.0), 3), (Some(19), COMMITS - 1)),
        ],
        ..bisection(hunt, Found::Steps(steps))
    }
}

/// Two commits before the first slow one could not be told.
pub(crate) fn range() -> Bisection {
    let step = Step { among: vec![20, 21, 22], parent: Some(19), proof: None, commit: None };
    Bisection {
        tried: vec![
            tried(19, Standing::Old, Some(0.01), 40),
            tried(29, Standing::New, Some(0.98), 20),
            tried(22, Standing::New, Some(1.01), 10),
            tried(21, Standing::Broken, None, 3),
            tried(20, Standing::CannotTell, Some(0.4), 3),
        ],
        ..bisection(hunt(), Found::Steps(vec![step]))
    }
}

fn setting(pair: &str) -> Change {
    let (key, value) = pair.split_once('=').expect("KEY=VALUE");
    Change {
        name: pair.to_owned(),
        title: String::new(),
        set: vec![(key.to_owned(), value.to_owned())],
    }
}

/// Values of a setting, of which one makes the difference.
pub(crate) fn settings_list() -> Bisection {
    let mut hunt = Hunt { kind: ChangeKind::Setting, ..hunt() };
    hunt.settings.kernel_repo = None;
    hunt.settings.kernel = Some("debian:6.12".to_owned());
    hunt.good = setting("age.unmovable=0");
    let values = ["1000", "20000", "60000", "120000"];
    hunt.candidates = chain(values.iter().map(|value| setting(&format!("age.unmovable={value}"))));
    let found = Found::Steps(vec![step(&hunt, 2, 1.0, (5.1, (4.9, 5.2), Verdict::Worse))]);
    let between = |tried| Tried { between: (None, 3), ..tried };
    Bisection {
        tried: vec![
            between(tried(1, Standing::Old, Some(0.03), 4)),
            between(tried(2, Standing::New, Some(0.96), 2)),
        ],
        ..bisection(hunt, found)
    }
}

fn package(number: usize) -> Change {
    let name = format!("6.12.{number}-amd64");
    let set = vec![("kernel".to_owned(), format!("debian:{name}"))];
    Change { name, title: String::new(), set }
}

/// Debian's kernels.
pub(crate) fn packages() -> Bisection {
    let mut hunt = Hunt { kind: ChangeKind::Package, ..hunt() };
    hunt.settings.kernel_repo = None;
    hunt.good = package(50);
    hunt.candidates = chain((51..=57).map(package));
    let found = Found::Steps(vec![step(&hunt, 3, 1.0, (5.1, (4.9, 5.2), Verdict::Worse))]);
    bisection(hunt, found)
}

/// 0-1-4-5 and 0-2-3-4: the culprit is 3, on a branch that the merge 4 brings in.
pub(crate) fn side_branch() -> Bisection {
    let mut hunt = hunt();
    let parents: [&[usize]; 6] = [&[], &[0], &[0], &[2], &[1, 3], &[4]];
    hunt.candidates.truncate(parents.len());
    for (candidate, parents) in hunt.candidates.iter_mut().zip(parents) {
        candidate.parents = parents.to_vec();
    }
    let found = Step { parent: Some(2), ..step(&hunt, 3, 1.0, SLOWER) };
    let between = |tried| Tried { between: (None, 5), ..tried };
    Bisection {
        tried: vec![
            between(tried(3, Standing::New, Some(1.0), 6)),
            between(tried(2, Standing::Old, Some(0.0), 3)),
        ],
        ..bisection(hunt, Found::Steps(vec![found]))
    }
}

/// The bad end does not boot.
pub(crate) fn broken_end() -> Bisection {
    let reason = "the variant `bad` has a broken trial, 20260131-150101-0b0b: it panicked";
    let mut found = bisection(hunt(), Found::BrokenEnd(reason.to_owned()));
    found.ends.sides[1].series.clear();
    found.ends.sides[1].broken = Some(BrokenSide {
        trial: "20260131-150101-0b0b".to_owned(),
        reason: "it panicked".to_owned(),
    });
    found.ends.contrasts = vec![Contrast::NotComparable(reason.to_owned())];
    found
}

/// Interrupted after three candidates.
pub(crate) fn unfinished() -> Bisection {
    let mut found = culprit();
    found.tried.truncate(3);
    found.remedies.clear();
    found.found = Found::Unfinished;
    found
}

/// The ends differ, and no step is large.
pub(crate) fn many_small_steps() -> Bisection {
    bisection(hunt(), Found::Steps(Vec::new()))
}
