//! Mechanisms that explain a difference, and those that don't.

use model::account::{Account, Accounts, Overlap, SeenFrom};
use model::{Finding, Mechanism, PhaseExplained, Verdict};

use super::{explained, judged, pairs};
use crate::explain::explain;
use crate::findings::testing::*;

type Trials = Vec<(Accounts, Accounts)>;

/// Three seeds of a mechanism that takes 5 of 100 ms on one side and 55 of 150 ms on the other.
fn worse(made: Made) -> Trials {
    (0..3).map(|seed| (trial(&[made(100, 5)]), trial(&[made(150 + seed, 55 + seed)]))).collect()
}

fn swapped(trials: Trials) -> Trials {
    trials.into_iter().map(|(baseline, variant)| (variant, baseline)).collect()
}

fn only(explained: &PhaseExplained) -> &Finding {
    assert_eq!(explained.findings.len(), 1, "{:#?}", explained.findings);
    &explained.findings[0]
}

#[test]
fn each_mechanism_explains_what_is_worse() {
    for (mechanism, made) in EACH {
        let explained = explained(&worse(made), Verdict::Worse);
        let finding = only(&explained);
        assert_eq!((finding.mechanism, finding.ns), (mechanism, Some(51 * MS)));
        assert_eq!((finding.share_milli, explained.unexplained_milli), (Some(1000), 0));
        assert_eq!(finding.phase, Some(explained.label()));
        assert!(finding.sentence.contains("(on the baseline: "), "{}", finding.sentence);
        assert!(finding.numbers.iter().any(|number| number.baseline.is_some()), "{mechanism}");
    }
}

#[test]
fn what_is_better_is_told_of_the_baseline() {
    for (mechanism, made) in EACH {
        let worse = explained(&worse(made), Verdict::Worse);
        let better = explained(&swapped(self::worse(made)), Verdict::Better);
        let (finding, turned) = (only(&better), only(&worse));
        assert_eq!((finding.mechanism, finding.ns), (mechanism, turned.ns));
        assert!(finding.sentence.starts_with("on the baseline, "), "{}", finding.sentence);
        assert!(finding.sentence.contains("(on the variant: "), "{}", finding.sentence);
        for number in &finding.numbers {
            let same = turned.numbers.iter().find(|other| other.name == number.name).unwrap();
            assert_eq!((number.baseline, Some(number.value)), (Some(same.value), same.baseline));
        }
    }
}

#[test]
fn two_seeds_or_no_clear_verdict_explain_nothing() {
    for (_, made) in EACH {
        let trials = worse(made);
        let nothing = explained(&trials[..2], Verdict::Worse);
        assert_eq!((nothing.findings, nothing.unexplained_milli), (Vec::new(), 1000));
        for verdict in [Verdict::Same, Verdict::CannotTell, Verdict::Better] {
            assert_eq!(explained(&trials, verdict).findings, [], "{verdict}");
        }
    }
}

#[test]
fn a_sign_that_flips_under_a_seed_explains_nothing() {
    for (_, made) in EACH {
        let mut trials = worse(made);
        trials[1].0 = trial(&[made(100, 59)]);
        assert_eq!(explained(&trials, Verdict::Worse).findings, []);
    }
}

#[test]
fn less_than_a_fifth_of_the_difference_explains_nothing() {
    for (mechanism, made) in EACH {
        let mut trials = worse(made);
        let lengthen = |trials: &mut Trials, ms| {
            trials.iter_mut().for_each(|(_, variant)| variant.phases[0].wall_ns += ms * MS);
        };
        lengthen(&mut trials, 200);
        assert_eq!(only(&explained(&trials, Verdict::Worse)).share_milli, Some(203), "{mechanism}");
        lengthen(&mut trials, 10);
        assert_eq!(explained(&trials, Verdict::Worse).findings, [], "{mechanism}");
    }
}

#[test]
fn from_inside_a_shift_that_is_larger_explains_it_as_well() {
    for (mechanism, made) in EACH {
        for (shift, seen_from, found) in
            [(52, SeenFrom::Inside, 0), (50, SeenFrom::Inside, 1), (52, SeenFrom::Outside, 1)]
        {
            let mut trials = worse(made);
            trials.iter_mut().for_each(|(baseline, variant)| {
                (baseline.seen_from, variant.seen_from) = (seen_from, seen_from);
            });
            trials[2].0.phases[0].timed_ns += shift * MS;
            let findings = explained(&trials, Verdict::Worse).findings;
            assert_eq!(findings.len(), found, "{mechanism} {shift} {seen_from:?}");
        }
    }
}

/// A final `sync` of thirteen disks whose flushers help.
fn helped(wall_ms: u64) -> Account {
    let waited_ns = (wall_ms - 5) * MS;
    let overlap = Overlap {
        waited_ns,
        no_disk_ns: 2 * MS,
        one_disk_ns: waited_ns / 5,
        no_flusher_ns: 0,
        disks: 13,
        busy_milli: 4300,
    };
    sync(wall_ms, SYNC, overlap, "kworker/flush")
}

#[test]
fn thirteen_disks_in_line_are_one_finding() {
    let seeds = [(590, 2400), (1100, 2450), (830, 2410)];
    let trials =
        seeds.map(|(good, bad)| (trial(&[helped(good)]), trial(&[one_disk(bad, bad - 50)])));
    let explained = explained(&trials, Verdict::Worse);
    let finding = only(&explained);
    assert_eq!(finding.mechanism, Mechanism::OneDiskAtATime);
    assert!(explained.unexplained_milli < 100, "{}", explained.unexplained_milli);
    assert_eq!(
        finding.sentence,
        "the disks are written one after the other in `sync`: 1.02 of 13 disks busy at a time (on the baseline: 4.3); \
         the caller writes each by itself and waits for it, and no flusher helps"
    );
    let busy = &finding.numbers[0];
    assert_eq!((busy.unit.as_str(), busy.baseline, busy.value), ("disks", Some(4.3), 1.02));
}

#[test]
fn the_same_is_found_in_the_whole_round() {
    let round = |sync: Account| trial(&[lock_convoy(400, 2), sync]);
    let seeds = [(590, 2400), (1100, 2450), (830, 2410)];
    let trials = seeds.map(|(good, bad)| (round(helped(good)), round(one_disk(bad, bad - 50))));
    let judgements = [judged("round", Some((1, 1)), Verdict::Worse)];
    let explained = explain("round", &judgements, &pairs(&trials), false).remove(0);
    let finding = only(&explained);
    assert_eq!(finding.mechanism, Mechanism::OneDiskAtATime);
    assert_eq!(finding.numbers[0].value, 1.02);
    assert_eq!(finding.phase.as_deref(), Some("round 1"));
}

#[test]
fn idle_flushers_on_both_sides_are_no_reason() {
    let (_, made) = EACH[1];
    let both = [0, 1, 2].map(|seed| (trial(&[made(100, 30)]), trial(&[made(200 + seed, 90)])));
    assert_eq!(explained(&both, Verdict::Worse).findings, []);
    // A single disk's caller may write by itself, but where the other side's does not, it tells.
    let one = |mut account: Account| {
        account.overlap.as_mut().unwrap().disks = 1;
        trial(&[account])
    };
    let trials = [0, 1, 2].map(|seed| (one(made(100, 5)), one(made(200 + seed, 90))));
    let found = explained(&trials, Verdict::Worse);
    let finding = only(&found);
    assert_eq!(finding.mechanism, Mechanism::IdleFlushers);
    assert_eq!(
        finding.sentence,
        "the caller writes back by itself in `sync` while the flushers do nothing: so it is for 90 ms of the 90 ms that \
         it waits (on the baseline: 5 ms)"
    );
}

#[test]
fn one_disk_at_a_time_on_both_sides_is_no_reason() {
    let trials = [600, 610, 620]
        .map(|ms| (trial(&[one_disk(ms, ms - 50)]), trial(&[one_disk(2 * ms, 2 * ms - 50)])));
    let explained = explained(&trials, Verdict::Worse);
    assert_eq!((explained.findings, explained.unexplained_milli), (Vec::new(), 1000));
}

#[test]
fn an_aged_memory_s_search_is_nearly_all_of_it() {
    let trials = [(190, 860), (195, 1340), (192, 900)]
        .map(|(good, bad)| (trial(&[free_list(good, 4)]), trial(&[free_list(bad, bad - 180)])));
    let explained = explained(&trials, Verdict::Worse);
    let finding = only(&explained);
    assert_eq!(finding.mechanism, Mechanism::FreeListSearch);
    assert!(finding.share_milli >= Some(900), "{finding:?}");
    let search = &explained.functions[0];
    assert_eq!(search.name, "get_page_from_free_area");
    let differences = explained.functions.iter().map(|it| (it.variant - it.baseline).abs());
    assert!((search.variant - search.baseline) >= 0.8 * differences.sum::<f64>());
}

#[test]
fn findings_of_one_kind_of_time_are_not_added() {
    let made = |wall, throttled, reclaimed, searched| {
        let mut account = free_list(wall, searched);
        let workload = account.workload.as_mut().unwrap();
        workload.blocked.push(wait("balance_dirty_pages", throttled));
        workload.blocked.push(wait("try_to_free_pages", reclaimed));
        trial(&[account])
    };
    let trials = [0, 1, 2].map(|seed| (made(100 + seed, 1, 1, 1), made(200 + seed, 31, 41, 26)));
    let explained = explained(&trials, Verdict::Worse);
    let shares: Vec<_> =
        explained.findings.iter().map(|it| (it.mechanism, it.share_milli)).collect();
    assert_eq!(
        shares,
        [
            (Mechanism::Reclaim, Some(400)),
            (Mechanism::DirtyThrottling, Some(300)),
            (Mechanism::FreeListSearch, Some(250)),
        ]
    );
    assert_eq!(explained.unexplained_milli, 350);
}

#[test]
fn ratios_that_hardly_differ_are_no_amplification() {
    let amplified = |wall, written| {
        let mut account = EACH[7].1(wall, 0);
        account.written_bytes = Some(written);
        account.overlap.as_mut().unwrap().waited_ns = (wall - 40) * MS;
        trial(&[account])
    };
    let sides =
        |written| [0, 1, 2].map(|seed| (amplified(100 + seed, 30), amplified(250, written)));
    assert_eq!(explained(&sides(26), Verdict::Worse).findings, []);
    let found = explained(&sides(24), Verdict::Worse);
    assert_eq!(only(&found).mechanism, Mechanism::WriteAmplification);
}
