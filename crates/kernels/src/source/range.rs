//! The commits between a good and a bad revision, as a graph.

use std::collections::{HashMap, HashSet};

use super::error::SourceError;
use super::repository::{Commit, Repository};

/// What lies between two revisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// The good end. It is an ancestor of the bad one.
    pub good: Commit,
    /// The good end that was asked for, where it is no ancestor of the bad one: then `good` is where the two
    /// histories part, as with `git bisect`.
    pub instead_of: Option<Commit>,
    /// The commits, each behind those that it stands on; the last is the bad end. Never empty.
    pub commits: Vec<RangeCommit>,
}

/// A commit of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeCommit {
    /// It.
    pub commit: Commit,
    /// The commits of the range on which it stands, by their index; each is smaller than its own. One that
    /// stands on the good end or on something older alone has none.
    pub parents: Vec<usize>,
}

impl Repository {
    /// The commits that `bad` has and `good` has not, with merges and what they merge.
    ///
    /// With `paths` (as git's pathspecs, seen from the top of the repository) only those that touch them, and
    /// `bad` itself. Where a merge took these paths from one side as they were, the other side is left out, as
    /// `git log -- PATH` does: what lies there did not make what `bad` has. A commit then stands on the nearest ones
    /// below it that touch the paths.
    ///
    /// # Errors
    /// [`SourceError::UnknownRevision`], [`SourceError::UnknownPath`] for a path that neither end has,
    /// [`SourceError::NothingBetween`], [`SourceError::Unrelated`].
    pub fn range(&self, good: &str, bad: &str, paths: &[String]) -> Result<Range, SourceError> {
        let (asked, tip) = (self.resolve(good)?, self.resolve(bad)?);
        let nothing = |hint: String| SourceError::NothingBetween {
            good: good.to_owned(),
            bad: bad.to_owned(),
            hint,
        };
        if asked.id == tip.id {
            return Err(nothing("; they are the same commit".to_owned()));
        }
        let base = self
            .merge_base(&asked, &tip)?
            .ok_or_else(|| SourceError::Unrelated { good: good.to_owned(), bad: bad.to_owned() })?;
        if base == tip.id {
            return Err(nothing(
                "; the bad one is older than the good one: are the two swapped?".to_owned(),
            ));
        }
        for path in paths {
            self.check_path(path, (good, &asked), (bad, &tip))?;
        }
        let commits = self.between(&base, &tip, paths)?;
        if commits.is_empty() {
            return Err(nothing(format!(" that touches {}", paths.join(", "))));
        }
        let (good, instead_of) = match base == asked.id {
            true => (asked, None),
            false => (self.resolve(&base)?, Some(asked)),
        };
        Ok(Range { good, instead_of, commits })
    }

    /// The best common ancestor.
    fn merge_base(&self, good: &Commit, bad: &Commit) -> Result<Option<String>, SourceError> {
        let arguments = ["merge-base", &good.id, &bad.id];
        let ended = self.git.run(&arguments, &[])?;
        match ended.status.code() {
            Some(0) => Ok(Some(String::from_utf8_lossy(&ended.stdout).trim().to_owned())),
            Some(1) => Ok(None),
            _ => Err(self.git.failure(&arguments, &ended)),
        }
    }

    fn check_path(
        &self,
        path: &str,
        (good, asked): (&str, &Commit),
        (bad, tip): (&str, &Commit),
    ) -> Result<(), SourceError> {
        for end in [tip, asked] {
            if self.has(end, path)? {
                return Ok(());
            }
        }
        let (good, bad) = (good.to_owned(), bad.to_owned());
        Err(SourceError::UnknownPath { path: path.to_owned(), good, bad })
    }

    /// Whether a commit has a file that a path or pattern means.
    fn has(&self, commit: &Commit, path: &str) -> Result<bool, SourceError> {
        // To git that is no path at all.
        if path.is_empty() {
            return Ok(false);
        }
        // Not --name-only: the answer ends at the first file.
        let arguments = [
            "diff-tree",
            "-r",
            "--quiet",
            "--no-ext-diff",
            self.empty_tree(),
            &commit.id,
            "--",
            path,
        ];
        let ended = self.git.run(&arguments, &[])?;
        match ended.status.code() {
            Some(0) => Ok(false),
            Some(1) => Ok(true),
            _ => Err(self.git.failure(&arguments, &ended)),
        }
    }

    /// The tree with nothing in it, which every git knows without having it.
    fn empty_tree(&self) -> &'static str {
        match self.object_format() {
            "sha256" => "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
            _ => "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        }
    }

    fn between(
        &self,
        base: &str,
        tip: &Commit,
        paths: &[String],
    ) -> Result<Vec<RangeCommit>, SourceError> {
        let range = format!("{base}..{}", tip.id);
        let mut arguments =
            vec!["rev-list", "--topo-order", "--reverse", "--parents", "--format=tformat:.%s"];
        arguments.extend([range.as_str(), "--"]);
        arguments.extend(paths.iter().map(String::as_str));
        let said = self.git.ask(&arguments)?;
        let mut commits = graph(&String::from_utf8_lossy(&said));
        let ends_with_tip = commits.last().is_none_or(|last| last.commit.id == tip.id);
        if !ends_with_tip {
            let parents = tops(&commits);
            commits.push(RangeCommit { commit: tip.clone(), parents });
        }
        Ok(commits)
    }
}

/// Reads what `git rev-list --parents --format=.SUBJECT` prints:
///
/// ```text
/// commit ID PARENT PARENT
/// .SUBJECT
/// ```
///
/// Parents that were not printed before lie outside the range.
fn graph(said: &str) -> Vec<RangeCommit> {
    let mut commits: Vec<RangeCommit> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for line in said.lines() {
        if let Some(names) = line.strip_prefix("commit ") {
            let mut names = names.split(' ');
            let id = names.next().unwrap_or_default();
            let mut parents: Vec<usize> = Vec::new();
            for parent in names.filter_map(|parent| places.get(parent)) {
                if !parents.contains(parent) {
                    parents.push(*parent);
                }
            }
            places.insert(id, commits.len());
            let commit = Commit { id: id.to_owned(), subject: String::new() };
            commits.push(RangeCommit { commit, parents });
        } else if let (Some(subject), Some(last)) = (line.strip_prefix('.'), commits.last_mut()) {
            subject.clone_into(&mut last.commit.subject);
        }
    }
    commits
}

/// The commits on which no other stands.
fn tops(commits: &[RangeCommit]) -> Vec<usize> {
    let below: HashSet<usize> = commits.iter().flat_map(|it| it.parents.iter().copied()).collect();
    (0..commits.len()).filter(|index| !below.contains(index)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_outside_are_left_out_and_none_comes_twice() {
        let said = "commit a good\n.first\ncommit b a\n.\ncommit c\n.commit z\ncommit d b c older b\n.last\n";
        let commits = graph(said);
        let seen: Vec<(&str, &str, &[usize])> = commits
            .iter()
            .map(|it| (it.commit.id.as_str(), it.commit.subject.as_str(), it.parents.as_slice()))
            .collect();
        let expected: [(&str, &str, &[usize]); 4] =
            [("a", "first", &[]), ("b", "", &[0]), ("c", "commit z", &[]), ("d", "last", &[1, 2])];
        assert_eq!(seen, expected);
        assert_eq!(tops(&commits), [3]);
        assert_eq!(tops(&commits[..3]), [1, 2]);
    }
}
