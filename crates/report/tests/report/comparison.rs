//! `comparison::write`.

use model::{Comparison, Contrast, Ended, Extent, Verdict};
use proptest::prelude::*;
use report::{Style, comparison};

use crate::compared::{self, judgement, with_headline};
use crate::{PIPE, TERMINAL, written};

const UNICODE: Style = Style { unicode: true, ..PIPE };

fn shown(compared: &Comparison, style: Style) -> String {
    written(|out| comparison::write(out, compared, style))
}

/// What is said before the figures.
fn verdict(compared: &Comparison) -> String {
    let text = shown(compared, PIPE);
    let (verdict, _) = text.split_once("\n\nchange  ").expect("figures follow the verdict");
    verdict.to_owned()
}

#[test]
fn a_variant_that_is_worse() {
    insta::assert_snapshot!(shown(&compared::worse(), UNICODE));
}

#[test]
fn a_variant_that_is_worse_in_colour() {
    insta::assert_snapshot!(shown(&compared::worse(), TERMINAL).replace('\x1b', "ESC"));
}

#[test]
fn a_variant_that_is_worse_in_80_columns() {
    insta::assert_snapshot!(shown(&compared::worse(), Style { width: 80, ..PIPE }));
}

#[test]
fn a_variant_that_is_worse_in_60_columns() {
    insta::assert_snapshot!(shown(&compared::worse(), Style { width: 60, ..PIPE }));
}

#[test]
fn a_variant_that_is_better() {
    let headline = judgement(Verdict::Better, 4, 0.217, Some((0.196, 0.24)));
    insta::assert_snapshot!(shown(&with_headline(headline), PIPE));
}

#[test]
fn three_variants() {
    insta::assert_snapshot!(shown(&compared::several(), PIPE));
}

#[test]
fn a_noisy_place_with_doubts() {
    insta::assert_snapshot!(shown(&compared::noisy(), UNICODE));
}

#[test]
fn names_that_are_too_long_for_a_table() {
    insta::assert_snapshot!(shown(&compared::kernels(), PIPE));
}

#[test]
fn each_verdict_in_words() {
    let unclear = |effect, interval| judgement(Verdict::CannotTell, 4, effect, interval);
    let mut beyond_use = unclear(1.019, Some((1.001, 1.04)));
    beyond_use.needed = None;
    let mut few = unclear(1.2, None);
    (few.pairs, few.p, few.needed, few.smallest) = (4, 0.125, Some(6), None);
    let all = [
        judgement(Verdict::Worse, 4, 1.231, Some((1.21, 1.254))),
        judgement(Verdict::Worse, 4, 4.6, Some((4.2, 5.1))),
        judgement(Verdict::Better, 4, 0.77, Some((0.75, 0.79))),
        judgement(Verdict::Better, 4, 0.2, Some((0.19, 0.25))),
        judgement(Verdict::Same, 4, 1.0004, Some((0.997, 1.004))),
        unclear(1.041, Some((0.97, 1.112))),
        unclear(0.975, Some((0.962, 0.988))),
        beyond_use,
        few,
    ];
    let told = all.into_iter().map(|headline| verdict(&with_headline(headline)));
    insta::assert_snapshot!(told.collect::<Vec<_>>().join("\n\n"));
}

#[test]
fn why_there_are_no_more_pairs() {
    let unclear = judgement(Verdict::CannotTell, 4, 1.041, Some((0.97, 1.112)));
    let clear = judgement(Verdict::Worse, 4, 1.231, Some((1.21, 1.254)));
    let last = |ended, extent, headline| {
        let mut compared = with_headline(headline);
        (compared.ended, compared.question.extent) = (ended, extent);
        let text = verdict(&compared);
        text.split_once("\n\n").map(|(_, why)| why.replace('\n', " "))
    };
    let (pairs, until) = (Extent::Pairs(6), Extent::UntilClear(48));
    for (ended, extent, headline, said) in [
        (Ended::Clear, until, &clear, None),
        (Ended::Enough, pairs, &clear, None),
        (Ended::Enough, pairs, &unclear, Some("It ended with the 6 pairs that were asked for.")),
        (Ended::Enough, until, &unclear, Some("It ended at 48 pairs, the most that were allowed.")),
        (
            Ended::Late,
            until,
            &clear,
            Some("It ended because the time was over; --budget gives more."),
        ),
        (
            Ended::Hopeless,
            until,
            &unclear,
            Some(
                "It was given up: a clear verdict would need many times the pairs that could be made.",
            ),
        ),
        (
            Ended::Early,
            pairs,
            &unclear,
            Some("It ended early: it was interrupted, or a trial could not be run or kept."),
        ),
    ] {
        assert_eq!(last(ended, extent, headline.clone()).as_deref(), said, "{ended:?} {extent:?}");
    }
}

#[test]
fn a_baseline_that_broke_is_pointed_at() {
    let mut compared = compared::several();
    compared.sides.swap(0, 3);
    let reason = "the baseline `fs=btrfs` has a broken trial, 20260131-142502-0b0b: it panicked";
    compared.contrasts = vec![Contrast::NotComparable(reason.to_owned()); 3];
    let text = shown(&compared, PIPE);
    assert_eq!(text.matches("not comparable: ").count(), 3, "{text}");
    assert_eq!(text.matches("slowpath show 20260131-142502-0b0b\n").count(), 3, "{text}");
}

#[test]
fn what_ended_before_the_first_pair_says_so() {
    let mut compared = compared::worse();
    compared.contrasts.clear();
    compared.sides.iter_mut().for_each(|side| side.series.clear());
    compared.ended = Ended::Early;
    insta::assert_snapshot!(shown(&compared, PIPE), @"
    cannot tell: no pair was measured

    It ended early: it was interrupted, or a trial could not be run or kept.

    case    dd-sync
    place   exact
    kernel  6.1.0-57-amd64
    kept as 20260131-142501-3fa9c0; slowpath show 20260131-142501-3fa9c0
    virtual time knows no caches and no memory latency; user and system are the kernel's account, by
    ticks
    ");
}

#[test]
fn a_headline_that_one_side_lacks_is_no_verdict() {
    let mut compared = compared::worse();
    compared.question.headline = "umount".to_owned();
    let text = shown(&compared, PIPE);
    assert!(
        text.starts_with("cannot tell: `umount` was not measured both with fs=reiserfs"),
        "{text}"
    );
    assert!(text.contains("worse: write 1, write 2-4;"), "{text}");
}

#[test]
fn nothing_but_printable_ascii_reaches_a_plain_pipe() {
    let mut compared = compared::several();
    compared.sides[1].variant.name = "mount=\x1b[31m\x07ä b\u{202e}".to_owned();
    compared.notes.push("ärger \x1b]0;title\x07".to_owned());
    let text = shown(&compared, PIPE);
    assert!(text.chars().all(|c| c == '\n' || c == ' ' || c.is_ascii_graphic()), "{text}");
    assert!(text.lines().all(|line| line == line.trim_end()), "{text}");
}

fn verdicts() -> impl Strategy<Value = Verdict> {
    prop::sample::select(vec![Verdict::Worse, Verdict::Better, Verdict::Same, Verdict::CannotTell])
}

fn any_judgement() -> impl Strategy<Value = model::Judgement> {
    let number = || prop_oneof![-1e6..1e6_f64, -0.1..0.1_f64, Just(0.0)];
    let interval = prop::option::of((number(), number()));
    let counts = (any::<u32>(), prop::option::of(any::<u32>()));
    let rest = (0.0..1.0_f64, 0.0..=1.0_f64, prop::option::of(number()), counts);
    (verdicts(), 0..6_usize, number(), interval, rest).prop_map(
        |(verdict, at, effect, interval, (confidence, p, smallest, (pairs, needed)))| {
            let base = judgement(verdict, at, 1.0, None);
            model::Judgement { effect, interval, confidence, p, smallest, pairs, needed, ..base }
        },
    )
}

proptest! {
    #[test]
    fn any_figures_can_be_shown(
        judgements in prop::collection::vec(any_judgement(), 0..8),
        walls in prop::collection::vec(prop_oneof![0.0..1e18_f64, Just(1e9)], 0..40),
        width in 0..140_usize,
        unicode in any::<bool>(),
    ) {
        let mut compared = compared::worse();
        compared.contrasts = vec![Contrast::Judged(judgements)];
        let sample = compared.sides[0].series[0].values[0].clone();
        compared.sides[0].series[4].values =
            walls.into_iter().map(|wall_ns| model::Sample { wall_ns, ..sample.clone() }).collect();
        let text = shown(&compared, Style { width, unicode, color: false });
        for word in ["NaN", "inf ", "significant"] {
            prop_assert!(!text.contains(word), "{word}: {text}");
        }
        let ascii = |c: char| c == '\n' || c == ' ' || c.is_ascii_graphic();
        prop_assert!(unicode || text.chars().all(ascii), "{text}");
        let json = written(|out| comparison::json(out, &compared));
        prop_assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok());
    }

    #[test]
    fn lines_keep_to_a_width_that_is_common(width in 80..140_usize) {
        for compared in [compared::worse(), compared::several(), compared::noisy(), compared::kernels()] {
            let text = shown(&compared, Style { width, ..UNICODE });
            let long = text.lines().find(|line| line.chars().count() > width);
            prop_assert_eq!(long, None, "in {} columns:\n{}", width, text);
        }
    }

    #[test]
    fn every_seed_has_its_dot(
        walls in prop::collection::vec(1.0..1e12_f64, 1..10),
        width in 60..120_usize,
    ) {
        let mut compared = compared::worse();
        let sample = compared.sides[0].series[0].values[0].clone();
        let samples = walls.iter().map(|wall_ns| model::Sample { wall_ns: *wall_ns, ..sample.clone() });
        compared.sides.iter_mut().for_each(|side| side.series.truncate(1));
        compared.sides[1].series[0].values = samples.collect();
        let text = shown(&compared, Style { width, ..UNICODE });
        let row = text.lines().rfind(|line| line.starts_with("fs=reiserfs")).unwrap();
        let dots = |row: &str| -> usize {
            let cells = row.strip_prefix("fs=reiserfs").unwrap_or(row);
            let cells = cells.split("4.60x").next().unwrap_or(cells);
            cells.chars().map(|c| match c {
                '·' => 1,
                ':' => 2,
                '⁝' => 3,
                c => c.to_digit(10).unwrap_or(0) as usize,
            }).sum()
        };
        prop_assert_eq!(dots(row), walls.len(), "{}", text);
    }
}
