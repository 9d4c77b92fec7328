//! Our own copy of a kernel's source in the cache, and how it comes to hold exactly what is to be built.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use sha2::{Digest, Sha256};

use super::child::Stop;
use super::error::SourceError;
use super::own_repository::OwnRepository;
use super::repository::{Commit, Repository};
use super::{Origin, Source, patches, reverts, tree_copy};

/// How often one who waits for the lock looks again.
const GLANCE: Duration = Duration::from_millis(50);

/// What every kernel's source has that can be built for x86.
const KERNEL: [&str; 4] = ["Kbuild", "Makefile", "arch/x86", "scripts/kconfig"];

/// How many digits of its hash tell a source from another of the same name.
const DIGITS: usize = 12;

/// A copy of a source in the cache:
///
/// ```text
/// CACHE/source/NAME-HASH/lock    locked (flock) while a program works with the copy
///                        repo/   a bare repository that borrows the user's objects
///                        tree/   the source as it was laid out last
/// ```
///
/// NAME is the repository's or the tree's, HASH of its path: so each has one, and files that two of its
/// revisions have in common keep their times. The lock is held as long as this lives; builds may stand
/// beside the tree.
pub struct Checkout<'a> {
    folder: PathBuf,
    stop: Stop<'a>,
    /// Closing it unlocks.
    _lock: File,
}

/// A source that was laid out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaidOut {
    /// What the tree holds: of a repository git's name of the tree, of a source tree a SHA-256 over its
    /// paths, modes and contents. Equal trees have equal ones, however they came to be.
    pub identity: String,
    /// The commit that it was made from, before reverts and patches; `None` of a source tree.
    pub commit: Option<Commit>,
}

impl<'a> Checkout<'a> {
    /// Takes the copy of that origin for itself, and makes its folder if there is none. It waits for another
    /// program that has it, and tells so.
    ///
    /// # Errors
    /// [`SourceError::NoGit`], [`SourceError::NotARepository`], [`SourceError::Stopped`] while it waits;
    /// [`SourceError::Io`] and [`SourceError::NoSpace`] from the cache.
    pub fn open(
        cache: &Path,
        origin: &Origin,
        tell: &dyn Fn(&str),
        stop: Stop<'a>,
    ) -> Result<Checkout<'a>, SourceError> {
        let folder = cache.join("source").join(name(&place(origin)?));
        fs::create_dir_all(&folder).map_err(|reason| SourceError::io("create", &folder, reason))?;
        // git takes paths from its work tree.
        let folder =
            fs::canonicalize(&folder).map_err(|reason| SourceError::io("read", &folder, reason))?;
        let lock = lock(&folder.join("lock"), tell, stop)?;
        Ok(Checkout { folder, stop, _lock: lock })
    }

    /// Makes the tree hold exactly this source, which is of the origin that the copy was opened for. Files that are
    /// right already are not touched, those that change bear the time of now.
    ///
    /// Reverts and patches are worked out before a file is written: where they fail the tree stays as it
    /// was, and a revert that is laid out twice touches nothing the second time. Ended in the middle, it
    /// leaves a tree that the next call puts right.
    ///
    /// Of a source tree, what its `.gitignore` files name is not copied (what a build left there), unless git
    /// tracks it.
    ///
    /// # Errors
    /// [`SourceError::NotAKernel`], [`SourceError::UnknownRevision`], [`SourceError::DoesNotRevert`],
    /// [`SourceError::DoesNotApply`], [`SourceError::NoSpace`], [`SourceError::Stopped`], and others of git and
    /// the folders.
    pub fn lay_out(&self, source: &Source, tell: &dyn Fn(&str)) -> Result<LaidOut, SourceError> {
        match &source.origin {
            Origin::Revision { repository, revision } => {
                self.lay_out_revision(repository, revision, source, tell)
            }
            Origin::Tree(from) => self.lay_out_tree(from, source, tell),
        }
    }

    /// Where the source is laid out.
    #[must_use]
    pub fn tree(&self) -> PathBuf {
        self.folder.join("tree")
    }

    /// The folder of the copy, for what is built from it. `lock`, `repo`, `tree` and `patched` in it are taken.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.folder.clone()
    }

    fn lay_out_revision(
        &self,
        repository: &Path,
        revision: &str,
        source: &Source,
        tell: &dyn Fn(&str),
    ) -> Result<LaidOut, SourceError> {
        let (own, laid_out) = self.worked_out(repository, revision, source)?;
        tell(&format!("laying out {revision} of {}", repository.display()));
        own.check_out(&laid_out.identity)?;
        Ok(laid_out)
    }

    /// What [`Checkout::lay_out`] would give as the identity, with reverts and patches worked out and nothing laid out;
    /// `None` of a source tree, of which nothing is known before it is copied.
    ///
    /// # Errors
    /// As [`Checkout::lay_out`].
    pub fn identity(&self, source: &Source) -> Result<Option<String>, SourceError> {
        match &source.origin {
            Origin::Revision { repository, revision } => {
                let (_, laid_out) = self.worked_out(repository, revision, source)?;
                Ok(Some(laid_out.identity))
            }
            Origin::Tree(_) => Ok(None),
        }
    }

    fn worked_out(
        &self,
        repository: &Path,
        revision: &str,
        source: &Source,
    ) -> Result<(OwnRepository<'a>, LaidOut), SourceError> {
        let origin = Repository::open(repository)?;
        let commit = origin.resolve(revision)?;
        check_commit(&origin, revision, &commit)?;
        let own = self.own_repository(Some(&origin))?;
        let mut tree = origin.object(&commit.id, "^{tree}")?;
        for revert in &source.reverts {
            tree = reverts::without(&own, &origin, (&tree, revision), revert)?;
        }
        tree = patches::with(&own, (&tree, revision), &source.patches)?;
        Ok((own, LaidOut { identity: tree, commit: Some(commit) }))
    }

    fn lay_out_tree(
        &self,
        from: &Path,
        source: &Source,
        tell: &dyn Fn(&str),
    ) -> Result<LaidOut, SourceError> {
        if let Some(commit) = source.reverts.first() {
            return Err(SourceError::DoesNotRevert {
                commit: commit.clone(),
                onto: from.display().to_string(),
                why: "a source tree has no history; name a revision of a repository instead, with --repo DIR"
                    .to_owned(),
            });
        }
        let missing = KERNEL.iter().any(|path| !from.join(path).exists());
        if missing {
            return Err(SourceError::NotAKernel { what: from.display().to_string() });
        }
        let from =
            fs::canonicalize(from).map_err(|reason| SourceError::io("read", from, reason))?;
        let own = self.own_repository(None)?;
        tell(&format!("copying {}", from.display()));
        let identity = tree_copy::lay_out(&own, &from, &self.folder, &source.patches, self.stop)?;
        Ok(LaidOut { identity, commit: None })
    }

    fn own_repository(
        &self,
        origin: Option<&Repository>,
    ) -> Result<OwnRepository<'a>, SourceError> {
        OwnRepository::open(&self.folder.join("repo"), &self.tree(), origin, self.stop)
    }
}

fn check_commit(origin: &Repository, revision: &str, commit: &Commit) -> Result<(), SourceError> {
    let listed = origin
        .git
        .ask(&[&["ls-tree", "-z", "--name-only", &commit.id, "--"], &KERNEL[..]].concat())?;
    match listed.iter().filter(|byte| **byte == 0).count() == KERNEL.len() {
        true => Ok(()),
        false => Err(SourceError::NotAKernel {
            what: format!("{revision} of {}", origin.folder().display()),
        }),
    }
}

/// Where an origin is: the same for all work trees of a repository.
fn place(origin: &Origin) -> Result<PathBuf, SourceError> {
    match origin {
        Origin::Revision { repository, .. } => {
            Repository::open(repository).map(|origin| origin.common_folder().to_owned())
        }
        Origin::Tree(tree) => {
            fs::canonicalize(tree).map_err(|reason| SourceError::io("read", tree, reason))
        }
    }
}

/// The name of a copy.
fn name(place: &Path) -> String {
    let named = match place.file_name() {
        Some(name) if name == ".git" => place.parent().and_then(Path::file_name),
        other => other,
    };
    let named = named.and_then(OsStr::to_str).unwrap_or("source");
    let named = named.strip_suffix(".git").unwrap_or(named);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._".contains(c);
    let plain: String = named.chars().take(40).map(|c| if is_plain(c) { c } else { '-' }).collect();
    let hash = hexadecimal(&Sha256::digest(place.as_os_str().as_encoded_bytes()));
    format!("{plain}-{}", &hash[..DIGITS])
}

/// As two digits a byte.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn lock(path: &Path, tell: &dyn Fn(&str), stop: Stop) -> Result<File, SourceError> {
    let refused = |reason| SourceError::io("lock", path, reason);
    let file = File::options().create(true).append(true).open(path).map_err(refused)?;
    let mut told = false;
    loop {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(file),
            Err(Errno::WOULDBLOCK | Errno::INTR) => {}
            Err(error) => return Err(refused(error.into())),
        }
        if stop() {
            return Err(SourceError::Stopped);
        }
        if !told {
            tell("waiting for another slowpath that builds from the same source");
            told = true;
        }
        thread::sleep(GLANCE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_named_after_its_source() {
        let table = [
            ("/home/a/linux/.git", "linux-"),
            ("/srv/linux.git", "linux-"),
            ("/home/a/my linux", "my-linux-"),
            ("/", "source-"),
        ];
        for (place, begins) in table {
            let name = name(Path::new(place));
            assert!(name.starts_with(begins) && name.len() == begins.len() + DIGITS, "{name}");
        }
        assert_ne!(name(Path::new("/a/linux")), name(Path::new("/b/linux")));
    }
}
