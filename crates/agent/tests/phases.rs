//! `slowpath-agent phases`: a trial in folders of the running machine.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use model::case::Phase;
use model::settings::{Condition, Flush, OpenFlags, Rewrite};
use model::{Action, BrokenKind, FORMAT, Measurements};
use protocol::{AgentReport, HostJob, Workload, Writing};

fn phase(name: &str, round: u32, action: Action) -> Phase {
    Phase { name: name.to_owned(), round: Some(round), action }
}

fn write(round: u32, file: &str) -> Phase {
    phase("write", round, Action::Write { file: file.to_owned() })
}

fn job(folders: &[&Path], phases: Vec<Phase>) -> HostJob {
    let folders = folders.iter().map(|folder| folder.display().to_string()).collect();
    HostJob {
        format: FORMAT,
        limit_ns: 600_000_000_000,
        folders,
        disks: Vec::new(),
        phases,
        workload: workload(1_000_000, 4096, Rewrite::Truncate),
        watch: None,
        samples: None,
        environment: None,
    }
}

fn workload(size: u64, block: u64, rewrite: Rewrite) -> Workload {
    let writing = Writing {
        size,
        block,
        rewrite,
        oflag: OpenFlags::default(),
        conv: Flush::None,
        writers: 1,
    };
    Workload { writing, ffsb: None, age: Condition::default() }
}

fn text(job: &HostJob) -> Vec<u8> {
    serde_json::to_vec(job).expect("a job is JSON")
}

fn run(job: &[u8]) -> AgentReport {
    let mut agent = Command::new(env!("CARGO_BIN_EXE_slowpath-agent"))
        .arg("phases")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the agent starts");
    agent.stdin.take().expect("a pipe").write_all(job).expect("it reads the job");
    let output = agent.wait_with_output().expect("it ends");
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).expect("a report")
}

fn measured(job: &HostJob) -> Measurements {
    match run(&text(job)) {
        AgentReport::Measured(measurements) => measurements,
        AgentReport::Broken { reason, .. } => panic!("{reason}"),
    }
}

fn broken(job: &[u8]) -> (BrokenKind, String) {
    match run(job) {
        AgentReport::Broken { kind, reason } => (kind, reason),
        AgentReport::Measured(_) => panic!("it should break"),
    }
}

#[test]
fn phases_write_into_every_folder_and_are_measured_each_by_itself() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let sync = |round| phase("sync", round, Action::Sync);
    let phases = vec![write(1, "file"), sync(1), write(2, "file"), sync(2)];
    let measured = measured(&job(&[one.path(), two.path()], phases));
    let labels: Vec<_> = measured.phases.iter().map(model::PhaseRun::label).collect();
    assert_eq!(labels, ["write 1", "sync 1", "write 2", "sync 2"]);
    let bytes: Vec<_> = measured.phases.iter().map(|phase| phase.bytes).collect();
    assert_eq!(bytes, [Some(2_000_000), None, Some(2_000_000), None]);
    for phase in &measured.phases {
        let calls: u64 = phase.write_latency.iter().map(|(_, calls)| calls).sum();
        // 244 whole blocks and a part of one, in each of two folders.
        assert_eq!(calls, if phase.bytes.is_some() { 490 } else { 0 });
        assert!(phase.wall_ns > 0 && phase.disks.is_empty());
    }
    assert_eq!(measured.witness, "");
    for folder in [one.path(), two.path()] {
        assert_eq!(fs::metadata(folder.join("file")).unwrap().len(), 1_000_000);
        assert_eq!(fs::read_dir(folder).unwrap().count(), 1);
    }
}

#[test]
fn a_later_round_empties_the_file_or_writes_over_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    let second = |rewrite| {
        fs::write(&file, vec![1; 2_000_000]).unwrap();
        measured(&HostJob {
            workload: workload(1_000_000, 4096, rewrite),
            ..job(&[folder.path()], vec![write(2, "file")])
        });
        fs::metadata(&file).unwrap().len()
    };
    assert_eq!(second(Rewrite::Overwrite), 2_000_000);
    assert_eq!(second(Rewrite::Truncate), 1_000_000);
}

#[test]
fn a_named_disk_is_watched() {
    let Ok(stats) = fs::read_to_string("/proc/diskstats") else { return };
    let Some(name) = stats.lines().find_map(|line| line.split_whitespace().nth(2)) else { return };
    let folder = tempfile::tempdir().unwrap();
    let disks = vec![name.to_owned(), "no-such-disk".to_owned()];
    let job = HostJob { disks, ..job(&[folder.path()], vec![write(1, "file")]) };
    let disks = &measured(&job).phases[0].disks;
    assert_eq!(disks.iter().map(|disk| disk.name.as_str()).collect::<Vec<_>>(), [name]);
}

#[test]
fn a_full_disk_breaks_the_workload_at_its_offset() {
    let job = job(&[Path::new("/dev")], vec![write(1, "full")]);
    let (kind, reason) = broken(&text(&job));
    assert_eq!(kind, BrokenKind::Workload);
    assert_eq!(
        reason,
        "in phase `write 1`: write to /dev/full failed at offset 0: No space left on device (os \
         error 28)"
    );
}

#[test]
fn a_job_that_is_no_job_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let good = job(&[folder.path()], vec![write(1, "file")]);
    let mkfs = phase("mkfs", 1, Action::Mkfs);
    let with_mkfs = HostJob { phases: vec![write(1, "file"), mkfs], ..good.clone() };
    let newer = HostJob { format: FORMAT + 1, ..good };
    for (text, said) in [
        (b"phases".to_vec(), "cannot be understood"),
        (b"{}".to_vec(), "the job has format null"),
        (text(&newer), "different versions"),
        (text(&with_mkfs), "not done on a host"),
    ] {
        let (kind, reason) = broken(&text);
        assert_eq!(kind, BrokenKind::Setup);
        assert!(reason.contains(said), "{reason}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_trial_over_its_limit_tells_where_it_stood() {
    let folder = tempfile::tempdir().unwrap();
    // A write a byte: many times the limit, which leaves a busy machine time to begin.
    let endless = HostJob {
        limit_ns: 500_000_000,
        workload: workload(1 << 26, 1, Rewrite::Truncate),
        ..job(&[folder.path()], vec![write(1, "file")])
    };
    let (kind, reason) = broken(&text(&endless));
    assert_eq!(kind, BrokenKind::OutOfTime);
    assert!(reason.starts_with("over its limit of 500ms of the host's time in "), "{reason}");
}
