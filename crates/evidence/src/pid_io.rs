//! `/proc/PID/io`: what a process read and wrote.
//!
//! Source: `Documentation/filesystems/proc.rst`, section 3.3, and `do_io_accounting` in
//! `fs/proc/base.c`. Children that were waited for count with their parent.

use crate::{Parsed, lines};

/// The file's counters; `None` where the kernel prints no such line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PidIo {
    /// Bytes handed out by `read` and its kin, from a disk or not.
    pub rchar: Option<u64>,
    /// Bytes handed to `write` and its kin.
    pub wchar: Option<u64>,
    /// Calls of `read` and its kin.
    pub syscr: Option<u64>,
    /// Calls of `write` and its kin.
    pub syscw: Option<u64>,
    /// Bytes that the process caused to be read from disks.
    pub read_bytes: Option<u64>,
    /// Bytes that it caused to be sent to disks; counted when a page becomes dirty.
    pub write_bytes: Option<u64>,
    /// Bytes of those that were dropped before they reached a disk.
    pub cancelled_write_bytes: Option<u64>,
}

/// Reads the whole file.
// rchar: 323934931
// wchar: 323929600
// syscr: 632687
// syscw: 632675
// read_bytes: 0
// write_bytes: 323932160
// cancelled_write_bytes: 0
#[must_use]
pub fn parse(text: &str) -> Parsed<PidIo> {
    lines::read(text, take)
}

fn take(io: &mut PidIo, line: &str) -> Result<(), String> {
    let (name, value) = line.split_once(':').ok_or("it has no colon")?;
    let value = value.trim();
    let field = match name.trim() {
        "rchar" => &mut io.rchar,
        "wchar" => &mut io.wchar,
        "syscr" => &mut io.syscr,
        "syscw" => &mut io.syscw,
        "read_bytes" => &mut io.read_bytes,
        "write_bytes" => &mut io.write_bytes,
        "cancelled_write_bytes" => &mut io.cancelled_write_bytes,
        other => return Err(format!("`{other}` is unknown here")),
    };
    let number = value.parse().map_err(|_| format!("`{value}` is no counter"))?;
    *field = Some(number);
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_missing_line_is_none() {
        let parsed = parse("rchar: 10\nwrite_bytes: 4096\n");
        assert_eq!(parsed.value.rchar, Some(10));
        assert_eq!(parsed.value.write_bytes, Some(4096));
        assert_eq!(parsed.value.read_bytes, None);
        assert!(parsed.notes.is_empty());
    }

    #[test]
    fn what_is_not_understood_is_noted_with_its_line() {
        let parsed = parse("rchar 10\nfoo: 1\nwchar: -1\n");
        assert_eq!(parsed.value, PidIo::default());
        assert_eq!(
            parsed.notes,
            [
                "line 1: it has no colon",
                "line 2: `foo` is unknown here",
                "line 3: `-1` is no counter",
            ]
        );
    }

    proptest! {
        #[test]
        fn anything_is_survived(text: String) {
            let _ = parse(&text);
        }
    }
}
