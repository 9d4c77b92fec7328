//! Runs small profiles in temporary folders.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use model::BrokenKind;
use model::ffsb::ThreadGroup;
use model::ffsb::{Call, Fileset, Op, OpCount, OpWeight, Outcome, Profile, SizeWeight, Stats};
use proptest::prelude::*;

use super::Filesets;
use crate::failure::Failure;
use crate::gaps::Gaps;

/// One filesystem of `files` files of 10,000 bytes, and one thread that does `ops`.
fn profile(files: u64, ops: &[(Op, u64)]) -> Profile {
    let fileset = Fileset {
        num_files: files,
        num_dirs: 2,
        min_filesize: 10_000,
        max_filesize: 10_000,
        create_blocksize: 4096,
        ..Fileset::default()
    };
    let group = ThreadGroup {
        num_threads: 1,
        read_size: 5000,
        read_blocksize: 4096,
        write_size: 6000,
        write_blocksize: 2048,
        weights: ops.iter().map(|(op, weight)| OpWeight { op: *op, weight: *weight }).collect(),
        ..ThreadGroup::default()
    };
    let stats = Stats { enabled: true, ..Stats::default() };
    Profile { filesystems: vec![fileset], threadgroups: vec![group], stats, ..Profile::default() }
}

/// The files below a folder with their sizes.
fn files(root: &Path) -> BTreeMap<PathBuf, u64> {
    fn walk(folder: &Path, root: &Path, files: &mut BTreeMap<PathBuf, u64>) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            match entry.file_type().unwrap().is_dir() {
                true => walk(&entry.path(), root, files),
                false => {
                    let path = entry.path().strip_prefix(root).unwrap().to_owned();
                    files.insert(path, entry.metadata().unwrap().len());
                }
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(root, root, &mut found);
    found
}

/// Builds a profile's one fileset and does so many operations of each thread.
fn run(profile: &Profile, root: &Path, operations: u64) -> Result<Outcome, Failure> {
    let mut filesets = Filesets::build(profile, &[root.to_owned()], 1)?;
    filesets.run_until(profile, u64::MAX, operations, &Gaps::new())
}

/// The outcome of 8 operations on 4 files, what is there afterwards, and how often each call came.
fn eight(op: Op, change: impl Fn(&mut Profile)) -> (Outcome, Vec<u64>, Vec<(Call, u64)>) {
    let root = tempfile::tempdir().unwrap();
    let mut profile = profile(4, &[(op, 1)]);
    change(&mut profile);
    let outcome = run(&profile, root.path(), 8).unwrap();
    let calls = outcome.calls.iter().map(|times| (times.call, times.count)).collect();
    (outcome, files(root.path()).into_values().collect(), calls)
}

fn count(op: Op, done: u64, transactions: u64, bytes: u64) -> Vec<OpCount> {
    vec![OpCount { op, done, transactions, bytes }]
}

fn nothing(_: &mut Profile) {}

#[test]
fn create_makes_files_in_blocks_of_write_blocksize() {
    let (outcome, sizes, calls) = eight(Op::Create, nothing);
    assert_eq!(outcome.ops, count(Op::Create, 8, 40, 80_000));
    assert_eq!((outcome.read_bytes, outcome.written_bytes), (0, 80_000));
    assert_eq!(sizes, [10_000; 12]);
    assert_eq!(calls, [(Call::Write, 40), (Call::Create, 8), (Call::Close, 8)]);
}

#[test]
fn reads_count_each_call_and_move_to_where_they_begin() {
    let (outcome, sizes, calls) = eight(Op::Read, nothing);
    assert_eq!(outcome.ops, count(Op::Read, 8, 16, 40_000));
    assert_eq!((outcome.read_bytes, outcome.written_bytes), (40_000, 0));
    assert_eq!(sizes, [10_000; 4]);
    let wanted = [(Call::Open, 8), (Call::Read, 16), (Call::Lseek, 8), (Call::Close, 8)];
    assert_eq!(calls, wanted);

    let (outcome, _, _) = eight(Op::Readall, nothing);
    assert_eq!(outcome.ops, count(Op::Readall, 8, 24, 80_000));
}

#[test]
fn random_reads_are_of_whole_blocks() {
    let (outcome, _, calls) = eight(Op::Read, |profile| {
        profile.threadgroups[0].read_random = true;
        profile.threadgroups[0].read_size = 9000;
    });
    assert_eq!(outcome.ops, count(Op::Read, 8, 16, 65_536));
    assert!(calls.contains(&(Call::Lseek, 16)), "{calls:?}");
}

#[test]
fn skipping_reads_leave_bytes_out_and_need_a_file_that_is_long_enough() {
    let skip = |bytes| {
        move |profile: &mut Profile| {
            profile.threadgroups[0].read_skip = true;
            profile.threadgroups[0].read_skipsize = bytes;
        }
    };
    // 4096 bytes, 5000 left out, 904 bytes: the file's last.
    let (outcome, _, calls) = eight(Op::Read, skip(5000));
    assert_eq!(outcome.ops, count(Op::Read, 8, 16, 40_000));
    assert!(calls.contains(&(Call::Lseek, 8)), "{calls:?}");

    let root = tempfile::tempdir().unwrap();
    let mut profile = profile(4, &[(Op::Read, 1)]);
    skip(5001)(&mut profile);
    let failure = run(&profile, root.path(), 1).unwrap_err();
    assert!(failure.reason.contains("read_size with read_skipsize needs 10001"), "{failure}");
}

#[test]
fn writes_stay_within_their_files() {
    let (outcome, sizes, calls) = eight(Op::Write, nothing);
    assert_eq!(outcome.ops, count(Op::Write, 8, 24, 48_000));
    assert_eq!(sizes, [10_000; 4]);
    let wanted = [(Call::Open, 8), (Call::Write, 24), (Call::Lseek, 8), (Call::Close, 8)];
    assert_eq!(calls, wanted);

    let random = |profile: &mut Profile| profile.threadgroups[0].write_random = true;
    let (outcome, sizes, _) = eight(Op::WriteFsync, random);
    assert_eq!(outcome.ops, count(Op::WriteFsync, 8, 16, 32_768));
    assert_eq!(sizes, [10_000; 4]);

    let (outcome, sizes, _) = eight(Op::Writeall, nothing);
    assert_eq!(outcome.ops, count(Op::Writeall, 8, 40, 80_000));
    assert_eq!(sizes, [10_000; 4]);
}

#[test]
fn append_makes_files_longer() {
    let (outcome, sizes, _) = eight(Op::Append, nothing);
    assert_eq!(outcome.ops, count(Op::Append, 8, 24, 48_000));
    assert_eq!(sizes.iter().sum::<u64>(), 40_000 + 48_000);
    assert!(sizes.iter().all(|size| (size - 10_000) % 6000 == 0), "{sizes:?}");
}

#[test]
fn forms_with_fsync_and_fsync_file_call_it() {
    let fsyncs = |op, old_style: bool| {
        let set = |profile: &mut Profile| profile.threadgroups[0].fsync_file = old_style;
        let (_, _, calls) = eight(op, set);
        calls.iter().find(|(call, _)| *call == Call::Fsync).map(|(_, count)| *count)
    };
    for op in [Op::WriteFsync, Op::CreateFsync, Op::AppendFsync, Op::WriteallFsync] {
        assert_eq!(fsyncs(op, false), Some(8), "{op:?}");
    }
    for op in [Op::Write, Op::Create, Op::Append, Op::Writeall] {
        assert_eq!((fsyncs(op, false), fsyncs(op, true)), (None, Some(8)), "{op:?}");
    }
    assert_eq!(fsyncs(Op::Read, true), None);
}

#[test]
fn delete_ends_when_no_file_is_left() {
    let root = tempfile::tempdir().unwrap();
    let profile = profile(4, &[(Op::Delete, 1)]);
    assert_eq!(run(&profile, root.path(), 3).unwrap().ops, count(Op::Delete, 3, 3, 0));
    assert_eq!(files(root.path()).len(), 1);
    let failure = run(&profile, root.path(), 5).unwrap_err();
    assert_eq!(failure.kind, BrokenKind::Workload);
    assert!(failure.reason.starts_with("ffsb operation delete: no file is left"), "{failure}");
}

#[test]
fn names_of_deleted_files_are_used_again() {
    let root = tempfile::tempdir().unwrap();
    let profile = profile(60, &[(Op::Delete, 1), (Op::Create, 1)]);
    run(&profile, root.path(), 400).unwrap();
    let highest = files(root.path()).into_keys().map(|path| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        name.trim_start_matches("datafile").parse::<u32>().unwrap()
    });
    // Without holes there would be some 260 names.
    assert!(highest.max() < Some(150));
}

#[test]
fn the_rest_counts_operations() {
    let without_blocks = |profile: &mut Profile| {
        let group = &mut profile.threadgroups[0];
        (group.read_blocksize, group.write_blocksize) = (0, 0);
        profile.filesystems[0].num_dirs = 0;
    };
    let (outcome, _, calls) = eight(Op::Stat, without_blocks);
    assert_eq!(outcome.ops, count(Op::Stat, 8, 8, 0));
    assert_eq!(calls, [(Call::Stat, 8)]);
    let (outcome, _, calls) = eight(Op::OpenClose, nothing);
    assert_eq!(outcome.ops, count(Op::OpenClose, 8, 8, 0));
    assert_eq!(calls, [(Call::Open, 8), (Call::Close, 8)]);

    let root = tempfile::tempdir().unwrap();
    let outcome = run(&profile(1, &[(Op::Createdir, 1)]), root.path(), 8).unwrap();
    assert_eq!(outcome.ops, count(Op::Createdir, 8, 8, 0));
    assert!(root.path().join("data/datadir9").is_dir());
    assert!(!root.path().join("data/datadir10").exists());
}

#[test]
fn files_and_folders_are_for_their_owner_alone() {
    let root = tempfile::tempdir().unwrap();
    run(&profile(4, &[(Op::Create, 1)]), root.path(), 4).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&root.path().join("data/datadir0")), 0o700);
    let modes: Vec<_> = files(root.path()).keys().map(|f| mode(&root.path().join(f))).collect();
    assert!(modes.iter().all(|mode| *mode == 0o700), "{modes:?}");
}

#[test]
fn direct_io_reads_and_writes_whole_blocks() {
    let root = tempfile::tempdir().unwrap();
    let mut profile =
        profile(4, &[(Op::Create, 1), (Op::Read, 1), (Op::Write, 1), (Op::Append, 1)]);
    profile.directio = true;
    let fileset = &mut profile.filesystems[0];
    (fileset.min_filesize, fileset.max_filesize) = (65_536, 65_536);
    let group = &mut profile.threadgroups[0];
    (group.read_size, group.write_size, group.write_blocksize) = (8192, 8192, 4096);
    match run(&profile, root.path(), 40) {
        Ok(outcome) => assert_eq!(outcome.ops.iter().map(|op| op.done).sum::<u64>(), 40),
        // Some filesystems do not know O_DIRECT.
        Err(failure) => assert!(failure.reason.contains("Invalid argument"), "{failure}"),
    }
}

#[test]
fn filesystems_are_picked_at_random_unless_bound() {
    let roots = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let paths: Vec<PathBuf> = roots.iter().map(|root| root.path().to_owned()).collect();
    let mut profile = profile(0, &[(Op::Create, 1)]);
    profile.filesystems.push(profile.filesystems[0].clone());
    let mut counts = |bindfs| {
        profile.threadgroups[0].bindfs = bindfs;
        let mut filesets = Filesets::build(&profile, &paths, 1).unwrap();
        filesets.run_until(&profile, u64::MAX, 40, &Gaps::new()).unwrap();
        paths.iter().map(|path| files(path).len()).collect::<Vec<_>>()
    };
    assert_eq!(counts(Some(1)), [0, 40]);
    let both = counts(None);
    assert!(both.iter().all(|files| *files > 8) && both.iter().sum::<usize>() == 40, "{both:?}");
}

#[test]
fn the_fileset_is_built_up_to_a_size_or_a_fullness() {
    let root = tempfile::tempdir().unwrap();
    let build = |change: &dyn Fn(&mut Fileset)| {
        let mut profile = profile(0, &[(Op::Stat, 1)]);
        change(&mut profile.filesystems[0]);
        Filesets::build(&profile, &[root.path().to_owned()], 1).map(|_| files(root.path()).len())
    };
    assert_eq!(build(&|set| set.init_size = Some(95_000)), Ok(10));
    assert_eq!(build(&|set| set.init_util = Some(0)), Ok(0));
    let sizes = vec![SizeWeight { size: 0, weight: 1 }];
    let endless = build(&|set| (set.init_size, set.size_weights) = (Some(1), sizes.clone()));
    assert!(endless.unwrap_err().reason.starts_with("empty files fill nothing"));
}

#[test]
fn a_fileset_is_made_anew_or_used_again_as_far_as_it_fits() {
    let root = tempfile::tempdir().unwrap();
    let data = root.path().join("data");
    let mut profile = profile(6, &[(Op::Stat, 1)]);
    let mut build = |reuse| {
        profile.filesystems[0].reuse = reuse;
        Filesets::build(&profile, &[root.path().to_owned()], 7).unwrap();
        files(&data)
    };
    let first = build(false);
    assert_eq!(first.len(), 6);
    let (one, two) = (first.keys().next().unwrap(), first.keys().last().unwrap());
    fs::write(data.join(one), "too short").unwrap();
    fs::write(data.join(two), [1; 10_000]).unwrap();
    fs::create_dir(data.join("datadir5")).unwrap();
    fs::write(data.join("datadir5/datafile99"), [1; 10_000]).unwrap();
    let again = build(true);
    assert_eq!(again.values().collect::<Vec<_>>(), [&10_000; 6]);
    assert_eq!(fs::read(data.join(two)).unwrap(), [1; 10_000]);
    assert!(!data.join("datadir5").exists());
    assert!(build(false).len() == 6 && fs::read(data.join(two)).unwrap() == [0; 10_000]);
}

#[test]
fn what_others_have_in_the_folder_stays() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("letter"), "dear").unwrap();
    let profile = profile(3, &[(Op::Delete, 1), (Op::Create, 3)]);
    run(&profile, root.path(), 50).unwrap();
    assert_eq!(fs::read_to_string(root.path().join("letter")).unwrap(), "dear");
    let mut names: Vec<_> =
        fs::read_dir(root.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["data", "letter", "meta"]);

    fs::write(root.path().join("data/letter"), "dear").unwrap();
    let before = files(root.path());
    let failure = run(&profile, root.path(), 1).unwrap_err();
    assert_eq!(failure.kind, BrokenKind::Setup);
    assert!(failure.reason.contains("data/letter is not of a fileset"), "{failure}");
    assert_eq!(files(root.path()), before);
}

#[test]
fn a_folder_that_vanishes_breaks_the_run() {
    let root = tempfile::tempdir().unwrap();
    let profile = profile(0, &[(Op::Create, 1)]);
    let mut filesets = Filesets::build(&profile, &[root.path().to_owned()], 1).unwrap();
    fs::remove_dir_all(root.path().join("data")).unwrap();
    let failure = filesets.run_until(&profile, u64::MAX, 1, &Gaps::new()).unwrap_err();
    assert_eq!(failure.kind, BrokenKind::Workload);
    let root = root.path().display();
    let start = format!("ffsb operation create: open of {root}/data/");
    assert!(failure.reason.starts_with(&start), "{failure}");
    assert!(
        failure.reason.ends_with("failed: No such file or directory (os error 2)"),
        "{failure}"
    );
}

#[test]
fn a_folder_that_is_none_breaks_the_build() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("file"), "").unwrap();
    let failure = run(&profile(1, &[(Op::Create, 1)]), &root.path().join("file"), 1).unwrap_err();
    assert_eq!(failure.kind, BrokenKind::Setup);
    assert!(failure.reason.contains("Not a directory"), "{failure}");
}

#[test]
fn one_thread_that_fails_ends_all() {
    let root = tempfile::tempdir().unwrap();
    let mut profile = profile(3, &[(Op::Stat, 1)]);
    let mut deleting = profile.threadgroups[0].clone();
    deleting.weights[0].op = Op::Delete;
    profile.threadgroups[0].num_threads = 3;
    profile.threadgroups.push(deleting);
    // Whoever comes first to the emptied fileset tells of it; nobody goes on for ever.
    let failure = run(&profile, root.path(), u64::MAX).unwrap_err();
    assert!(failure.reason.contains("no file is left"), "{failure}");
}

#[test]
fn files_that_are_too_small_are_told_of() {
    let root = tempfile::tempdir().unwrap();
    let mut profile = profile(3, &[(Op::Write, 1)]);
    profile.threadgroups[0].write_size = 10_001;
    let failure = run(&profile, root.path(), 1).unwrap_err();
    assert!(failure.reason.contains("has 10000 bytes, write_size needs 10001"), "{failure}");
}

#[test]
fn a_profile_that_cannot_be_run_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let refused = |change: &dyn Fn(&mut Profile)| {
        let mut profile = profile(1, &[(Op::Stat, 1)]);
        change(&mut profile);
        let failure = run(&profile, root.path(), 1).unwrap_err();
        assert_eq!((failure.kind, files(root.path()).len()), (BrokenKind::Setup, 0));
        failure.reason
    };
    for (change, reason) in [
        (&(|p: &mut Profile| p.filesystems.clear()) as &dyn Fn(&mut Profile), "no filesystem"),
        (&|p| p.filesystems.push(Fileset::default()), "a folder for each"),
        (&|p| p.filesystems[0].create_blocksize = 0, "create_blocksize"),
        (
            &|p| {
                p.threadgroups[0].weights[0].op = Op::Readall;
                p.threadgroups[0].read_blocksize = 0;
            },
            "read_blocksize",
        ),
        (
            &|p| {
                p.threadgroups[0].weights[0].op = Op::AppendFsync;
                p.threadgroups[0].write_blocksize = 0;
            },
            "write_blocksize",
        ),
        (&|p| p.threadgroups[0].bindfs = Some(1), "bindfs"),
        (&|p| p.threadgroups[0].weights.clear(), "no operations"),
        (&|p| p.threadgroups[0].weights[0].op = Op::Metaop, "metaop"),
    ] {
        assert!(refused(change).contains(reason), "{reason}");
    }
}

#[test]
fn time_ends_a_run_and_pauses_do_not_prolong_it() {
    let root = tempfile::tempdir().unwrap();
    let mut profile = profile(3, &[(Op::Stat, 1)]);
    profile.threadgroups[0].op_delay = 3_600_000;
    let mut filesets = Filesets::build(&profile, &[root.path().to_owned()], 1).unwrap();
    // It returns, and after the first pause nothing is begun.
    let outcome = filesets.run(&profile, 20_000_000, &Gaps::new()).unwrap();
    assert!(outcome.ops[0].done <= 1, "{outcome:?}");
    let outcome = filesets.run_until(&profile, 0, u64::MAX, &Gaps::new()).unwrap();
    assert_eq!(outcome.ops, count(Op::Stat, 0, 0, 0));
}

#[test]
fn pauses_are_no_stretches_without_progress() {
    let root = tempfile::tempdir().unwrap();
    let mut profile = profile(3, &[(Op::Stat, 1)]);
    profile.threadgroups[0].op_delay = 20;
    let mut filesets = Filesets::build(&profile, &[root.path().to_owned()], 1).unwrap();
    let gaps = Gaps::new();
    filesets.run_until(&profile, u64::MAX, 5, &gaps).unwrap();
    // 5 pauses of 20 ms are not among them, whatever else a busy machine does.
    assert!(gaps.take(0).iter().filter(|gap| gap.took_ns >= 20_000_000).count() < 5);
}

const MIXED: [(Op, u64); 10] = [
    (Op::Read, 2),
    (Op::Readall, 1),
    (Op::Write, 2),
    (Op::Create, 3),
    (Op::Append, 1),
    (Op::Delete, 2),
    (Op::Createdir, 1),
    (Op::Stat, 3),
    (Op::WriteallFsync, 1),
    (Op::CreateFsync, 1),
];

#[test]
fn several_threads_do_all_that_they_count() {
    let root = tempfile::tempdir().unwrap();
    let mut profile = profile(20, &MIXED);
    profile.threadgroups[0].num_threads = 4;
    let outcome = run(&profile, root.path(), 100).unwrap();
    assert_eq!(outcome.ops.iter().map(|op| op.done).sum::<u64>(), 400);
    let done = |op| outcome.ops.iter().find(|count| count.op == op).unwrap().done as usize;
    let there = 20 + done(Op::Create) + done(Op::CreateFsync) - done(Op::Delete);
    assert_eq!(files(root.path()).len(), there);
    let bytes: u64 = outcome.ops.iter().map(|op| op.bytes).sum();
    assert_eq!(bytes, outcome.read_bytes + outcome.written_bytes);
    let calls = |call| outcome.calls.iter().find(|times| times.call == call).unwrap();
    assert_eq!(calls(Call::Unlink).count as usize, done(Op::Delete));
    let write = calls(Call::Write);
    assert!(write.least_ns <= write.total_ns / write.count && write.total_ns >= write.greatest_ns);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn the_same_seed_does_the_same(seed in any::<u64>(), operations in 0u64..60) {
        let done = || {
            let root = tempfile::tempdir().unwrap();
            let mut profile = profile(8, &MIXED);
            profile.filesystems[0].max_filesize = 30_000;
            profile.stats.enabled = false;
            let mut filesets = Filesets::build(&profile, &[root.path().to_owned()], seed).unwrap();
            let outcome = filesets.run_until(&profile, u64::MAX, operations, &Gaps::new()).unwrap();
            (outcome, files(root.path()))
        };
        prop_assert_eq!(done(), done());
    }
}
