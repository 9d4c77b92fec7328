//! The page allocator walks long free lists.
//!
//! It counts in instructions: what a walk costs in cache misses is not in them.

use model::Surety;
use model::account::{Account, RanAt};

use super::amount::{Amount, Holds, Phase};
use super::figure;
use super::function::{function, is_in, leads_through};
use super::told::Told;

/// Functions of `mm/page_alloc.c` that search free lists, or take pages off them.
const SEARCH: &[&str] = &[
    "get_page_from_free_area",
    "get_page_from_freelist",
    "rmqueue*",
    "__rmqueue*",
    "buffered_rmqueue",
    "find_suitable_fallback",
    "steal_suitable_fallback",
    "try_to_steal*",
    "try_to_claim_block",
];

const SEARCHING: &str = "instructions in the search";
const LARGEST: &str = "instructions in the largest of its functions";
const ALL: &str = "instructions of the machine";

/// What the allocator's search took: of the whole machine where instructions were counted, else of the workload's
/// own call paths.
pub(super) fn amount(phase: &Phase<'_>) -> Option<Amount> {
    let mut amount = counted(phase).or_else(|| sampled(phase))?;
    amount.holds = if amount.ns > 0.0 { Holds::Yes } else { Holds::No };
    amount.frames = heaviest_path(phase.account);
    Some(amount)
}

fn counted(phase: &Phase<'_>) -> Option<Amount> {
    let machine = phase.account.machine.filter(|machine| machine.instructions > 0)?;
    let search = || phase.account.functions.iter().filter(|count| is_in(&count.name, SEARCH));
    if phase.account.functions.is_empty() {
        return None;
    }
    let instructions: u64 = search().map(|count| count.instructions).sum();
    let ns = instructions as f64 * machine.busy_ns as f64 / machine.instructions as f64;
    let largest = search().max_by_key(|count| count.instructions);
    let mut amount = phase.amount(ns.round() as u64);
    amount.what = largest.map(|count| function(&count.name).to_owned());
    Some(
        amount
            .with(SEARCHING, "instructions", instructions as f64)
            .with(LARGEST, "instructions", largest.map_or(0, |count| count.instructions) as f64)
            .with(ALL, "instructions", machine.instructions as f64),
    )
}

fn sampled(phase: &Phase<'_>) -> Option<Amount> {
    let running = &phase.account.workload.as_ref()?.running;
    let inner = |part: &RanAt| part.frames.first().is_some_and(|frame| is_in(frame, SEARCH));
    if running.iter().all(|part| part.frames.is_empty()) {
        return None;
    }
    let search = || running.iter().filter(|part| inner(part));
    let ns = search().map(|part| part.ns).sum();
    let largest = search().max_by_key(|part| part.ns).and_then(|part| part.frames.first());
    let mut amount = phase.amount(ns).with("time in the search", "s", ns as f64 / 1e9);
    amount.what = largest.map(|frame| function(frame).to_owned());
    amount.surety = Surety::Sampled;
    Some(amount)
}

fn heaviest_path(account: &Account) -> Vec<String> {
    let running = account.workload.iter().flat_map(|workload| &workload.running);
    let through = running.filter(|part| leads_through(&part.frames, SEARCH));
    through.max_by_key(|part| part.ns).map(|part| part.frames.clone()).unwrap_or_default()
}

/// What it says.
pub(super) fn sentence(told: &Told<'_>) -> String {
    let time = figure::time(told.amount.ns);
    let other = told.other.map(|other| figure::time(other.ns));
    let beside = other.map(|time| told.bracketed(&time)).unwrap_or_default();
    let function = told.amount.what.as_deref().unwrap_or("the search");
    let what = match (told.figure(LARGEST), told.figure(ALL)) {
        (Some(largest), Some(all)) => format!(
            "`{function}` alone executes {} instructions, {} of the machine's",
            figure::count(largest),
            figure::percent(largest / all),
        ),
        _ => format!("most of it in `{function}`"),
    };
    format!("the page allocator searches its free lists for {time}{beside}: {what}")
}
