//! `snapshot` tells of this machine in the form that `docs/snapshot.md` describes, and writes nowhere else.

mod lab;

use std::collections::BTreeMap;
use std::fs;
use std::process::Stdio;

use lab::{Bench, Ran, text};
use serde_json::Value;

/// A snapshot as a reader takes it apart.
struct Snapshot {
    summary: BTreeMap<String, String>,
    /// Source and lines by title.
    sections: BTreeMap<String, (String, Vec<String>)>,
}

impl Snapshot {
    /// Fails the test where the text has not the form.
    #[track_caller]
    fn of(text: &str) -> Snapshot {
        let strange = text.chars().find(|c| c.is_control() && !"\n\t".contains(*c));
        assert_eq!(strange, None);
        let mut parts = text.split("\n\n== ");
        let head = parts.next().and_then(|head| head.strip_prefix("slowpath snapshot 1\n"));
        let lines = head.expect("the form's first line").lines();
        let summary: BTreeMap<_, _> = lines
            .map(|line| line.split_once(": ").expect("KEY: VALUE"))
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect();
        let mut sections = BTreeMap::new();
        for part in parts {
            let (title, body) = part.split_once('\n').expect("a section is not empty");
            let (title, source) = title.rsplit_once(" (").expect("TITLE (SOURCE)");
            let source = source.strip_suffix(')').expect("TITLE (SOURCE)").to_owned();
            let lines: Vec<_> = body.lines().map(str::to_owned).collect();
            assert!(!lines.is_empty(), "{title}");
            let why = lines.iter().find(|line| line.starts_with("not available: "));
            assert!(why.is_none() || lines.len() == 1, "{title}: {lines:?}");
            let before = sections.insert(title.to_owned(), (source, lines));
            assert!(before.is_none(), "{title} comes twice");
        }
        Snapshot { summary, sections }
    }

    #[track_caller]
    fn lines(&self, title: &str) -> &[String] {
        let titles = self.sections.keys();
        &self.sections.get(title).unwrap_or_else(|| panic!("{title} is not in {titles:?}")).1
    }
}

#[test]
fn the_machine_is_told_in_the_form_that_is_documented() {
    let bench = Bench::apart();
    let ran = bench.run(&["snapshot"]).exits(0);
    assert_eq!(ran.err, "");
    let told = Snapshot::of(&ran.out);
    let file = |path: &str| fs::read_to_string(path).expect("the kernel's file");
    assert_eq!(told.summary["kernel"], file("/proc/sys/kernel/osrelease").trim());
    assert_eq!(told.summary["host"], file("/proc/sys/kernel/hostname").trim());
    assert_eq!(told.summary["path"], "/");
    for key in ["unix time", "root", "uname", "cpus", "memory", "uptime", "filesystem"] {
        assert!(told.summary.contains_key(key), "{key} is not in {:?}", told.summary);
    }
    let memory = file("/proc/meminfo");
    let total = memory.lines().find(|line| line.starts_with("MemTotal:")).unwrap();
    assert!(told.lines("meminfo").contains(&total.to_owned()));
    assert_eq!(told.lines("kernel version"), [file("/proc/version").trim()]);
    assert!(told.lines("mount of /")[0].contains(" / / "), "{:?}", told.lines("mount of /"));
    // This test's own program is among the processes.
    let own = format!("{} ", std::process::id());
    assert!(told.lines("processes").iter().any(|line| line.starts_with(&own)));
    // What is no folder of the kernel's is not looked into.
    assert!(!ran.out.contains("Not a directory"), "{:?}", told.lines("cpu topology"));
    assert!(!bench.store().exists() && !bench.cache().exists(), "nothing else is written");
}

#[test]
fn a_path_brings_its_filesystem_and_a_path_that_is_not_there_is_refused() {
    let bench = Bench::apart();
    let folder = bench.folder("some where").canonicalize().unwrap();
    let path = folder.to_str().unwrap();
    let told = Snapshot::of(&bench.run(&["snapshot", "some where"]).exits(0).out);
    assert_eq!(told.summary["path"], path);
    let mount = format!("mount of {path}");
    assert!(told.lines(&mount)[0].contains(&told.summary["filesystem"]));
    assert!(!told.lines(&format!("space of {path}")).is_empty());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "nothing is written into it");
    let ran = bench.run(&["snapshot", "/no/such/path"]).exits(2);
    assert_eq!(ran.out, "");
    ran.complains(&["/no/such/path", "No such file"]);
}

/// On a machine of a name that says something: it stands nowhere, and the form is the same.
#[test]
fn an_anonymised_snapshot_names_neither_machine_nor_user() {
    let bench = Bench::apart();
    let named = |arguments: &[&str]| {
        let script = "exec unshare -u sh -c 'hostname zanzibar42.example.org || exit 99; \
                      exec \"$@\"' sh \"$@\"";
        bench.unshared(script, "sh", &bench.command(arguments))
    };
    let Some(open) = named(&["snapshot"]) else { return };
    let open = open.exits(0).out;
    assert_eq!(Snapshot::of(&open).summary["host"], "zanzibar42.example.org");
    let hidden = named(&["snapshot", "--anonymise"]).expect("it went before").exits(0).out;
    assert!(!hidden.contains("zanzibar42"), "{hidden}");
    let (open, told) = (Snapshot::of(&open), Snapshot::of(&hidden));
    assert!(told.summary["host"].starts_with("host-1"), "{}", told.summary["host"]);
    assert!(told.summary["uname"].starts_with("Linux host-1"), "{}", told.summary["uname"]);
    assert_eq!(told.summary.keys().collect::<Vec<_>>(), open.summary.keys().collect::<Vec<_>>());
    assert_eq!(told.sections.keys().collect::<Vec<_>>(), open.sections.keys().collect::<Vec<_>>());
    assert_eq!(told.summary["kernel"], open.summary["kernel"], "what is not personal stays");
    assert_eq!(told.lines("programs"), open.lines("programs"));
}

/// `slowpath snapshot | head -1`.
#[test]
fn a_reader_that_has_read_enough_is_no_failure() {
    let bench = Bench::apart();
    for arguments in [&["snapshot"][..], &["snapshot", "/", "--anonymise"]] {
        let mut command = bench.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let ran = Ran::from(child.wait_with_output().unwrap()).exits(0);
        assert_eq!(ran.err, "", "{arguments:?}");
    }
}

/// A trial that was observed has its place's environment in the same form.
#[test]
fn an_observed_trial_keeps_a_snapshot_of_its_place() {
    let bench = Bench::apart();
    let data = bench.folder("data");
    let on = format!("dir:{}", data.display());
    let words = ["run", "dd-sync", "--on", &on, "--set", "size=1M", "--observe", "--json", "-"];
    let trial: Value = bench.run(&words).exits(0).trials().remove(0);
    let folder = bench.store().join("trials").join(text(&trial, "id"));
    let told = Snapshot::of(&fs::read_to_string(folder.join("environment.txt")).unwrap());
    let path = &told.summary["path"];
    assert!(path.starts_with(&format!("{}/.slowpath-", data.display())), "{path}");
    assert_eq!(told.summary["kernel"], text(&trial["fingerprint"], "kernel.release"));
}
