//! `/proc/diskstats`: what each disk and partition did since the boot.
//!
//! Source: `Documentation/admin-guide/iostats.rst` and `diskstats_show` in `block/genhd.c`.

use crate::Parsed;

/// Bytes of a sector in this file, whatever the disk's own sectors are.
pub const SECTOR_BYTES: u64 = 512;

/// One line. A counter that the kernel does not print is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiskStat {
    /// Major device number.
    pub major: u32,
    /// Minor device number.
    pub minor: u32,
    /// The device's name.
    pub name: String,
    /// Read requests completed.
    pub reads: u64,
    /// Read requests merged into others; not printed for partitions before 2.6.25.
    pub reads_merged: Option<u64>,
    /// Sectors of 512 bytes read.
    pub sectors_read: u64,
    /// Time of all reads together, ms.
    pub read_ms: Option<u64>,
    /// Write requests completed.
    pub writes: u64,
    /// Write requests merged into others.
    pub writes_merged: Option<u64>,
    /// Sectors of 512 bytes written.
    pub sectors_written: u64,
    /// Time of all writes together, ms.
    pub write_ms: Option<u64>,
    /// Requests in flight when the file was read.
    pub in_flight: Option<u64>,
    /// Time with at least one request in flight, ms.
    pub busy_ms: Option<u64>,
    /// Time of all requests together, ms.
    pub weighted_ms: Option<u64>,
    /// Discards completed, since 4.18.
    pub discards: Option<u64>,
    /// Sectors discarded, since 4.18.
    pub sectors_discarded: Option<u64>,
    /// Flushes completed, since 5.5.
    pub flushes: Option<u64>,
    /// Time of all flushes together, ms, since 5.5.
    pub flush_ms: Option<u64>,
}

/// Reads the whole file. Lines may have 4 counters after the name (partitions before 2.6.25),
/// 11 (2.6), 15 (4.18), 17 (5.5) or more; further ones are passed over with a note.
#[must_use]
pub fn parse(text: &str) -> Parsed<Vec<DiskStat>> {
    let mut parsed = Parsed::<Vec<DiskStat>>::default();
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        match parse_line(line) {
            Ok((stat, unknown)) => {
                if unknown > 0 {
                    parsed.notes.push(format!(
                        "line {}: {unknown} counters of {} are unknown here",
                        number + 1,
                        stat.name
                    ));
                }
                parsed.value.push(stat);
            }
            Err(why) => parsed.notes.push(format!("line {}: {why}", number + 1)),
        }
    }
    parsed
}

fn parse_line(line: &str) -> Result<(DiskStat, usize), String> {
    let mut words = line.split_ascii_whitespace();
    let (major, minor) = (device_number(words.next())?, device_number(words.next())?);
    let name = words.next().ok_or("it has no device name")?.to_owned();
    let counters = words
        .map(|word| word.parse::<u64>().map_err(|_| format!("`{word}` is no counter")))
        .collect::<Result<Vec<u64>, String>>()?;
    let stat = DiskStat { major, minor, name, ..DiskStat::default() };
    match counters.len() {
        4 => Ok((old_partition(stat, &counters), 0)),
        11.. => Ok((modern(stat, &counters), counters.len().saturating_sub(17))),
        n => Err(format!("it has {n} counters, which no kernel prints")),
    }
}

fn device_number(word: Option<&str>) -> Result<u32, String> {
    let word = word.ok_or("it has no device number")?;
    word.parse().map_err(|_| format!("`{word}` is no device number"))
}

//    3    1 hda1 35486 38030 38030 38030
fn old_partition(stat: DiskStat, counters: &[u64]) -> DiskStat {
    let at = |index: usize| counters.get(index).copied();
    DiskStat {
        reads: at(0).unwrap_or_default(),
        sectors_read: at(1).unwrap_or_default(),
        writes: at(2).unwrap_or_default(),
        sectors_written: at(3).unwrap_or_default(),
        ..stat
    }
}

//    3    0 hda 446216 784926 9550688 4382310 424847 312726 5922052 19310380 0 3376340 23705160
//  259    0 nvme0n1 1 2 3 4 5 6 7 8 0 10 11 12 13 14 15
//  252    0 nullb0 47 0 1096 0 2062 12 209032 4921 0 5116 4921 0 0 0 0 5 0
fn modern(stat: DiskStat, counters: &[u64]) -> DiskStat {
    let at = |index: usize| counters.get(index).copied();
    DiskStat {
        reads: at(0).unwrap_or_default(),
        reads_merged: at(1),
        sectors_read: at(2).unwrap_or_default(),
        read_ms: at(3),
        writes: at(4).unwrap_or_default(),
        writes_merged: at(5),
        sectors_written: at(6).unwrap_or_default(),
        write_ms: at(7),
        in_flight: at(8),
        busy_ms: at(9),
        weighted_ms: at(10),
        discards: at(11),
        sectors_discarded: at(13),
        flushes: at(15),
        flush_ms: at(16),
        ..stat
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_age_has_its_own_counters() {
        let text = "\
   3    0 hda 446216 784926 9550688 4382310 424847 312726 5922052 19310380 0 3376340 23705160
   3    1 hda1 35486 38030 38031 38032
 259    0 nvme0n1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
 252    0 nullb0 47 1 1096 2 2062 12 209032 4921 3 5116 4927 0 0 0 0 5 6
";
        let parsed = parse(text);
        assert_eq!(parsed.notes, [""; 0]);
        let [old, partition, discards, flushes] = &parsed.value[..] else {
            panic!("{parsed:?}");
        };
        assert_eq!((old.writes, old.busy_ms), (424_847, Some(3_376_340)));
        assert_eq!((old.discards, old.flushes), (None, None));
        assert_eq!(partition.sectors_read, 38030);
        assert_eq!(partition.sectors_written, 38032);
        assert_eq!((partition.busy_ms, partition.reads_merged), (None, None));
        assert_eq!(discards.sectors_discarded, Some(14));
        assert_eq!(discards.flushes, None);
        assert_eq!((flushes.flushes, flushes.flush_ms), (Some(5), Some(6)));
        assert_eq!(flushes.in_flight, Some(3));
    }

    #[test]
    fn what_is_not_understood_is_noted_with_its_line() {
        let line = "252 0 nullb0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18";
        let parsed = parse(&format!("disk\n8 0 sda 1 2\n8 0 sda x\n\n{line}\n"));
        assert_eq!(parsed.value.len(), 1);
        assert_eq!(
            parsed.notes,
            [
                "line 1: `disk` is no device number",
                "line 2: it has 2 counters, which no kernel prints",
                "line 3: `x` is no counter",
                "line 5: 1 counters of nullb0 are unknown here",
            ]
        );
    }

    proptest! {
        #[test]
        fn anything_is_survived(text: String) {
            let _ = parse(&text);
        }

        #[test]
        fn numbers_of_any_size_are_survived(counters: Vec<u128>) {
            let words: Vec<_> = counters.iter().map(u128::to_string).collect();
            let parsed = parse(&format!("8 0 sda {}", words.join(" ")));
            prop_assert!(parsed.value.len() + parsed.notes.len() >= 1);
        }
    }
}
