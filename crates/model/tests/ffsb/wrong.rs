//! Profiles that are refused: at which line, and what is said.

use model::ffsb::parse;

/// A profile in which each row of the table replaces a line.
const BASE: &str = "\
time = 10
[filesystem0]
location = /mnt/a
num_files = 10
num_dirs = 2
min_filesize = 64k
max_filesize = 64k
[end0]
[threadgroup0]
num_threads = 2
write_size = 4k
write_blocksize = 4k
read_size = 4k
read_blocksize = 4k
create_weight = 1
[end0]";

/// `BASE` with other text for the line `number`; 0 puts it first.
fn with(number: usize, text: &str) -> String {
    let mut lines: Vec<&str> = BASE.lines().collect();
    match number.checked_sub(1) {
        Some(index) => lines[index] = text,
        None => lines.insert(0, text),
    }
    lines.join("\n")
}

/// The line that is replaced, by what, the line of the error (0 for none) and a part of it.
type Row = (usize, &'static str, usize, &'static str);

fn holds(rows: &[Row]) {
    assert!(parse(BASE).is_ok());
    for (number, text, line, part) in rows {
        let error = parse(&with(*number, text)).expect_err(text);
        assert_eq!(error.line, Some(*line).filter(|line| *line > 0), "{text}: {error}");
        assert!(error.message.contains(part), "{text}: {error}");
    }
}

#[test]
fn values() {
    holds(&[
        (1, "time = 10s", 1, "`10s` does not do; expected a whole number from 0 to 4294967295"),
        (1, "time = -1", 1, "`time`: `-1`"),
        (1, "time = +1", 1, "`+1`"),
        (1, "time = 4294967296", 1, "to 4294967295"),
        (1, "time =", 1, "no value; expected one, such as 10"),
        (1, "time = # ten", 1, "no value"),
        (1, "time 10", 1, "expected `=`, as in `time = 10`"),
        (1, "= 10", 1, "an option's name"),
        (0, "directio = on", 1, "`on` is neither 0 nor 1"),
        (0, "alignio = 2", 1, "neither 0 nor 1"),
        (0, "verbose = yes", 1, "neither 0 nor 1"),
        (3, "location = /mnt/a b", 3, "white space"),
        (6, "min_filesize = 1T", 6, "`T` is no unit of sizes; expected K, M or G"),
        (6, "min_filesize = 1KiB", 6, "`KiB` is no unit"),
        (6, "min_filesize = 512B", 6, "`B` is no unit"),
        (6, "min_filesize = 1.5M", 6, "smaller unit"),
        (6, "min_filesize = large", 6, "`large` is no size"),
        (6, "min_filesize = 9999999999G", 6, "at most 9223372036854775807 bytes"),
        (6, "min_filesize = 99999999999999999999", 6, "too large"),
        (12, "write_blocksize = 4G", 12, "at most 4294967295 bytes"),
        (5, "size_weight 4k", 5, "expected a size and a weight, such as 4k 10"),
        (5, "size_weight 4k 0", 5, "from 1 to"),
        (5, "size_weight 4x 3", 5, "`x` is no unit"),
        (5, "size_weight 4 k 3", 5, "expected a size and a weight"),
        (5, "init_util = 1.5", 5, "0 to 1"),
        (5, "init_util = 0.0005", 5, "three decimals"),
        (15, "create_weight = many", 15, "whole number"),
    ]);
}

#[test]
fn names() {
    holds(&[
        (
            4,
            "num_file = 10",
            4,
            "`num_file` is no option of FFSB profiles; did you mean `num_files`?",
        ),
        (4, "NUM_FILES = 10", 4, "there may be location, num_files"),
        (0, "bufferedio = 0", 1, "did you mean `bufferio`?"),
        (15, "meta_weight = 1", 15, "did you mean `metaop_weight`?"),
        (15, "creat_weight = 1", 15, "did you mean `create_weight`?"),
        (15, "whatever = 1", 15, "create_fsync_weight"),
        (0, "num_threads = 2", 1, "belongs in a [threadgroup] section, not at the top"),
        (4, "time = 2", 4, "belongs at the top, outside of all sections, not in a [filesystem]"),
        (4, "create_weight = 2", 4, "belongs in a [threadgroup]"),
        (15, "location = /mnt/b", 15, "belongs in a [filesystem]"),
        (15, "msec_range 1 2", 15, "belongs in a [stats]"),
        (15, "create_weight = 1\nnum_threads = 3", 16, "`num_threads` stands in line 10 already"),
        (4, "location = /mnt/a", 4, "line 3 already"),
    ]);
}

#[test]
fn sections() {
    holds(&[
        (8, "", 2, "[filesystem0] is never closed; expected [end]"),
        (8, "[filesystem1]", 8, "[filesystem1] stands in [filesystem0] of line 2; expected [end]"),
        (8, "[end0", 8, "expected nothing but `[name]`"),
        (8, "[end0] location = /b", 8, "expected nothing but `[name]`"),
        (8, "[END0]", 8, "[END0] is no section"),
        (8, "[stats]", 8, "[stats] in a [threadgroup] section or outside"),
        (16, "", 9, "[threadgroup0] is never closed; expected [end]"),
        (16, "[end0]\n[end0]", 17, "closes nothing"),
        (15, "[stats]\n[threadgroup1]", 16, "[threadgroup1] stands in [stats] of line 15"),
    ]);
}

#[test]
fn filesystems() {
    holds(&[
        (3, "", 2, "[filesystem0] has no `location`"),
        (5, "create_blocksize = 0", 5, "left out for 4096"),
        (6, "min_filesize = 65k", 7, "`min_filesize` is 66560 and `max_filesize` 65536"),
        (7, "max_filesize = 1k", 7, "the least first"),
        (7, "", 6, "without `max_filesize`"),
        (4, "clone = /mnt/a", 5, "`num_dirs` stands beside `clone`"),
        (
            8,
            "[end0]\n[filesystem1]\nlocation = /mnt/b\nclone = /mnt/c\n[end1]",
            11,
            "no filesystem is at `/mnt/c`; there are /mnt/a, /mnt/b",
        ),
        (8, "[end0]\n[filesystem1]\nlocation = /mnt/b\nclone = /mnt/b\n[end1]", 11, "from itself"),
        (8, "[end0]\n[filesystem1]\nlocation = /mnt/a/\n[end1]", 10, "of [filesystem0] already"),
    ]);
    let files = |options: &str| format!("[filesystem]\nlocation=/a\n{options}\n[end]");
    let never_full = parse(&files("init_size=1g")).unwrap_err();
    assert_eq!(never_full.line, Some(3));
    assert!(never_full.message.contains("all are empty"), "{never_full}");
}

#[test]
fn thread_groups() {
    holds(&[
        (10, "", 9, "[threadgroup0] has no `num_threads`"),
        (10, "num_threads = 0", 10, "expected 1 or more"),
        (10, "num_threads = 1\nbindfs = 0", 11, "no filesystem is at `0`; there are /mnt/a"),
        (15, "", 9, "[threadgroup0] does nothing"),
        (15, "create_weight = 0", 9, "[threadgroup0] does nothing"),
        (12, "", 15, "`create_weight` needs `write_blocksize`"),
        (12, "write_blocksize = 0", 12, "`write_blocksize` is 0, but `create_weight` needs it"),
        (13, "read_weight = 1", 13, "`read_weight` needs `read_size`"),
        (14, "readall_weight = 1", 14, "`readall_weight` needs `read_blocksize`"),
        (11, "append_weight = 1", 11, "`append_weight` needs `write_size`"),
        (11, "append_fsync_weight = 1", 11, "`append_fsync_weight` needs `write_size`"),
        (11, "write_weight = 1", 11, "`write_weight` needs `write_size`"),
        (11, "write_fsync_weight = 1", 11, "`write_fsync_weight` needs `write_size`"),
        (12, "writeall_weight = 1", 15, "needs `write_blocksize`"),
        (12, "read_skip = 1", 15, "needs `write_blocksize`"),
        (13, "read_skip = 1", 13, "`read_skip` needs `read_skipsize`"),
        (13, "read_skip = 1\nread_random = 1", 13, "exclude each other"),
    ]);
}

#[test]
fn files_that_operations_would_not_find() {
    holds(&[
        (13, "read_size = 65k\nread_weight = 1", 14, "the smallest on /mnt/a has 65536"),
        (
            13,
            "read_size = 64k\nread_weight = 1\nread_skip = 1\nread_skipsize = 1",
            14,
            "65551 bytes",
        ),
        (11, "write_size = 1M\nwrite_weight = 1", 12, "expected a smaller `write_size`"),
    ]);
    let empty = with(4, "").replace("create_weight", "stat_weight");
    let error = parse(&empty).unwrap_err();
    assert_eq!(error.line, Some(15));
    assert!(error.message.contains("/mnt/a has none and none are created"), "{error}");
}

#[test]
fn direct_io() {
    // The first line of each is put before the profile, so that lines are one more.
    let table = [
        (5, "num_dirs = 2\ncreate_blocksize = 1k", 7, "`create_blocksize` is 1024, but with"),
        (12, "write_blocksize = 6000", 13, "`write_blocksize` is 6000"),
        (14, "read_blocksize = 512", 15, "multiples of 4096 bytes"),
        (14, "read_blocksize = 4k\nread_skipsize = 10", 16, "`read_skipsize` is 10"),
        (11, "write_size = 2816\nappend_weight = 1", 12, "`write_size` is 2816"),
    ];
    let direct = |text: &str| format!("directio = 1\n{text}");
    assert!(parse(&direct(BASE)).is_ok());
    for (number, text, line, part) in table {
        assert!(parse(&with(number, text)).is_ok(), "{text}");
        let error = parse(&direct(&with(number, text))).expect_err(text);
        assert_eq!(error.line, Some(line), "{text}: {error}");
        assert!(error.message.contains(part), "{text}: {error}");
    }
    let unused = direct(&with(11, "write_size = 2816"));
    assert!(parse(&unused).is_ok());
}

#[test]
fn what_is_not_supported() {
    holds(&[
        (5, "agefs = 1", 5, "`agefs`: ageing is not supported; filesets that are built"),
        (5, "desired_util = 0.2", 5, "`desired_util`: ageing is not supported"),
        (5, "[threadgroup0]\nnum_threads=1\n[end]", 5, "would age it, which is not supported"),
        (
            8,
            "[end0]\n[filesystem1]\nlocation = /mnt/b\nclone = /mnt/a\n[threadgroup0]\n[end]\n[end]",
            12,
            "[threadgroup0] within [filesystem1] would age it",
        ),
        (15, "metaop_weight = 1", 15, "`metaop_weight`: metaop is not supported"),
    ]);
}

#[test]
fn stats() {
    let inside = |option: &str| with(15, &format!("create_weight = 1\n[stats]\n{option}\n[end]"));
    let table = [
        ("ignore = fork", "expected one of open, read, write"),
        ("msec_range 1", "no range"),
        ("msec_range 2 1", "the lesser first"),
        ("msec_range 0.0001 1", "three decimals"),
        ("msec_range 1 2 3", "no range"),
        ("enable_stats = maybe", "neither 0 nor 1"),
    ];
    for (option, part) in table {
        let error = parse(&inside(option)).expect_err(option);
        assert_eq!(error.line, Some(17), "{option}: {error}");
        assert!(error.message.contains(part), "{option}: {error}");
    }
    let twice = format!("[stats]\nenable_stats = 1\n[end]\n{}", inside("enable_stats = 0"));
    let error = parse(&twice).unwrap_err();
    assert_eq!(error.line, Some(19));
    assert!(error.message.contains("something else"), "{error}");
}

#[test]
fn whole_profiles() {
    let table = [
        ("", "the profile is empty"),
        ("# nothing\n\n", "the profile is empty"),
        ("time = 1\n", "no [filesystem] section"),
        ("[threadgroup]\nnum_threads=1\ncreatedir_weight=1\n[end]\n", "no [filesystem] section"),
    ];
    for (text, part) in table {
        let error = parse(text).expect_err(text);
        assert_eq!((error.line, error.source_line.as_str()), (None, ""), "{error}");
        assert!(error.message.contains(part), "{error}");
        assert_eq!(error.to_string(), error.message);
    }
    holds(&[(1, "", 0, "`time` is missing")]);
    let idle = parse("[filesystem]\nlocation=/a\n[end]\ntime=5").unwrap_err();
    assert_eq!(idle.line, Some(4));
    assert!(idle.message.contains("no [threadgroup] section"), "{idle}");
}

#[test]
fn an_error_shows_its_line() {
    let error = parse(&with(5, "\tnum_dirs\t= none # at all")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 5: `num_dirs`: `none` does not do; expected a whole number from 0 to 4294967295\n  \
         5 | \tnum_dirs\t= none # at all"
    );
}
