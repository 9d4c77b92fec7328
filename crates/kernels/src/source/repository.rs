//! Questions to the user's repository. Nothing here writes into it.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::error::SourceError;
use super::git::{Git, NEVER};
use super::hint;

/// A git repository of the user's, which is only read.
pub struct Repository {
    pub(super) git: Git<'static>,
    named: PathBuf,
    common: PathBuf,
    work_tree: bool,
    shallow: bool,
    object_format: String,
}

/// A commit and what it is called.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Commit {
    /// Its full object name: 40 hexadecimal digits (64 in a repository of git's newer format).
    pub id: String,
    /// The first line of its message.
    pub subject: String,
}

impl Repository {
    /// Opens the repository that `folder` belongs to: a work tree or a folder in one, a linked work tree, a
    /// `.git` folder, or a bare repository.
    ///
    /// # Errors
    /// [`SourceError::NoGit`], [`SourceError::NotARepository`]; [`SourceError::Git`] with git's own words where
    /// it refuses the folder, as when it is of another owner.
    pub fn open(folder: &Path) -> Result<Repository, SourceError> {
        let not_one = || SourceError::NotARepository { folder: folder.to_owned() };
        if !folder.is_dir() {
            return Err(not_one());
        }
        let asked = Git::in_folder(folder, NEVER);
        let arguments = [
            "rev-parse",
            "--is-inside-work-tree",
            "--is-shallow-repository",
            "--show-object-format",
        ];
        let ended = asked.run(&arguments, &[])?;
        if !ended.status.success() {
            let is_none = ended.stderr.contains("not a git repository");
            return Err(if is_none { not_one() } else { asked.failure(&arguments, &ended) });
        }
        let said = String::from_utf8_lossy(&ended.stdout).into_owned();
        let [inside, shallow, object_format] = said.lines().collect::<Vec<_>>()[..] else {
            return Err(asked.failure(&arguments, &ended));
        };
        let common = path(&asked, "--git-common-dir")?;
        let top = top(&asked, inside == "true")?;
        Ok(Repository {
            git: Git::in_folder(top.as_deref().unwrap_or(folder), NEVER),
            named: folder.to_owned(),
            common: fs::canonicalize(&common).unwrap_or(common),
            work_tree: top.is_some(),
            shallow: shallow == "true",
            object_format: object_format.to_owned(),
        })
    }

    /// Whether the clone holds only the latest part of its history.
    #[must_use]
    pub fn is_shallow(&self) -> bool {
        self.shallow
    }

    /// The commit that a revision means: a tag stands for what it was put on.
    ///
    /// # Errors
    /// [`SourceError::UnknownRevision`], which says what is nearest to it, or what to fetch.
    pub fn resolve(&self, revision: &str) -> Result<Commit, SourceError> {
        let id = self.object(revision, "^{commit}")?;
        // Each of git's own log options that the user may have set is left out by the plumbing.
        let said = self.git.ask(&["rev-list", "-1", "--format=tformat:.%s", &id, "--"])?;
        let said = String::from_utf8_lossy(&said).into_owned();
        let subject = said.lines().find_map(|line| line.strip_prefix('.')).unwrap_or_default();
        Ok(Commit { id, subject: subject.to_owned() })
    }

    /// Whether files that git tracks differ from the latest commit. Files that it does not know do not count.
    /// A bare repository is never dirty.
    ///
    /// # Errors
    /// git's own.
    pub fn is_dirty(&self) -> Result<bool, SourceError> {
        let status = ["status", "--porcelain=v2", "-z", "--untracked-files=no", "--no-renames"];
        Ok(self.work_tree && !self.git.ask(&status)?.is_empty())
    }

    /// The folder as it was named.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.named
    }

    /// The object that `revision` followed by `what` means.
    pub(super) fn object(&self, revision: &str, what: &str) -> Result<String, SourceError> {
        let unknown = |hint| SourceError::UnknownRevision {
            repository: self.named.clone(),
            revision: revision.to_owned(),
            hint,
        };
        // What begins so would be an option.
        if revision.is_empty() || revision.starts_with('-') {
            return Err(unknown(String::new()));
        }
        let ended = self.git.run(&["rev-parse", "--verify", &format!("{revision}{what}")], &[])?;
        let id = String::from_utf8_lossy(&ended.stdout).trim().to_owned();
        match ended.status.success() && is_id(&id) {
            true => Ok(id),
            false => Err(unknown(hint::for_unknown(self, revision, &ended.stderr))),
        }
    }

    /// Where the repository itself is, without links in its path: all its work trees have the same.
    pub(super) fn common_folder(&self) -> &Path {
        &self.common
    }

    /// How its objects are named: `sha1` or `sha256`.
    pub(super) fn object_format(&self) -> &str {
        &self.object_format
    }
}

fn is_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|digit| digit.is_ascii_hexdigit())
}

/// The top of the work tree; `None` where there is none.
fn top(git: &Git, inside: bool) -> Result<Option<PathBuf>, SourceError> {
    if inside {
        return path(git, "--show-toplevel").map(Some);
    }
    // The folder may be the `.git` of a work tree.
    let folder = path(git, "--absolute-git-dir")?;
    let is_bare = git.ask_line(&["rev-parse", "--is-bare-repository"])? == "true";
    let inside_one = folder.file_name() == Some(OsStr::new(".git"));
    Ok(folder.parent().filter(|_| inside_one && !is_bare).map(Path::to_owned))
}

fn path(git: &Git, which: &str) -> Result<PathBuf, SourceError> {
    let said = git.ask(&["rev-parse", "--path-format=absolute", which])?;
    Ok(PathBuf::from(OsStr::from_bytes(said.strip_suffix(b"\n").unwrap_or(&said))))
}
