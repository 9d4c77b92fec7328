//! Takes a commit out of a tree, as `git revert` does, without a work tree.
//!
//! A revert is a merge of two trees, the one that is to lose the change and the one before the change, whose
//! common ancestor is the one with the change. `git merge-tree` finds the ancestor itself, so that the three
//! are given to it as commits of ours.

use super::error::SourceError;
use super::own_repository::OwnRepository;
use super::repository::Repository;

/// The tree `tree` of `onto` without `commit`; what a merge brought is what it has over its first parent.
///
/// # Errors
/// [`SourceError::UnknownRevision`]; [`SourceError::DoesNotRevert`] where files are in conflict, where there is
/// nothing before the commit, and where nothing of it is left to take out.
pub(super) fn without(
    own: &OwnRepository,
    origin: &Repository,
    (tree, onto): (&str, &str),
    commit: &str,
) -> Result<String, SourceError> {
    let refused = |why: String| SourceError::DoesNotRevert {
        commit: commit.to_owned(),
        onto: onto.to_owned(),
        why,
    };
    let id = origin.resolve(commit)?.id;
    let with = origin.object(&id, "^{tree}")?;
    let before = origin.object(&id, "^1^{tree}").map_err(|_| {
        let clone = if origin.is_shallow() { " in this shallow clone" } else { "" };
        refused(format!("it has no parent{clone}"))
    })?;
    let base = own.commit(&with, None)?;
    let (ours, theirs) = (own.commit(tree, Some(&base))?, own.commit(&before, Some(&base))?);
    let arguments =
        ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", &ours, &theirs];
    let ended = own.git.run(&arguments, &[])?;
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    let mut said = said.split('\0').filter(|part| !part.is_empty());
    let merged = said.next().unwrap_or_default();
    match ended.status.code() {
        Some(0) if merged == tree => Err(refused("nothing of it is in there".to_owned())),
        Some(0) => Ok(merged.to_owned()),
        Some(1) => Err(refused(format!("conflicts in {}", said.collect::<Vec<_>>().join(", ")))),
        _ => Err(own.git.failure(&arguments, &ended)),
    }
}
