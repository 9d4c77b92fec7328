//! Whatever the accounts, the parts and the rest are the difference.

use std::collections::BTreeMap;

use model::account::{Account, Accounts, RanAt, ReadyBehind, WorkloadTime};
use model::{PartKind, Verdict};
use proptest::collection::vec;
use proptest::prelude::*;

use super::explained;
use crate::findings::testing::*;

/// Kind, place and ns of a part.
type Piece = (u8, u8, u64);

/// A phase that is made of pieces; the rest of it was not seen.
fn made_of(pieces: &[Piece], unseen_ns: u64, round: u32) -> Account {
    let mut workload = WorkloadTime { unseen_ns, ..WorkloadTime::default() };
    for &(kind, place, ns) in pieces {
        let name = format!("place_{place}");
        match kind {
            0 => workload.running.push(RanAt { frames: vec![name, format!("from_{ns}")], ns }),
            1 => workload.ready.push(ReadyBehind { holder: name, ns }),
            _ => {
                let mut wait = wait(&name, 0);
                wait.ns = ns;
                workload.blocked.push(wait);
            }
        }
    }
    let wall_ns = unseen_ns + pieces.iter().map(|(_, _, ns)| ns).sum::<u64>();
    Account { round: Some(round), wall_ns, workload: Some(workload), ..account(0) }
}

fn a_phase() -> impl Strategy<Value = (Vec<Piece>, u64)> {
    (vec((0_u8..3, 0_u8..8, 0_u64..5_000_000_000), 0..12), 0_u64..1_000_000)
}

/// Two rounds of a trial.
type Rounds = [(Vec<Piece>, u64); 2];

fn a_trial() -> impl Strategy<Value = Rounds> {
    [a_phase(), a_phase()]
}

fn accounts(rounds: &Rounds) -> Accounts {
    let numbered = (1..).zip(rounds);
    let phases = numbered.map(|(round, (pieces, unseen))| made_of(pieces, *unseen, round));
    trial(&phases.collect::<Vec<_>>())
}

/// The mean over seeds and rounds of each piece's difference, by kind and place, and of what was not seen.
fn expected(seeds: &[(Rounds, Rounds)]) -> (BTreeMap<(u8, String), f64>, f64) {
    let share = 1.0 / (2 * seeds.len()) as f64;
    let (mut pieces, mut unseen) = (BTreeMap::<_, f64>::new(), 0.0);
    for (baseline, variant) in seeds {
        for (rounds, sign) in [(baseline, -share), (variant, share)] {
            for (kind, place, ns) in rounds.iter().flat_map(|(pieces, _)| pieces) {
                let key = (*kind, format!("place_{place}"));
                *pieces.entry(key).or_default() += sign * *ns as f64;
            }
            unseen += rounds.iter().map(|(_, ns)| sign * *ns as f64).sum::<f64>();
        }
    }
    (pieces, unseen)
}

proptest! {
    #[test]
    fn parts_and_rest_are_the_difference(seeds in vec((a_trial(), a_trial()), 1..4)) {
        let trials: Vec<_> = seeds.iter().map(|(one, other)| (accounts(one), accounts(other))).collect();
        let judgement = super::judged("write", Some((1, 2)), Verdict::Worse);
        let found = super::explain("write", &[judgement], &super::pairs(&trials), true).remove(0);
        let parts: f64 = found.parts.iter().map(model::Part::difference).sum();
        prop_assert!((parts + found.rest_ns - found.difference()).abs() < 1.0);

        let (pieces, unseen) = expected(&seeds);
        for part in &found.parts {
            let kind = match part.kind {
                PartKind::Running => 0,
                PartKind::Ready => 1,
                PartKind::Blocked => 2,
            };
            prop_assert!((part.difference() - pieces[&(kind, part.what.clone())]).abs() < 1.0);
        }
        let all: f64 = pieces.values().map(|ns| ns.abs()).sum();
        prop_assert!((found.rest_ns - unseen).abs() <= all * 0.01 + 1.0);
    }
}

#[test]
fn at_most_thirty_parts_are_kept() {
    let pieces: Vec<Piece> = (0..100).map(|place| (2, place, 1_000 + u64::from(place))).collect();
    let found = explained(
        &[(trial(&[made_of(&[], 9_000, 1)]), trial(&[made_of(&pieces, 0, 1)]))],
        Verdict::Worse,
    );
    assert_eq!(found.parts.len(), 30);
    assert_eq!(found.parts[0].what, "place_99");
    let small: u64 = pieces[..70].iter().map(|(_, _, ns)| ns).sum();
    assert_eq!(found.rest_ns, small as f64 - 9_000.0);
}

#[test]
fn small_parts_go_into_the_rest() {
    let found = explained(
        &[(trial(&[made_of(&[], 0, 1)]), trial(&[made_of(&[(2, 1, 995), (2, 2, 5)], 0, 1)]))],
        Verdict::Worse,
    );
    assert_eq!((found.parts.len(), found.rest_ns), (1, 5.0));
}
