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
            files.extend(programs(command)?);
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

/// A command's program, and those that a shell's script names.
fn programs(command: &[String]) -> Result<BTreeMap<PathBuf, Vec<u8>>, String> {
    let Some(name) = command.first() else { return Ok(BTreeMap::new()) };
    let found = find_program(name).ok_or_else(|| {
        format!("the command `{name}` is no program here; install it, or name its path")
    })?;
    let mut files = closure(&found).map_err(|error| format!("the command `{name}`: {error}"))?;
    let is_shell = SHELLS.iter().any(|shell| found.ends_with(shell));
    if let (true, [_, flag, script, ..]) = (is_shell, command)
        && flag == "-c"
    {
        // A word that only looks like a program does no harm.
        let named = words(script).filter_map(find_program);
        named.filter_map(|program| closure(&program).ok()).for_each(|more| files.extend(more));
    }
    Ok(files)
}

const SHELLS: [&str; 4] = ["sh", "bash", "dash", "zsh"];

/// The words of a script that could name programs.
fn words(script: &str) -> impl Iterator<Item = &str> {
    let outside = |c: char| !(c.is_ascii_alphanumeric() || "_-+./".contains(c));
    script.split(outside).filter(|word| !word.is_empty() && !word.ends_with('/'))
}

/// What the kernel's own filesystems would cover in the guest.
const COVERED: [&str; 3] = ["/dev", "/proc", "/sys"];

fn include(path: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) -> Result<(), String> {
    let unreadable = |error| format!("--include {}: {error}", path.display());
    if let Some(covered) = COVERED.iter().find(|covered| path.starts_with(covered)) {
        return Err(format!(
            "--include {}: {covered} is the guest's own there; copy it elsewhere first",
            path.display()
        ));
    }
    if fs::metadata(path).map_err(unreadable)?.is_dir() {
        let entries = fs::read_dir(path).map_err(unreadable)?;
        for entry in entries {
            let entry = entry.map_err(unreadable)?;
            // A link to a folder may lead in a circle, and one may lead nowhere.
            let link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            if !link || fs::metadata(entry.path()).is_ok_and(|target| target.is_file()) {
                include(&entry.path(), files)?;
            }
        }
        return Ok(());
    }
    files.insert(path.to_owned(), fs::read(path).map_err(unreadable)?);
    // A program brings its libraries; anything else is just a file.
    if let Ok(program) = closure(path) {
        files.extend(program);
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
    fn the_programs_that_a_shell_s_script_names_travel_along() {
        let script = "for i in 1 2; do cp /bin/sh $i; done; (ls)>x && no-such-thing";
        let files = luggage(&spec(&["sh", "-c", script], Vec::new())).unwrap();
        for name in ["sh", "cp", "ls"] {
            assert!(files.keys().any(|path| path.ends_with(Path::new("bin").join(name))), "{name}");
        }
        let plain = luggage(&spec(&["env", "-c", "cp"], Vec::new())).unwrap();
        assert!(!plain.keys().any(|path| path.ends_with("bin/cp")));
    }

    #[test]
    fn a_link_travels_under_its_own_name() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), "text").unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(folder.path().join("file"), &link).unwrap();
        std::os::unix::fs::symlink(folder.path(), folder.path().join("circle")).unwrap();
        let files = luggage(&spec(&["sh"], vec![folder.path().display().to_string()])).unwrap();
        assert_eq!(files[&link], b"text");
        assert!(luggage(&spec(&["sh"], vec!["/proc/version".to_owned()])).is_err());
    }

    #[test]
    fn what_is_not_here_is_named() {
        let missing = luggage(&spec(&["no-such-program"], Vec::new())).unwrap_err();
        assert!(missing.contains("`no-such-program` is no program here"), "{missing}");
        let missing = luggage(&spec(&["sh"], vec!["/no/such/file".to_owned()])).unwrap_err();
        assert!(missing.starts_with("--include /no/such/file: "), "{missing}");
    }
}
