//! `twins::write`, `twins::markdown` and `twins::json`.

use analysis::{TwinPhase, Verdicts};
use report::twins::FalseReasons;
use report::twins::{self, Twins};

use crate::{PIPE, TERMINAL, written};

fn phase(phase: &str, rounds: Option<(u32, u32)>, spread: f64, wrong: u32) -> TwinPhase {
    TwinPhase {
        phase: phase.to_owned(),
        rounds,
        spread: Some(spread),
        ring: Verdicts { comparisons: 20, wrong },
        rate: if wrong == 0 { (0.0, 0.1684) } else { (0.12, 0.54) },
        all: Verdicts { comparisons: 190, wrong: wrong * 11 + 1 },
        needed: [None, Some(310), Some(48), Some(12)],
    }
}

fn phases(wrong: u32) -> Vec<TwinPhase> {
    let unknown = TwinPhase {
        spread: None,
        ring: Verdicts::default(),
        rate: (0.0, 1.0),
        all: Verdicts::default(),
        needed: [None; 4],
        ..phase("umount", None, 0.0, 0)
    };
    vec![
        TwinPhase { needed: [Some(6); 4], ..phase("mkfs|ext4", None, 0.000_06, 0) },
        phase("write", Some((1, 1)), 0.0004, 3),
        phase("write", Some((2, 4)), 0.021, wrong),
        phase("sync", Some((2, 4)), 0.31, 0),
        unknown,
    ]
}

fn twins(phases: &[TwinPhase]) -> Twins<'_> {
    Twins {
        case: "dd-sync",
        headline: "write",
        twins: 20,
        seeds: 12,
        threshold: 0.02,
        confidence: 0.95,
        phases,
        reasons: Some(FalseReasons { pairs: 105, found: 1, rate: (0.000_2, 0.052) }),
    }
}

#[test]
fn a_table() {
    insta::assert_snapshot!(written(|out| twins::write(out, &twins(&phases(0)), PIPE)));
}

#[test]
fn too_many_false_verdicts_in_colour() {
    let text = written(|out| twins::write(out, &twins(&phases(6)), TERMINAL));
    let (sentence, _) = text.split_once("\n\n").unwrap();
    insta::assert_snapshot!(sentence.replace('\x1b', "ESC"));
}

#[test]
fn without_the_headline_nothing_is_claimed() {
    let text = written(|out| twins::write(out, &twins(&phases(0)[..1]), PIPE));
    assert!(text.starts_with("no two twins have the phase `write`\n"), "{text}");
}

#[test]
fn too_few_pairs_are_no_rate() {
    let mut phases = phases(0);
    (phases[2].ring, phases[2].rate) = (Verdicts::default(), (0.0, 1.0));
    let text = written(|out| twins::write(out, &twins(&phases), PIPE));
    assert!(text.starts_with("too few pairs for any verdict on `write 2-4`\n"), "{text}");
}

#[test]
fn markdown() {
    let phases = phases(0);
    let text = written(|out| twins::markdown(out, "dd-sync, one disk", &twins(&phases)));
    insta::assert_snapshot!(text);
}

#[test]
fn json() {
    insta::assert_snapshot!(written(|out| twins::json(out, &twins(&phases(0)[2..]))));
}
