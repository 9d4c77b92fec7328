//! The writer has to free memory before it can go on (`mm/vmscan.c`, `mm/compaction.c`).

use model::Surety;
use model::account::RanAt;

use super::amount::{Amount, Phase};
use super::figure;
use super::function::{first_in, function, leads_through};
use super::told::Told;
use super::waits::{self, Waits};

const RECLAIM: &[&str] = &[
    "try_to_free_pages",
    "do_try_to_free_pages",
    "shrink_node*",
    "__alloc_pages_direct_reclaim",
    "__alloc_pages_direct_compact",
    "reclaim_throttle",
    "throttle_direct_reclaim",
    "congestion_wait",
];

const RAN: &str = "time on a CPU";

/// The workload's waits in reclaim, and what it ran there.
pub(super) fn amount(phase: &Phase<'_>) -> Option<Amount> {
    let shows = |frames: &[String]| leads_through(frames, RECLAIM);
    let waits = Waits::of(phase.account, shows)?;
    let running = phase.account.workload.iter().flat_map(|workload| &workload.running);
    let ran: Vec<&RanAt> = running.filter(|part| shows(&part.frames)).collect();
    let ran_ns: u64 = ran.iter().map(|part| part.ns).sum();
    let mut amount = waits.amount(phase, ran_ns).with(RAN, "s", ran_ns as f64 / 1e9);
    if ran_ns > waits.ns {
        amount.surety = Surety::Sampled;
        let heaviest = ran.iter().max_by_key(|part| part.ns);
        amount.frames = heaviest.map(|part| part.frames.clone()).unwrap_or_default();
    }
    Some(amount)
}

/// What it says.
pub(super) fn sentence(told: &Told<'_>) -> String {
    let place = first_in(&told.amount.frames, RECLAIM).map(function);
    let place = place.map(|name| format!(" (`{name}`)")).unwrap_or_default();
    let seconds = |value: f64| figure::time(value * 1e9);
    format!(
        "the writer has to free memory before it can go on{place}: it runs for {}{} in that; {}",
        seconds(told.figure(RAN).unwrap_or(0.0)),
        told.beside(RAN, seconds),
        waits::summary(told),
    )
}
