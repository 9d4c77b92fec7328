//! `/proc/PID/schedstat`: how long a task ran and how long it was ready without running.
//!
//! Source: `proc_pid_schedstat` in `fs/proc/base.c` and `Documentation/scheduler/sched-stats.rst`.
//! A kernel that keeps no such times prints three zeros.

use crate::{Parsed, lines};

/// The file's three numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PidSchedstat {
    /// Time that it ran, ns (since 2.6.23; before, in ticks of the kernel).
    pub run_ns: Option<u64>,
    /// Time that it was ready and waited for a CPU, likewise.
    pub wait_ns: Option<u64>,
    /// How often it came to run.
    pub slices: Option<u64>,
}

/// Reads the whole file.
// 422494 45258 1
#[must_use]
pub fn parse(text: &str) -> Parsed<PidSchedstat> {
    lines::read(text, |stat: &mut PidSchedstat, line| {
        let numbers = lines::counters(line)?;
        let [run_ns, wait_ns, slices] = numbers[..] else {
            return Err(format!("it has {} numbers, not 3", numbers.len()));
        };
        let read =
            PidSchedstat { run_ns: Some(run_ns), wait_ns: Some(wait_ns), slices: Some(slices) };
        *stat = read;
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn three_numbers() {
        let Parsed { value, notes } = parse("422494 45258 17\n");
        assert_eq!(notes, [""; 0]);
        assert_eq!((value.run_ns, value.wait_ns), (Some(422_494), Some(45_258)));
        assert_eq!(value.slices, Some(17));
        assert_eq!(parse(""), Parsed::default());
    }

    #[test]
    fn what_is_not_understood_is_noted_with_its_line() {
        let parsed = parse("1 2\n1 2 x\n1 2 3 4\n");
        assert_eq!(parsed.value, PidSchedstat::default());
        assert_eq!(
            parsed.notes,
            [
                "line 1: it has 2 numbers, not 3",
                "line 2: `x` is no counter",
                "line 3: it has 4 numbers, not 3",
            ]
        );
    }

    proptest! {
        #[test]
        fn anything_is_survived(text: String, numbers: Vec<u64>) {
            let _ = parse(&text);
            let words: Vec<_> = numbers.iter().map(u64::to_string).collect();
            let _ = parse(&words.join(" "));
        }
    }
}
