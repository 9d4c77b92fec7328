//! Times, shares and places in words.

use analysis::explain::naming;
use model::account::{BlockedAt, Waker};
use model::{Number, Part, PartKind, Surety};

use crate::quantity::{amount, bytes, duration, nanoseconds};
use crate::text::GLUE;

/// `+1.200 s`, `-35.00 ms`: a difference of times.
pub(super) fn signed(ns: f64) -> String {
    with_sign(ns, &nanoseconds(ns.abs()), "0 s")
}

/// `+12.34 M`: a difference of counts.
pub(super) fn signed_count(count: f64) -> String {
    with_sign(count, &amount(count.abs()), "0")
}

fn with_sign(value: f64, size: &str, nothing: &str) -> String {
    match value {
        _ if size == nothing => size.to_owned(),
        value if value < 0.0 => format!("-{size}"),
        _ => format!("+{size}"),
    }
}

/// `84.1 %`, which may be below 0 or above 100; `None` of nothing.
pub(super) fn share(part: f64, whole: f64) -> Option<String> {
    let tenths = (part / whole * 1000.0).round();
    // Adding 0 makes no minus of a negative 0.
    tenths.is_finite().then(|| format!("{:.1}{GLUE}%", tenths / 10.0 + 0.0))
}

/// `84 %` of thousandths.
pub(super) fn whole_percent(milli: u64) -> String {
    format!("{}{GLUE}%", milli.saturating_add(5) / 10)
}

/// `1 time`, `84 times`.
pub(super) fn times(count: u64) -> String {
    format!("{count}{GLUE}time{}", if count == 1 { "" } else { "s" })
}

/// `1, 2, 3`, or how many where they are many: `seeds 1, 2 and 3`.
pub(super) fn seeds(seeds: &[u64]) -> String {
    match seeds {
        [] => "no seed".to_owned(),
        [one] => format!("seed{GLUE}{one}"),
        few if few.len() <= 4 => {
            let few: Vec<String> = few.iter().map(u64::to_string).collect();
            format!("seeds{GLUE}{}", few.join(", "))
        }
        many => format!("{}{GLUE}seeds", many.len()),
    }
}

/// A function's name as a word that is not broken.
pub(super) fn word(name: &str) -> String {
    name.replace(' ', &GLUE.to_string())
}

/// `function ← caller`, of a path that is named by one of its functions.
pub(super) fn place(what: &str, frames: &[String]) -> String {
    let at = frames.iter().position(|frame| frame == what);
    match at.and_then(|at| frames.get(at + 1)) {
        Some(caller) => format!("{} ←{GLUE}{}", word(what), word(caller)),
        None => word(what),
    }
}

/// The same of a path that is named by its innermost function.
pub(super) fn innermost(frames: &[String]) -> String {
    match frames.first() {
        Some(first) => place(first, frames),
        None => "call paths that are not told apart".to_owned(),
    }
}

/// The same of a wait's path, which is named by what waits and not by how.
pub(super) fn waited(frames: &[String]) -> String {
    match naming(frames) {
        Some(name) => place(name, frames),
        None => innermost(frames),
    }
}

/// What the workload did in a part, for a table: `waited  folio_wait ← sync_inodes, for kworker/flush → disk`.
pub(super) fn part(part: &Part) -> String {
    let place = place(&part.what, &part.frames);
    match part.kind {
        PartKind::Running => format!("ran in {place}"),
        PartKind::Ready => ready(&part.what),
        PartKind::Blocked => format!("waited in {place}{}", chain(part, &format!("{GLUE}→ "))),
    }
}

fn chain(part: &Part, between: &str) -> String {
    let chain: Vec<String> = part.chain.iter().map(|who| word(who)).collect();
    if chain.is_empty() { String::new() } else { format!(", for {}", chain.join(between)) }
}

/// The same in a sentence: `waiting in folio_wait for kworker/flush, for disk`.
pub(super) fn doing(part: &Part) -> String {
    match part.kind {
        PartKind::Running => format!("running in {}", place(&part.what, &part.frames)),
        PartKind::Ready => format!("ready to run while {} had the CPU", word(&part.what)),
        PartKind::Blocked => {
            let chain: String =
                part.chain.iter().map(|who| format!(", for {}", called(who))).collect();
            let chain = chain.strip_prefix(',').unwrap_or_default();
            format!("waiting in {}{chain}", place(&part.what, &part.frames))
        }
    }
}

/// `had no CPU while jbd2 had it`.
pub(super) fn ready(holder: &str) -> String {
    format!("had no CPU while {} had it", word(holder))
}

/// One in a chain of those who are waited for, in a sentence.
fn called(who: &str) -> String {
    if who == "disk" { format!("a{GLUE}disk") } else { word(who) }
}

/// A sentence from elsewhere whose numbers are not parted from their units.
pub(super) fn sentence(text: &str) -> String {
    const UNITS: [&str; 10] = ["%", "ns", "µs", "us", "ms", "s", "B", "KiB", "MiB", "GiB"];
    let mut told = String::new();
    for word in text.split_whitespace() {
        let unit = word.trim_end_matches([',', '.', ';', ':', ')']);
        let after_number = told.ends_with(|c: char| c.is_ascii_digit());
        match told.is_empty() {
            true => {}
            false if after_number && UNITS.contains(&unit) => told.push(GLUE),
            false => told.push(' '),
        }
        told += word;
    }
    told
}

/// Who ended a wait.
pub(super) fn waker(waker: &Waker) -> String {
    match waker {
        Waker::Task(name) => word(name),
        Waker::Disk => "a disk".to_owned(),
        Waker::Interrupt => "an interrupt".to_owned(),
        Waker::Unknown => "the phase's end, or unseen,".to_owned(),
    }
}

/// `84 times in D, the longest 31.00 ms from 1.200 s on`.
pub(super) fn how_often(wait: &BlockedAt) -> String {
    let state = if wait.state.is_empty() { "?" } else { &wait.state };
    format!(
        "{} in {state}, the longest {} from {} on",
        times(wait.times),
        duration(wait.longest_ns),
        duration(wait.longest_at_ns)
    )
}

/// How sure a finding is.
pub(super) fn surety(surety: Surety) -> &'static str {
    match surety {
        Surety::Measured => "measured: every instant of it was seen",
        Surety::Sampled => "seen in samples",
        Surety::Likely => "likely: something else would fit as well",
    }
}

/// A finding's number with its unit, of both sides where there are two.
pub(super) fn number(number: &Number) -> String {
    let value = quantity(number.value, &number.unit);
    match number.baseline {
        Some(baseline) => format!("{} → {value}", quantity(baseline, &number.unit)),
        None => value,
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "held in range")]
fn quantity(value: f64, unit: &str) -> String {
    let glued = |text: String| text.replace(' ', &GLUE.to_string());
    match unit {
        "s" => glued(nanoseconds(value * 1e9)),
        "bytes" => glued(bytes(value.round() as u64)),
        "" => plain(value),
        unit => format!("{}{GLUE}{unit}", glued(plain(value))),
    }
}

/// Whole numbers as they are, others with two decimals, large ones with a letter.
fn plain(value: f64) -> String {
    match value {
        value if value.abs() >= 10_000.0 => amount(value),
        value if value.fract() == 0.0 => format!("{value:.0}"),
        value => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_a_sign_and_nothing_has_none() {
        let all = [1.2e9, -35e6, 0.0, -0.2, 0.4].map(signed);
        assert_eq!(all, ["+1.200 s", "-35.00 ms", "0 s", "0 s", "0 s"]);
        assert_eq!([1.5e6, -3.0, 0.1].map(signed_count), ["+1.500 M", "-3", "0"]);
    }

    #[test]
    fn shares_may_be_below_nothing_and_above_all() {
        let all = [(84.1, 100.0), (-12.0, 100.0), (120.0, 100.0), (-0.01, 100.0), (5.0, -10.0)];
        let told = all.map(|(part, whole)| share(part, whole).unwrap().replace(GLUE, " "));
        assert_eq!(told, ["84.1 %", "-12.0 %", "120.0 %", "0.0 %", "-50.0 %"]);
        assert_eq!([share(1.0, 0.0), share(0.0, 0.0)], [None, None]);
    }

    #[test]
    fn numbers_are_told_in_their_units() {
        for (unit, baseline, value, told) in [
            ("disks", Some(3.874), 1.02, "3.87 disks → 1.02 disks"),
            ("s", None, 0.0123, "12.30 ms"),
            ("bytes", Some(0.0), 1_048_576.0, "0 B → 1.000 MiB"),
            ("instructions", None, 1.5e9, "1.500 G instructions"),
            ("times", None, 84.0, "84 times"),
            ("", None, 2.5, "2.50"),
        ] {
            let number =
                number(&Number { name: String::new(), unit: unit.to_owned(), baseline, value });
            assert_eq!(number.replace(GLUE, " "), told);
        }
    }

    #[test]
    fn a_number_keeps_its_unit() {
        let told = sentence("  it took 811.3 ms more, 93 % (1.2 MiB) of 4 disks, in 2 s.");
        let parted: Vec<&str> = told.split(' ').filter(|word| word.contains(GLUE)).collect();
        assert_eq!(parted, ["811.3\u{a0}ms", "93\u{a0}%", "(1.2\u{a0}MiB)", "2\u{a0}s."]);
        assert!(told.starts_with("it took"), "{told}");
    }

    #[test]
    fn a_part_names_its_caller_and_for_whom_it_waited() {
        let frames = ["wait_bit", "sync_one [ext4]", "sync_all"].map(str::to_owned).to_vec();
        let chain = vec!["kworker/flush".to_owned(), "disk".to_owned()];
        let mut one = Part {
            kind: PartKind::Blocked,
            what: "wait_bit".to_owned(),
            frames,
            chain,
            baseline_ns: 0.0,
            variant_ns: 0.0,
            by_chance: false,
        };
        let plain = |text: String| text.replace(GLUE, " ");
        assert_eq!(
            plain(part(&one)),
            "waited in wait_bit ← sync_one [ext4], for kworker/flush → disk"
        );
        assert_eq!(
            plain(doing(&one)),
            "waiting in wait_bit ← sync_one [ext4] for kworker/flush, for a disk"
        );
        one.chain.clear();
        one.what = "sync_all".to_owned();
        assert_eq!(doing(&one), "waiting in sync_all");
        one.kind = PartKind::Ready;
        one.what = "jbd2".to_owned();
        assert_eq!(plain(part(&one)), "had no CPU while jbd2 had it");
    }
}
