//! What killed trials left in a directory.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::MetadataExt;

use rustix::process::geteuid;

use super::fresh::{Fresh, PREFIX, RANDOM};
use super::ground::Ground;
use super::notes;

/// Removes the folders of trials that were killed, and returns a sentence on each that stays.
///
/// A folder of ours that is of another boot is removed where only this machine writes; elsewhere
/// another machine's trial may run in it.
pub(crate) fn sweep(ground: &Ground) -> Vec<String> {
    let local = ground.filesystem().is_some_and(notes::is_of_this_machine);
    let leftovers = names(ground).into_iter().filter_map(|name| Fresh::adopt(ground, &name));
    leftovers.filter_map(|leftover| remove(leftover, local)).collect()
}

fn remove(leftover: Fresh, local: bool) -> Option<String> {
    let path = leftover.path().display().to_string();
    if !local && !leftover.is_of_this_boot() {
        return Some(format!(
            "{path} is left of a trial of another machine, or of this one before it was started \
             anew; remove it where no slowpath runs in that directory"
        ));
    }
    let error = leftover.remove().err()?;
    Some(format!("{path}, left by a trial that was killed, cannot be removed: {error}"))
}

/// Our own folders of that name. What cannot be read holds nothing of ours.
fn names(ground: &Ground) -> Vec<OsString> {
    let Ok(entries) = fs::read_dir(&ground.path) else { return Vec::new() };
    let user = geteuid().as_raw();
    let ours = entries.flatten().filter(|entry| {
        let is_own = |data: fs::Metadata| data.is_dir() && data.uid() == user;
        is_name(&entry.file_name()) && entry.metadata().is_ok_and(is_own)
    });
    ours.map(|entry| entry.file_name()).collect()
}

fn is_name(name: &OsStr) -> bool {
    let random = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
    random.is_some_and(|r| r.len() == RANDOM && r.bytes().all(|b| b.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::super::marker;
    use super::*;
    use crate::dir::marker::Contents;

    fn ground(folder: &tempfile::TempDir) -> Ground {
        Ground::open(folder.path(), Path::new("/")).unwrap()
    }

    /// A folder as a killed trial leaves it: with a file in it and nobody's lock.
    fn leftover(parent: &tempfile::TempDir) -> PathBuf {
        let fresh = Fresh::make(
            &ground(parent),
            1,
            &Contents { files: vec!["file".to_owned()], whole: false },
        )
        .unwrap();
        fs::write(fresh.path().join("d0/file"), "x").unwrap();
        fresh.abandon()
    }

    #[test]
    fn where_another_machine_may_write_only_this_boots_leftovers_go() {
        let parent = tempfile::tempdir().unwrap();
        let adopt = |path: &Path| Fresh::adopt(&ground(&parent), path.file_name().unwrap());
        let (own, other) = (leftover(&parent), leftover(&parent));
        let file = other.join(marker::NAME);
        let mut text: serde_json::Value =
            serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        text["boot"] = "another".into();
        fs::write(&file, text.to_string()).unwrap();
        assert_eq!(remove(adopt(&own).unwrap(), false), None);
        let said = remove(adopt(&other).unwrap(), false).unwrap();
        assert!(said.contains(&other.display().to_string()), "{said}");
        assert!(!own.exists() && other.join("d0/file").exists());
        assert_eq!(remove(adopt(&other).unwrap(), true), None);
        assert!(!other.exists());
    }

    #[test]
    fn leftovers_go_and_all_else_stays() {
        let parent = tempfile::tempdir().unwrap();
        let at = |name: &str| parent.path().join(name);
        let left = leftover(&parent);
        let running = Fresh::make(&ground(&parent), 1, &Contents::default()).unwrap();
        fs::write(at("letter"), "").unwrap();
        fs::write(at(".slowpath-abcdef"), "").unwrap();
        fs::create_dir(at(".slowpath-ABCDEF")).unwrap();
        fs::create_dir(at(".slowpath-longer7")).unwrap();
        assert_eq!(sweep(&ground(&parent)), [""; 0]);
        assert!(!left.exists());
        assert!(running.path().exists());
        for name in ["letter", ".slowpath-abcdef", ".slowpath-ABCDEF", ".slowpath-longer7"] {
            assert!(at(name).exists(), "{name}");
        }
    }
}
