//! A directory as a place, with agents that are scripts.

use std::env;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use experiment::{Cancel, Place, PlaceError, TrialEvent, TrialOutput};
use lab::Dir;
use model::case::Phase;
use model::units::{Bytes, Nanos};
use model::{Action, Broken, BrokenKind, Limits, Outcome, Settings, TrialSpec};

/// Names the folder to a test that runs once more as another process.
const FOLDER: &str = "SLOWPATH_TEST_FOLDER";

fn agent(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/agents/{name}.sh"))
}

fn spec() -> TrialSpec {
    let phase = |name: &str, action| Phase { name: name.to_owned(), round: None, action };
    TrialSpec {
        case: "case".to_owned(),
        headline: "write".to_owned(),
        phases: vec![
            phase("mount", Action::Mount),
            phase("write", Action::Write { file: "file".to_owned() }),
            phase("sync", Action::Sync),
        ],
        ffsb: None,
        include: Vec::new(),
        settings: Settings { size: Bytes(1 << 20), ..Settings::default() },
        place: "dir:/somewhere".to_owned(),
        seed: 0,
        limits: Limits::default(),
    }
}

fn trial(folder: &Path, agent_name: &str) -> TrialOutput {
    let dir = Dir::new(folder, &agent(agent_name));
    dir.run(&spec(), &|_| {}, &Cancel::new()).expect("the trial runs")
}

fn broken(output: &TrialOutput) -> &Broken {
    match &output.outcome {
        Outcome::Broken(broken) => broken,
        Outcome::Measured(_) => panic!("it should break"),
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder is there").flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().display().to_string()).collect();
    names.sort();
    names
}

/// Waits until something is the case.
fn wait_until(holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(100), "it never came to that");
        thread::sleep(Duration::from_millis(5));
    }
}

/// This test once more, as a process of its own for which [`FOLDER`] is set; `before` precedes it.
fn again(before: &[&str], test: &str, folder: &Path) -> Command {
    let program = env::current_exe().expect("a path").display().to_string();
    let mut words = before.iter().copied().chain([program.as_str(), "--exact", test]);
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).arg("--nocapture").env(FOLDER, folder);
    command
}

fn is_again() -> Option<PathBuf> {
    env::var_os(FOLDER).map(PathBuf::from)
}

/// This test once more where `mount` (with the folder as `$SLOWPATH_TEST_FOLDER`) was done; an error
/// where the system lets no user mount for himself.
fn mounted(mount: &str, test: &str, folder: &Path) -> Result<Output, String> {
    let script = format!("{mount} || exit 99; exec \"$@\"");
    let before = ["unshare", "-rm", "sh", "-c", &script, "sh"];
    let output = again(&before, test, folder).output().map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr);
    match output.status.code() == Some(99) || said.contains("unshare") {
        true => Err(said.trim().to_owned()),
        false => Ok(output),
    }
}

#[test]
fn a_trial_is_checked_done_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("letter"), "dear").unwrap();
    let dir = Dir::new(folder.path(), &agent("measured"));
    let fingerprint = dir.check(&spec()).unwrap().unwrap();
    let events = std::sync::Mutex::new(Vec::new());
    let output =
        dir.run(&spec(), &|event| events.lock().unwrap().push(event), &Cancel::new()).unwrap();
    assert_eq!(events.into_inner().unwrap(), [TrialEvent::Started]);
    assert!(matches!(output.outcome, Outcome::Measured(_)), "{:?}", output.outcome);
    assert_eq!(output.fingerprint, fingerprint);
    assert!(output.notes.contains(&"left out, since a directory is past them: mount".to_owned()));
    let path = fs::canonicalize(folder.path()).unwrap();
    assert_eq!(fingerprint.get("dir.path"), path.to_str());
    for item in ["agent.sha256", "kernel.release", "kernel.version", "cpus", "mem"] {
        assert!(fingerprint.get(item).is_some_and(|value| !value.is_empty()), "{item}");
    }
    assert_eq!(names(folder.path()), ["letter"]);
    assert!(!dir.is_exact(&spec()));
}

#[test]
fn an_agent_that_fails_breaks_the_trial() {
    let folder = tempfile::tempdir().unwrap();
    let output = trial(folder.path(), "broken");
    assert_eq!(broken(&output).kind, BrokenKind::Workload);
    assert_eq!(broken(&output).reason, "in phase `write`: no luck");
    assert!(output.notes.iter().any(|note| note.contains("is removed")), "{:?}", output.notes);
    let output = trial(folder.path(), "silent");
    assert_eq!(broken(&output).kind, BrokenKind::Workload);
    let reason = &broken(&output).reason;
    assert!(reason.contains("exit status: 3") && reason.contains("no report"), "{reason}");
    assert_eq!(broken(&output).console, ["out of order"]);
    assert_eq!(output.attachments, [("agent.log".to_owned(), b"out of order\n".to_vec())]);
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn what_somebody_else_wrote_stays_and_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let output = trial(folder.path(), "stranger");
    assert!(matches!(output.outcome, Outcome::Measured(_)));
    let [left] = &names(folder.path())[..] else { panic!("{:?}", names(folder.path())) };
    let left = fs::canonicalize(folder.path()).unwrap().join(left);
    let says = format!("{} cannot be removed: d0: ", left.display());
    assert!(output.notes.iter().any(|note| note.starts_with(&says)), "{:?}", output.notes);
    assert_eq!(fs::read(left.join("d0/letter")).unwrap(), b"dear\n");
    assert!(!left.join("d0/file").exists());
}

#[test]
fn cancelled_the_agent_is_killed_and_its_files_go() {
    let folder = tempfile::tempdir().unwrap();
    let (dir, pid) = (Dir::new(folder.path(), &agent("stuck")), folder.path().join("pid"));
    let cancel = Cancel::new();
    let output = thread::scope(|scope| {
        let run = scope.spawn(|| dir.run(&spec(), &|_| {}, &cancel));
        wait_until(|| pid.exists());
        cancel.set();
        run.join().unwrap().unwrap()
    });
    assert_eq!(broken(&output).kind, BrokenKind::Interrupted);
    assert_eq!(names(folder.path()), ["pid"]);
    assert!(!runs(&pid));
}

#[test]
fn out_of_time_the_agent_is_killed_and_its_files_go() {
    let folder = tempfile::tempdir().unwrap();
    let dir = Dir::new(folder.path(), &agent("endless"));
    let limits = Limits { wall: Nanos(1_000_000), ..Limits::default() };
    let output = dir.run(&TrialSpec { limits, ..spec() }, &|_| {}, &Cancel::new()).unwrap();
    assert_eq!(broken(&output).kind, BrokenKind::OutOfTime);
    assert!(broken(&output).reason.starts_with("over its limit of 1ms"));
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn what_a_directory_cannot_do_is_refused_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let check = |dir: Dir, spec: TrialSpec| dir.check(&spec).unwrap_err();
    let here = Dir::new(folder.path(), &agent("measured"));
    let mut large = spec();
    large.settings.size = Bytes(1 << 60);
    let other = TrialSpec { headline: "mount".to_owned(), ..spec() };
    for (dir, spec, said) in [
        (here.clone(), large, "MiB free, and the trial needs 1116691496961 MiB"),
        (here.clone(), other, "judged by `mount`"),
        (Dir::new(&folder.path().join("none"), &agent("measured")), spec(), "no such directory"),
        (Dir::new(Path::new("/proc"), &agent("measured")), spec(), "no folder can be made"),
    ] {
        match check(dir, spec) {
            PlaceError::Refused(why) => assert!(why.contains(said), "{why}"),
            other => panic!("{other:?}"),
        }
    }
    let lost = check(Dir::new(folder.path(), &agent("none")), spec());
    assert!(matches!(&lost, PlaceError::Missing(why) if why.contains("make build")), "{lost:?}");
    assert!(here.takes("block").is_ok() && here.takes("fs").is_err());
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn a_read_only_filesystem_is_named() {
    if let Some(folder) = is_again() {
        let refused = Dir::new(&folder, &agent("measured")).check(&spec()).unwrap_err();
        assert!(refused.to_string().ends_with("is mounted read-only"), "{refused}");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mount = "mount -t tmpfs -o ro slowpath-test \"$SLOWPATH_TEST_FOLDER\"";
    match mounted(mount, "a_read_only_filesystem_is_named", folder.path()) {
        Ok(output) => assert!(output.status.success(), "{output:?}"),
        Err(why) => println!("left out: nothing can be mounted here ({why})"),
    }
}

#[test]
fn a_full_filesystem_is_refused_or_breaks_the_trial() {
    if let Some(folder) = is_again() {
        let dir = Dir::new(&folder, &agent("full"));
        let refused = dir.check(&spec()).unwrap_err();
        assert!(refused.to_string().contains("1 MiB free, and the trial needs 3 MiB"), "{refused}");
        let output = trial(&folder, "full");
        assert_eq!(broken(&output).reason, "No space left");
        let memory = "the directory is on tmpfs; nothing is written to a disk here".to_owned();
        assert!(output.notes.contains(&memory), "{:?}", output.notes);
        assert_eq!(names(&folder), [""; 0]);
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mount = "mount -t tmpfs -o size=1M slowpath-test \"$SLOWPATH_TEST_FOLDER\"";
    let test = "a_full_filesystem_is_refused_or_breaks_the_trial";
    match mounted(mount, test, folder.path()) {
        Ok(output) => assert!(output.status.success(), "{output:?}"),
        Err(why) => println!("left out: nothing can be mounted here ({why})"),
    }
}

#[test]
fn killed_it_leaves_no_agent_and_the_next_trial_sweeps() {
    if let Some(folder) = is_again() {
        trial(&folder, "stuck");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    let test = "killed_it_leaves_no_agent_and_the_next_trial_sweeps";
    let mut victim = again(&[], test, folder.path()).stdout(Stdio::null()).spawn().unwrap();
    wait_until(|| pid.exists());
    // While it runs, its folder is its own.
    trial(folder.path(), "measured");
    assert_eq!(names(folder.path()).len(), 2);
    victim.kill().unwrap();
    assert_eq!(victim.wait().unwrap().signal(), Some(9));
    wait_until(|| !runs(&pid));
    let left = names(folder.path());
    assert!(left[0].starts_with(".slowpath-"), "{left:?}");
    assert!(folder.path().join(&left[0]).join("d0/file").exists());
    let output = trial(folder.path(), "measured");
    assert!(matches!(output.outcome, Outcome::Measured(_)));
    assert_eq!(names(folder.path()), ["pid"]);
}

/// Whether the process whose number stands in `file` runs; one that nobody has waited for does not.
fn runs(file: &Path) -> bool {
    let pid = fs::read_to_string(file).expect("a number");
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}
