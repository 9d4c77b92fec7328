//! Where one trial's time went.

use std::io;

use model::account::{Account, Accounts, SeenFrom};
use model::{Finding, Observation, Trial};

use super::seen::Seen;
use super::words::word;
use super::{disks, findings, functions, moments, not_available, notes, parts, tasks, waits};
use crate::heading;
use crate::page::{Page, Role};
use crate::quantity::{duration, percent};

/// The least share of the trial that a phase must take to be told of, one in so many.
const LEAST: u64 = 100;

const OF_THE_PHASE: &str = "of the phase";

/// Writes the phases in the trial's order.
pub(super) fn write(
    page: &mut Page<'_>,
    trial: &Trial,
    accounts: &Accounts,
    observation: Option<&Observation>,
) -> io::Result<()> {
    heading::write(page, trial, 0)?;
    seen_from(page, accounts)?;
    let whole = accounts.phases.iter().map(|account| account.wall_ns).fold(0, u64::saturating_add);
    let is_long = |account: &&Account| account.wall_ns.saturating_mul(LEAST) >= whole;
    unphased(page, accounts)?;
    for account in accounts.phases.iter().filter(is_long) {
        page.blank()?;
        phase(page, account, accounts, whole)?;
        let seen = Seen::new((&account.phase, None), account, accounts, observation);
        let seen = std::slice::from_ref(&seen);
        waits::write(page, seen)?;
        tasks::write(page, seen)?;
        disks::write(page, seen)?;
        moments::write(page, seen)?;
    }
    short(page, accounts.phases.iter().filter(|account| !is_long(account)))?;
    notes(page, &accounts.notes)
}

fn seen_from(page: &mut Page<'_>, accounts: &Accounts) -> io::Result<()> {
    let (role, text) = match (accounts.seen_from, accounts.same_times) {
        (SeenFrom::Outside, true) => (
            Role::Good,
            "from outside, at no cost in guest time: it measured the trial's own nanoseconds",
        ),
        (SeenFrom::Outside, false) => (
            Role::Warning,
            "from outside; warning: this pass measured other times than the trial, so it explains the \
             trial only roughly",
        ),
        (SeenFrom::Inside, _) => (
            Role::Warning,
            "from inside, in samples: times are numbers of samples, and the looking shifted them",
        ),
    };
    page.labelled("  seen   ", role, text)?;
    let paths = match accounts.sampled_every {
        Some(every) => format!("one every {} instructions", crate::quantity::thousands(every)),
        None => "none were taken where it ran".to_owned(),
    };
    page.labelled("  paths  ", Role::Plain, &paths)
}

/// Findings from what knows no phases.
fn unphased(page: &mut Page<'_>, accounts: &Accounts) -> io::Result<()> {
    for finding in accounts.findings.iter().filter(|finding| finding.phase.is_none()) {
        page.blank()?;
        findings::one(page, finding, "of the trial")?;
    }
    Ok(())
}

fn phase(
    page: &mut Page<'_>,
    account: &Account,
    accounts: &Accounts,
    whole: u64,
) -> io::Result<()> {
    let label = account.label();
    let share = percent(account.wall_ns, whole).map(|share| format!(", {share} of the trial"));
    let other = match account.timed_ns == account.wall_ns {
        true => String::new(),
        false => format!(" in this pass, {} in the trial", duration(account.timed_ns)),
    };
    let facts = format!("  {}{other}{}", duration(account.wall_ns), share.unwrap_or_default());
    page.line(&[(Role::Strong, &label), (Role::Plain, &facts)])?;
    if let Some(bytes) = account.written_bytes {
        page.labelled("  written  ", Role::Plain, &crate::quantity::bytes(bytes))?;
    }
    parts::of_account(page, account, &accounts.notes)?;
    let own = accounts.findings.iter().filter(|finding| finding.phase.as_ref() == Some(&label));
    let unseen = not_available(&accounts.notes);
    let none = if account.workload.is_some() { findings::NONE } else { unseen };
    findings::write(page, &own.cloned().collect::<Vec<Finding>>(), OF_THE_PHASE, none)?;
    functions::of_account(page, account, unseen)
}

/// Names the phases that are too short to matter.
fn short<'a>(page: &mut Page<'_>, phases: impl Iterator<Item = &'a Account>) -> io::Result<()> {
    let told: Vec<String> = phases
        .map(|account| word(&format!("{} {}", account.label(), duration(account.wall_ns))))
        .collect();
    if told.is_empty() {
        return Ok(());
    }
    page.blank()?;
    let text = format!("under 1 % of the trial each: {}", told.join(", "));
    page.labelled("short  ", Role::Plain, &text)
}
