//! A bisection that uses every field.

use model::bisection::Step;
use model::{
    Bisection, Candidate, Change, ChangeKind, CommitFacts, FORMAT, Found, Hunt, Remedy, RemedyKind,
    Settings, Standing, Tried,
};

use super::comparison;

fn change(name: &str, title: &str, key: &str) -> Change {
    Change {
        name: name.to_owned(),
        title: title.to_owned(),
        set: vec![(key.to_owned(), name.to_owned())],
    }
}

/// A commit by its number, in 40 digits.
fn commit(at: usize) -> Change {
    change(&format!("{at:040x}"), &format!("mm: made-up change {at}"), "kernel")
}

/// A hunt over so many commits, each on the one before.
pub(crate) fn hunt(commits: usize) -> Hunt {
    let mut settings = Settings::default();
    settings.set_pair("disk.mbps=400").expect("a valid setting");
    let candidate = |at: usize| Candidate {
        change: commit(at + 1),
        parents: at.checked_sub(1).into_iter().collect(),
    };
    Hunt {
        case: "mke2fs-aged".to_owned(),
        headline: "mkfs".to_owned(),
        place: "exact".to_owned(),
        settings,
        kind: ChangeKind::Commit,
        good: Change { title: String::new(), ..commit(0) },
        candidates: (0..commits).map(candidate).collect(),
        paths: vec!["mm".to_owned()],
        fixes: vec![change("/home/user/1.patch", "", "patch")],
        // Needs all 17 digits.
        threshold: 1.1 / 100.0,
        confidence: 0.95,
        seeds: 2,
        most: 30,
        notes: vec!["the merge base stands in for the good end".to_owned()],
    }
}

pub(crate) fn bisection(id: &str) -> Bisection {
    Bisection {
        format: FORMAT,
        id: id.to_owned(),
        started: "2026-01-31T14:25:01Z".to_owned(),
        hunt: hunt(3),
        ends: comparison(id),
        tried: vec![tried(1, Standing::New), tried(0, Standing::Broken)],
        found: Found::Steps(vec![step(), several()]),
        remedies: vec![
            Remedy { what: RemedyKind::Revert(1), comparison: Some(comparison(id)), reason: None },
            Remedy {
                what: RemedyKind::Fix(0),
                comparison: None,
                reason: Some("/home/user/1.patch does not apply".to_owned()),
            },
        ],
        notes: vec!["the plugin is missing, so instructions are not counted".to_owned()],
    }
}

fn tried(candidate: usize, standing: Standing) -> Tried {
    let measured = standing == Standing::New;
    Tried {
        candidate,
        standing,
        seeds: 2,
        position: measured.then_some(1.1 / 1.2),
        interval: measured.then_some((0.9, 1.05)),
        reason: (!measured).then(|| "it does not build: mm/page_alloc.c:1: error".to_owned()),
        trials: vec!["20260131-142501-80aa01".to_owned()],
        suspects: 3,
        between: (None, 2),
    }
}

fn step() -> Step {
    let facts = CommitFacts {
        id: commit(2).name,
        subject: commit(2).title,
        author: "D. Author <author@example.org>".to_owned(),
        date: "2026-01-12T16:43:51+02:00".to_owned(),
        files: vec!["mm/page_alloc.c".to_owned()],
        maintainers: vec!["listserver@example.org (open list:MADE-UP)".to_owned()],
    };
    let proof = Some(comparison("20260131-142600-80aa05"));
    Step { among: vec![1], parent: Some(0), proof, commit: Some(facts) }
}

fn several() -> Step {
    Step { among: vec![0, 1], parent: None, proof: None, commit: None }
}
