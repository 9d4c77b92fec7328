//! Instructions by function, which are counted and not sampled.

use std::io;

use model::account::Account;
use model::explanation::FunctionDifference;
use model::{FunctionCount, PhaseExplained};

use super::figures::Figures;
use super::section;
use super::words::{signed, signed_count, word};
use crate::page::{Page, Role};
use crate::quantity::{amount, count, duration, nanoseconds, percent, thousands};

/// Functions that are shown by themselves.
const SHOWN: usize = 15;

/// Writes where the instructions' difference is; `cost_ns` is what one of them takes, where that is known.
pub(super) fn of_difference(
    page: &mut Page<'_>,
    phase: &PhaseExplained,
    cost_ns: Option<f64>,
    not_available: &str,
) -> io::Result<()> {
    let about = match phase.functions.is_empty() {
        true => "",
        false => "of the whole machine, exact; a + means more with the variant",
    };
    section(page, "instructions by function", about)?;
    if let Some((busy, idle)) = phase.machine {
        let text = format!("instructions: {}, idle: {}", signed(busy), signed(idle));
        page.labelled("    ", Role::Plain, &text)?;
    }
    if phase.functions.is_empty() {
        return page.labelled("    ", Role::Plain, not_available);
    }
    let mut table = Figures::new(&["time", "difference", "baseline", "variant"]);
    let (shown, more) = phase.functions.split_at(phase.functions.len().min(SHOWN));
    for function in shown {
        difference(&mut table, cost_ns, &[function], word(&function.name));
    }
    if !more.is_empty() {
        let more: Vec<&FunctionDifference> = more.iter().collect();
        difference(&mut table, cost_ns, &more, format!("{} more functions", more.len()));
    }
    table.write(page, 4)
}

fn difference(
    table: &mut Figures,
    cost_ns: Option<f64>,
    functions: &[&FunctionDifference],
    text: String,
) {
    let baseline: f64 = functions.iter().map(|function| function.baseline).sum();
    let variant: f64 = functions.iter().map(|function| function.variant).sum();
    let cells = [
        cost_ns.map(|cost| signed((variant - baseline) * cost)),
        Some(signed_count(variant - baseline)),
        Some(amount(baseline)),
        Some(amount(variant)),
    ];
    table.row(Role::Plain, cells, text);
}

/// Writes a trial's own functions, and that its instructions and its idle time make up the phase.
pub(super) fn of_account(
    page: &mut Page<'_>,
    account: &Account,
    not_available: &str,
) -> io::Result<()> {
    section(page, "instructions by function", "")?;
    if let Some(machine) = account.machine {
        let text = format!(
            "{} instructions took {}, and {} were idle: {} of {}",
            thousands(machine.instructions),
            word(&duration(machine.busy_ns)),
            word(&duration(machine.idle_ns)),
            word(&duration(machine.busy_ns.saturating_add(machine.idle_ns))),
            word(&duration(account.wall_ns)),
        );
        page.labelled("    ", Role::Plain, &text)?;
    }
    if account.functions.is_empty() {
        return page.labelled("    ", Role::Plain, not_available);
    }
    let cost_ns = cost_ns(account);
    let all = account.functions.iter().map(|function| function.instructions);
    let total = all.fold(0, u64::saturating_add);
    let mut table = Figures::new(&["time", "instructions", "share"]);
    let mut row = |functions: &[FunctionCount], text| {
        let own = functions.iter().map(|function| function.instructions);
        let own = own.fold(0, u64::saturating_add);
        let cells = [cost_ns.map(|cost| took(own, cost)), Some(count(own)), percent(own, total)];
        table.row(Role::Plain, cells, text);
    };
    let (shown, more) = account.functions.split_at(account.functions.len().min(SHOWN));
    for function in shown {
        row(std::slice::from_ref(function), word(&function.name));
    }
    if !more.is_empty() {
        row(more, format!("{} more functions", more.len()));
    }
    table.write(page, 4)
}

/// What an instruction takes, ns.
#[expect(clippy::cast_precision_loss, reason = "a ratio for display")]
pub(super) fn cost_ns(account: &Account) -> Option<f64> {
    let machine = account.machine.filter(|machine| machine.instructions > 0)?;
    Some(machine.busy_ns as f64 / machine.instructions as f64)
}

#[expect(clippy::cast_precision_loss, reason = "for display")]
fn took(instructions: u64, cost_ns: f64) -> String {
    nanoseconds(instructions as f64 * cost_ns)
}
