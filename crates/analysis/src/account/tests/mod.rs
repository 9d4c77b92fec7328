//! Accounts of scenes that are made by hand, or at random and checked against looking at every ns.

mod brute;
mod disks;
mod random;
mod samples;
mod speed;
mod waits;
mod workers;

use model::account::{Account, BlockedAt, WorkloadTime};
use model::{Measurements, PhaseRun};

use super::outside;
use crate::observation::testing::Scene;

/// Measurements of one phase.
fn measured(wall_ns: u64) -> Measurements {
    let run = PhaseRun { name: "sync".to_owned(), wall_ns, ..PhaseRun::default() };
    Measurements { phases: vec![run], ..Measurements::default() }
}

/// The account of the scene's only phase, which was checked to add up.
fn account(scene: &Scene) -> Account {
    let mut accounts = outside(&measured(7), &scene.trace);
    let account = accounts.phases.remove(0);
    adds_up(&account);
    account
}

fn workload(account: &Account) -> &WorkloadTime {
    account.workload.as_ref().unwrap()
}

/// All that has to add up does.
fn adds_up(account: &Account) {
    let Some(workload) = &account.workload else { return };
    let sum = workload.running_ns() + workload.ready_ns() + workload.blocked_ns();
    assert_eq!(sum + workload.unseen_ns, account.wall_ns, "{workload:#?}");
    blocked_adds_up(&workload.blocked, 1);
}

fn blocked_adds_up(blocked: &[BlockedAt], depth: u32) {
    for block in blocked {
        assert!(block.ns > 0 && block.times > 0, "{block:#?}");
        assert_eq!(block.ended_by.iter().map(|end| end.ns).sum::<u64>(), block.ns, "{block:#?}");
        assert_eq!(block.ended_by.iter().map(|end| end.times).sum::<u64>(), block.times);
        for end in &block.ended_by {
            let Some(meanwhile) = &end.meanwhile else { continue };
            assert!(depth <= 3, "too deep");
            let blocked_ns: u64 = meanwhile.blocked.iter().map(|block| block.ns).sum();
            assert_eq!(meanwhile.running_ns + meanwhile.ready_ns + blocked_ns, end.ns, "{end:#?}");
            blocked_adds_up(&meanwhile.blocked, depth + 1);
        }
    }
}

/// First frame, state, ns and times.
fn short(blocked: &[BlockedAt]) -> Vec<(&str, &str, u64, u64)> {
    blocked
        .iter()
        .map(|at| {
            (at.frames.first().map_or("", String::as_str), at.state.as_str(), at.ns, at.times)
        })
        .collect()
}
