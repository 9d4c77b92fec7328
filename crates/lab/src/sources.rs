//! Kernels that are built: which settings ask for one, and what came of each in this program.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use experiment::PlaceError;
use kernels::{Builds, Origin, Source, SourceError};
use model::{BrokenKind, Settings};

use crate::prepare::Unprepared;

/// The kernels that were built from source, or could not be, in this program. A source is laid out once: a
/// tree that changes while trials run is the same kernel for all of them.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    known: Mutex<HashMap<String, Result<PathBuf, Unbuilt>>>,
}

/// A kernel that does not build.
#[derive(Clone, Debug)]
struct Unbuilt {
    reason: String,
    log: Vec<String>,
}

impl Sources {
    /// The folder of the kernel that is built from `source`; `tell` hears of the building.
    ///
    /// # Errors
    /// The source is at fault (broken), or something else is.
    pub(crate) fn folder(
        &self,
        source: &Source,
        builds: &Builds,
        tell: &dyn Fn(&str),
    ) -> Result<PathBuf, Unprepared> {
        let key = format!("{source:?}");
        if let Some(known) = self.known(&key) {
            return known.map_err(Unprepared::from);
        }
        let built = match builds.build(source, tell) {
            Ok(built) => {
                built.notes.iter().for_each(|note| tell(note));
                Ok(built.folder)
            }
            Err(error) if error.is_the_sources_fault() => Err(Unbuilt::from(error)),
            Err(error) => return Err(Unprepared::Place(unavailable(&error))),
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(key, built.clone());
        built.map_err(Unprepared::from)
    }

    fn known(&self, key: &str) -> Option<Result<PathBuf, Unbuilt>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }
}

impl From<SourceError> for Unbuilt {
    fn from(error: SourceError) -> Self {
        let reason = error.to_string();
        let log = match error {
            SourceError::DoesNotBuild { tail, .. } => tail,
            _ => Vec::new(),
        };
        Unbuilt { reason, log }
    }
}

impl From<Unbuilt> for Unprepared {
    fn from(unbuilt: Unbuilt) -> Self {
        Unprepared::Broken(BrokenKind::Build, unbuilt.reason, unbuilt.log)
    }
}

fn unavailable(error: &SourceError) -> PlaceError {
    match error.is_missing() {
        true => PlaceError::Missing(error.to_string()),
        false => PlaceError::Refused(error.to_string()),
    }
}

/// What the settings' kernel is built from; `None` where it is one that is there already, or fetched.
///
/// # Errors
/// Settings of a kernel that is built, with one that is not.
pub fn source(settings: &Settings) -> Result<Option<Source>, PlaceError> {
    let Some(origin) = origin(settings)? else {
        return match built_with(settings) {
            None => Ok(None),
            Some(setting) => Err(PlaceError::Refused(format!(
                "{setting} is for a kernel that is built from source: name a revision and its repository \
                 (--repo DIR --set kernel=REVISION), or a source tree (--set kernel=DIR)"
            ))),
        };
    };
    let paths = |files: &[String]| files.iter().map(PathBuf::from).collect();
    Ok(Some(Source {
        origin,
        reverts: settings.revert.clone(),
        patches: paths(&settings.patch),
        config: paths(&settings.kernel_config),
    }))
}

fn origin(settings: &Settings) -> Result<Option<Origin>, PlaceError> {
    let named = settings.kernel.as_deref();
    match (&settings.kernel_repo, named) {
        (Some(repository), Some(revision)) if is_revision(revision) => Ok(Some(Origin::Revision {
            repository: PathBuf::from(repository),
            revision: revision.to_owned(),
        })),
        (Some(repository), None) => Err(PlaceError::Refused(format!(
            "kernel.repo={repository} says where revisions are, and kernel=REVISION which one; add \
             --set kernel=HEAD, for example"
        ))),
        (_, Some(folder)) => Ok(tree(Path::new(folder), built_with(settings).is_some())),
        (None, None) => Ok(None),
    }
}

/// Whether a kernel is named by a revision, where there is a repository: neither as `installed:` or
/// `debian:`, nor by the path of something that is there.
#[must_use]
pub fn is_revision(named: &str) -> bool {
    let fetched = ["installed:", "debian:"].iter().any(|kind| named.starts_with(kind));
    let path = named.starts_with(['/', '.']) && Path::new(named).exists();
    !fetched && !path
}

/// The source tree in that folder. One that holds an image already is a build of the user's, which is
/// taken as it is, unless something is to be changed in it (`anew`).
fn tree(folder: &Path, anew: bool) -> Option<Origin> {
    let built = folder.join("arch/x86/boot/bzImage").is_file();
    (is_source(folder) && (anew || !built)).then(|| Origin::Tree(folder.to_owned()))
}

fn is_source(folder: &Path) -> bool {
    ["Kbuild", "Kconfig", "scripts/kconfig", "arch/x86"]
        .iter()
        .all(|part| folder.join(part).exists())
}

/// The first setting that only a kernel takes that is built.
fn built_with(settings: &Settings) -> Option<String> {
    let lists = [
        ("kernel.config", &settings.kernel_config),
        ("patch", &settings.patch),
        ("revert", &settings.revert),
    ];
    lists
        .iter()
        .find(|(_, list)| !list.is_empty())
        .map(|(key, list)| format!("{key}={}", list.join(",")))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn settings(pairs: &[&str]) -> Settings {
        let mut settings = Settings::default();
        pairs.iter().for_each(|pair| settings.set_pair(pair).unwrap());
        settings
    }

    #[test]
    fn a_repository_makes_a_revision_of_the_kernel() {
        let found =
            source(&settings(&["kernel=v6.12", "kernel.repo=/src/linux"])).unwrap().unwrap();
        let Origin::Revision { repository, revision } = found.origin else { panic!("a tree") };
        assert_eq!((repository, revision.as_str()), (PathBuf::from("/src/linux"), "v6.12"));
        for other in ["kernel=debian:6.12", "kernel=installed:6.1.0-57-amd64", "kernel=/"] {
            assert_eq!(
                source(&settings(&[other, "kernel.repo=/src/linux"])).unwrap(),
                None,
                "{other}"
            );
        }
        assert!(source(&settings(&["kernel.repo=/src/linux"])).is_err());
    }

    #[test]
    fn a_tree_is_built_unless_it_holds_an_image() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let kernel = format!("kernel={}", root.display());
        assert_eq!(source(&settings(&[&kernel])).unwrap(), None, "no source tree");
        for part in ["scripts/kconfig", "arch/x86/boot"] {
            fs::create_dir_all(root.join(part)).unwrap();
        }
        for part in ["Kbuild", "Kconfig"] {
            fs::write(root.join(part), "").unwrap();
        }
        assert!(source(&settings(&[&kernel])).unwrap().is_some());
        fs::write(root.join("arch/x86/boot/bzImage"), "").unwrap();
        assert_eq!(source(&settings(&[&kernel])).unwrap(), None, "the user's build");
        assert!(source(&settings(&[&kernel, "patch=fix.patch"])).unwrap().is_some());
    }

    #[test]
    fn a_patch_needs_a_source() {
        let refused = source(&settings(&["kernel=debian:6.12", "patch=fix.patch"])).unwrap_err();
        assert!(
            refused.to_string().contains("patch=fix.patch")
                && refused.to_string().contains("--repo")
        );
        assert!(source(&settings(&["revert=abc"])).is_err());
    }
}
