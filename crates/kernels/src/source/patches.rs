//! Puts patches into a tree: of `diff`, of `git diff`, or mails of `git format-patch`.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::SourceError;
use super::git::complaints;
use super::own_repository::OwnRepository;

/// How many of git's complaints are told.
const LINES: usize = 3;

/// The tree `tree` of `onto` with the patches, one after the other. Where the lines around a change are no
/// longer what the patch says, the files that it was made from are merged, if the repository has them.
///
/// # Errors
/// [`SourceError::DoesNotApply`], also for a patch that changes nothing; [`SourceError::Io`] for one that
/// cannot be read.
pub(super) fn with(
    own: &OwnRepository,
    (tree, onto): (&str, &str),
    patches: &[PathBuf],
) -> Result<String, SourceError> {
    if patches.is_empty() {
        return Ok(tree.to_owned());
    }
    let git = own.drafting()?;
    git.ask(&["read-tree", tree])?;
    let mut tree = tree.to_owned();
    for patch in patches {
        let text = read(patch)?;
        let apply = ["apply", "--cached", "--3way", "--whitespace=nowarn", "-"];
        let ended = git.run(&apply, &text)?;
        if !ended.status.success() {
            return Err(refused(patch, onto, told(&ended.stderr)));
        }
        let with = git.ask_line(&["write-tree"])?;
        if with == tree {
            return Err(refused(patch, onto, "all of it is in there already".to_owned()));
        }
        tree = with;
    }
    own.end_drafting()?;
    Ok(tree)
}

/// The text of a patch.
pub(super) fn read(patch: &Path) -> Result<Vec<u8>, SourceError> {
    fs::read(patch).map_err(|reason| SourceError::io("read", patch, reason))
}

/// A patch that does not go in.
pub(super) fn refused(patch: &Path, onto: &str, why: String) -> SourceError {
    SourceError::DoesNotApply { patch: patch.to_owned(), onto: onto.to_owned(), why }
}

/// What git said of a patch that does not go in: which files are in conflict, or its first complaints.
pub(super) fn told(stderr: &str) -> String {
    let conflicts: Vec<&str> =
        stderr.lines().filter_map(|line| line.strip_prefix("U ")).map(str::trim).collect();
    if !conflicts.is_empty() {
        return format!("conflicts in {}", conflicts.join(", "));
    }
    let steps = ["repository lacks", "Falling back", "Performing", "Applied patch"];
    let of_itself = |line: &&str| !steps.iter().any(|step| line.starts_with(step));
    let said: Vec<&str> = complaints(stderr).filter(of_itself).take(LINES).collect();
    match said.is_empty() {
        true => "git gives no reason".to_owned(),
        false => said.join("; "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_says_of_a_patch() {
        let table = [
            (
                "Performing three-way merge...\nApplied patch to 'a.c' with conflicts.\nU a.c\nU b.c\n",
                "conflicts in a.c, b.c",
            ),
            (
                "error: repository lacks the necessary blob to perform 3-way merge.\n\
                 Falling back to direct application...\n\
                 error: patch failed: a.c:7\nerror: a.c: patch does not apply\n",
                "patch failed: a.c:7; a.c: patch does not apply",
            ),
            (
                "error: No valid patches in input (allow with \"--allow-empty\")\n",
                "No valid patches in input (allow with \"--allow-empty\")",
            ),
            ("", "git gives no reason"),
        ];
        for (stderr, expected) in table {
            assert_eq!(told(stderr), expected);
        }
    }
}
