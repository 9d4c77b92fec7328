//! A bare repository of ours beside the laid out tree. It reads the user's objects where they are, and keeps
//! those that taking commits out and putting patches in makes.
//!
//! Where such an object is among the user's already, git marks that one as used instead of writing it: the
//! time of its file, or of its pack, is then now. Nothing else of the user's changes, and `git` has no switch
//! against it.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::child::Stop;
use super::error::SourceError;
use super::git::Git;
use super::repository::Repository;

/// When all that we commit was committed: the same change is then the same object, however often it is made.
const NO_TIME: &str = "@0 +0000";

/// Our repository, with its tree as the work tree.
pub(super) struct OwnRepository<'a> {
    /// git in it.
    pub(super) git: Git<'a>,
    folder: PathBuf,
    tree: PathBuf,
    stop: Stop<'a>,
}

impl<'a> OwnRepository<'a> {
    /// Opens the one in `folder`, or makes it, with the objects of `origin` at hand. What an interrupted program
    /// left locked there is free again: the caller holds the lock on all of it.
    ///
    /// # Errors
    /// git's own, and those of the folder.
    pub(super) fn open(
        folder: &Path,
        tree: &Path,
        origin: Option<&Repository>,
        stop: Stop<'a>,
    ) -> Result<OwnRepository<'a>, SourceError> {
        for folder in [folder, tree] {
            fs::create_dir_all(folder)
                .map_err(|reason| SourceError::io("create", folder, reason))?;
        }
        let init = Git::in_own_folder(folder, stop);
        let format = origin.map_or("sha1", Repository::object_format);
        let format = format!("--object-format={format}");
        let arguments = ["init", "--quiet", "--bare", "--template=", &format, "."];
        if let Err(SourceError::Git { .. }) = init.ask(&arguments) {
            // Half made, or of another format: it holds nothing that cannot be made again.
            remove(folder)?;
            fs::create_dir_all(folder)
                .map_err(|reason| SourceError::io("create", folder, reason))?;
            init.ask(&arguments)?;
        }
        let git = over(tree, folder, stop)
            .environment("GIT_AUTHOR_DATE", NO_TIME)
            .environment("GIT_COMMITTER_DATE", NO_TIME);
        let own = OwnRepository { git, folder: folder.to_owned(), tree: tree.to_owned(), stop };
        own.borrow(origin)?;
        remove(&own.index_lock())?;
        Ok(own)
    }

    /// Makes the work tree hold exactly the files of `tree`, an object. A file that is so already is not
    /// touched. Ended in the middle, it leaves what the next call repairs: the index tells only of files
    /// that were written before it.
    ///
    /// # Errors
    /// git's own, [`SourceError::NoSpace`] and [`SourceError::Stopped`].
    pub(super) fn check_out(&self, tree: &str) -> Result<(), SourceError> {
        let read_tree = ["-c", "checkout.workers=2", "read-tree", "--reset", "-u", tree];
        match self.git.ask(&read_tree) {
            Err(SourceError::Git { why, .. }) if why.contains("index file") => {
                // The machine went down before all of it was on the disk. Without it each file is written.
                remove(&self.folder.join("index"))?;
                self.git.ask(&read_tree)?;
            }
            other => drop(other?),
        }
        // Files that an interrupted checkout wrote, or a build.
        self.git.ask(&["clean", "-ffdxq"]).map(drop)
    }

    /// A commit of a tree, on others.
    pub(super) fn commit(&self, tree: &str, on: Option<&str>) -> Result<String, SourceError> {
        let parent = on.map(|on| ["-p", on]);
        let parent = parent.as_ref().map_or(&[][..], |parent| parent);
        self.git.ask_line(&[&["commit-tree", "-m", "slowpath", tree], parent].concat())
    }

    /// git with an index and a work tree for its own use, empty at first: even with an index alone, it may
    /// write a file that it looks at.
    pub(super) fn drafting(&self) -> Result<Git<'a>, SourceError> {
        self.end_drafting()?;
        let folder = self.draft();
        fs::create_dir(&folder).map_err(|reason| SourceError::io("create", &folder, reason))?;
        let index = self.folder.join("draft-index");
        Ok(over(&folder, &self.folder, self.stop).environment("GIT_INDEX_FILE", index))
    }

    /// Removes what [`OwnRepository::drafting`] made.
    pub(super) fn end_drafting(&self) -> Result<(), SourceError> {
        let index = self.folder.join("draft-index");
        remove(&index.with_extension("lock"))?;
        remove(&index)?;
        remove(&self.draft())
    }

    fn draft(&self) -> PathBuf {
        self.folder.join("draft")
    }

    /// git over a folder of the user's that it does not track: nothing in there is known to it.
    pub(super) fn git_over(&self, folder: &Path) -> Git<'a> {
        let nothing = self.folder.join("no-index");
        over(folder, &self.folder, self.stop).environment("GIT_INDEX_FILE", nothing)
    }

    /// Where the tree is.
    pub(super) fn tree(&self) -> &Path {
        &self.tree
    }

    /// Says where the user's objects are. git follows from there where those are borrowed in turn.
    fn borrow(&self, origin: Option<&Repository>) -> Result<(), SourceError> {
        let info = self.folder.join("objects/info");
        let alternates = info.join("alternates");
        let Some(origin) = origin else { return remove(&alternates) };
        let mut line = origin.common_folder().join("objects").into_os_string();
        line.push("\n");
        if fs::read(&alternates).is_ok_and(|now| now == line.as_encoded_bytes()) {
            return Ok(());
        }
        fs::create_dir_all(&info)
            .and_then(|()| fs::write(&alternates, line.as_encoded_bytes()))
            .map_err(|reason| SourceError::io("write", &alternates, reason))
    }

    fn index_lock(&self) -> PathBuf {
        self.folder.join("index.lock")
    }
}

fn over<'a>(tree: &Path, repository: &Path, stop: Stop<'a>) -> Git<'a> {
    let option = |name: &str, path: &Path| {
        let mut option = OsString::from(name);
        option.push(path);
        option
    };
    Git::in_own_folder(tree, stop)
        .option(option("--git-dir=", repository))
        .option(option("--work-tree=", tree))
}

/// Removes a file or folder that may not be there.
pub(super) fn remove(path: &Path) -> Result<(), SourceError> {
    let removed = match fs::symlink_metadata(path) {
        Ok(about) if about.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(reason) if reason.kind() != ErrorKind::NotFound => {
            Err(SourceError::io("remove", path, reason))
        }
        _ => Ok(()),
    }
}
