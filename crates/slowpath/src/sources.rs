//! Kernels that are built: from options and settings to whole paths and whole commits.

use std::path::Path;

use kernels::{Repository, SourceError};
use model::{Settings, Variant};
use slowpath::arguments::Sources;

use crate::exit::Failure;

/// What the options of a kernel that is built say, as settings.
///
/// # Errors
/// A folder or file that is not there.
pub(crate) fn settings(sources: &Sources) -> Result<Vec<String>, Failure> {
    let mut set = Vec::new();
    if let Some(repository) = &sources.repo {
        set.push(format!("kernel.repo={}", whole("--repo", repository)?));
    }
    let config = sources.config.iter().map(|file| whole("--config", file));
    let config = config.collect::<Result<Vec<_>, _>>()?;
    if !config.is_empty() {
        set.push(format!("kernel.config={}", config.join(",")));
    }
    Ok(set)
}

/// The path from the root, as it is kept in a spec.
pub(crate) fn whole(option: &str, path: &Path) -> Result<String, Failure> {
    let cannot = |why: String| Failure::usage(format!("{option} {}: {why}", path.display()));
    let whole = path.canonicalize().map_err(|error| cannot(error.to_string()))?;
    let text = whole.to_str().ok_or_else(|| cannot("its path is no UTF-8".to_owned()))?;
    match text.contains(',') {
        true => Err(cannot("a comma in its path would end it; use another path".to_owned())),
        false => Ok(text.to_owned()),
    }
}

/// Names revisions by their whole commits, and files by their whole paths: what is kept says what was run,
/// also when a branch moves on. `warn` hears what may surprise.
///
/// # Errors
/// No such repository, revision or file.
pub(crate) fn resolved(variants: &mut [Variant], warn: &dyn Fn(&str)) -> Result<(), Failure> {
    for variant in &mut *variants {
        let given = variant.settings.kernel.clone();
        resolve(&mut variant.settings)?;
        if let (Some(given), Some(commit)) = (given, &variant.settings.kernel) {
            variant.name = named(&variant.name, &given, commit);
        }
    }
    let mut repositories: Vec<&String> =
        variants.iter().filter_map(|variant| variant.settings.kernel_repo.as_ref()).collect();
    repositories.dedup();
    for repository in repositories {
        warn_of_changes(repository, warn)?;
    }
    Ok(())
}

/// A variant's name with its kernel's commit: shortened where it was given so, beside what was given else.
fn named(name: &str, given: &str, commit: &str) -> String {
    let Some(short) = commit.get(..12).filter(|_| commit.len() == 40 && name.contains(given))
    else {
        return name.to_owned();
    };
    let shown = match commit.starts_with(given) {
        true => given.get(..12).unwrap_or(given).to_owned(),
        false => format!("{given} ({short})"),
    };
    name.replacen(&format!("kernel={given}"), &format!("kernel={shown}"), 1)
}

/// Says that what is not committed is not built.
pub(crate) fn warn_of_changes(repository: &str, warn: &dyn Fn(&str)) -> Result<(), Failure> {
    if Repository::open(Path::new(repository))?.is_dirty()? {
        warn(&format!(
            "{repository} has changes that are not committed: they are no part of what is built \
             (kernel={repository} without --repo builds the tree as it stands)"
        ));
    }
    Ok(())
}

/// As [`resolved`], for one side.
///
/// # Errors
/// No such repository, revision or file.
pub(crate) fn resolve(settings: &mut Settings) -> Result<(), Failure> {
    for files in [&mut settings.patch, &mut settings.kernel_config] {
        for file in files {
            *file = whole("the file", Path::new(file.as_str()))?;
        }
    }
    let Some(repository) = &mut settings.kernel_repo else { return Ok(()) };
    *repository = whole("kernel.repo", Path::new(repository.as_str()))?;
    let repository = Repository::open(Path::new(repository.as_str()))?;
    for revision in &mut settings.revert {
        *revision = repository.resolve(revision)?.id;
    }
    if let Some(revision) = settings.kernel.as_mut().filter(|kernel| lab::is_revision(kernel)) {
        *revision = repository.resolve(revision)?.id;
    }
    Ok(())
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        match error.is_missing() {
            true => Failure::missing(error),
            false => Failure::usage(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_is_called_by_its_commit() {
        let commit = "5adc5be7cd1bcef6bb64f5255d2a33f20a3cf5be";
        for (name, given, expected) in [
            ("kernel=HEAD fs=xfs", "HEAD", "kernel=HEAD (5adc5be7cd1b) fs=xfs"),
            ("kernel=5adc5be", "5adc5be", "kernel=5adc5be"),
            (&format!("kernel={commit}"), commit, "kernel=5adc5be7cd1b"),
            ("fs=xfs", "HEAD", "fs=xfs"),
        ] {
            assert_eq!(named(name, given, commit), expected);
        }
        assert_eq!(named("kernel=/a/b", "/a/b", "/a/b"), "kernel=/a/b", "no commit");
    }
}
