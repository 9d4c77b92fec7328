//! Comparisons to show.

use model::comparison::BrokenSide;
use model::{
    Comparison, Contrast, Ended, Extent, FORMAT, Judgement, Question, Sample, Series, Settings,
    Side, Variant, Verdict,
};

pub(crate) const ID: &str = "20260131-142501-3fa9c0";

/// Name, rounds, and the baseline's time in ms.
type Phase = (&'static str, Option<(u32, u32)>, f64);

const PHASES: [Phase; 6] = [
    ("mkfs", None, 48.123),
    ("mount", None, 16.975),
    ("write", Some((1, 1)), 850.0),
    ("sync", Some((1, 1)), 1800.0),
    ("write", Some((2, 4)), 1934.0),
    ("sync", Some((2, 4)), 1210.0),
];

/// By what share each seed's time departs from the middle.
const JITTER: [f64; 6] = [-0.004, 0.003, 0.0, 0.0065, -0.0015, 0.003];

fn variant(name: &str, place: &str) -> Variant {
    let mut settings = Settings::default();
    settings.set_pair("rounds=4").expect("a valid setting");
    for pair in name.split(' ').filter(|pair| pair.starts_with("fs=")) {
        settings.set_pair(pair).expect("a valid setting");
    }
    Variant { name: name.to_owned(), place: place.to_owned(), settings }
}

/// A series of as many seeds as `JITTER` has, around a middle in ms.
pub(crate) fn series(phase: &str, rounds: Option<(u32, u32)>, middle: f64) -> Series {
    let sample = |(seed, jitter): (u64, &f64)| Sample {
        seed,
        trial: format!("20260131-1425{seed:02}-00aa"),
        wall_ns: (middle * 1e6 * (1.0 + jitter)).round(),
        user_ns: (middle * 1e4).round(),
        system_ns: (middle * 4e5).round(),
        instructions: Some((middle * 3.1e5).round()),
    };
    Series { phase: phase.to_owned(), rounds, values: (1..).zip(&JITTER).map(sample).collect() }
}

fn side(name: &str, factors: [f64; 6]) -> Side {
    let phases = PHASES.iter().zip(factors);
    Side {
        variant: variant(name, "exact"),
        kernel: Some("6.1.0-57-amd64".to_owned()),
        series: phases
            .map(|((phase, rounds, ms), factor)| series(phase, *rounds, ms * factor))
            .collect(),
        broken: None,
    }
}

/// A judgement by ratios: the effect's and its interval's ends.
pub(crate) fn judgement(
    verdict: Verdict,
    at: usize,
    effect: f64,
    interval: Option<(f64, f64)>,
) -> Judgement {
    let (phase, rounds, _) = PHASES[at];
    let unclear = verdict == Verdict::CannotTell;
    let one_sided = interval.is_some_and(|(low, high)| low > 1.0 || high < 1.0);
    Judgement {
        phase: phase.to_owned(),
        rounds,
        verdict,
        pairs: 6,
        effect: f64::ln(effect),
        interval: interval.map(|(low, high)| (low.ln(), high.ln())),
        confidence: 0.96875,
        p: if one_sided { 0.03125 } else { 0.21875 },
        smallest: Some(f64::ln(1.031)),
        needed: unclear.then_some(40),
    }
}

fn comparison(sides: Vec<Side>, contrasts: Vec<Contrast>) -> Comparison {
    Comparison {
        format: FORMAT,
        id: ID.to_owned(),
        started: "2026-01-31T14:25:01Z".to_owned(),
        question: Question {
            case: "dd-sync".to_owned(),
            headline: "write".to_owned(),
            variants: sides.iter().map(|side| side.variant.clone()).collect(),
            threshold: 0.02,
            confidence: 0.95,
            extent: Extent::UntilClear(48),
        },
        ended: Ended::Clear,
        sides,
        contrasts,
        explanations: Vec::new(),
        notes: Vec::new(),
    }
}

/// The comparison as if its sides had been asked for.
fn asked(mut compared: Comparison) -> Comparison {
    compared.question.variants = compared.sides.iter().map(|side| side.variant.clone()).collect();
    compared
}

/// The verdicts on the phases but the last `write`, which is given.
fn around(headline: Judgement) -> Contrast {
    use Verdict::{Better, CannotTell, Same, Worse};
    Contrast::Judged(vec![
        judgement(Better, 0, 0.2174, Some((0.2169, 0.2178))),
        judgement(Same, 1, 1.0003, Some((0.9998, 1.0007))),
        judgement(Worse, 2, 1.94, Some((1.88, 1.99))),
        judgement(CannotTell, 3, 1.041, Some((0.97, 1.112))),
        headline,
        judgement(CannotTell, 5, 1.025, Some((1.012, 1.038))),
    ])
}

/// Two filesystems of which the second writes more slowly.
pub(crate) fn worse() -> Comparison {
    let sides = vec![
        side("fs=ext4", [1.0; 6]),
        side("fs=reiserfs", [0.2174, 1.0003, 1.94, 1.041, 1.231, 1.025]),
    ];
    let headline = judgement(Verdict::Worse, 4, 1.231, Some((1.21, 1.254)));
    comparison(sides, vec![around(headline)])
}

/// The same with another verdict on the headline.
pub(crate) fn with_headline(headline: Judgement) -> Comparison {
    let mut compared = worse();
    let middle = 1934.0 * headline.effect.exp();
    compared.sides[1].series[4] = series("write", Some((2, 4)), middle);
    compared.contrasts = vec![around(headline)];
    compared
}

/// Three variants of which one is worse, one is not told apart, and one did not boot.
pub(crate) fn several() -> Comparison {
    let mut compared = worse();
    let judged = judgement(Verdict::CannotTell, 4, 0.96, Some((0.93, 1.004)));
    compared.sides.push(side("fs=xfs", [1.1, 1.0, 1.0, 1.3, 0.96, 1.0]));
    compared.contrasts.push(around(judged));
    compared.sides.push(broken("fs=btrfs"));
    compared.contrasts.push(Contrast::NotComparable(
        "the variant `fs=btrfs` has a broken trial, 20260131-142502-0b0b: mkfs.btrfs ended with \
         exit status 1"
            .to_owned(),
    ));
    compared.ended = Ended::Late;
    asked(compared)
}

fn broken(name: &str) -> Side {
    Side {
        series: Vec::new(),
        broken: Some(BrokenSide {
            trial: "20260131-142502-0b0b".to_owned(),
            reason: "mkfs.btrfs ended with exit status 1".to_owned(),
        }),
        ..side(name, [1.0; 6])
    }
}

/// Two sides on a real disk: the one has outliers, the other gets slower all the time.
pub(crate) fn noisy() -> Comparison {
    let mut compared = worse();
    for (side, name) in
        compared.sides.iter_mut().zip(["mount=noatime", "mount=data=journal,noatime"])
    {
        side.variant = variant(name, "dir:/mnt/scratch");
        for sample in side.series.iter_mut().flat_map(|series| &mut series.values) {
            sample.instructions = None;
        }
    }
    let base = compared.sides[0].series[4].values[0].clone();
    let seeds = |wall: fn(u64) -> f64| -> Vec<Sample> {
        (1..=12).map(|seed| Sample { seed, wall_ns: wall(seed) * 1e6, ..base.clone() }).collect()
    };
    compared.sides[0].series[4].values = seeds(|seed| match seed {
        3 | 9 => 2600.0 + seed as f64,
        _ => 1900.0 + (seed * 7 % 5) as f64,
    });
    compared.sides[1].series[4].values = seeds(|seed| 1900.0 + 25.0 * seed as f64);
    let mut headline = judgement(Verdict::CannotTell, 4, 1.08, Some((0.99, 1.12)));
    (headline.pairs, headline.needed) = (12, Some(31));
    compared.contrasts = vec![around(headline)];
    compared.ended = Ended::Hopeless;
    compared.notes =
        vec!["the folder's disk is not known, so its queue could not be watched".to_owned()];
    asked(compared)
}

/// Kernels by their paths, with fewer phases.
pub(crate) fn kernels() -> Comparison {
    let mut compared = worse();
    let paths =
        ["/home/user/kernels/linux-6.12.57/vmlinux", "/home/user/kernels/linux-6.12.58/vmlinux"];
    for ((side, path), release) in compared.sides.iter_mut().zip(paths).zip(["6.12.57", "6.12.58"])
    {
        side.variant.name = format!("kernel={path}");
        side.kernel = Some(release.to_owned());
        side.series.drain(..4);
    }
    let headline = judgement(Verdict::Same, 4, 1.0004, Some((0.997, 1.004)));
    let other = judgement(Verdict::Same, 5, 1.0, Some((1.0, 1.0)));
    compared.contrasts = vec![Contrast::Judged(vec![headline, other])];
    compared.sides[1].series[0] = compared.sides[0].series[0].clone();
    for side in &mut compared.sides {
        side.series[1].values.iter_mut().for_each(|sample| sample.wall_ns = 1.21e9);
    }
    asked(compared)
}
