//! `/proc/PID/stack`: where in the kernel a task waits; only root may read it.
//!
//! Source: `proc_pid_stack` in `fs/proc/base.c` and the format `%pB` of `lib/vsprintf.c` (`%pS`
//! before 5.3). The file is empty for a task that runs in a program, and what it says of one that
//! runs in the kernel is not to be trusted.

use crate::{Parsed, lines};

/// One function on the stack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The function, or the address in hexadecimal with `0x` where the kernel knows no name.
    pub function: String,
    /// How far into the function it was, bytes.
    pub offset: Option<u64>,
    /// The function's length, bytes.
    pub size: Option<u64>,
    /// The module that the function is in; `None` is the kernel itself.
    pub module: Option<String>,
}

/// Reads the whole file, innermost function first. The mark at the end of stacks before 5.2 is no
/// frame.
// [<0>] folio_wait_writeback+0x4b/0x120
// [<0>] jbd2_log_wait_commit+0xd7/0x140 [jbd2]
// [<ffffffff811e3e8a>] sync_inodes_sb+0xba/0x2a0
// [<ffffffffffffffff>] 0xffffffffffffffff
#[must_use]
pub fn parse(text: &str) -> Parsed<Vec<Frame>> {
    lines::read(text, |frames: &mut Vec<Frame>, line| {
        let symbol = line.trim().strip_prefix("[<").and_then(|line| line.split_once(">]"));
        let (_, symbol) = symbol.ok_or("it does not begin with an address in brackets")?;
        frames.extend(frame(symbol.trim_start())?);
        Ok(())
    })
}

fn frame(text: &str) -> Result<Option<Frame>, String> {
    let (symbol, module) = match text.split_once(' ') {
        Some((symbol, module)) => (symbol, Some(module_name(module)?)),
        None => (text, None),
    };
    if symbol.is_empty() {
        return Err("it has no function".to_owned());
    }
    if matches!(symbol, "0xffffffffffffffff" | "0xffffffff") {
        return Ok(None);
    }
    let (function, within) = match symbol.rsplit_once('+') {
        Some((function, place)) => (function, Some(offset_and_size(place)?)),
        None => (symbol, None),
    };
    Ok(Some(Frame {
        function: function.to_owned(),
        offset: within.map(|within| within.0),
        size: within.map(|within| within.1),
        module,
    }))
}

// [jbd2]
// [ext4 0123456789abcdef0123456789abcdef01234567]
fn module_name(text: &str) -> Result<String, String> {
    let inner = text.trim().strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let name = inner.and_then(|inner| inner.split_ascii_whitespace().next());
    name.map(str::to_owned).ok_or_else(|| format!("`{text}` is no module"))
}

fn offset_and_size(text: &str) -> Result<(u64, u64), String> {
    let numbers = text.split_once('/').and_then(|(offset, size)| Some((hex(offset)?, hex(size)?)));
    numbers.ok_or_else(|| format!("`{text}` is no place in a function"))
}

fn hex(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn frame_of(function: &str, place: Option<(u64, u64)>, module: Option<&str>) -> Frame {
        Frame {
            function: function.to_owned(),
            offset: place.map(|place| place.0),
            size: place.map(|place| place.1),
            module: module.map(str::to_owned),
        }
    }

    #[test]
    fn each_ages_lines() {
        let text = "\
[<0>] folio_wait_writeback+0x4b/0x120
[<0>] jbd2_log_wait_commit+0xd7/0x140 [jbd2]
[<0>] ext4_sync_fs.part.0+0x9a/0xc0 [ext4 0123456789abcdef0123456789abcdef01234567]
[<ffffffff811e3e8a>] sync_inodes_sb+0xba/0x2a0
[<c0270f08>] __down+0x81/0xdc
[<0>] 0xffffffffc0a1b2c3
[<ffffffffffffffff>] 0xffffffffffffffff
[<ffffffff>] 0xffffffff
";
        let parsed = parse(text);
        assert_eq!(parsed.notes, [""; 0]);
        assert_eq!(
            parsed.value,
            [
                frame_of("folio_wait_writeback", Some((0x4b, 0x120)), None),
                frame_of("jbd2_log_wait_commit", Some((0xd7, 0x140)), Some("jbd2")),
                frame_of("ext4_sync_fs.part.0", Some((0x9a, 0xc0)), Some("ext4")),
                frame_of("sync_inodes_sb", Some((0xba, 0x2a0)), None),
                frame_of("__down", Some((0x81, 0xdc)), None),
                frame_of("0xffffffffc0a1b2c3", None, None),
            ]
        );
    }

    #[test]
    fn what_is_not_understood_is_noted_with_its_line() {
        let parsed = parse(
            "f+0x1/0x2\n[<0>]\n[<0>] f+0x1\n[<0>] f+0x+1/0x2\n[<0>] f+0x1/0x2 g\n\
             [<0>] ? f+0x1/0x2\n[<0>] f+0x1/0x2 []\n[<0 f\n",
        );
        assert_eq!(parsed.value, []);
        assert_eq!(
            parsed.notes,
            [
                "line 1: it does not begin with an address in brackets",
                "line 2: it has no function",
                "line 3: `0x1` is no place in a function",
                "line 4: `1/0x2` is no place in a function",
                "line 5: `g` is no module",
                "line 6: `f+0x1/0x2` is no module",
                "line 7: `[]` is no module",
                "line 8: it does not begin with an address in brackets",
            ]
        );
    }

    proptest! {
        #[test]
        fn anything_is_survived(text: String, number: u128) {
            let _ = parse(&text);
            let _ = parse(&format!("[<0>] {text}\n[<0>] f+{text}/0x1 [{text}]"));
            let parsed = parse(&format!("[<0>] f+{number:#x}/0x1"));
            prop_assert_eq!(parsed.value.len(), usize::from(u64::try_from(number).is_ok()));
        }
    }
}
