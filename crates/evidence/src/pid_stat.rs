//! `/proc/PID/stat`: what a task is doing and has used.
//!
//! Source: `do_task_stat` in `fs/proc/array.c`; the fields' numbers are those of proc_pid_stat(5).
//! A tick is `1/CLK_TCK` s, on Linux 10 ms to programs, whatever the kernel's own tick is.

use crate::{Parsed, lines};

/// The fields that are read here; `None` where the kernel prints none or nothing that is understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PidStat {
    /// The task's number.
    pub pid: u32,
    /// Its name, which may hold spaces, parentheses and line breaks.
    pub comm: String,
    /// `R` runs or is ready, `S` sleeps, `D` waits and takes no signal, `I` idle worker, `T`
    /// stopped, `Z` ended, and others.
    pub state: char,
    /// Its parent; 0 is none, or one that cannot be seen.
    pub ppid: Option<u32>,
    /// Page faults that needed no reading.
    pub minflt: Option<u64>,
    /// Page faults that needed reading.
    pub majflt: Option<u64>,
    /// Time in programs, ticks.
    pub utime_ticks: Option<u64>,
    /// Time in the kernel, ticks.
    pub stime_ticks: Option<u64>,
    /// Threads of its process.
    pub num_threads: Option<u64>,
    /// When it began, ticks since the boot.
    pub starttime_ticks: Option<u64>,
    /// The CPU that it ran on last; since 2.2.8.
    pub processor: Option<u32>,
    /// Time that it waited for block devices, ticks; since 2.6.18. It stays 0 where the kernel does
    /// not account delays: without `CONFIG_TASK_DELAY_ACCT`, and since 5.14 unless told `delayacct`.
    pub delayacct_blkio_ticks: Option<u64>,
}

/// The fields after the name: the first is number 3 of the file.
const FIRST: usize = 3;
/// The last field of the oldest kernels that have the rest in today's places (2.6): the CPU.
const LAST_OF_ALL: usize = 39;

/// Reads the whole file; `None` where not even the name and the state can be told.
// 411 (kworker/u8:2+flush-259:0) D 2 0 0 0 -1 69238880 0 0 0 0 0 12 0 0 20 0 1 0 25 0 0 184467… 1 7 …
#[must_use]
pub fn parse(text: &str) -> Parsed<Option<PidStat>> {
    let mut parsed = Parsed::default();
    match split(text) {
        Ok((mut stat, fields)) => {
            fill(&mut stat, &fields, &mut parsed.notes);
            parsed.value = Some(stat);
        }
        Err(why) => parsed.notes.push(why.to_owned()),
    }
    parsed
}

/// The name may hold `)`, what follows it cannot: the last one ends it.
fn split(text: &str) -> Result<(PidStat, Vec<&str>), &'static str> {
    let (head, tail) = text.rsplit_once(')').ok_or("no name ends in `)`")?;
    let (pid, comm) = head.split_once('(').ok_or("no name begins with `(`")?;
    let pid = pid.trim().parse().map_err(|_| "no task's number stands before the name")?;
    let fields: Vec<&str> = tail.split_ascii_whitespace().collect();
    let mut letters = fields.first().copied().unwrap_or_default().chars();
    let (Some(state), None) = (letters.next(), letters.next()) else {
        return Err("no state of one letter follows the name");
    };
    let stat = PidStat { pid, comm: comm.to_owned(), state, ..PidStat::default() };
    Ok((stat, fields))
}

fn fill(stat: &mut PidStat, fields: &[&str], notes: &mut Vec<String>) {
    let last = fields.len() + FIRST - 1;
    if last < LAST_OF_ALL {
        notes.push(format!("it ends after field {last}"));
    }
    let mut number = |field: usize| -> Option<u64> {
        let word = fields.get(field - FIRST)?;
        let number = lines::counter(word);
        number.map_err(|why| notes.push(format!("field {field}: {why}"))).ok()
    };
    stat.ppid = number(4).and_then(small);
    stat.minflt = number(10);
    stat.majflt = number(12);
    stat.utime_ticks = number(14);
    stat.stime_ticks = number(15);
    stat.num_threads = number(20);
    stat.starttime_ticks = number(22);
    stat.processor = number(39).and_then(small);
    stat.delayacct_blkio_ticks = number(42);
}

fn small(number: u64) -> Option<u32> {
    u32::try_from(number).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> PidStat {
        let parsed = parse(text);
        assert_eq!(parsed.notes, [""; 0], "{text}");
        parsed.value.unwrap()
    }

    #[test]
    fn a_new_kernels_line() {
        let stat = read(
            "411 (kworker/u8:2+flush-259:0) D 2 0 0 0 -1 69238880 101 102 103 104 105 106 107 108 \
             20 0 1 0 2512 0 0 18446744073709551615 0 0 0 0 0 0 0 2147483647 0 1 0 0 17 3 0 0 \
             771 0 0 0 0 0 0 0 0 0 0\n",
        );
        assert_eq!((stat.pid, stat.state, stat.ppid), (411, 'D', Some(2)));
        assert_eq!(stat.comm, "kworker/u8:2+flush-259:0");
        assert_eq!((stat.minflt, stat.majflt), (Some(101), Some(103)));
        assert_eq!((stat.utime_ticks, stat.stime_ticks), (Some(105), Some(106)));
        assert_eq!((stat.num_threads, stat.starttime_ticks), (Some(1), Some(2512)));
        assert_eq!((stat.processor, stat.delayacct_blkio_ticks), (Some(3), Some(771)));
    }

    #[test]
    fn an_old_kernel_prints_fewer_fields() {
        let stat = read(
            "7 (dd) R 6 7 6 1025 7 4194304 171 0 0 0 3 250 0 0 18 0 1 0 9912 1720320 129 \
             4294967295 134512640 134549864 3220241824 3220241824 1 0 0 0 0 0 0 0 17 1 0 0",
        );
        assert_eq!((stat.utime_ticks, stat.stime_ticks), (Some(3), Some(250)));
        assert_eq!((stat.processor, stat.delayacct_blkio_ticks), (Some(1), None));
    }

    #[test]
    fn a_name_may_hold_anything() {
        for name in ["(sd-pam)", "a b) R 1 (", "", "x\ny", ") D 9 (("] {
            let parsed = parse(&format!("12 ({name}) S 1 1 1"));
            let stat = parsed.value.unwrap();
            assert_eq!((&*stat.comm, stat.state, stat.ppid), (name, 'S', Some(1)));
            assert_eq!(parsed.notes, ["it ends after field 6"]);
        }
    }

    #[test]
    fn what_is_not_understood_is_noted() {
        for (text, note) in [
            ("", "no name ends in `)`"),
            ("1 dd) S", "no name begins with `(`"),
            ("x (dd) S", "no task's number stands before the name"),
            ("1 (dd)", "no state of one letter follows the name"),
            ("1 (dd) 17 S", "no state of one letter follows the name"),
        ] {
            assert_eq!(parse(text), Parsed { value: None, notes: vec![note.to_owned()] }, "{text}");
        }
        let parsed = parse("1 (dd) S x 0 0 0 0 0 -7 0 5");
        let stat = parsed.value.unwrap();
        assert_eq!((stat.ppid, stat.minflt, stat.majflt), (None, None, Some(5)));
        assert_eq!(
            parsed.notes,
            [
                "it ends after field 12",
                "field 4: `x` is no counter",
                "field 10: `-7` is no counter",
            ]
        );
    }

    proptest! {
        #[test]
        fn anything_is_survived(text: String, words: Vec<String>) {
            let _ = parse(&text);
            let parsed = parse(&format!("1 ({text}) S {}", words.join(" ").replace(')', "")));
            prop_assert_eq!(parsed.value.unwrap().comm, text);
        }
    }
}
