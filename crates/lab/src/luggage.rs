//! What travels into the guest for the commands of a case: their programs with interpreters and
//! libraries, and the files that the user named.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use model::{Action, TrialSpec};

use crate::tools::{closure, find_program};

/// The most bytes that may travel: they lie in the guest's memory.
const MOST: u64 = 1 << 30;

/// The files of all commands of the trial: path in the guest → bytes.
///
/// # Errors
/// A sentence: a program or file that is not here, or too much of it.
pub(crate) fn luggage(spec: &TrialSpec) -> Result<BTreeMap<PathBuf, Vec<u8>>, String> {
    let mut files = BTreeMap::new();
    for phase in &spec.phases {
        if let Action::Command { command } = &phase.action {
            files.extend(command.first().map_or(Ok(BTreeMap::new()), |name| program(name))?);
        }
    }
    for named in &spec.include {
        include(Path::new(named), &mut files)?;
    }
    let bytes: u64 = files.values().map(|bytes| bytes.len() as u64).sum();
    if bytes > MOST {
        return Err(format!(
            "what travels along has {} MiB, more than the {} MiB that a guest takes; include less",
            bytes >> 20,
            MOST >> 20
        ));
    }
    Ok(files)
}

fn program(name: &str) -> Result<BTreeMap<PathBuf, Vec<u8>>, String> {
    let found = find_program(name).ok_or_else(|| {
        format!("the command `{name}` is no program here; install it, or name its path")
    })?;
    closure(&found).map_err(|error| format!("the command `{name}`: {error}"))
}

fn include(path: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) -> Result<(), String> {
    let unreadable = |error| format!("--include {}: {error}", path.display());
    let path = path.canonicalize().map_err(unreadable)?;
    if path.is_dir() {
        let entries = fs::read_dir(&path).map_err(unreadable)?;
        for entry in entries {
            include(&entry.map_err(unreadable)?.path(), files)?;
        }
        return Ok(());
    }
    // A program brings its libraries; anything else is just a file.
    match closure(&path) {
        Ok(program) => files.extend(program),
        Err(_) => {
            let bytes = fs::read(&path).map_err(unreadable)?;
            files.insert(path, bytes);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use model::case::Phase;
    use model::{Limits, Settings};

    use super::*;

    fn spec(command: &[&str], include: Vec<String>) -> TrialSpec {
        let command = command.iter().map(|word| (*word).to_owned()).collect();
        let action = Action::Command { command };
        TrialSpec {
            case: "mine".to_owned(),
            headline: "command".to_owned(),
            phases: vec![Phase { name: "command".to_owned(), round: None, action }],
            ffsb: None,
            include,
            settings: Settings::default(),
            place: "exact".to_owned(),
            seed: 0,
            limits: Limits::default(),
        }
    }

    #[test]
    fn a_script_travels_with_what_env_finds_and_folders_travel_whole() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("bench");
        fs::write(&script, "#!/usr/bin/env sh\ntrue\n").unwrap();
        let mut mode = fs::metadata(&script).unwrap().permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
        fs::set_permissions(&script, mode).unwrap();
        let data = folder.path().join("data/deep");
        fs::create_dir_all(&data).unwrap();
        fs::write(data.join("file"), "text").unwrap();
        let include = vec![folder.path().join("data").display().to_string()];
        let files = luggage(&spec(&[&script.display().to_string()], include)).unwrap();
        let has = |end: &str| files.keys().any(|path| path.ends_with(end));
        assert!(has("bench") && has("bin/env") && has("bin/sh") && has("deep/file"), "{files:?}");
    }

    #[test]
    fn what_is_not_here_is_named() {
        let missing = luggage(&spec(&["no-such-program"], Vec::new())).unwrap_err();
        assert!(missing.contains("`no-such-program` is no program here"), "{missing}");
        let missing = luggage(&spec(&["sh"], vec!["/no/such/file".to_owned()])).unwrap_err();
        assert!(missing.starts_with("--include /no/such/file: "), "{missing}");
    }
}
