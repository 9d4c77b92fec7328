//! The kernel's log as text.

use crate::failure::Failure;
use crate::syscalls;

/// All of it; empty where the kernel does not give it.
pub(crate) fn read() -> Vec<u8> {
    without_levels(&syscalls::kernel_log().unwrap_or_default())
}

/// Adds the log's last line to a failure of which the kernel told the reason there.
pub(crate) fn explain(failure: Failure) -> Failure {
    match last_line(&read()) {
        None => failure,
        Some(line) => Failure {
            reason: format!("{}; the kernel's last words: {line}", failure.reason),
            ..failure
        },
    }
}

fn last_line(log: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(log);
    let line = text.lines().rfind(|line| !line.trim().is_empty())?;
    let words = line.split_once("] ").map_or(line, |(_, words)| words);
    Some(words.trim().to_owned())
}

/// The log as `dmesg` shows it: without the `<6>` before each line.
fn without_levels(log: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(log.len());
    for line in log.split_inclusive(|b| *b == b'\n') {
        let level = line
            .strip_prefix(b"<")
            .and_then(|rest| rest.iter().position(|b| *b == b'>'))
            .filter(|digits| line[1..=*digits].iter().all(u8::is_ascii_digit));
        plain.extend(&line[level.map_or(0, |digits| digits + 2)..]);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_is_told_without_its_time() {
        let log = b"[    0.1] a\n[   12.5] EXT4-fs: Unknown parameter 'x'\n\n";
        assert_eq!(last_line(log).as_deref(), Some("EXT4-fs: Unknown parameter 'x'"));
        assert_eq!(last_line(b""), None);
    }

    #[test]
    fn levels_leave_the_log() {
        let log = b"<6>[    0.1] a <b>\n<12>[    0.2] c\n<x>d\nplain";
        let plain = b"[    0.1] a <b>\n[    0.2] c\n<x>d\nplain";
        assert_eq!(without_levels(log), plain);
    }
}
