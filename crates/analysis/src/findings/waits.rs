//! Waits of a workload at places that a mechanism knows.

use model::account::{Account, BlockedAt, SeenFrom};
use model::trace::Span;

use super::amount::{Amount, Holds, LONGEST, Phase};
use super::figure;
use super::told::Told;

/// Waits that a mechanism claims.
#[derive(Clone, Debug, Default)]
pub(super) struct Waits<'a> {
    /// How long they were, all together, ns.
    pub(super) ns: u64,
    /// How many.
    pub(super) times: u64,
    /// The place with the most time, and its time.
    heaviest: Option<(&'a BlockedAt, u64)>,
}

impl<'a> Waits<'a> {
    /// The workload's waits at call paths that `shows` knows; `None` where its tasks were not seen.
    pub(super) fn of(account: &'a Account, shows: impl Fn(&[String]) -> bool) -> Option<Self> {
        let mut waits = Waits::default();
        for place in &account.workload.as_ref()?.blocked {
            if shows(&place.frames) {
                waits.add(place, place.ns, place.times);
            }
        }
        Some(waits)
    }

    /// With `ns` more in `times` waits, which `place` shows.
    pub(super) fn add(&mut self, place: &'a BlockedAt, ns: u64, times: u64) {
        self.ns += ns;
        self.times += times;
        if self.heaviest.is_none_or(|(_, most)| ns > most) {
            self.heaviest = Some((place, ns));
        }
    }

    /// What they amount to, with `more` ns of other kinds; it holds where there is anything.
    pub(super) fn amount(&self, phase: &Phase<'_>, more: u64) -> Amount {
        let place = self.heaviest.map(|(place, _)| place);
        let longest = place.filter(|place| place.longest_ns > 0).map(longest);
        let ns = self.ns + more;
        let mut amount = phase.amount(ns);
        amount.holds = if ns > 0 { Holds::Yes } else { Holds::No };
        amount.frames = place.map(|place| place.frames.clone()).unwrap_or_default();
        amount.longest = longest;
        let amount = amount.with("time waited", "s", self.ns as f64 / 1e9);
        let amount = match phase.all.seen_from {
            SeenFrom::Outside => amount.with("waits", "times", self.times as f64),
            SeenFrom::Inside => amount.with("samples of waits", "times", self.times as f64),
        };
        match longest {
            Some(span) => amount.with(LONGEST, "s", span.length() as f64 / 1e9),
            None => amount,
        }
    }
}

fn longest(place: &BlockedAt) -> Span {
    let from_ns = place.longest_at_ns;
    Span { from_ns, to_ns: from_ns + place.longest_ns }
}

/// `84 waits, together 2.01 s (on the baseline: 587 ms), the longest 120 ms`.
pub(super) fn summary(told: &Told<'_>) -> String {
    let times = match told.figure("samples of waits") {
        Some(samples) => format!("seen in {}", figure::counted(samples, "sample")),
        None => figure::counted(told.figure("waits").unwrap_or(0.0), "wait"),
    };
    let seconds = |value: f64| figure::time(value * 1e9);
    let together = seconds(told.figure("time waited").unwrap_or(0.0));
    let other = told.beside("time waited", seconds);
    let longest = told.figure(LONGEST).map(seconds);
    let longest = longest.map(|time| format!(", the longest {time}")).unwrap_or_default();
    format!("{times}, together {together}{other}{longest}")
}
