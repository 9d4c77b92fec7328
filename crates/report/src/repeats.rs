//! Whether runs of one spec and seed measured the same.

use std::collections::BTreeSet;
use std::io;

use crate::groups::Group;
use crate::page::{Page, Role};
use crate::values::{differences, values};
use model::place::is_exact;

/// Names of differing values that are shown.
const NAMED: usize = 4;

/// Writes that all values are the same, or how many are not and which; nothing for a single run,
/// and nothing of values where nobody expects them to be the same.
pub(crate) fn write(page: &mut Page<'_>, group: &Group<'_>) -> io::Result<()> {
    let (trial, first) = group.first();
    let runs = group.runs.len();
    if runs < 2 {
        return Ok(());
    }
    let total = values(first).len();
    if !is_exact(&trial.spec.place) {
        // In a directory no two runs are.
    } else if group.is_identical() {
        let text = format!("  {runs} runs, all {total} values byte-identical");
        page.line(&[(Role::Good, &text)])?;
    } else {
        let (role, advice) = match fingerprints(group).is_empty() {
            true => (Role::Bad, "; the exact place should have repeated them, please report it"),
            false => (Role::Plain, ""),
        };
        let names = differing(group);
        let text = format!(
            "{runs} runs, {} of {total} values differ{advice}: {}",
            names.len(),
            some(&names)
        );
        page.labelled("  ", role, &text)?;
    }
    let unlike = fingerprints(group);
    if unlike.is_empty() {
        return Ok(());
    }
    let text = format!("the runs' fingerprints differ in {}", some(&unlike));
    page.labelled("  ", Role::Warning, &text)
}

/// The values in which any run differs from the first, in the first's order.
fn differing(group: &Group<'_>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut names = Vec::new();
    for (_, run) in &group.runs[1..] {
        for difference in differences(group.first().1, run) {
            if seen.insert(difference.name.clone()) {
                names.push(difference.name);
            }
        }
    }
    names
}

/// The fingerprint's items in which any run differs from the first.
fn fingerprints(group: &Group<'_>) -> Vec<String> {
    let first = &group.first().0.fingerprint;
    let items: BTreeSet<String> = group.runs[1..]
        .iter()
        .flat_map(|(trial, _)| first.deviations(&trial.fingerprint))
        .map(|deviation| deviation.item)
        .collect();
    items.into_iter().collect()
}

fn some(names: &[String]) -> String {
    let shown = names[..names.len().min(NAMED)].join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
