//! Differences taken apart.

mod adding_up;
mod findings;

use model::account::{Account, Accounts, MachineTime, Waker};
use model::{FunctionCount, Judgement, PartKind, PhaseExplained, Verdict};

use super::{Pair, explain};
use crate::findings::testing::*;

/// A verdict on a phase.
pub(super) fn judged(phase: &str, rounds: Option<(u32, u32)>, verdict: Verdict) -> Judgement {
    Judgement {
        phase: phase.to_owned(),
        rounds,
        verdict,
        pairs: 6,
        effect: 0.0,
        interval: None,
        confidence: 0.95,
        p: 1.0,
        smallest: None,
        needed: None,
    }
}

/// Trials of both sides, seed by seed.
pub(super) fn pairs(trials: &[(Accounts, Accounts)]) -> Vec<Pair<'_>> {
    let numbered = (1..).zip(trials.iter());
    numbered.map(|(seed, sides)| Pair { seed, baseline: &sides.0, variant: &sides.1 }).collect()
}

/// What of one phase `write 1` comes out.
pub(super) fn explained(trials: &[(Accounts, Accounts)], verdict: Verdict) -> PhaseExplained {
    let phase = trials[0].0.phases[0].phase.clone();
    let judgements = [judged(&phase, Some((1, 1)), verdict)];
    explain(&phase, &judgements, &pairs(trials), true).remove(0)
}

fn once(baseline: Account, variant: Account) -> PhaseExplained {
    explained(&[(trial(&[baseline]), trial(&[variant]))], Verdict::Worse)
}

#[test]
fn only_clear_verdicts_are_explained_unless_all_are_wanted() {
    let named = |name: &str, wall| Account { phase: name.to_owned(), ..account(wall) };
    let baseline = trial(&[named("mkfs", 10), named("write", 20), named("sync", 30)]);
    let variant = trial(&[named("mkfs", 12), named("write", 90), named("sync", 31)]);
    let rounds = Some((1, 1));
    let judgements = [
        judged("mkfs", rounds, Verdict::Same),
        judged("write", rounds, Verdict::Worse),
        judged("sync", rounds, Verdict::Better),
        judged("umount", rounds, Verdict::Worse),
    ];
    let trials = [(baseline, variant)];
    let labels = |always| -> Vec<String> {
        let explained = explain("sync", &judgements, &pairs(&trials), always);
        explained.iter().map(PhaseExplained::label).collect()
    };
    assert_eq!(labels(false), ["sync 1", "write 1"]);
    assert_eq!(labels(true), ["sync 1", "write 1", "mkfs 1"]);
    assert_eq!(explain("sync", &judgements, &[], true), []);
}

#[test]
fn the_headline_is_that_of_the_later_rounds() {
    let in_round = |round, wall| Account { round: Some(round), ..account(wall) };
    let baseline = trial(&[in_round(1, 10), in_round(2, 10), in_round(3, 20)]);
    let variant = trial(&[in_round(1, 90), in_round(2, 12), in_round(3, 20)]);
    let judgements = [
        judged("write", Some((1, 1)), Verdict::Worse),
        judged("write", Some((2, 3)), Verdict::Worse),
    ];
    let trials = [(baseline, variant)];
    let explained = explain("write", &judgements, &pairs(&trials), false);
    let times: Vec<_> = explained
        .iter()
        .map(|it| (it.label(), it.baseline_ns / 1e6, it.variant_ns / 1e6))
        .collect();
    assert_eq!(times, [("write 2-3".to_owned(), 15.0, 16.0), ("write 1".to_owned(), 10.0, 90.0)]);
}

#[test]
fn a_whole_round_is_the_sum_of_its_phases() {
    let sync = |round, ms| Account {
        phase: "sync".to_owned(),
        round: Some(round),
        ..waiting(100, wait(SYNC, ms))
    };
    let write = |round, ms| Account { round: Some(round), ..waiting(50, wait(SYNC, ms)) };
    let outside = Account { round: None, ..account(7) };
    let baseline = trial(&[outside.clone(), write(2, 10), sync(2, 20), write(3, 10), sync(3, 20)]);
    let variant = trial(&[outside, write(2, 20), sync(2, 40), write(3, 10), sync(3, 60)]);
    let judgements = [judged("round", Some((2, 3)), Verdict::Same)];
    let trials = [(baseline, variant)];
    let explained = explain("round", &judgements, &pairs(&trials), true).remove(0);
    assert_eq!((explained.baseline_ns, explained.variant_ns), (150e6, 150e6));
    let part = explained.parts.iter().find(|part| part.kind == PartKind::Blocked).unwrap();
    assert_eq!((part.baseline_ns, part.variant_ns), (30e6, 65e6));
}

#[test]
fn what_a_compiler_or_module_adds_does_not_part_a_wait() {
    let one = "folio_wait_bit.constprop.0 ext4_write~[ext4] ksys_write";
    let same = "folio_wait_bit ext4_write.isra.3 ksys_write";
    let explained = once(waiting(100, wait(one, 20)), waiting(180, wait(same, 100)));
    let parts: Vec<_> =
        explained.parts.iter().map(|part| (part.kind, part.what.as_str())).collect();
    assert_eq!(parts, [(PartKind::Blocked, "ext4_write.isra.3")]);
    assert_eq!(explained.parts[0].frames, frames(same));
    assert_eq!((explained.parts[0].difference(), explained.rest_ns), (80e6, 0.0));
}

#[test]
fn a_running_part_is_a_function_and_shows_its_heaviest_path() {
    let mut variant = free_list(100, 40);
    let running = &mut variant.workload.as_mut().unwrap().running;
    let mut other = running[1].clone();
    (other.ns, other.frames[1]) = (60 * MS, "other_caller".to_owned());
    running.push(other);
    let explained = once(account(100), variant);
    let part = explained.parts.iter().find(|it| it.what == "get_page_from_free_area").unwrap();
    assert_eq!((part.difference(), part.frames[1].as_str()), (100e6, "other_caller"));
    assert_eq!(part.kind, PartKind::Running);
}

#[test]
fn a_chain_goes_from_the_caller_to_the_disk() {
    let disk = ended_by(wait("folio_wait_bit wb_writeback", 70), Waker::Disk);
    let mut outer = ended_by(wait(SYNC, 80), Waker::Task("kworker/flush".to_owned()));
    let meanwhile = |blocked, running_ns| {
        Some(model::account::Meanwhile { running_ns, blocked, ..Default::default() })
    };
    outer.ended_by[0].meanwhile = meanwhile(vec![disk.clone()], 10 * MS);
    let chain = |wait| {
        once(account(100), waiting(100, wait))
            .parts
            .iter()
            .find_map(|part| (part.kind == PartKind::Blocked).then(|| part.chain.clone()))
            .unwrap()
    };
    assert_eq!(chain(outer.clone()), ["kworker/flush", "disk"]);
    outer.ended_by[0].meanwhile = meanwhile(vec![disk], 75 * MS);
    assert_eq!(chain(outer), ["kworker/flush"]);
    let timer = ended_by(wait("balance_dirty_pages", 80), Waker::Interrupt);
    assert_eq!(chain(timer), ["timer or interrupt"]);
    assert_eq!(chain(ended_by(wait(SYNC, 80), Waker::Unknown)), [""; 0]);
}

#[test]
fn what_seeds_alone_move_is_by_chance() {
    let seeds = |times: [(u64, u64); 3]| {
        let side = |ms| trial(&[waiting(100 + ms, wait(SYNC, ms))]);
        let trials = times.map(|(baseline, variant)| (side(baseline), side(variant)));
        let explained = explained(&trials, Verdict::Worse);
        let part = explained.parts.iter().find(|part| part.kind == PartKind::Blocked).unwrap();
        part.by_chance
    };
    assert!(!seeds([(10, 50), (12, 55), (11, 52)]));
    assert!(seeds([(10, 50), (12, 11), (11, 52)]), "a sign that turns");
    assert!(seeds([(10, 20), (30, 41), (60, 72)]), "seeds move it more");
}

#[test]
fn instructions_and_the_machine_are_means() {
    let counted = |count, busy_ms: u64| {
        let machine = MachineTime { instructions: 9, busy_ns: busy_ms * MS, idle_ns: 5 * MS };
        let function =
            |name: &str, instructions| FunctionCount { name: name.to_owned(), instructions };
        let functions = vec![function("walk.isra.0", count), function("small", count / 1000)];
        trial(&[Account { machine: Some(machine), functions, ..account(100) }])
    };
    let mut trials =
        [(counted(1000, 10), counted(5000, 20)), (counted(3000, 30), counted(8000, 60))];
    let found = explained(&trials, Verdict::Worse);
    assert_eq!(found.machine, Some((20e6, 0.0)));
    assert_eq!(found.functions.len(), 1);
    let walk = &found.functions[0];
    assert_eq!((walk.name.as_str(), walk.baseline, walk.variant), ("walk", 2000.0, 6500.0));
    trials[1].0.phases[0].functions.clear();
    trials[1].0.phases[0].machine = None;
    let found = explained(&trials, Verdict::Worse);
    assert_eq!((found.functions, found.machine), (Vec::new(), None));
}

#[test]
fn an_unseen_workload_leaves_all_of_it_to_the_rest() {
    let unseen = Account { workload: None, ..account(150) };
    let found = once(account(100), unseen);
    assert_eq!((found.parts.len(), found.rest_ns, found.unexplained_milli), (0, 50e6, 1000));
}
