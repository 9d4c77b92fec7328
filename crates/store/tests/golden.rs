//! The archive's files as format 1 has them: every one of these must be readable for good, and what
//! it holds must still be written. A later version may add fields and settings; `UPDATE_GOLDEN=1`
//! writes the files that are not there.

use std::fs;
use std::path::{Path, PathBuf};

use model::Trial;
use serde_json::Value;
use store::Archive;

mod example;

const ID: &str = "20260131-142501-3fa9";
const SET: &str = "20260131-142455-80aa00";

fn golden(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(file)
}

/// What was written has all that the golden file holds.
fn written(written: &Path, file: &str) {
    let golden = golden(file);
    if std::env::var_os("UPDATE_GOLDEN").is_some() && !golden.exists() {
        fs::copy(written, &golden).expect("a copy");
    }
    let read = |path: &Path| -> Value {
        serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON")
    };
    lacks(&read(&golden), &read(written), file);
}

/// Fails at the first value of `golden` that `written` has not.
fn lacks(golden: &Value, written: &Value, at: &str) {
    match (golden, written) {
        (Value::Object(golden), Value::Object(written)) => {
            for (key, value) in golden {
                let there = written.get(key).unwrap_or_else(|| panic!("{at} lacks {key}"));
                lacks(value, there, &format!("{at} {key}"));
            }
        }
        (Value::Array(golden), Value::Array(written)) => {
            assert_eq!(golden.len(), written.len(), "{at}");
            for (n, (value, there)) in golden.iter().zip(written).enumerate() {
                lacks(value, there, &format!("{at} {n}"));
            }
        }
        _ => assert_eq!(golden, written, "{at}"),
    }
}

/// The trial is written as the golden file has it, and the golden file is read as the trial.
fn check(file: &str, trial: &Trial) {
    let root = tempfile::tempdir().expect("a folder");
    let archive = Archive::open(root.path()).expect("the archive opens");
    let path = archive.add(trial, &[]).expect("the trial is kept").join("trial.json");
    written(&path, file);
    fs::copy(golden(file), path).expect("a copy");
    assert_eq!(&archive.find(ID).expect("a trial"), trial, "{file}: what is read");
}

#[test]
fn a_measured_trial() {
    check("trial-1-measured.json", &example::trial(ID));
}

#[test]
fn a_broken_trial() {
    check("trial-1-broken.json", &example::broken(ID));
}

#[test]
fn a_trial_of_a_set() {
    let trial = Trial { set: SET.to_owned(), ..example::trial(ID) };
    check("trial-1-in-a-set.json", &trial);
}

#[test]
fn a_question() {
    let root = tempfile::tempdir().unwrap();
    let archive = Archive::open(root.path()).unwrap();
    let begun = archive.begin(&example::question(), SET).unwrap();
    let folder = root.path().join("comparisons").join(SET);
    written(&folder.join("question.json"), "question-1.json");
    drop(begun);
    fs::copy(golden("question-1.json"), folder.join("question.json")).unwrap();
    assert_eq!(archive.begin(&example::question(), ID).unwrap().id, SET, "what is read");
}

#[test]
fn a_comparison() {
    let root = tempfile::tempdir().unwrap();
    let archive = Archive::open(root.path()).unwrap();
    let folder = archive.finish(&example::comparison(SET)).unwrap();
    written(&folder.join("comparison.json"), "comparison-1.json");
    fs::copy(golden("comparison-1.json"), folder.join("comparison.json")).unwrap();
    assert_eq!(archive.comparison(SET).unwrap(), Some(example::comparison(SET)), "what is read");
}

#[test]
fn a_hunt() {
    let root = tempfile::tempdir().unwrap();
    let archive = Archive::open(root.path()).unwrap();
    let begun = archive.begin_bisection(&example::hunt(3), SET).unwrap();
    let folder = root.path().join("bisections").join(SET);
    written(&folder.join("hunt.json"), "hunt-1.json");
    drop(begun);
    fs::copy(golden("hunt-1.json"), folder.join("hunt.json")).unwrap();
    assert_eq!(archive.begin_bisection(&example::hunt(3), ID).unwrap().id, SET, "what is read");
}

#[test]
fn a_bisection() {
    let root = tempfile::tempdir().unwrap();
    let archive = Archive::open(root.path()).unwrap();
    let folder = archive.finish_bisection(&example::bisection(SET)).unwrap();
    written(&folder.join("bisection.json"), "bisection-1.json");
    fs::copy(golden("bisection-1.json"), folder.join("bisection.json")).unwrap();
    assert_eq!(archive.bisection(SET).unwrap(), Some(example::bisection(SET)), "what is read");
}
