//! What git knows of a commit, and whom the kernel's own script names for it.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use model::CommitFacts;

use super::child;
use super::error::SourceError;
use super::git::NEVER;
use super::repository::Repository;

/// How long the script may take. It takes less than a second.
const LIMIT: Duration = Duration::from_secs(30);

/// What a commit differs from.
enum Base {
    Parent(String),
    Nothing,
    /// It has a parent, but this clone does not.
    Missing,
}

impl Repository {
    /// What is known of a commit; `maintainers` is empty, [`maintainers`] asks for them. A renamed file stands
    /// there under both names. `files` is empty where a shallow clone does not hold the parent.
    ///
    /// # Errors
    /// [`SourceError::UnknownRevision`], or git's own.
    pub fn facts(&self, commit: &str) -> Result<CommitFacts, SourceError> {
        let commit = self.resolve(commit)?;
        let format = "--format=tformat:.%an <%ae>%n.%aI";
        let said = self.git.ask(&["rev-list", "-1", format, &commit.id, "--"])?;
        let said = String::from_utf8_lossy(&said).into_owned();
        let mut lines = said.lines().filter_map(|line| line.strip_prefix('.')).map(str::to_owned);
        let (author, date) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
        let names = self.difference(&commit.id, &["-r", "-z", "--name-only"])?;
        let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let files = names.map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        let maintainers = Vec::new();
        Ok(CommitFacts { id: commit.id, subject: commit.subject, author, date, files, maintainers })
    }

    /// How a commit differs from its first parent, as `git diff-tree` says it with these options.
    fn difference(&self, id: &str, options: &[&str]) -> Result<Vec<u8>, SourceError> {
        let base = self.base(id)?;
        let plain = ["diff-tree", "--no-renames", "--no-ext-diff", "--no-textconv"];
        let between = match &base {
            Base::Parent(parent) => vec![parent.as_str(), id],
            Base::Nothing => vec!["--no-commit-id", "--root", id],
            Base::Missing => return Ok(Vec::new()),
        };
        self.git.ask(&[&plain, options, &between].concat())
    }

    fn base(&self, id: &str) -> Result<Base, SourceError> {
        if let Ok(parent) = self.object(id, "^1^{commit}") {
            return Ok(Base::Parent(parent));
        }
        let text = self.git.ask(&["cat-file", "commit", id])?;
        let mut head = text.split(|byte| *byte == b'\n').take_while(|line| !line.is_empty());
        match head.any(|line| line.starts_with(b"parent ")) {
            true => Ok(Base::Missing),
            false => Ok(Base::Nothing),
        }
    }
}

/// Whom `scripts/get_maintainer.pl` of the kernel source `tree` names for a commit, a line each, as it
/// prints them: `Name <address> (maintainer:EXT4 FILE SYSTEM)`. Empty where it could not be asked, or
/// took longer than 30 s. It reads the tree's `MAINTAINERS` alone, not the history.
#[must_use]
pub fn maintainers(tree: &Path, repository: &Repository, commit: &str) -> Vec<String> {
    let script = "scripts/get_maintainer.pl";
    let patch = repository.resolve(commit).and_then(|it| repository.difference(&it.id, &["-p"]));
    let Some(patch) = patch.ok().filter(|_| tree.join(script).is_file()) else {
        return Vec::new();
    };
    let mut perl = Command::new("perl");
    perl.args([script, "--no-git", "--no-git-fallback"]).current_dir(tree).env("LC_ALL", "C");
    let ended = child::run(&mut perl, &patch, NEVER, Some(LIMIT)).ok();
    let said = ended.filter(|ended| ended.status.success()).map(|ended| ended.stdout);
    let said = String::from_utf8_lossy(&said.unwrap_or_default()).into_owned();
    said.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}
