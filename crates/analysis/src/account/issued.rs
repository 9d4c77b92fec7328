//! Who had requests done.

use std::collections::BTreeMap;

use model::account::IssuedBy;
use model::trace::{Request, Span};

use super::watched::Watched;

/// Who it was, where that is not known: a task whose name nobody has.
pub(crate) const NOBODY_KNOWS: &str = "unknown";

/// The requests that were issued in `phase`, by disk, then in the order of their first ones.
pub(super) fn issued(watched: &Watched<'_>, phase: Span) -> Vec<IssuedBy> {
    let requests = &watched.trace.requests;
    let first = requests.partition_point(|request| request.issued_ns < phase.from_ns);
    let within = requests[first..].iter().take_while(|request| request.issued_ns < phase.to_ns);
    let mut folded = BTreeMap::new();
    for request in within {
        let by = request.by.map(|task| {
            let task = task as usize;
            (watched.runs.name_at(task, request.issued_ns), !watched.is_workload(task))
        });
        let sum = folded
            .entry((request.disk, request.kind, by))
            .or_insert_with(|| none(watched, phase, request, by));
        sum.requests += 1;
        sum.bytes += request.bytes;
        sum.last_ns = sum.last_ns.max(last(phase, request));
    }
    let mut issued: Vec<IssuedBy> = folded.into_values().collect();
    issued.sort_by_key(|by| (by.disk, by.first_ns, by.kind));
    issued
}

/// No request yet, where `first` is about to come.
fn none(
    watched: &Watched<'_>,
    phase: Span,
    first: &Request,
    by: Option<(usize, bool)>,
) -> IssuedBy {
    IssuedBy {
        disk: first.disk,
        by: by.map_or(NOBODY_KNOWS, |(name, _)| watched.runs.names.get(name)).to_owned(),
        kernel: by.is_none_or(|(_, kernel)| kernel),
        kind: first.kind,
        requests: 0,
        bytes: 0,
        first_ns: first.issued_ns.saturating_sub(phase.from_ns),
        last_ns: 0,
    }
}

fn last(phase: Span, request: &Request) -> u64 {
    request.done_ns.unwrap_or(phase.to_ns).saturating_sub(phase.from_ns)
}
