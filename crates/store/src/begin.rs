//! Comparisons and bisections that begin, or go on where an earlier program stopped.

use std::fs::{File, TryLockError};
use std::io;

use model::Trial;

use crate::archive::Archive;
use crate::error::StoreError;
use crate::folder;
use crate::id::{LOCK_FILE, check_id};
use crate::inquiry::{Inquiry, asked, asked_text, has_ended, make, names};
use crate::leftovers;
use crate::staging::{Staging, refused};

/// A comparison or bisection that this program works on. No other continues it until this is dropped.
#[derive(Debug)]
pub struct Begun {
    /// Its ID, which its trials bear as their set.
    pub id: String,
    /// Its trials so far, oldest first; broken ones among them.
    pub trials: Vec<Trial>,
    /// The lock ends with the file, also when the program is killed.
    _lock: File,
}

impl Archive {
    /// Goes on with the newest unfinished one of an equal question that no living program holds; else
    /// begins a new one of the ID `fresh_id`.
    pub(crate) fn begin_or_go_on<F: Inquiry>(
        &self,
        question: &F::Question,
        fresh_id: &str,
    ) -> Result<Begun, StoreError> {
        check_id(fresh_id, F::KIND.one())?;
        for id in names::<F>(self)?.iter().rev() {
            if self.is_unfinished::<F>(id, question)
                && let Some(lock) = self.locked::<F>(id)?
            {
                return self.begun(id, lock);
            }
        }
        let lock = self.new_inquiry::<F>(question, fresh_id)?;
        Ok(Begun { id: fresh_id.to_owned(), trials: Vec::new(), _lock: lock })
    }

    fn is_unfinished<F: Inquiry>(&self, id: &str, question: &F::Question) -> bool {
        let folder = F::all(self).join(id);
        !has_ended::<F>(&folder) && asked::<F>(&folder).is_ok_and(|asked| asked == *question)
    }

    /// The lock of an unfinished one; `None` where another program holds it or has ended it.
    fn locked<F: Inquiry>(&self, id: &str) -> Result<Option<File>, StoreError> {
        let folder = F::all(self).join(id);
        let path = folder.join(LOCK_FILE);
        let refused = |cause| StoreError::io("lock", &path, cause);
        let file = File::options().create(true).append(true).open(&path).map_err(refused)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file).filter(|_| !has_ended::<F>(&folder))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(cause)) => Err(refused(cause)),
        }
    }

    fn begun(&self, id: &str, lock: File) -> Result<Begun, StoreError> {
        let members = self.members()?;
        let of_set = members.iter().filter(|member| member.set == id);
        let trials = of_set.filter_map(|member| folder::read(&self.folder(&member.trial)).ok());
        Ok(Begun { id: id.to_owned(), trials: trials.collect(), _lock: lock })
    }

    /// Makes the folder of a new one, locked from the moment at which others see it.
    fn new_inquiry<F: Inquiry>(
        &self,
        question: &F::Question,
        id: &str,
    ) -> Result<File, StoreError> {
        make::<F>(self)?;
        leftovers::sweep(F::all(self));
        let target = F::all(self).join(id);
        let write = || -> io::Result<File> {
            if target.exists() {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            let text = asked_text(question, id)?;
            let staging = Staging::new(F::all(self), id)?;
            staging.write(F::QUESTION_FILE, &text)?;
            let lock = staging.lock(LOCK_FILE)?;
            staging.finish(&target)?;
            Ok(lock)
        };
        write().map_err(|cause| refused(F::KIND, &target, &[], cause))
    }
}
