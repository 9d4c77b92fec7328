//! The phases of a trial that a series holds.

use std::collections::BTreeSet;

use model::account::{Account, Accounts};
use model::case::ROUND;

use super::Entry;
use super::amount::{Amount, Phase};

/// What a trial has of a series: phases of one name, or all of the rounds where the whole round is meant.
#[derive(Clone, Debug)]
pub(crate) struct Chosen<'a> {
    all: &'a Accounts,
    /// The phases, in their order; never empty.
    pub(crate) phases: Vec<&'a Account>,
    /// How many rounds they are of; 1 outside rounds.
    pub(crate) rounds: f64,
}

impl<'a> Chosen<'a> {
    /// `None` where the trial has no such phase.
    pub(crate) fn of(all: &'a Accounts, name: &str, rounds: Option<(u32, u32)>) -> Option<Self> {
        let has_such = all.phases.iter().any(|account| account.phase == ROUND);
        let whole = name == ROUND && !has_such;
        let within = |account: &Account| match (account.round, rounds) {
            (None, None) => true,
            (Some(round), Some((first, last))) => (first..=last).contains(&round),
            _ => false,
        };
        let takes = |account: &&Account| within(account) && (whole || account.phase == name);
        let phases: Vec<&Account> = all.phases.iter().filter(takes).collect();
        let rounds: BTreeSet<_> = phases.iter().map(|account| account.round).collect();
        (!phases.is_empty()).then_some(Chosen { all, rounds: rounds.len() as f64, phases })
    }

    /// A value's mean a round.
    pub(crate) fn mean(&self, of: impl Fn(&Account) -> f64) -> f64 {
        self.phases.iter().map(|account| of(account)).sum::<f64>() / self.rounds
    }

    /// By how much the pass shifted it, ns.
    pub(super) fn shift(&self) -> f64 {
        self.mean(|account| account.wall_ns as f64 - account.timed_ns as f64).abs()
    }

    /// Where the pass looked from.
    pub(super) fn accounts(&self) -> &'a Accounts {
        self.all
    }

    /// The phase of which a mechanism took most.
    pub(super) fn main(&self, entry: &Entry) -> Option<&'a str> {
        let (main, _) = self
            .amounts(entry)
            .into_iter()
            .reduce(|best, next| if next.1.ns > best.1.ns { next } else { best })?;
        Some(&main.phase)
    }

    /// How much of it a mechanism took, the mean a round, with the figures of its phases `main`; `None` where it
    /// was seen in none of them.
    pub(super) fn amount(&self, entry: &Entry, main: &str) -> Option<Amount> {
        let amounts = self.amounts(entry);
        let of_main = amounts.iter().filter(|(account, _)| account.phase == main);
        let of_main: Vec<Amount> = of_main.map(|(_, amount)| amount.clone()).collect();
        let main = Amount::mean(&of_main, self.rounds)?;
        let all: Vec<Amount> = amounts.into_iter().map(|(_, amount)| amount).collect();
        let Amount { ns, holds, .. } = Amount::mean(&all, self.rounds)?;
        Some(Amount { ns, holds, ..main })
    }

    fn amounts(&self, entry: &Entry) -> Vec<(&'a Account, Amount)> {
        let amount = |account: &&'a Account| {
            let amount = (entry.amount)(&Phase { all: self.all, account })?;
            Some((*account, amount))
        };
        self.phases.iter().filter_map(amount).collect()
    }
}
