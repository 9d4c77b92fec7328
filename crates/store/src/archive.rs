//! The archive: what is kept, listed and found.

use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::Trial;

use crate::document::to_text;
use crate::error::{Kind, StoreError};
use crate::find::{Miss, resolve};
use crate::folder;
use crate::id::{TRIAL_FILE, check_attachment, check_attachments, check_id};
use crate::index::Index;
use crate::leftovers;
use crate::staging::{keep, sync_folder, write_whole};

/// An archive of trials, comparisons and bisections in one folder. Nothing that was measured and
/// kept in it is ever changed or removed; what a further look at a trial shows is added to it. Several
/// programs may use it at once, and several threads one value.
#[derive(Clone, Debug)]
pub struct Archive {
    pub(crate) trials: PathBuf,
    pub(crate) comparisons: PathBuf,
    pub(crate) bisections: PathBuf,
    pub(crate) index: Arc<Index>,
}

/// What an archive holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The trials that can be read, oldest first.
    pub trials: Vec<Trial>,
    /// What stands among them and cannot be read, each with the reason in a sentence that names
    /// it.
    pub unreadable: Vec<(PathBuf, String)>,
}

impl Archive {
    /// Opens the archive under `root`, which is made if it is not there.
    ///
    /// # Errors
    /// The folder is not there and cannot be made.
    pub fn open(root: &Path) -> Result<Archive, StoreError> {
        let archive = Archive::at(root);
        let trials = &archive.trials;
        if !trials.is_dir() {
            fs::create_dir_all(trials)
                .and_then(|()| sync_folder(root))
                .map_err(|cause| StoreError::io("make", trials, cause))?;
        }
        Ok(archive)
    }

    /// Opens the archive under `root` if there is one; makes nothing.
    ///
    /// # Errors
    /// Something else stands there, or the system refuses to look.
    pub fn open_existing(root: &Path) -> Result<Option<Archive>, StoreError> {
        let archive = Archive::at(root);
        match fs::read_dir(&archive.trials) {
            Ok(_) => Ok(Some(archive)),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(cause) => Err(StoreError::io("open", &archive.trials, cause)),
        }
    }

    fn at(root: &Path) -> Archive {
        let trials = root.join("trials");
        let index = Arc::new(Index::new(root, &trials));
        let (comparisons, bisections) = (root.join("comparisons"), root.join("bisections"));
        Archive { trials, comparisons, bisections, index }
    }

    /// The folder of the trial of that ID, whether there is one or not.
    #[must_use]
    pub fn folder(&self, id: &str) -> PathBuf {
        self.trials.join(id)
    }

    /// Keeps a trial and what it left, and returns its folder. When this returns `Ok`, all is on
    /// the disk; at any other time the folder is not there at all.
    ///
    /// # Errors
    /// A trial of that ID is there; a name is not plain; no room; or the system refuses.
    pub fn add(
        &self,
        trial: &Trial,
        attachments: &[(String, Vec<u8>)],
    ) -> Result<PathBuf, StoreError> {
        check_id(&trial.id, "a trial")?;
        if !trial.set.is_empty() {
            check_id(&trial.set, "a set")?;
        }
        check_attachments(attachments)?;
        let text = to_text(trial)
            .map_err(|cause| StoreError::io("write", &self.folder(&trial.id), cause))?;
        let mut files = vec![(TRIAL_FILE, text.as_slice())];
        files.extend(attachments.iter().map(|(n, bytes)| (n.as_str(), bytes.as_slice())));
        leftovers::sweep(&self.trials);
        let folder = keep(Kind::Trial, &self.trials, &trial.id, &files)?;
        self.index.add(trial);
        Ok(folder)
    }

    /// Adds files to a trial that is there, each whole or not at all; one of the same name is replaced.
    /// A name that ends in `.zst` is compressed on its way.
    ///
    /// # Errors
    /// There is no such trial, a name is not plain or is the trial's own, or a file cannot be written.
    pub fn attach(&self, id: &str, attachments: &[(String, Vec<u8>)]) -> Result<(), StoreError> {
        check_id(id, "a trial")?;
        check_attachments(attachments)?;
        let folder = self.folder(id);
        if !folder.is_dir() {
            return self.must_hold::<()>(id).map(drop);
        }
        for (name, bytes) in attachments {
            let path = folder.join(name);
            packed(name, bytes)
                .and_then(|bytes| write_whole(&path, &bytes))
                .map_err(|cause| StoreError::io("write", &path, cause))?;
        }
        Ok(())
    }

    /// All trials. One that is damaged, or of a newer format, is named and hides no other.
    /// Unfinished folders are not mentioned: they are being written, or their writer was killed.
    ///
    /// # Errors
    /// The archive's folder cannot be read.
    pub fn list(&self) -> Result<Listing, StoreError> {
        let mut listing = Listing::default();
        for name in self.names()? {
            let path = self.folder(&name);
            match folder::read(&path) {
                Ok(trial) => listing.trials.push(trial),
                Err(error) => listing.unreadable.push((path, error.to_string())),
            }
        }
        Ok(listing)
    }

    /// The trial with that ID, or the only one whose ID begins so; nothing and `last` mean the
    /// newest.
    ///
    /// # Errors
    /// None or several match (with what does), or the one that does cannot be read.
    pub fn find(&self, id_or_prefix: &str) -> Result<Trial, StoreError> {
        let names = self.names()?;
        let id = resolve(&names, id_or_prefix).map_err(|miss| self.missed(id_or_prefix, miss))?;
        folder::read(&self.folder(id))
    }

    fn missed(&self, wanted: &str, miss: Miss) -> StoreError {
        let (wanted, folder) = (wanted.to_owned(), self.trials.clone());
        match miss {
            Miss::Empty => StoreError::Empty { folder },
            Miss::Unknown { nearest } => StoreError::Unknown { wanted, nearest, folder },
            Miss::Ambiguous { candidates } => {
                StoreError::Ambiguous { of: Kind::Trial, wanted, candidates }
            }
        }
    }

    /// What the trial of that (whole) ID left under that name, decompressed where the name ends in
    /// `.zst`; `None` where it left nothing.
    ///
    /// # Errors
    /// There is no such trial, the name is not plain, or the file cannot be read.
    pub fn attachment(&self, id: &str, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        check_id(id, "a trial")?;
        check_attachment(name)?;
        let path = self.folder(id).join(name);
        match fs::read(&path) {
            Ok(bytes) if is_packed(name) => match zstd::decode_all(&bytes[..]) {
                Ok(bytes) => Ok(Some(bytes)),
                Err(cause) => Err(StoreError::io("decompress", &path, cause)),
            },
            Ok(bytes) => Ok(Some(bytes)),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => self.must_hold(id),
            Err(cause) => Err(StoreError::io("read", &path, cause)),
        }
    }

    /// Nothing, if there is a trial of exactly that ID.
    fn must_hold<T>(&self, id: &str) -> Result<Option<T>, StoreError> {
        let names = self.names()?;
        if names.iter().any(|name| name == id) {
            return Ok(None);
        }
        let miss = names.last().map_or(Miss::Empty, |newest| Miss::Unknown {
            nearest: resolve(&names, id).unwrap_or(newest).to_owned(),
        });
        Err(self.missed(id, miss))
    }

    /// The names in the folder of all trials, oldest first.
    pub(crate) fn names(&self) -> Result<Vec<String>, StoreError> {
        folder::names(&self.trials)
            .map_err(|cause| StoreError::io(Kind::Trial.listing(), &self.trials, cause))
    }
}

fn is_packed(name: &str) -> bool {
    name.ends_with(".zst")
}

/// The bytes as they are kept under that name.
fn packed<'b>(name: &str, bytes: &'b [u8]) -> io::Result<Cow<'b, [u8]>> {
    match is_packed(name) {
        true => zstd::encode_all(bytes, zstd::DEFAULT_COMPRESSION_LEVEL).map(Cow::Owned),
        false => Ok(Cow::Borrowed(bytes)),
    }
}
