//! `/proc/pressure/{cpu,io,memory,irq}`: how much of the time tasks waited for a resource.
//!
//! Source: `psi_show` in `kernel/sched/psi.c` and `Documentation/accounting/psi.rst`; since 4.20,
//! where the kernel was built with `CONFIG_PSI` and not told `psi=0`. The memory, io and cpu files
//! of a cgroup are alike.

use crate::{Parsed, lines};

/// One file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pressure {
    /// At least one task waited; `irq` (since 6.1) has no such line.
    pub some: Option<Share>,
    /// No task got on; `cpu` has such a line since 5.13, which newer kernels keep at 0
    /// for the whole system.
    pub full: Option<Share>,
}

/// How much of the time that was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Of the last 10 s, in hundredths of a percent: 0 to 10000.
    pub avg10: u32,
    /// Of the last 60 s, likewise.
    pub avg60: u32,
    /// Of the last 300 s, likewise.
    pub avg300: u32,
    /// Since the boot, µs. The averages are made every 2 s; this one is exact.
    pub total_us: u64,
}

/// Reads the whole file.
// some avg10=0.00 avg60=0.03 avg300=0.27 total=252427595
// full avg10=0.00 avg60=0.03 avg300=0.22 total=86987551
#[must_use]
pub fn parse(text: &str) -> Parsed<Pressure> {
    lines::read(text, |pressure: &mut Pressure, line| {
        let mut words = line.split_ascii_whitespace();
        let field = match words.next() {
            Some("some") => &mut pressure.some,
            Some("full") => &mut pressure.full,
            word => return Err(format!("`{}` is unknown here", word.unwrap_or_default())),
        };
        *field = Some(share(words)?);
        Ok(())
    })
}

fn share<'a>(words: impl Iterator<Item = &'a str>) -> Result<Share, String> {
    let (mut avg10, mut avg60, mut avg300, mut total) = (None, None, None, None);
    for word in words {
        let (name, value) = word.split_once('=').ok_or_else(|| format!("`{word}` has no `=`"))?;
        match name {
            "avg10" => avg10 = Some(hundredths(value)?),
            "avg60" => avg60 = Some(hundredths(value)?),
            "avg300" => avg300 = Some(hundredths(value)?),
            "total" => total = Some(lines::counter(value)?),
            _ => return Err(format!("`{name}` is unknown here")),
        }
    }
    let share =
        (|| Some(Share { avg10: avg10?, avg60: avg60?, avg300: avg300?, total_us: total? }))();
    share.ok_or_else(|| "it lacks an average or the total".to_owned())
}

fn hundredths(text: &str) -> Result<u32, String> {
    let number = || {
        let (whole, part) = text.split_once('.')?;
        let digits = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        let part: u32 = digits.then(|| part.parse().ok())??;
        whole.parse::<u32>().ok()?.checked_mul(100)?.checked_add(part)
    };
    number().ok_or_else(|| format!("`{text}` is no share with two decimals"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_file_has_its_lines() {
        let some = Share { avg10: 9876, avg60: 4521, avg300: 1203, total_us: 381_442_071 };
        let full = Share { avg10: 10_000, avg60: 3, avg300: 0, total_us: 86_987_551 };
        let some_line = "some avg10=98.76 avg60=45.21 avg300=12.03 total=381442071\n";
        let full_line = "full avg10=100.00 avg60=0.03 avg300=0.00 total=86987551\n";
        for (text, some, full) in [
            (format!("{some_line}{full_line}"), Some(some), Some(full)),
            (some_line.to_owned(), Some(some), None),
            (full_line.to_owned(), None, Some(full)),
            (String::new(), None, None),
        ] {
            let parsed = parse(&text);
            assert_eq!(parsed.value, Pressure { some, full }, "{text}");
            assert_eq!(parsed.notes, [""; 0]);
        }
    }

    #[test]
    fn what_is_not_understood_is_noted_with_its_line() {
        let parsed = parse(
            "most avg10=0.00\nsome avg10=0.00 avg60=0.00 avg300=0.00\n\
             some avg10=0,00\nfull avg10=1.+1\nfull total=-1\nfull x=1\nfull y\n",
        );
        assert_eq!(parsed.value, Pressure::default());
        assert_eq!(
            parsed.notes,
            [
                "line 1: `most` is unknown here",
                "line 2: it lacks an average or the total",
                "line 3: `0,00` is no share with two decimals",
                "line 4: `1.+1` is no share with two decimals",
                "line 5: `-1` is no counter",
                "line 6: `x` is unknown here",
                "line 7: `y` has no `=`",
            ]
        );
    }

    proptest! {
        #[test]
        fn anything_is_survived(text: String, number: u128) {
            let _ = parse(&text);
            let _ = parse(&format!("full avg10={text}\nsome avg10={number}.00 total={number}"));
        }
    }
}
