//! Profiles that are read, and what they say.

use model::ffsb::{
    Call, Fileset, Op, OpWeight, Profile, SizeWeight, Stats, ThreadGroup, looks_like_one, parse,
};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

fn weights(all: &[(Op, u64)]) -> Vec<OpWeight> {
    all.iter().map(|(op, weight)| OpWeight { op: *op, weight: *weight }).collect()
}

fn sizes(all: &[(u64, u64)]) -> Vec<SizeWeight> {
    all.iter().map(|(size, weight)| SizeWeight { size: *size, weight: *weight }).collect()
}

/// What a section without options is.
fn fileset(location: &str) -> Fileset {
    let location = location.to_owned();
    Fileset { location, create_blocksize: 4096, ..Fileset::default() }
}

fn create_4k() -> Profile {
    Profile {
        time: 60,
        filesystems: vec![Fileset { max_filesize: MIB, ..fileset("/mnt/test") }],
        threadgroups: vec![ThreadGroup {
            num_threads: 2,
            write_blocksize: 4 * KIB,
            weights: weights(&[(Op::Create, 1)]),
            ..ThreadGroup::default()
        }],
        ..Profile::default()
    }
}

fn numbered() -> Profile {
    let disk = |index| Fileset {
        num_dirs: 100,
        min_filesize: MIB,
        max_filesize: MIB,
        create_blocksize: 64 * KIB,
        ..fileset(&format!("/mnt/disk{index}"))
    };
    Profile {
        time: 600,
        filesystems: (0..13).map(disk).collect(),
        threadgroups: vec![ThreadGroup {
            num_threads: 13,
            write_size: 4 * KIB,
            write_blocksize: 4 * KIB,
            weights: weights(&[(Op::Create, 1)]),
            ..ThreadGroup::default()
        }],
        ..Profile::default()
    }
}

fn clone() -> Profile {
    let first = Fileset {
        num_files: 1000,
        num_dirs: 50,
        size_weights: sizes(&[(4 * KIB, 60), (MIB, 5), (16 * KIB, 35)]),
        ..fileset("/mnt/first")
    };
    let full = Fileset {
        reuse: true,
        max_filesize: 2 * GIB,
        init_util: Some(250),
        ..fileset("/mnt/full")
    };
    let readers = ThreadGroup {
        num_threads: 16,
        bindfs: Some(1),
        op_delay: 20,
        read_skip: true,
        read_size: 8 * KIB,
        read_blocksize: 4 * KIB,
        read_skipsize: 4 * KIB,
        write_blocksize: 8 * KIB,
        weights: weights(&[(Op::Readall, 4), (Op::Delete, 1), (Op::CreateFsync, 2)]),
        ..ThreadGroup::default()
    };
    let others = ThreadGroup {
        num_threads: 1,
        weights: weights(&[(Op::Createdir, 1), (Op::Stat, 7), (Op::OpenClose, 3)]),
        ..ThreadGroup::default()
    };
    Profile {
        time: 30,
        directio: true,
        alignio: true,
        callout: Some("./start-tracing --on \"both disks\"".to_owned()),
        filesystems: vec![
            Fileset { location: "/mnt/copy/".to_owned(), ..first.clone() },
            first,
            full,
        ],
        threadgroups: vec![readers, others],
        ..Profile::default()
    }
}

fn stats() -> Profile {
    Profile {
        time: 20,
        alignio: true,
        filesystems: vec![Fileset {
            num_files: 100,
            reuse: true,
            min_filesize: 32 * MIB,
            max_filesize: 32 * MIB,
            ..fileset("/mnt/test")
        }],
        threadgroups: vec![ThreadGroup {
            num_threads: 4,
            write_random: true,
            write_size: MIB,
            write_blocksize: 4 * KIB,
            fsync_file: true,
            weights: weights(&[(Op::Write, 1)]),
            ..ThreadGroup::default()
        }],
        stats: Stats {
            enabled: true,
            ranges_enabled: true,
            ignore: vec![Call::Close, Call::Lseek],
            ranges: vec![(0, 10), (10, 50), (10_000, 10_000_000)],
        },
        ..Profile::default()
    }
}

#[test]
fn profiles_say_what_they_should() {
    let table = [
        ("create_4k", include_str!("create_4k.ffsb"), create_4k()),
        ("numbered", include_str!("numbered.ffsb"), numbered()),
        ("clone", include_str!("clone.ffsb"), clone()),
        ("stats", include_str!("stats.ffsb"), stats()),
    ];
    for (name, text, expected) in table {
        let read = parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(read, expected, "{name}");
        assert_eq!(parse(&text.replace('\n', "\r\n")), Ok(expected), "{name} with CR LF");
        assert!(looks_like_one(text), "{name}");
    }
}

#[test]
fn without_time_the_files_are_only_built() {
    let files = "[filesystem]\nlocation=/a\nnum_files=3\n[end]\n";
    for text in [files.to_owned(), format!("time=0\n{files}")] {
        let profile = parse(&text).unwrap();
        assert_eq!((profile.time, profile.threadgroups.len()), (0, 0));
        assert_eq!(profile.filesystems[0].num_files, 3);
    }
}

/// The fileset that a section with these options is.
fn first(options: &str) -> Fileset {
    let text = format!("[filesystem]\nlocation=/a\n{options}\n[end]");
    parse(&text).unwrap_or_else(|error| panic!("{error}")).filesystems.remove(0)
}

#[test]
fn sizes_are_powers_of_1024() {
    let table = [
        ("0", 0),
        ("7", 7),
        ("4k", 4 * KIB),
        ("4K", 4 * KIB),
        ("4kb", 4 * KIB),
        ("4 KB", 4 * KIB),
        ("3m", 3 * MIB),
        ("3Mb", 3 * MIB),
        ("2g", 2 * GIB),
        ("2GB", 2 * GIB),
    ];
    for (text, bytes) in table {
        assert_eq!(first(&format!("max_filesize = {text}")).max_filesize, bytes, "{text}");
    }
}

#[test]
fn a_count_of_files_goes_before_the_size_and_that_before_the_fullness() {
    let all = "max_filesize=1m\ninit_size=1g\ninit_util=0.5\n";
    let built = |fileset: Fileset| (fileset.num_files, fileset.init_size, fileset.init_util);
    assert_eq!(built(first(&format!("{all}num_files=9"))), (9, None, None));
    assert_eq!(built(first(all)), (0, Some(GIB), None));
    assert_eq!(built(first("max_filesize=1m\ninit_util=.005")), (0, None, Some(5)));
}

#[test]
fn with_weights_the_bounds_of_sizes_decide_nothing() {
    let fileset = first("min_filesize=4k\nsize_weight 1k 3");
    assert_eq!((fileset.min_filesize, fileset.max_filesize), (4 * KIB, 4 * KIB));
    assert_eq!(fileset.size_weights, sizes(&[(KIB, 3)]));
}

#[test]
fn a_chain_of_clones_and_heirs_is_followed() {
    let text = "[filesystem0]\nlocation=/a\nclone=/c\n[end0]\n\
                [filesystem1]\nlocation=/b\n[end1]\n\
                [filesystem2]\nlocation=/c\nnum_files=5\n[end2]\n\
                [filesystem3]\nlocation=/d\nclone=/a\n[end3]\n";
    let profile = parse(text).unwrap();
    assert!(profile.filesystems.iter().all(|fileset| fileset.num_files == 5));
    let locations: Vec<_> = profile.filesystems.iter().map(|fs| fs.location.as_str()).collect();
    assert_eq!(locations, ["/a", "/b", "/c", "/d"]);
}

#[test]
fn stats_may_stand_outside_and_be_said_again() {
    let stats = "[stats]\nenable_stats=1\nignore=fsync\n[end]\n";
    let group = format!("[threadgroup]\nnum_threads=1\ncreatedir_weight=1\n{stats}[end]\n");
    let text = format!("time=1\n{stats}[filesystem]\nlocation=/a\n[end]\n{group}{group}");
    let kept = parse(&text).unwrap().stats;
    assert_eq!((kept.enabled, kept.ranges_enabled, kept.ignore), (true, false, vec![Call::Fsync]));
}

#[test]
fn a_case_file_does_not_look_like_a_profile() {
    let profile = "time=1\n[ filesystem0 ]\n";
    assert!(looks_like_one(profile));
    assert!(looks_like_one("# format = 1\n[threadgroup]"));
    let case = format!("format = 1 # the case's\nffsb = '''\n{profile}'''\n");
    let unfinished = format!("ffsb = \'\'\'\n{profile}\'\'\'\n[[before]]\n");
    let others = [
        case.as_str(),
        unfinished.as_str(),
        "",
        "time=1",
        "[[before]] # [filesystem]",
        "#[filesystem0]",
    ];
    for other in others {
        assert!(!looks_like_one(other), "{other}");
    }
}
