//! `bisection::git_bisect_log`, replayed by git itself.

use std::fs;
use std::path::Path;
use std::process::Command;

use model::{Bisection, Change, Hunt};
use report::bisection;

use crate::{bisected, written};

/// What git says, in a folder; its own settings and those of the user are left out.
fn git(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let output = Command::new("git")
        .args(["-c", "user.name=D. Author", "-c", "user.email=author@example.org"])
        .args(["-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("LC_ALL", "C")
        .output()
        .expect("git can be run");
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&text).into_owned())
}

fn must(folder: &Path, arguments: &[&str]) -> String {
    let (good, text) = git(folder, arguments);
    assert!(good, "git {arguments:?}: {text}");
    text
}

/// A repository with the history of a hunt; the names of its good end and its candidates.
fn repository(folder: &Path, hunt: &Hunt) -> Vec<String> {
    must(folder, &["init", "-q"]);
    let file = folder.join(".git").join("stream");
    fs::write(&file, stream(hunt)).expect("a file");
    let import = Command::new("git")
        .args(["fast-import", "--quiet"])
        .current_dir(folder)
        .stdin(fs::File::open(&file).expect("a file"))
        .status();
    assert!(import.expect("git can be run").success());
    must(folder, &["checkout", "-q", "main"]);
    let log = must(folder, &["log", "--format=%s %H"]);
    let name = |at: usize| {
        let lines = log.lines().filter_map(|line| line.split_once(' '));
        lines
            .filter(|(subject, _)| *subject == at.to_string())
            .map(|(_, name)| name.to_owned())
            .next()
    };
    (0..=hunt.candidates.len()).map(|at| name(at).expect("the commit is there")).collect()
}

/// The history as `git fast-import` takes it. Subjects are numbers: 0 is the good end, 1 the first candidate.
fn stream(hunt: &Hunt) -> String {
    let mut stream = commit(0, &[]);
    for (at, candidate) in hunt.candidates.iter().enumerate() {
        let parents: Vec<usize> = candidate.parents.iter().map(|parent| parent + 1).collect();
        stream += &commit(at + 1, if parents.is_empty() { &[0] } else { &parents });
    }
    stream
}

fn commit(at: usize, parents: &[usize]) -> String {
    let (text, when) = (at.to_string(), 1_769_869_501 + at);
    let mut lines = format!(
        "commit refs/heads/main\nmark :{}\ncommitter D. Author <author@example.org> {when} +0200\n\
         data {}\n{text}\n",
        at + 1,
        text.len()
    );
    for (nth, parent) in parents.iter().enumerate() {
        let word = if nth == 0 { "from" } else { "merge" };
        lines += &format!("{word} :{}\n", parent + 1);
    }
    lines + &format!("M 100644 inline file\ndata {}\n{text}\n\n", text.len())
}

/// The bisection with the commits of a repository.
fn in_repository(mut found: Bisection, names: &[String]) -> Bisection {
    let named = |change: &mut Change, at: usize| change.name.clone_from(&names[at]);
    named(&mut found.hunt.good, 0);
    for (at, candidate) in found.hunt.candidates.iter_mut().enumerate() {
        named(&mut candidate.change, at + 1);
    }
    found
}

fn log(found: &Bisection) -> String {
    let mut there = None;
    let text = written(|out| {
        there = Some(bisection::git_bisect_log(out, found)?);
        Ok(())
    });
    assert_eq!(there, Some(true));
    text
}

/// What git says at the end of the replay, and the log that it makes of it.
fn replayed(found: Bisection) -> (String, String, Vec<String>) {
    let root = tempfile::tempdir().expect("a folder");
    let folder = root.path().join("repository");
    fs::create_dir(&folder).expect("a folder");
    let names = repository(&folder, &found.hunt);
    let found = in_repository(found, &names);
    let file = root.path().join("bisect.log");
    fs::write(&file, log(&found)).expect("a file");
    let (_, said) = git(&folder, &["bisect", "replay", file.to_str().expect("a plain path")]);
    (said, must(&folder, &["bisect", "log"]), names)
}

#[test]
fn replay_ends_at_the_culprit() {
    let (said, log, names) = replayed(bisected::culprit());
    let culprit = &names[bisected::CULPRIT + 1];
    assert!(said.contains(&format!("{culprit} is the first bad commit")), "{said}");
    assert!(log.contains(&format!("# first bad commit: [{culprit}]")), "{log}");
}

#[test]
fn replay_ends_at_the_larger_of_two() {
    let (said, _, names) = replayed(bisected::two_steps());
    let culprit = &names[bisected::CULPRIT + 1];
    assert!(said.contains(&format!("{culprit} is the first bad commit")), "{said}");
}

#[test]
fn replay_ends_at_the_range() {
    let (said, log, names) = replayed(bisected::range());
    assert!(said.contains("There are only 'skip'ped commits left to test."), "{said}");
    for suspect in &names[21..=23] {
        assert!(said.contains(suspect) && log.contains(&format!("[{suspect}]")), "{said}\n{log}");
    }
}

#[test]
fn replay_of_an_unfinished_search_goes_on() {
    let (said, log, _) = replayed(bisected::unfinished());
    assert!(said.contains("Bisecting: "), "{said}");
    assert_eq!(log.matches("\ngit bisect ").count(), 5, "{log}");
}

#[test]
fn replay_where_only_a_path_was_searched() {
    let mut found = bisected::culprit();
    found.hunt.paths = vec!["file".to_owned()];
    let (said, log, names) = replayed(found);
    let culprit = &names[bisected::CULPRIT + 1];
    assert!(said.contains(&format!("{culprit} is the first bad commit")), "{said}");
    assert!(log.contains("git bisect start '--' 'file'"), "{log}");
}

#[test]
fn replay_finds_a_culprit_on_a_side_branch() {
    let (said, _, names) = replayed(bisected::side_branch());
    assert!(said.contains(&format!("{} is the first bad commit", names[4])), "{said}");
}

#[test]
fn a_log() {
    insta::assert_snapshot!(log(&bisected::culprit()));
}

#[test]
fn what_is_not_proved_is_said() {
    let text = log(&bisected::not_proved());
    let end = "git bisect bad 5adc761309410000000000000000000000000017\n# not proved: it was not seen to be \
               worse than what it stands on\n# first bad commit: [5adc76130941";
    assert!(text.contains(end), "{text}");
}

#[test]
fn what_is_no_search_of_commits_has_none() {
    let none = [
        bisected::packages(),
        bisected::settings_list(),
        bisected::broken_end(),
        bisected::no_difference(bisected::SAME),
    ];
    for found in none {
        let mut out = Vec::new();
        assert!(!bisection::git_bisect_log(&mut out, &found).unwrap());
        assert!(out.is_empty());
    }
}
