//! Where a case comes from: built-in cases, case files, ffsb profiles, a command.

use std::fs;
use std::path::Path;

use model::case::{ROUND, Step};
use model::{Action, Case, Settings, case_file, case_of_profile, ffsb};
use slowpath::arguments::Commands;

use crate::exit::Failure;

/// The built-in cases' files, by name.
pub(crate) const BUILT_IN: [(&str, &str); 5] = [
    ("dd-sync", include_str!("../cases/dd-sync.toml")),
    ("ffsb-create-4k", include_str!("../cases/ffsb-create-4k.toml")),
    ("mke2fs-aged", include_str!("../cases/mke2fs-aged.toml")),
    ("mke2fs-fresh", include_str!("../cases/mke2fs-fresh.toml")),
    ("disk-rate", include_str!("../cases/disk-rate.toml")),
];

/// The file of a built-in case.
pub(crate) fn built_in(name: &str) -> Option<&'static str> {
    BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// The case that is named, or that a command makes, with what it may do and bring.
///
/// # Errors
/// There is none, it cannot be read, or it runs commands that nobody allowed.
pub(crate) fn wanted(name: Option<&str>, commands: &Commands) -> Result<Case, Failure> {
    let mut case = match (name, commands.command.as_slice()) {
        (Some(name), []) => find(name)?,
        (None, command @ [_, ..]) => of_command(command),
        (Some(name), _) => {
            return Err(Failure::usage(format!(
                "`{name}` is a case, and behind -- stands a command; leave one of them out"
            )));
        }
        (None, []) => return Err(Failure::usage("name a case, or a command behind --")),
    };
    let own = !commands.command.is_empty();
    allowed(&case, own || commands.allow_command)?;
    for path in &commands.include {
        case.include.push(named(path)?);
    }
    with_whole_programs(&mut case)?;
    Ok(case)
}

/// The case, judged by another phase where one is named.
pub(crate) fn judged_by(case: Case, headline: Option<&str>) -> Result<Case, Failure> {
    let Some(headline) = headline else { return Ok(case) };
    let names = case.headlines();
    if !names.contains(&headline) {
        return Err(Failure::usage(format!(
            "the case {} has no phase `{headline}`; there are {}",
            case.name,
            names.join(", ")
        )));
    }
    Ok(Case { headline: headline.to_owned(), ..case })
}

/// Refuses commands that came with a file, unless the user allowed them.
pub(crate) fn allowed(case: &Case, allowed: bool) -> Result<(), Failure> {
    let commands = case.commands();
    match commands.first() {
        Some(command) if !allowed => Err(Failure::usage(format!(
            "the case {} runs a command: {command}\nRead it, and allow it with {}",
            case.name,
            if case.ffsb.is_some() { "--allow-callout" } else { "--allow-command" },
        ))),
        _ => Ok(()),
    }
}

/// Programs that are named by a path, by their whole paths: they run in another folder.
fn with_whole_programs(case: &mut Case) -> Result<(), Failure> {
    let steps = case.before.iter_mut().chain(&mut case.round).chain(&mut case.after);
    for step in steps {
        if let Action::Command { command } = &mut step.action
            && let Some(program) = command.first_mut().filter(|program| program.contains('/'))
        {
            *program = whole(Path::new(program.as_str()))?;
        }
    }
    Ok(())
}

/// A path from the root as it is named: links in it stay, for commands know it by that name.
fn named(path: &Path) -> Result<String, Failure> {
    whole(path)?;
    let absolute = std::path::absolute(path).map_err(Failure::usage)?;
    absolute.to_str().map(str::to_owned).ok_or_else(|| {
        Failure::usage(format!("{} cannot be used: its path is no UTF-8", path.display()))
    })
}

fn whole(path: &Path) -> Result<String, Failure> {
    let cannot = |why: String| Failure::usage(format!("{} cannot be used: {why}", path.display()));
    let whole = path.canonicalize().map_err(|error| cannot(error.to_string()))?;
    whole.to_str().map(str::to_owned).ok_or_else(|| cannot("its path is no UTF-8".to_owned()))
}

/// The case of a command: on fresh filesystems, with a sync behind it.
fn of_command(command: &[String]) -> Case {
    let step = |name: &str, action| Step { name: name.to_owned(), action };
    let name = shortened(&command.join(" "));
    let command = step("command", Action::Command { command: command.to_vec() });
    Case {
        name,
        about: "a command of the user's".to_owned(),
        // A command may leave to the sync what it did not wait for.
        headline: ROUND.to_owned(),
        settings: Settings::default(),
        before: vec![step("mkfs", Action::Mkfs), step("mount", Action::Mount)],
        round: vec![command, step("sync", Action::Sync)],
        after: vec![step("umount", Action::Umount)],
        ffsb: None,
        include: Vec::new(),
    }
}

/// A command as the name of a case: one line, not too long.
fn shortened(command: &str) -> String {
    const LONGEST: usize = 60;
    let line = command.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

/// Finds a case by its name or reads it from a file.
pub(crate) fn find(name: &str) -> Result<Case, Failure> {
    match built_in(name) {
        Some(text) => parse(name, text),
        None => parse(name, &text(name)?),
    }
}

/// The text of a case file, profile or recipe.
pub(crate) fn text(name: &str) -> Result<String, Failure> {
    let looks_like_a_file = name.contains(['/', '.']) || Path::new(name).exists();
    if !looks_like_a_file {
        let names: Vec<_> = BUILT_IN.iter().map(|(name, _)| *name).collect();
        return Err(Failure::usage(format!(
            "there is no case `{name}`; built in are {}; or name a case file (TOML) or an ffsb profile",
            names.join(", ")
        )));
    }
    fs::read_to_string(name)
        .map_err(|error| Failure::usage(format!("the case file {name} cannot be read: {error}")))
}

fn parse(name: &str, text: &str) -> Result<Case, Failure> {
    let wrong = |error: String| Failure::usage(format!("{name}: {error}"));
    let extension = Path::new(name).extension();
    if extension.is_some_and(|extension| extension == "ffsb") || ffsb::looks_like_one(text) {
        let profile = ffsb::parse(text).map_err(|error| wrong(error.to_string()))?;
        let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
        return Ok(case_of_profile(&stem, profile));
    }
    case_file::parse(text).map_err(|error| wrong(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(command: &[&str], allow_command: bool) -> Commands {
        let command = command.iter().map(|word| (*word).to_owned()).collect();
        Commands { command, include: Vec::new(), allow_command }
    }

    #[test]
    fn every_built_in_case_can_be_read_and_bears_its_name() {
        for (name, text) in BUILT_IN {
            assert_eq!(case_file::parse(text).unwrap().name, name);
        }
    }

    #[test]
    fn a_command_is_a_case_and_its_program_is_named_wholly() {
        let case = wanted(None, &commands(&["/bin/../bin/sh", "-c", "true"], false)).unwrap();
        let program = case.commands()[0].split(' ').next().unwrap().to_owned();
        assert!(Path::new(&program).is_absolute() && !program.contains(".."), "{program}");
        assert!(wanted(Some("dd-sync"), &commands(&["true"], false)).is_err());
        assert!(wanted(None, &commands(&[], false)).is_err());
    }

    #[test]
    fn a_file_s_commands_run_only_if_they_are_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mine.toml");
        let text = "format = 1\nname = \"mine\"\nheadline = \"run\"\n\
                    [[round]]\nname = \"run\"\ndo = \"command\"\ncommand = [\"rm\", \"x\"]\n";
        fs::write(&file, text).unwrap();
        let name = file.display().to_string();
        let refused = wanted(Some(&name), &commands(&[], false)).unwrap_err().message;
        assert!(refused.contains("rm x") && refused.contains("--allow-command"), "{refused}");
        assert!(wanted(Some(&name), &commands(&[], true)).is_ok());
    }
}
