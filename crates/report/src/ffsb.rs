//! The closing block of an FFSB run, in the shape that the original prints and scripts parse, and
//! below it what the original hides: its benchmark time has the last `sync` in it.
//!
//! Source of the shape: the original's `main.c`, `ffsb_op.c`, `ffsb_stats.c` and `util.c` as of its
//! last release. Its `% Op Weight` is not the profile's weight but the share of operations done.
//! Differences, all within its columns: sizes from 1000 to 1023 of a unit are written out where the
//! original turns to an exponent, times of calls are exact to the nanosecond, and there is `fsync`.

use std::io::{self, Write};

use model::ffsb::{CallTimes, Op, OpCount, Outcome};

use crate::quantity::{duration, percent};

/// What a run came to.
#[derive(Clone, Copy, Debug)]
pub struct ClosingBlock<'a> {
    /// What the threads did.
    pub outcome: &'a Outcome,
    /// The profile's ranges of call times, µs; empty where none are counted.
    pub ranges: &'a [(u64, u64)],
    /// From the clock's start until the threads were joined, ns.
    pub run_ns: u64,
    /// The last `sync`, ns.
    pub sync_ns: u64,
    /// CPU time in user mode of both, ns.
    pub user_ns: u64,
    /// CPU time in the kernel of both, ns.
    pub system_ns: u64,
}

impl ClosingBlock<'_> {
    /// What the original takes for the benchmark's time, seconds.
    fn seconds(&self) -> f64 {
        seconds(self.run_ns) + seconds(self.sync_ns)
    }
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// `part / whole`; 0 of nothing, where the original prints `nan`.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// Writes the closing block.
///
/// # Errors
/// `out` cannot be written.
pub fn closing_block(out: &mut dyn Write, view: &ClosingBlock<'_>) -> io::Result<()> {
    writeln!(out, "Benchmark took {:.2} sec\n", view.seconds())?;
    writeln!(out, "Total Results\n===============")?;
    operations(out, view)?;
    throughput(out, view)?;
    if !view.outcome.calls.is_empty() {
        call_times(out, view)?;
    }
    processor(out, view)?;
    apart(out, view)
}

fn operations(out: &mut dyn Write, view: &ClosingBlock<'_>) -> io::Result<()> {
    out.write_all(
        b"             Op Name   Transactions\t Trans/sec\t% Trans\t    % Op Weight\t   Throughput\n",
    )?;
    out.write_all(
        b"             =======   ============\t =========\t=======\t    ===========\t   ==========\n",
    )?;
    let ops = &view.outcome.ops;
    for count in ops.iter().filter(|count| count.transactions > 0) {
        operation(out, count, ops, view.seconds())?;
    }
    let per_second = ratio(transactions(ops) as f64, view.seconds());
    writeln!(out, "-\n{per_second:.2} Transactions per Second\n")
}

fn transactions(ops: &[OpCount]) -> u64 {
    ops.iter().map(|count| count.transactions).sum()
}

fn operation(
    out: &mut dyn Write,
    count: &OpCount,
    all: &[OpCount],
    seconds: f64,
) -> io::Result<()> {
    let done: u64 = all.iter().map(|count| count.done).sum();
    let throughput = match moves_bytes(count.op) {
        true => format!("{}/sec", size(ratio(count.bytes as f64, seconds))),
        false => "NA".to_owned(),
    };
    writeln!(
        out,
        "{:>20} : {:>12}\t{:>10.2}\t{:>6.3}%\t\t{:>6.3}%\t  {throughput:>11}",
        count.op.name(),
        count.transactions,
        ratio(count.transactions as f64, seconds),
        100.0 * ratio(count.transactions as f64, transactions(all) as f64),
        100.0 * ratio(count.done as f64, done as f64),
    )
}

fn moves_bytes(op: Op) -> bool {
    !matches!(op, Op::Delete | Op::Metaop | Op::Createdir | Op::Stat | Op::OpenClose)
}

fn throughput(out: &mut dyn Write, view: &ClosingBlock<'_>) -> io::Result<()> {
    let Outcome { read_bytes, written_bytes, .. } = *view.outcome;
    let rate = |bytes: u64| size(ratio(bytes as f64, view.seconds()));
    if read_bytes > 0 || written_bytes > 0 {
        writeln!(out, "Throughput Results\n===================")?;
    }
    if read_bytes > 0 {
        writeln!(out, "Read Throughput: {}/sec", rate(read_bytes))?;
    }
    if written_bytes > 0 {
        writeln!(out, "Write Throughput: {}/sec", rate(written_bytes))?;
    }
    Ok(())
}

fn call_times(out: &mut dyn Write, view: &ClosingBlock<'_>) -> io::Result<()> {
    writeln!(out, "\nSystem Call Latency statistics in millisecs\n=====")?;
    writeln!(out, "\t\tMin\t\tAvg\t\tMax\t\tTotal Calls")?;
    writeln!(out, "\t\t========\t========\t========\t============")?;
    view.outcome.calls.iter().try_for_each(|times| one_call(out, times, view.ranges))
}

fn one_call(out: &mut dyn Write, times: &CallTimes, ranges: &[(u64, u64)]) -> io::Result<()> {
    let CallTimes { least_ns, total_ns, greatest_ns, count, .. } = *times;
    let average = ratio(total_ns as f64, count as f64) / 1e6;
    writeln!(
        out,
        "[{:>7}]\t{:.6}\t{average:.6}\t{:.6}\t{count:>12}",
        times.call.name(),
        least_ns as f64 / 1e6,
        greatest_ns as f64 / 1e6,
    )?;
    if ranges.is_empty() {
        return writeln!(out, "   -");
    }
    for (index, ((from, to), calls)) in ranges.iter().zip(&times.in_ranges).enumerate() {
        let (from, to) = (*from as f64 / 1e3, *to as f64 / 1e3);
        writeln!(out, "\t\t msec_range[{index}]\t{from:.6} - {to:.6} : {calls:>8}")?;
    }
    writeln!(out)
}

fn processor(out: &mut dyn Write, view: &ClosingBlock<'_>) -> io::Result<()> {
    let share = |ns: u64| 100.0 * ratio(seconds(ns), view.seconds());
    writeln!(out, "\n\n\n{:.1}% User   Time", share(view.user_ns))?;
    writeln!(out, "{:.1}% System Time", share(view.system_ns))?;
    writeln!(out, "{:.1}% CPU Utilization", share(view.user_ns.saturating_add(view.system_ns)))
}

/// Ours. Nothing in it looks like a line of the original's.
fn apart(out: &mut dyn Write, view: &ClosingBlock<'_>) -> io::Result<()> {
    let whole = view.run_ns.saturating_add(view.sync_ns);
    let share = |ns| percent(ns, whole).unwrap_or_else(|| "-".to_owned());
    let alone = ratio(transactions(&view.outcome.ops) as f64, seconds(view.run_ns));
    let (run, sync) = (duration(view.run_ns), duration(view.sync_ns));
    writeln!(
        out,
        "\nrun   {run:>9}  {:>7}  {alone:.2} transactions/s in it alone",
        share(view.run_ns)
    )?;
    writeln!(
        out,
        "sync  {sync:>9}  {:>7}  after it, counted in all rates above",
        share(view.sync_ns)
    )
}

/// Bytes with three significant digits and without trailing zeros, as C's `%.3g` has them.
fn size(bytes: f64) -> String {
    const UNITS: [(&str, f64); 3] = [("GB", 1_073_741_824.0), ("MB", 1_048_576.0), ("KB", 1024.0)];
    let fits = |(_, unit): &&(&str, f64)| bytes >= *unit;
    let (name, unit) = UNITS.iter().find(fits).copied().unwrap_or(("B", 1.0));
    format!("{}{name}", three_digits(bytes / unit))
}

/// Below 0.0001 C would turn to an exponent; here it is 0.
fn three_digits(value: f64) -> String {
    let digits = |decimals: usize| format!("{value:.decimals$}");
    let fits = |text: &String| text.trim_start_matches(['0', '.']).replace('.', "").len() <= 3;
    let text = (0..=6).rev().map(digits).find(fits).unwrap_or_else(|| digits(0));
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use model::ffsb::Call;

    use super::*;

    /// Compared with what the original printed of such a run.
    const BLOCK: &str = "Benchmark took 13.87 sec

Total Results
===============
             Op Name   Transactions\t Trans/sec\t% Trans\t    % Op Weight\t   Throughput
             =======   ============\t =========\t=======\t    ===========\t   ==========
             readall :        11698\t    843.40\t13.205%\t\t20.284%\t   3.29MB/sec
              create :        76800\t   5537.13\t86.691%\t\t60.852%\t   21.6MB/sec
              delete :           93\t      6.71\t 0.105%\t\t18.864%\t           NA
-
6387.24 Transactions per Second

Throughput Results
===================
Read Throughput: 3.29MB/sec
Write Throughput: 21.6MB/sec



0.5% User   Time
10.8% System Time
11.3% CPU Utilization

run     10.02 s   72.2 %  8841.42 transactions/s in it alone
sync    3.850 s   27.8 %  after it, counted in all rates above
";

    const CALLS: &str = "System Call Latency statistics in millisecs
=====
\t\tMin\t\tAvg\t\tMax\t\tTotal Calls
\t\t========\t========\t========\t============
[  write]\t0.004000\t0.079470\t420.509003\t       76800
\t\t msec_range[0]\t0.000000 - 0.500000 :    76000
\t\t msec_range[1]\t0.500000 - 30.000000 :      799

[  fsync]\t1.500000\t1.500000\t1.500000\t           1
\t\t msec_range[0]\t0.000000 - 0.500000 :        0
\t\t msec_range[1]\t0.500000 - 30.000000 :        1




";

    fn count(op: Op, done: u64, transactions: u64, bytes: u64) -> OpCount {
        OpCount { op, done, transactions, bytes }
    }

    fn times(call: Call, count: u64, times: [u64; 3], in_ranges: &[u64]) -> CallTimes {
        let [least_ns, total_ns, greatest_ns] = times;
        CallTimes { call, count, least_ns, total_ns, greatest_ns, in_ranges: in_ranges.to_vec() }
    }

    fn outcome() -> Outcome {
        Outcome {
            ops: vec![
                count(Op::Readall, 100, 11_698, 47_915_008),
                count(Op::Create, 300, 76_800, 314_572_800),
                count(Op::Delete, 93, 93, 0),
                count(Op::Createdir, 0, 0, 0),
            ],
            read_bytes: 47_915_008,
            written_bytes: 314_572_800,
            calls: Vec::new(),
        }
    }

    fn text(outcome: &Outcome, ranges: &[(u64, u64)]) -> String {
        let mut out = Vec::new();
        let view = ClosingBlock {
            outcome,
            ranges,
            run_ns: 10_020_000_000,
            sync_ns: 3_850_000_000,
            user_ns: 70_000_000,
            system_ns: 1_500_000_000,
        };
        closing_block(&mut out, &view).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_block_has_the_originals_shape() {
        assert_eq!(text(&outcome(), &[]), BLOCK);
    }

    #[test]
    fn call_times_stand_before_the_processors() {
        let ranges = [(0, 500), (500, 30_000)];
        let mut outcome = outcome();
        outcome.calls = vec![
            times(Call::Write, 76_800, [4_000, 6_103_296_000, 420_509_003], &[76_000, 799]),
            times(Call::Fsync, 1, [1_500_000; 3], &[0, 1]),
        ];
        let text = text(&outcome, &ranges);
        let start = text.find("System Call").unwrap();
        let end = text.find("0.5% User").unwrap();
        assert_eq!(&text[start..end], CALLS);
        outcome.calls[0].in_ranges.clear();
        outcome.calls.truncate(1);
        assert!(self::text(&outcome, &[]).contains("       76800\n   -\n\n\n\n0.5% User   Time\n"));
    }

    /// What the parser of mmtests finds (its `ExtractFfsb.pm`, in these words).
    fn mmtests(text: &str) -> Vec<(String, f64)> {
        let (mut found, mut reading) = (Vec::new(), 0);
        for line in text.lines() {
            if line.contains("Total Results") {
                reading += 1;
                continue;
            }
            if reading == 1 && line.contains(':') {
                let fields: Vec<&str> = line.split_whitespace().collect();
                found.push((fields[0].to_owned(), fields[3].parse().unwrap()));
            }
            if reading == 1 && line.starts_with('-') {
                reading = 2;
            }
            if reading == 2 {
                let figure = |before: &str, after: &str| -> Option<f64> {
                    line.strip_prefix(before)?.strip_suffix(after)?.parse().ok()
                };
                for (name, before, after) in [
                    ("Trans/sec", "", " Transactions per Second"),
                    ("ReadMB/sec", "Read Throughput: ", "MB/sec"),
                    ("WriteMB/sec", "Write Throughput: ", "MB/sec"),
                ] {
                    found.extend(figure(before, after).map(|figure| (name.to_owned(), figure)));
                }
            }
        }
        found
    }

    #[test]
    fn a_parser_of_the_original_finds_the_numbers() {
        let mut outcome = outcome();
        outcome.calls = vec![times(Call::Write, 1, [4_000; 3], &[])];
        let found = mmtests(&text(&outcome, &[]));
        let wanted = [
            ("readall", 843.40),
            ("create", 5537.13),
            ("delete", 6.71),
            ("Trans/sec", 6387.24),
            ("ReadMB/sec", 3.29),
            ("WriteMB/sec", 21.6),
        ];
        assert_eq!(found, wanted.map(|(name, figure)| (name.to_owned(), figure)));
    }

    #[test]
    fn what_moved_no_bytes_has_no_throughput() {
        let outcome = Outcome { ops: vec![count(Op::Stat, 5, 5, 0)], ..Outcome::default() };
        let text = text(&outcome, &[]);
        assert!(!text.contains("Throughput Results") && !text.contains("Read Throughput"));
        assert!(text.contains("         NA\n"), "{text}");
    }

    #[test]
    fn a_run_without_time_has_no_rates() {
        let outcome = outcome();
        let (run_ns, sync_ns, user_ns, system_ns) = (0, 0, 0, 0);
        let view =
            ClosingBlock { outcome: &outcome, ranges: &[], run_ns, sync_ns, user_ns, system_ns };
        let mut out = Vec::new();
        closing_block(&mut out, &view).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("\n0.00 Transactions per Second\n"), "{text}");
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }

    #[test]
    fn sizes_are_shown_as_the_original_does() {
        let mib = 1_048_576.0;
        for (bytes, shown) in [
            (0.0, "0B"),
            (0.5, "0.5B"),
            (291.0 * 1024.0, "291KB"),
            (4.634 * mib, "4.63MB"),
            (2.901 * mib, "2.9MB"),
            (5.0 * mib, "5MB"),
            (99.96 * mib, "100MB"),
            (18.55 * mib, "18.6MB"),
            (828.4 * mib, "828MB"),
            (999.6 * mib, "1000MB"),
            (1020.0 * mib, "1020MB"),
            (1024.0 * mib, "1GB"),
            (100.0, "100B"),
            (0.001_234, "0.00123B"),
        ] {
            assert_eq!(size(bytes), shown, "{bytes}");
        }
    }
}
