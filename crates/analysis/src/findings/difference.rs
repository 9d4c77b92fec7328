//! Mechanisms that explain why a side is slower.

use std::cmp::Reverse;

use model::account::SeenFrom;
use model::{Finding, Verdict};

use super::amount::{Amount, Holds};
use super::chosen::Chosen;
use super::told::{Told, Who};
use super::{Entry, TABLE, Time};

/// The fewest seeds that a finding rests on.
const LEAST_SEEDS: usize = 3;

/// The least share of the difference that a mechanism has to make: a fifth.
const LEAST_SHARE: f64 = 0.2;

/// A series' difference between two sides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Difference<'a> {
    /// The series' label.
    pub(crate) label: &'a str,
    /// What the timing says of it.
    pub(crate) verdict: Verdict,
    /// Seed by seed, what the baseline has of the series, and the variant.
    pub(crate) pairs: &'a [(Chosen<'a>, Chosen<'a>)],
    /// The variant's mean less the baseline's, ns.
    pub(crate) ns: f64,
}

impl Difference<'_> {
    /// What explains it, the largest share first.
    pub(crate) fn findings(&self) -> Vec<Finding> {
        let who = match self.verdict {
            Verdict::Worse if self.ns > 0.0 => Who::Variant,
            Verdict::Better if self.ns < 0.0 => Who::Baseline,
            _ => return Vec::new(),
        };
        if self.pairs.len() < LEAST_SEEDS {
            return Vec::new();
        }
        let mut findings: Vec<Finding> =
            TABLE.iter().filter_map(|entry| self.finding(entry, who)).collect();
        findings.sort_by_key(|finding| Reverse(finding.share_milli));
        findings
    }

    fn finding(&self, entry: &Entry, who: Who) -> Option<Finding> {
        let sides: Vec<_> = self.pairs.iter().map(|pair| suffering_first(pair, who)).collect();
        let main = sides.first().and_then(|(suffers, _)| suffers.main(entry))?;
        let amounts = sides.iter().map(|(suffers, other)| {
            Some((suffers.amount(entry, main)?, other.amount(entry, main)?))
        });
        let amounts = amounts.collect::<Option<Vec<(Amount, Amount)>>>()?;
        let every = amounts.iter().all(|(suffers, other)| {
            suffers.holds > Holds::No && suffers.ns > other.ns && (entry.apart)(suffers, other)
        });
        let (suffers, others): (Vec<Amount>, Vec<Amount>) = amounts.into_iter().unzip();
        let seeds = self.pairs.len() as f64;
        let (suffers, other) = (Amount::mean(&suffers, seeds)?, Amount::mean(&others, seeds)?);
        let ns = suffers.ns - other.ns;
        let is_one = every && ns >= self.ns.abs() * LEAST_SHARE && ns > self.shift();
        let told = Told { amount: &suffers, other: Some(&other), who };
        is_one.then(|| told.finding(entry, self.label.to_owned(), ns, self.ns.abs()))
    }

    /// What the passes shifted the series by at most, ns; 0 where they looked from outside.
    fn shift(&self) -> f64 {
        let sides = self.pairs.iter().flat_map(|(baseline, variant)| [baseline, variant]);
        let inside = sides.filter(|side| side.accounts().seen_from == SeenFrom::Inside);
        inside.map(Chosen::shift).fold(0.0, f64::max)
    }
}

fn suffering_first<'a, 'b>(
    (baseline, variant): &'b (Chosen<'a>, Chosen<'a>),
    who: Who,
) -> (&'b Chosen<'a>, &'b Chosen<'a>) {
    match who {
        Who::Baseline => (baseline, variant),
        Who::Trial | Who::Variant => (variant, baseline),
    }
}

/// The share of a difference that no finding explains, in thousandths.
///
/// Waits that one mechanism claims may be among those of another, so shares are not simply added: the largest of
/// running time and the largest of waiting time are what is explained at least.
pub(crate) fn unexplained(findings: &[Finding]) -> u64 {
    let largest = |time: Time| {
        let entries = TABLE.iter().filter(move |entry| entry.time == time);
        let of_time =
            |finding: &&Finding| entries.clone().any(|entry| entry.mechanism == finding.mechanism);
        let shares = findings.iter().filter(of_time).filter_map(|finding| finding.share_milli);
        shares.max().unwrap_or(0)
    };
    1000_u64.saturating_sub(largest(Time::Running).saturating_add(largest(Time::Waiting)))
}
