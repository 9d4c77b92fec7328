//! Figures in sentences: three digits at most, and a unit.

/// A time: `2.01 s`, `587 ms`, `12.5 µs`, `3 ns`.
pub(super) fn time(ns: f64) -> String {
    const UNITS: [(f64, &str); 4] = [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")];
    in_units(ns, &UNITS)
}

/// A size: `64 MiB`.
pub(super) fn size(bytes: f64) -> String {
    const UNITS: [(f64, &str); 4] =
        [((1_u64 << 30) as f64, "GiB"), (1_048_576.0, "MiB"), (1024.0, "KiB"), (1.0, "bytes")];
    in_units(bytes, &UNITS)
}

/// A count: `84`, `5130`, `580 million`.
pub(super) fn count(count: f64) -> String {
    const UNITS: [(f64, &str); 3] = [(1e9, "billion"), (1e6, "million"), (1.0, "")];
    in_units(count, &UNITS).trim_end().to_owned()
}

/// How often something is: `1 wait`, `84 waits`.
pub(super) fn counted(number: f64, one: &str) -> String {
    let plural = if digits(number) == "1" { "" } else { "s" };
    format!("{} {one}{plural}", count(number))
}

/// A share: `92 %`.
pub(super) fn percent(share: f64) -> String {
    format!("{} %", digits(share * 100.0))
}

fn in_units(value: f64, units: &[(f64, &str)]) -> String {
    let fits = |(unit, _): &&(f64, &str)| value.abs() >= *unit;
    let smallest = units.last().copied().unwrap_or((1.0, ""));
    let (unit, name) = units.iter().find(fits).copied().unwrap_or(smallest);
    format!("{} {name}", digits(value / unit))
}

/// At most three digits, none of them an idle zero.
pub(super) fn digits(value: f64) -> String {
    let shown = match value.abs() {
        size if size >= 99.95 => return format!("{value:.0}"),
        size if size >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    };
    shown.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_and_a_unit() {
        let times = [2.013e9, 587e6, 12_540.0, 3.0, 0.0, 9.999e6, 123.4e9].map(time);
        assert_eq!(times, ["2.01 s", "587 ms", "12.5 µs", "3 ns", "0 ns", "10 ms", "123 s"]);
        assert_eq!([580e6, 84.0, 5_130.0].map(count), ["580 million", "84", "5130"]);
        assert_eq!([67_108_864.0, 100.0].map(size), ["64 MiB", "100 bytes"]);
        assert_eq!([0.9214, 1.0, 0.005].map(percent), ["92.1 %", "100 %", "0.5 %"]);
        assert_eq!([1.0, 2.0].map(|n| counted(n, "wait")), ["1 wait", "2 waits"]);
    }
}
