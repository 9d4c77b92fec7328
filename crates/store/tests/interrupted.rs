//! Writes that cannot end: killed in the middle, no room, no permission.
//!
//! The writer is this test binary again, started for its one test [`writer`].

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use store::{Archive, new_id};

mod example;

const ROOT: &str = "SLOWPATH_TEST_ROOT";
const ID: &str = "20260131-142501-3fa9";

/// Adds trials of 1 MiB until it cannot, where a parent asks for it.
#[test]
fn writer() {
    let Some(root) = std::env::var_os(ROOT) else {
        return;
    };
    let archive = Archive::open(Path::new(&root)).unwrap();
    loop {
        let trial = example::trial(&new_id(SystemTime::now()));
        let files = [("console.log".to_owned(), vec![b'x'; 1 << 20])];
        if let Err(error) = archive.add(&trial, &files) {
            println!("refused: {error}");
            return;
        }
    }
}

fn writer_in(root: &Path, program: &[&str]) -> Command {
    let this = std::env::current_exe().expect("the test has a path");
    let mut words = program.iter().map(std::ffi::OsString::from).collect::<Vec<_>>();
    words.extend([this.into_os_string()]);
    words.extend(["--exact", "writer", "--nocapture"].map(Into::into));
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).env(ROOT, root);
    command
}

fn entries(root: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(root.join("trials"))
        .expect("the archive is there")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn refusal(output: &Output, root: &Path) -> String {
    let text = String::from_utf8_lossy(&output.stdout).replace(&root.display().to_string(), "ROOT");
    let at = text.find("refused: ").expect("the writer is refused");
    let line = text[at..].lines().next().unwrap_or_default();
    // The ID and the size of trial.json differ from run to run.
    let words = line.split(' ').map(|word| match word.len() {
        22 if word.starts_with("20") => "ID",
        _ if word.parse::<u64>().is_ok() => "N",
        _ => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_killed_writer_leaves_whole_trials() {
    let root = tempfile::tempdir().unwrap();
    for (round, millis) in [0, 3, 7, 12].into_iter().enumerate() {
        let mut child = writer_in(root.path(), &[]).spawn().unwrap();
        let archive = Archive::open(root.path()).unwrap();
        let before = archive.list().unwrap().trials.len();
        let deadline = Instant::now() + Duration::from_secs(20);
        while archive.list().unwrap().trials.len() == before {
            assert!(Instant::now() < deadline, "round {round}: the writer writes nothing");
        }
        thread::sleep(Duration::from_millis(millis));
        child.kill().unwrap();
        child.wait().unwrap();
        let listing = archive.list().unwrap();
        assert_eq!(listing.unreadable, []);
        for trial in listing.trials {
            let log = archive.attachment(&trial.id, "console.log").unwrap().unwrap();
            assert_eq!(log.len(), 1 << 20);
            // The index has it too, wherever the writer was stopped.
            let set = Archive::open(root.path()).unwrap().set(&trial.id).unwrap();
            assert_eq!(set.variants, [[trial]]);
        }
    }
}

#[test]
fn a_half_written_folder_is_ignored_and_swept_when_it_is_old() {
    let root = tempfile::tempdir().unwrap();
    let archive = Archive::open(root.path()).unwrap();
    let (young, old) = (".new-20260131-142501-0000-999999-0", ".new-20260101-142501-0000-999999-0");
    for name in [young, old] {
        fs::create_dir(archive.folder(name)).unwrap();
        fs::write(archive.folder(name).join("trial.json"), "{\"form").unwrap();
    }
    let two_days_ago = SystemTime::now() - Duration::from_secs(2 * 86_400);
    fs::File::open(archive.folder(old)).unwrap().set_modified(two_days_ago).unwrap();
    assert_eq!(archive.list().unwrap(), store::Listing::default());
    assert!(archive.find("last").is_err());
    archive.add(&example::trial(ID), &[]).unwrap();
    assert_eq!(entries(root.path()), [young, ID]);
    assert_eq!(archive.list().unwrap().trials, [example::trial(ID)]);
}

#[test]
fn a_file_that_may_not_grow_leaves_nothing_and_says_why() {
    let root = tempfile::tempdir().unwrap();
    // The limit is 64 blocks of 512 bytes; the ignored signal survives exec.
    let limited = "trap '' XFSZ; ulimit -f 64; exec \"$@\"";
    let output = writer_in(root.path(), &["sh", "-c", limited, "sh"]).output().unwrap();
    insta::assert_snapshot!(refusal(&output, root.path()), @"refused: cannot keep trial ID in ROOT/trials: File too large (os error 27); it needs N bytes there: make room or give another folder with --store (what was written before is whole)");
    assert!(entries(root.path()).is_empty());
    Archive::open(root.path()).unwrap().add(&example::trial(ID), &[]).unwrap();
}

/// A full filesystem in earnest, where the system lets a user mount one for himself.
#[test]
fn a_full_disk_leaves_whole_trials_and_says_why() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().to_str().unwrap();
    let script = "mount -t tmpfs -o size=3m slowpath-test \"$0\" || { echo no mount; exit; }\n\
                  \"$@\"; ls -A \"$0/trials\" | sed 's/^/entry: /'";
    let program = ["unshare", "-rm", "sh", "-c", script, path];
    let Ok(output) = writer_in(root.path(), &program).output() else {
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() || text.contains("no mount") {
        eprintln!("not tested: no tmpfs can be mounted here");
        return;
    }
    let said = refusal(&output, root.path());
    assert!(said.contains("No space left on device"), "{said}");
    let kept: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("entry: ")).collect();
    assert_eq!(kept.len(), 2, "{text}");
    assert!(kept.iter().all(|name| !name.starts_with('.')), "{text}");
}

/// Root may write where nobody may, so the folder is none: the system refuses that to all.
#[test]
fn a_folder_that_takes_no_trial_says_why() {
    let root = tempfile::tempdir().unwrap();
    let archive = Archive::open(root.path()).unwrap();
    fs::remove_dir(root.path().join("trials")).unwrap();
    let error = archive.add(&example::trial(ID), &[]).unwrap_err().to_string();
    let error = error.replace(&root.path().display().to_string(), "ROOT");
    insta::assert_snapshot!(error, @"cannot keep a trial in ROOT/trials: No such file or directory (os error 2); check the disk that holds it, or give another folder with --store");
}
