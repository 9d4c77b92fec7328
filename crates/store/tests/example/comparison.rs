//! A comparison that uses every field.

use model::comparison::BrokenSide;
use model::{
    Comparison, Contrast, Ended, Extent, FORMAT, Judgement, Question, Sample, Series, Settings,
    Side, Variant, Verdict,
};

pub(crate) fn variant(pair: &str) -> Variant {
    let mut settings = Settings::default();
    settings.set_pair(pair).expect("a valid setting");
    Variant { name: pair.to_owned(), place: "exact".to_owned(), settings }
}

pub(crate) fn question() -> Question {
    Question {
        case: "dd-sync".to_owned(),
        headline: "write".to_owned(),
        variants: ["fs=ext4", "fs=xfs", "fs=reiserfs"].map(variant).to_vec(),
        // Needs all 17 digits.
        threshold: 1.1 / 100.0,
        confidence: 0.95,
        extent: Extent::UntilClear(30),
    }
}

pub(crate) fn comparison(id: &str) -> Comparison {
    Comparison {
        format: FORMAT,
        id: id.to_owned(),
        started: "2026-01-31T14:25:01Z".to_owned(),
        question: question(),
        ended: Ended::Clear,
        sides: vec![
            side("fs=ext4", 2_345_678_901.0),
            side("fs=xfs", 2_445_678_901.5),
            Side {
                kernel: None,
                series: Vec::new(),
                broken: Some(BrokenSide {
                    trial: "20260131-142509-80aa02".to_owned(),
                    reason: "the kernel panicked".to_owned(),
                }),
                ..side("fs=reiserfs", 0.0)
            },
        ],
        contrasts: vec![
            Contrast::Judged(vec![clear(), open()]),
            Contrast::NotComparable("fs=reiserfs is broken".to_owned()),
        ],
        explanations: Vec::new(),
        notes: vec!["the plugin is missing, so instructions are not counted".to_owned()],
    }
}

fn side(pair: &str, wall_ns: f64) -> Side {
    let sample = Sample {
        seed: u64::MAX,
        trial: "20260131-142501-80aa01".to_owned(),
        wall_ns,
        user_ns: 12_000_000.0,
        system_ns: 800_000_000.0,
        instructions: Some(1_172_839_450.5),
    };
    let sync = Sample { instructions: None, ..sample.clone() };
    Side {
        variant: variant(pair),
        kernel: Some("6.1.0-57-amd64".to_owned()),
        series: vec![
            Series { phase: "write".to_owned(), rounds: Some((2, 4)), values: vec![sample] },
            Series { phase: "sync".to_owned(), rounds: None, values: vec![sync] },
        ],
        broken: None,
    }
}

fn clear() -> Judgement {
    Judgement {
        phase: "write".to_owned(),
        rounds: Some((2, 4)),
        verdict: Verdict::Worse,
        pairs: 12,
        effect: 0.0417,
        interval: Some((0.03, 0.05)),
        confidence: 0.975,
        p: 0.000_488_281_25,
        smallest: Some(0.015),
        needed: None,
    }
}

fn open() -> Judgement {
    Judgement {
        phase: "sync".to_owned(),
        rounds: None,
        verdict: Verdict::CannotTell,
        pairs: 2,
        effect: -0.25,
        interval: None,
        p: 0.5,
        smallest: None,
        needed: Some(9),
        ..clear()
    }
}
