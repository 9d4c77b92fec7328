//! `trial.json` as format 1 has it: these files must be readable for good. `UPDATE_GOLDEN=1`
//! writes them anew, which is right only together with a new format number.

use std::fs;
use std::io;
use std::path::Path;

use model::Trial;
use store::Archive;

mod example;

const ID: &str = "20260131-142501-3fa9";

fn check(file: &str, trial: &Trial) -> io::Result<()> {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(file);
    let root = tempfile::tempdir()?;
    let archive = Archive::open(root.path()).map_err(io::Error::other)?;
    let folder = archive.add(trial, &[]).map_err(io::Error::other)?;
    let written = folder.join("trial.json");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::copy(&written, &golden)?;
    }
    let expected = fs::read_to_string(&golden)?;
    assert_eq!(fs::read_to_string(&written)?, expected, "{file}: what is written");
    fs::write(&written, expected)?;
    let read = archive.find(ID).map_err(io::Error::other)?;
    assert_eq!(&read, trial, "{file}: what is read");
    Ok(())
}

#[test]
fn a_measured_trial() {
    check("trial-1-measured.json", &example::trial(ID)).unwrap();
}

#[test]
fn a_broken_trial() {
    check("trial-1-broken.json", &example::broken(ID)).unwrap();
}
