//! The values of what a profile's threads did.

use model::ffsb::{CallTimes, OpCount, Outcome};

/// Every value under a name such as `ffsb.op[1].done`.
pub(super) fn values(outcome: &Outcome) -> Vec<(String, String)> {
    let Outcome { ops, read_bytes, written_bytes, calls } = outcome;
    let mut all = vec![
        ("ffsb.read_bytes".to_owned(), read_bytes.to_string()),
        ("ffsb.written_bytes".to_owned(), written_bytes.to_string()),
    ];
    for (at, op) in ops.iter().enumerate() {
        let values = op_values(op).into_iter();
        all.extend(values.map(|(item, value)| (format!("ffsb.op[{}].{item}", at + 1), value)));
    }
    for (at, call) in calls.iter().enumerate() {
        let values = call_values(call).into_iter();
        all.extend(values.map(|(item, value)| (format!("ffsb.call[{}].{item}", at + 1), value)));
    }
    all
}

fn op_values(count: &OpCount) -> [(&'static str, String); 4] {
    let OpCount { op, done, transactions, bytes } = count;
    [
        ("name", op.name().to_owned()),
        ("done", done.to_string()),
        ("transactions", transactions.to_string()),
        ("bytes", bytes.to_string()),
    ]
}

fn call_values(times: &CallTimes) -> Vec<(String, String)> {
    let CallTimes { call, count, least_ns, total_ns, greatest_ns, in_ranges } = times;
    let mut all = vec![("name".to_owned(), call.name().to_owned())];
    let numbers = [
        ("count", count),
        ("least_ns", least_ns),
        ("total_ns", total_ns),
        ("greatest_ns", greatest_ns),
    ];
    all.extend(numbers.map(|(item, value)| (item.to_owned(), value.to_string())));
    let ranges = in_ranges.iter().enumerate();
    all.extend(ranges.map(|(at, calls)| (format!("in_range[{}]", at + 1), calls.to_string())));
    all
}
