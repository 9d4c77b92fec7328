//! The index: made from the folders, and again whenever it does not fit them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::SystemTime;

use model::Trial;
use sqlx::{AnyConnection, Connection};
use store::{Archive, Listing, new_id};

mod example;

use example::member;

const SET: &str = "20260131-100000-0000aa";
const ROOT: &str = "SLOWPATH_TEST_READ_ONLY_ROOT";

/// Trials of one set, alike but for their seeds.
fn trials(count: u64) -> Vec<Trial> {
    let id = |seed: u64| format!("20260131-1100{seed:02}-{seed:06}");
    (0..count).map(|seed| member(SET, &id(seed), seed, "fs=xfs")).collect()
}

fn filled(root: &Path, trials: &[Trial]) -> Archive {
    let archive = Archive::open(root).expect("the archive opens");
    for trial in trials {
        archive.add(trial, &[]).expect("the trial is kept");
    }
    archive
}

/// An archive of these trials answers as it must.
fn check(root: &Path, trials: &[Trial], what: &str) {
    let archive = Archive::open(root).expect("the archive opens");
    assert_eq!(archive.set(SET).expect("the set is there").variants, [trials], "{what}");
    for trial in trials {
        let known = archive.known(&trial.spec, &trial.fingerprint).expect("the archive answers");
        assert_eq!(known.as_ref(), Some(trial), "{what}");
    }
}

fn index(root: &Path) -> PathBuf {
    root.join("index.sqlite")
}

/// The first column of what the index answers, and whatever is changed in it.
fn ask(root: &Path, sql: &'static str) -> Vec<String> {
    sqlx::any::install_default_drivers();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let url = format!("sqlite:{}", index(root).display());
        let mut connection = AnyConnection::connect(&url).await.expect("the index opens");
        let rows =
            sqlx::query_scalar(sql).fetch_all(&mut connection).await.expect("the index answers");
        connection.close().await.expect("the index closes");
        rows
    })
}

fn rows(root: &Path) -> usize {
    ask(root, "SELECT id FROM trials").len()
}

#[test]
fn a_row_holds_what_one_may_look_for() {
    let root = tempfile::tempdir().unwrap();
    let one = member(SET, "20260131-110000-000001", u64::MAX, "fs=xfs");
    filled(root.path(), &[one, example::broken("20260131-110001-000002")]);
    let rows = ask(
        root.path(),
        "SELECT id || ' ' || set_id || ' ' || started || ' ' || case_name || ' ' || place || ' ' \
         || seed || ' ' || kernel || ' ' || outcome || ' ' || length(spec_key) || ' ' || \
         length(fingerprint_key) || ' ' || COALESCE(headline_wall_ns, -1) FROM trials ORDER BY id",
    );
    insta::assert_snapshot!(rows.join("\n"), @r"
    20260131-110000-000001 20260131-100000-0000aa 2026-01-31T14:25:01Z dd-sync exact 18446744073709551615 6.1.0-57-amd64 measured 64 64 2345678901
    20260131-110001-000002 20260131-110001-000002 2026-01-31T14:25:01Z dd-sync exact 18446744073709551615 6.1.0-57-amd64 panic 64 64 -1
    ");
}

#[test]
fn a_lost_index_is_made_again() {
    let root = tempfile::tempdir().unwrap();
    let trials = trials(3);
    drop(filled(root.path(), &trials));
    check(root.path(), &trials, "at first");
    fs::remove_file(index(root.path())).unwrap();
    check(root.path(), &trials, "deleted");
    assert_eq!(rows(root.path()), 3);
}

#[test]
fn a_damaged_index_is_made_again() {
    let root = tempfile::tempdir().unwrap();
    let trials = trials(40);
    drop(filled(root.path(), &trials));
    let whole = fs::read(index(root.path())).unwrap();
    let pages = whole.len() / 4096;
    assert!(pages >= 8, "{pages} pages");
    let mut damaged = vec![
        ("garbage".to_owned(), vec![0xa5; 10_000]),
        ("text".to_owned(), b"no database\n".repeat(50)),
        ("cut".to_owned(), whole[..whole.len() / 2].to_vec()),
        ("one page".to_owned(), whole[..4096].to_vec()),
        ("empty".to_owned(), Vec::new()),
    ];
    for page in 0..pages {
        let mut bytes = whole.clone();
        bytes[page * 4096..(page + 1) * 4096].fill(0xa5);
        damaged.push((format!("page {page}"), bytes));
    }
    for (what, bytes) in damaged {
        fs::write(index(root.path()), bytes).unwrap();
        check(root.path(), &trials, &what);
        assert_eq!(rows(root.path()), 40, "{what}");
    }
}

#[test]
fn an_index_of_another_version_is_made_again() {
    let root = tempfile::tempdir().unwrap();
    let trials = trials(3);
    drop(filled(root.path(), &trials));
    for change in [
        "UPDATE about SET stamp = '0'",
        "DELETE FROM about",
        "DROP TABLE about",
        "DROP TABLE trials",
        "ALTER TABLE trials RENAME COLUMN set_id TO other",
    ] {
        // What an index says is not believed when it is of another version.
        ask(root.path(), "UPDATE trials SET set_id = 'x', spec_key = 'y'");
        ask(root.path(), change);
        check(root.path(), &trials, change);
    }
}

#[test]
fn an_index_catches_up_with_the_folders() {
    let (root, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let trials = trials(4);
    drop(filled(root.path(), &trials[..2]));
    // As a program leaves it that was killed between folder and row.
    let elsewhere = filled(other.path(), &trials[2..]);
    let archive = Archive::open(root.path()).unwrap();
    for trial in &trials[2..] {
        fs::rename(elsewhere.folder(&trial.id), archive.folder(&trial.id)).unwrap();
    }
    check(root.path(), &trials, "two folders more");
    assert_eq!(rows(root.path()), 4);
    for trial in &trials[..2] {
        fs::remove_dir_all(archive.folder(&trial.id)).unwrap();
    }
    check(root.path(), &trials[2..], "two folders less");
    assert_eq!(rows(root.path()), 2);
}

/// A damaged `trial.json` stands in for one that is not read: the index still knows its set.
#[test]
fn a_folder_that_the_index_knows_is_not_read_again() {
    let root = tempfile::tempdir().unwrap();
    let trials = trials(2);
    let archive = filled(root.path(), &trials);
    fs::write(archive.folder(&trials[1].id).join("trial.json"), "").unwrap();
    let later = Archive::open(root.path()).unwrap();
    let known = later.known(&trials[0].spec, &trials[0].fingerprint).unwrap();
    assert_eq!(known.as_ref(), Some(&trials[0]));
    assert_eq!(rows(root.path()), 2);
    fs::remove_file(index(root.path())).unwrap();
    let later = Archive::open(root.path()).unwrap();
    assert_eq!(later.set(SET).unwrap().variants, [&trials[..1]]);
    assert_eq!(rows(root.path()), 1);
}

#[test]
fn many_may_add_and_ask_at_once_and_nothing_is_lost() {
    let root = tempfile::tempdir().unwrap();
    fs::write(index(root.path()), "no database").unwrap();
    let add_some = |seed: u64| {
        let archive = Archive::open(root.path()).unwrap();
        for round in 0..10 {
            let id = new_id(SystemTime::now());
            let trial = member(SET, &id, seed * 10 + round, "fs=xfs");
            archive.add(&trial, &[]).unwrap();
            let known = archive.known(&trial.spec, &trial.fingerprint).unwrap();
            assert_eq!(known, Some(trial));
        }
    };
    let add_some = &add_some;
    thread::scope(|scope| {
        for seed in 0..4 {
            scope.spawn(move || add_some(seed));
        }
    });
    let archive = Archive::open(root.path()).unwrap();
    assert_eq!(archive.set(SET).unwrap().variants[0].len(), 40);
    assert_eq!(rows(root.path()), 40);
}

#[test]
fn an_archive_without_an_index_keeps_and_finds() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(index(root.path())).unwrap();
    let trials = trials(3);
    let archive = filled(root.path(), &trials);
    assert_eq!(archive.list().unwrap().trials, trials);
    check(root.path(), &trials, "a folder stands in its place");
}

#[test]
fn a_path_may_have_any_characters() {
    let root = tempfile::tempdir().unwrap();
    let strange = root.path().join("a b?c#d%20e/ü;&=+'\"");
    let trials = trials(1);
    drop(filled(&strange, &trials));
    check(&strange, &trials, "strange");
    assert!(index(&strange).is_file());
    // SQLite's driver takes UTF-8 only; then there is no index.
    use std::os::unix::ffi::OsStrExt;
    let bytes = root.path().join(std::ffi::OsStr::from_bytes(b"\xff"));
    drop(filled(&bytes, &trials));
    check(&bytes, &trials, "bytes");
}

#[test]
fn listing_makes_nothing() {
    let root = tempfile::tempdir().unwrap();
    let absent = root.path().join("absent");
    assert!(Archive::open_existing(&absent).unwrap().is_none());
    assert!(!absent.exists());
    drop(Archive::open(&absent).unwrap());
    let archive = Archive::open_existing(&absent).unwrap().unwrap();
    assert_eq!(archive.list().unwrap(), Listing::default());
    assert!(archive.comparisons().unwrap().ended.is_empty());
    assert_eq!(fs::read_dir(&absent).unwrap().count(), 1);
    fs::write(root.path().join("file"), "").unwrap();
    let error = Archive::open_existing(&root.path().join("file"));
    insta::assert_snapshot!(example::text(root.path(), error), @"cannot open ROOT/file/trials: Not a directory (os error 20); something else stands where the archive belongs; give another folder with --store");
}

/// Asks an archive that cannot be written, where a parent asks for it.
#[test]
fn reader() {
    let Some(root) = std::env::var_os(ROOT) else {
        return;
    };
    let root = Path::new(&root);
    assert!(fs::write(root.join("probe"), "").is_err());
    let trials = trials(3);
    let archive = Archive::open_existing(root).unwrap().unwrap();
    assert_eq!(archive.list().unwrap().trials, trials);
    check(root, &trials, "read-only");
    println!("read all");
}

/// Read-only in earnest, where the system lets a user mount something for himself.
#[test]
fn an_archive_that_cannot_be_written_is_read() {
    let root = tempfile::tempdir().unwrap();
    let trials = trials(3);
    let read = |what: &str| {
        let script = "mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\" \
                      || { echo no mount; exit; }; \"$@\"";
        let output = Command::new("unshare")
            .args(["-rm", "sh", "-c", script])
            .arg(root.path())
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", "reader", "--nocapture"])
            .env(ROOT, root.path())
            .output();
        let Ok(output) = output else { return };
        let text = String::from_utf8_lossy(&output.stdout);
        if text.contains("no mount") || text.is_empty() {
            eprintln!("not tested: nothing can be mounted here");
            return;
        }
        assert!(output.status.success() && text.contains("read all"), "{what}: {text}");
    };
    drop(filled(root.path(), &trials));
    read("an index that fits");
    ask(root.path(), "DELETE FROM trials WHERE seed = '1'");
    read("an index that lacks a trial");
    fs::remove_file(index(root.path())).unwrap();
    read("no index");
}
