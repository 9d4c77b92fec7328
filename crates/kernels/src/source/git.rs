//! Runs git: in English, without hooks, prompts or whatever the environment tells it.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::fs::statvfs;

use super::child::{self, Ended, Stop};
use super::error::SourceError;

/// What holds for every call. Neither a hook nor a file monitor is started, and nothing is tidied up.
const SETTINGS: [&str; 4] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "gc.auto=0",
    "i18n.logOutputEncoding=UTF-8",
];

/// The environment of every call. It writes no refreshed index, and fetches nothing for a partial clone.
const ENVIRONMENT: [(&str, &str); 5] = [
    ("LC_ALL", "C"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
];

/// Where less than this is free, in bytes, a write that failed without a reason failed for want of room.
const FULL: u64 = 1 << 20;

/// Who answers for a call that is not for stopping.
pub(super) const NEVER: Stop<'static> = &|| false;

/// git, in one place.
#[derive(Clone)]
pub(super) struct Git<'a> {
    folder: PathBuf,
    options: Vec<OsString>,
    environment: Vec<(&'static str, OsString)>,
    ours: bool,
    stop: Stop<'a>,
}

impl<'a> Git<'a> {
    /// git in a folder of the user's, with the user's configuration.
    pub(super) fn in_folder(folder: &Path, stop: Stop<'a>) -> Git<'a> {
        let (options, environment) = (Vec::new(), Vec::new());
        Git { folder: folder.to_owned(), options, environment, ours: false, stop }
    }

    /// git in a folder of ours, with no configuration but ours.
    pub(super) fn in_own_folder(folder: &Path, stop: Stop<'a>) -> Git<'a> {
        let settings = [
            "user.name=slowpath",
            "user.email=slowpath@localhost",
            "core.attributesFile=/dev/null",
            "core.excludesFile=/dev/null",
        ];
        let git = Git { ours: true, ..Git::in_folder(folder, stop) };
        settings
            .iter()
            .fold(git, |git, setting| git.option("-c").option(setting))
            .environment("GIT_CONFIG_NOSYSTEM", "1")
            .environment("GIT_CONFIG_GLOBAL", "/dev/null")
            .environment("GIT_ATTR_NOSYSTEM", "1")
    }

    /// With an option that stands before the command.
    pub(super) fn option(mut self, option: impl Into<OsString>) -> Git<'a> {
        self.options.push(option.into());
        self
    }

    /// With a variable in its environment.
    pub(super) fn environment(mut self, name: &'static str, value: impl Into<OsString>) -> Git<'a> {
        self.environment.push((name, value.into()));
        self
    }

    /// What it prints, where it must end well.
    ///
    /// # Errors
    /// [`Git::run`]'s, and whatever git says.
    pub(super) fn ask(&self, arguments: &[&str]) -> Result<Vec<u8>, SourceError> {
        self.ask_with(arguments, &[])
    }

    /// As [`Git::ask`], with something on its standard input.
    pub(super) fn ask_with(
        &self,
        arguments: &[&str],
        input: &[u8],
    ) -> Result<Vec<u8>, SourceError> {
        let ended = self.run(arguments, input)?;
        match ended.status.success() {
            true => Ok(ended.stdout),
            false => Err(self.failure(arguments, &ended)),
        }
    }

    /// As [`Git::ask`], as text without the line's end.
    pub(super) fn ask_line(&self, arguments: &[&str]) -> Result<String, SourceError> {
        Ok(String::from_utf8_lossy(&self.ask(arguments)?).trim_end_matches('\n').to_owned())
    }

    /// Runs it to its end.
    ///
    /// # Errors
    /// It is not there, cannot be run, or was stopped. That it failed is no error here.
    pub(super) fn run(&self, arguments: &[&str], input: &[u8]) -> Result<Ended, SourceError> {
        let mut command = self.command(arguments);
        child::run(&mut command, input, self.stop, None).map_err(|reason| match reason.kind() {
            ErrorKind::NotFound => SourceError::NoGit,
            ErrorKind::Interrupted => SourceError::Stopped,
            _ => SourceError::Io { action: "run", path: PathBuf::from("git"), reason },
        })
    }

    /// What became of a call that did not end well.
    pub(super) fn failure(&self, arguments: &[&str], ended: &Ended) -> SourceError {
        let why = why(ended);
        if self.ours && (says_full(&ended.stderr) || is_full(&self.folder)) {
            return SourceError::NoSpace { folder: self.folder.clone(), why };
        }
        let command = arguments.first().copied().unwrap_or_default().to_owned();
        SourceError::Git { command, folder: self.folder.clone(), why }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        for (name, _) in env::vars_os().filter(|(name, _)| leads_git(name)) {
            command.env_remove(name);
        }
        command.envs(ENVIRONMENT).envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.arg("-C").arg(&self.folder);
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        command.args(&self.options).args(arguments);
        command
    }
}

/// Whether a variable of the environment tells git what to do: where the repository is, whom to ask.
fn leads_git(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b"GIT_")
}

/// What git said at last, in one line: without its hints, else how it ended.
fn why(ended: &Ended) -> String {
    let said: Vec<&str> = complaints(&ended.stderr).collect();
    match said.len() {
        0 => format!("it ended with {}", ended.status),
        lines => said[lines.saturating_sub(6)..].join(" "),
    }
}

/// The lines of git's complaints, without marks and hints.
pub(super) fn complaints(stderr: &str) -> impl Iterator<Item = &str> {
    let lines = stderr.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with("hint:")).map(|line| {
        let marks = ["fatal: ", "error: "];
        marks.iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line)
    })
}

fn says_full(stderr: &str) -> bool {
    ["No space left on device", "Disk quota exceeded"].iter().any(|words| stderr.contains(words))
}

/// git does not say why it could not write its index.
fn is_full(folder: &Path) -> bool {
    statvfs(folder).is_ok_and(|room| room.f_bavail.saturating_mul(room.f_frsize) < FULL)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::*;

    fn failure(stderr: &str) -> SourceError {
        let ended =
            Ended { status: ExitStatus::from_raw(256), stdout: vec![], stderr: stderr.to_owned() };
        Git::in_own_folder(Path::new("/"), NEVER).failure(&["read-tree", "x"], &ended)
    }

    #[test]
    fn what_git_says_is_passed_on() {
        let owner = "fatal: detected dubious ownership in repository at '/a'\n\
            To add an exception for this directory, call:\n\n\
            \tgit config --global --add safe.directory /a\n";
        let table = [
            (
                owner,
                "git read-tree failed in /: detected dubious ownership in repository at '/a' To add \
                 an exception for this directory, call: git config --global --add safe.directory /a",
            ),
            ("hint: do this\n", "git read-tree failed in /: it ended with exit status: 1"),
        ];
        for (stderr, expected) in table {
            assert_eq!(failure(stderr).to_string(), expected);
        }
    }

    #[test]
    fn a_full_disk_is_told_from_other_failures() {
        let full = "error: unable to write file a: No space left on device\nfatal: cannot\n";
        assert!(matches!(failure(full), SourceError::NoSpace { .. }));
        assert!(matches!(failure("fatal: bad object\n"), SourceError::Git { .. }));
    }

    #[test]
    fn the_environment_cannot_lead_it_elsewhere() {
        for (name, leads) in [("GIT_DIR", true), ("GIT_CONFIG_COUNT", true), ("HOME", false)] {
            assert_eq!(leads_git(OsStr::new(name)), leads, "{name}");
        }
        let command = Git::in_own_folder(Path::new("/a"), NEVER).command(&["status"]);
        let set = |name: &str| command.get_envs().any(|(key, to)| key == name && to.is_some());
        assert!(set("LC_ALL") && set("GIT_CONFIG_GLOBAL"));
        let arguments: Vec<_> = command.get_args().collect();
        assert_eq!(arguments[..2], ["-C", "/a"]);
        assert_eq!(arguments.last().unwrap(), &"status");
    }
}
