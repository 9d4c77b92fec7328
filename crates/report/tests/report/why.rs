//! `why::write`, `why::write_trial`.

use model::account::SeenFrom;
use model::{Accounts, Comparison, Observation, Part, PartKind};
use report::why::{self, SideSeen};
use report::{Style, comparison};

use crate::{PIPE, TERMINAL, compared, example, explained, written};

const UNICODE: Style = Style { unicode: true, ..PIPE };

/// The comparison with a trial of both sides, the memory of one of which was seen.
fn of(compared: &Comparison, style: Style) -> String {
    let (baseline, variant) = (explained::accounts(false), explained::accounts(true));
    let observation = explained::observation();
    let side = |name, accounts, observation| SideSeen { name, seed: 1, accounts, observation };
    let sides =
        [side("fs=ext4", &baseline, None), side("fs=reiserfs", &variant, Some(&observation))];
    written(|out| why::write(out, compared, &sides, style))
}

fn of_trial(accounts: &Accounts, seen: Option<&Observation>, style: Style) -> String {
    written(|out| why::write_trial(out, &example::measured(), accounts, seen, style))
}

fn assert_narrow(text: &str, width: usize) {
    let wide: Vec<_> = text.lines().filter(|line| line.chars().count() > width).collect();
    assert!(wide.is_empty(), "{width}: {wide:#?}");
}

#[test]
fn a_sync_that_writes_one_disk_at_a_time() {
    insta::assert_snapshot!(of(&explained::ffsb(), UNICODE));
}

#[test]
fn a_sync_that_writes_one_disk_at_a_time_in_colour() {
    insta::assert_snapshot!(of(&explained::ffsb(), TERMINAL).replace('\x1b', "ESC"));
}

#[test]
fn a_sync_that_writes_one_disk_at_a_time_in_60_columns_of_ascii() {
    let text = of(&explained::ffsb(), Style { width: 60, ..PIPE });
    assert!(text.is_ascii());
    assert!(!text.contains('?'), "{text}");
    assert_narrow(&text, 60);
    insta::assert_snapshot!(text);
}

#[test]
fn a_search_of_long_free_lists() {
    let found = explained::mke2fs();
    let model::Found::Steps(steps) = &found.found else { panic!("steps") };
    let proof = steps[0].proof.as_ref().expect("a proof");
    insta::assert_snapshot!(written(|out| why::write(out, proof, &[], UNICODE)));
}

#[test]
fn a_trial() {
    let seen = explained::observation();
    insta::assert_snapshot!(of_trial(&explained::accounts(true), Some(&seen), UNICODE));
}

#[test]
fn a_trial_in_60_columns_of_ascii() {
    let text = of_trial(&explained::accounts(true), None, Style { width: 60, ..PIPE });
    assert!(text.is_ascii() && !text.contains('?'), "{text}");
    assert_narrow(&text, 60);
    insta::assert_snapshot!(text);
}

#[test]
fn a_trial_of_which_little_was_seen() {
    let mut accounts = explained::accounts(true);
    accounts.seen_from = SeenFrom::Inside;
    (accounts.same_times, accounts.sampled_every) = (false, None);
    accounts.findings.clear();
    accounts.notes = vec!["kernel stacks are not available: reading them needs root".to_owned()];
    let sync = &mut accounts.phases[1];
    sync.timed_ns += 40_000_000;
    (sync.machine, sync.workload, sync.disks, sync.overlap) = (None, None, None, None);
    sync.functions.clear();
    sync.tasks.clear();
    sync.issued.clear();
    insta::assert_snapshot!(of_trial(&accounts, None, PIPE));
}

#[test]
fn of_several_rounds_the_one_that_took_the_variant_longest_is_shown() {
    let mut compared = explained::ffsb();
    let phase = &mut compared.explanations[0].phases[0];
    phase.rounds = Some((2, 4));
    let rounds = |longest: u32| {
        let mut accounts = explained::accounts(true);
        let sync = accounts.phases[1].clone();
        accounts.phases = (1..=5)
            .map(|round| {
                let mut account = sync.clone();
                account.round = Some(round);
                // The first and the last are longer, and no rounds of this series.
                account.wall_ns += u64::from(round == longest) + u64::from(round % 4 == 1) * 9;
                account
            })
            .collect();
        accounts
    };
    let (baseline, variant) = (rounds(2), rounds(3));
    let side = |name, accounts| SideSeen { name, seed: 7, accounts, observation: None };
    let sides = [side("fs=ext4", &baseline), side("fs=reiserfs", &variant)];
    let text = written(|out| why::write(out, &compared, &sides, PIPE));
    for said in ["baseline, sync 3 of seed 7", "variant, sync 3 of seed 7", "640.0 ms a round"] {
        assert!(text.contains(said), "{said}: {text}");
    }
    assert!(!text.contains("sync 2 of seed 7"), "{text}");
}

#[test]
fn from_where_and_how_exactly_it_was_seen_is_told() {
    let mut compared = explained::ffsb();
    let explanation = &mut compared.explanations[0];
    (explanation.seen_from, explanation.same_times) = (SeenFrom::Inside, false);
    let text = of(&compared, PIPE);
    for said in ["from inside, in samples", "warning: those passes measured other times"] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

#[test]
fn without_a_reason_it_says_so() {
    let text = of(&compared::worse(), PIPE);
    assert_eq!(
        text,
        "why: not available: no trial of this comparison was looked at for a reason\n"
    );
}

#[test]
fn a_comparison_without_a_reason_stays_as_it_was() {
    let shown = |compared: &Comparison| written(|out| comparison::write(out, compared, PIPE));
    let (with, without) = (shown(&explained::ffsb()), shown(&compared::worse()));
    assert!(!without.contains("why"), "{without}");
    let reason = with.strip_prefix(&without).expect("the reason follows all else");
    assert!(
        reason.starts_with("\nwhy: `sync` (the case is judged by another phase) takes 2.010 s"),
        "{reason}"
    );
}

/// What the figures in front of a text say, ns: the first of them.
fn ns(line: &str) -> f64 {
    let (figure, rest) = line.trim_start().split_once(' ').expect("a figure and its unit");
    let unit = rest.split(' ').next().expect("a unit");
    let unit = match unit {
        "s" => 1e9,
        "ms" => 1e6,
        "us" => 1e3,
        "ns" => 1.0,
        other => panic!("{other} is no unit: {line}"),
    };
    figure.parse::<f64>().expect("a number") * unit
}

/// The rows of the differences.
fn rows(text: &str) -> Vec<&str> {
    let (_, table) = text.split_once("where the difference is").expect("the section");
    let rows = table.lines().skip_while(|line| !line.trim_start().starts_with("difference "));
    rows.skip(1).take_while(|line| !line.is_empty()).collect()
}

#[test]
fn the_parts_add_up_to_the_difference() {
    let mut compared = explained::ffsb();
    let phase = &mut compared.explanations[0].phases[0];
    let small = |n: u32| {
        let mut part: Part =
            explained::part(PartKind::Running, &format!("small_{n}"), &[], (1.0, 3.0));
        part.by_chance = n.is_multiple_of(2);
        part
    };
    phase.parts.extend((0..30).map(small));
    phase.rest_ns -= 60e6;
    let text = of(&compared, Style { width: 200, ..PIPE });
    let rows = rows(&text);
    let (sum, parts) = rows.split_last().expect("rows");
    assert!(sum.ends_with("sum: the phase"), "{sum}");
    assert_eq!(sum.trim_start().split("  ").next(), Some("+2.010 s"), "{text}");
    assert!(text.contains("\nsync  +2.010 s\n"), "{text}");
    assert!(sum.contains("100.0 %"), "{sum}");
    let shown: f64 = parts.iter().map(|row| ns(row)).sum();
    assert!((shown - 2010e6).abs() < 1e6, "{shown}: {parts:#?}");
    assert_eq!(parts.len(), 16 + 2, "{parts:#?}");
    assert!(parts[16].contains("18 more parts"), "{parts:#?}");
}

#[test]
fn parts_that_do_not_add_up_are_not_made_to() {
    let mut compared = explained::ffsb();
    compared.explanations[0].phases[0].rest_ns = 504.2e6;
    let text = of(&compared, Style { width: 200, ..PIPE });
    let sum = *rows(&text).last().expect("rows");
    assert!(sum.trim_start().starts_with("+2.510 s  124.9 %"), "{sum}");
}

#[test]
fn disks_one_after_the_other_make_a_staircase() {
    let text = of_trial(&explained::accounts(true), None, Style { width: 120, ..PIPE });
    let bar = |disk: &str| {
        let row = text.lines().find(|line| line.trim_start().starts_with(disk)).expect("a row");
        row.rsplit(' ').next().expect("a bar").to_owned()
    };
    let bars: Vec<String> = (0..5).map(|n| bar(&format!("nullb{n} "))).collect();
    let first = |bar: &String| bar.find('#').expect("work");
    assert!(bars.windows(2).all(|two| first(&two[0]) < first(&two[1])), "{bars:#?}");
    assert!(bars[4].ends_with('#') && !bars[1].ends_with('#'), "{bars:#?}");
}

#[test]
fn a_wait_has_no_more_than_twelve_lines() {
    let mut accounts = explained::accounts(true);
    let time = accounts.phases[1].workload.as_mut().expect("a workload");
    let mut deep = time.blocked[1].clone();
    for _ in 0..6 {
        let mut outer = time.blocked[1].clone();
        let meanwhile = outer.ended_by[0].meanwhile.as_mut().expect("a flusher");
        deep.ns = outer.ns;
        meanwhile.blocked = vec![deep.clone(), deep];
        deep = outer;
    }
    time.blocked = vec![deep];
    for width in [60, 100] {
        let text = of_trial(&accounts, None, Style { width, ..PIPE });
        let (_, waits) = text.split_once("what the workload waited for").expect("the section");
        let (waits, _) = waits.split_once("\n\n").expect("the next section");
        let lines = waits.lines().skip_while(|line| !line.contains("105.0 ms")).count();
        assert!((9..=12).contains(&lines), "{lines}: {waits}");
        assert!(waits.ends_with("and what lay behind these"), "{waits}");
        assert_narrow(&text, width);
    }
}

#[test]
fn no_name_breaks_the_layout() {
    let long = "_RNvXs_".to_owned() + &"very_long_mangled_name".repeat(20) + " [module]\x1b[2J";
    let mut compared = explained::ffsb();
    let phase = &mut compared.explanations[0].phases[0];
    for part in &mut phase.parts {
        part.what.clone_from(&long);
        part.frames = vec![long.clone(); 30];
        part.chain = vec![long.clone(); 3];
    }
    phase.functions[0].name.clone_from(&long);
    phase.findings[0].sentence = format!("{long} {long}");
    phase.findings[0].frames = vec![long.clone(); 30];
    phase.findings[0].numbers[0].name = "a".repeat(30);
    let mut accounts = explained::accounts(true);
    let sync = &mut accounts.phases[1];
    let time = sync.workload.as_mut().expect("a workload");
    time.blocked[1].frames = vec![long.clone(); 30];
    time.running[0].frames = vec![long.clone(); 30];
    sync.tasks[0].name.clone_from(&long);
    sync.issued[0].by = long;
    for width in [60, 80, 100, 200] {
        let style = Style { width, unicode: true, ..PIPE };
        for text in [of(&compared, style), of_trial(&accounts, None, style)] {
            assert_narrow(&text, width);
            assert!(!text.contains('\x1b'));
        }
    }
}
