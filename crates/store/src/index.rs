//! The index of the trials: a database that is made from their folders, and again at any time.
//!
//! It only says which folders to read, and whoever asks reads them: the folders are the truth. Its
//! answer is `None` where it cannot be had (no room, no permission, another program does not let
//! go of it); then all folders are read.
//!
//! A trial's folder comes before its row. A program that was killed in between leaves a folder that
//! the index lacks; whoever opens the index next adds it.

mod database;
mod row;

use std::collections::HashSet;
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use model::{Fingerprint, Trial, TrialSpec};

use crate::folder;
use crate::index::database::{Database, is_damage};
use crate::index::row::Row;
use crate::key::{fingerprint_key, spec_key};

/// What SQLite writes: the database, and what belongs to a write that was not ended.
const FILES: [&str; 4] =
    ["index.sqlite", "index.sqlite-journal", "index.sqlite-wal", "index.sqlite-shm"];

/// A trial and the set that it belongs to, by their IDs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) trial: String,
    pub(crate) set: String,
}

impl Member {
    pub(crate) fn of(trial: &Trial) -> Member {
        Member { trial: trial.id.clone(), set: set_of(trial).to_owned() }
    }
}

/// The set of a trial. One that knows none is a set of its own.
pub(crate) fn set_of(trial: &Trial) -> &str {
    if trial.set.is_empty() { &trial.id } else { &trial.set }
}

/// The index of one archive, opened when it is first asked.
pub(crate) struct Index {
    root: PathBuf,
    trials: PathBuf,
    open: Mutex<Option<Database>>,
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index").field("root", &self.root).finish_non_exhaustive()
    }
}

impl Index {
    /// The index in `root` of the trials in `trials`.
    pub(crate) fn new(root: &Path, trials: &Path) -> Index {
        Index { root: root.to_owned(), trials: trials.to_owned(), open: Mutex::new(None) }
    }

    /// Adds a trial whose folder is there. If that fails, whoever opens the index next adds it.
    pub(crate) fn add(&self, trial: &Trial) {
        let row = [Row::of(trial)];
        self.ask(|database| database.change(&[], &row));
    }

    /// All trials, oldest first.
    pub(crate) fn members(&self) -> Option<Vec<Member>> {
        self.ask(Database::members)
    }

    /// Measured trials with such a spec and fingerprint, newest first.
    pub(crate) fn measured(&self, spec: &TrialSpec, on: &Fingerprint) -> Option<Vec<String>> {
        let (spec, fingerprint) = (spec_key(spec), fingerprint_key(on));
        self.ask(|database| database.measured(&spec, &fingerprint))
    }

    fn ask<T>(&self, question: impl Fn(&mut Database) -> sqlx::Result<T>) -> Option<T> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        match self.attempt(&mut open, &question) {
            Err(error) if is_damage(&error) => self.mended(&mut open, &question).ok(),
            answer => answer.ok(),
        }
    }

    /// The answer of the index, which is opened for it and closed after an error.
    fn attempt<T>(
        &self,
        open: &mut MutexGuard<'_, Option<Database>>,
        question: &impl Fn(&mut Database) -> sqlx::Result<T>,
    ) -> sqlx::Result<T> {
        let mut database = match open.take() {
            Some(database) => database,
            None => self.opened()?,
        };
        let answer = question(&mut database)?;
        **open = Some(database);
        Ok(answer)
    }

    /// The answer of an index that is made anew, unless another program has done that meanwhile.
    fn mended<T>(
        &self,
        open: &mut MutexGuard<'_, Option<Database>>,
        question: &impl Fn(&mut Database) -> sqlx::Result<T>,
    ) -> sqlx::Result<T> {
        // Whoever removes a database that another has just made leaves that one with nothing.
        let folder = File::open(&self.trials)?;
        folder.try_lock().map_err(io::Error::from)?;
        match self.attempt(open, question) {
            Err(error) if is_damage(&error) => {
                self.remove()?;
                self.attempt(open, question)
            }
            answer => answer,
        }
    }

    fn remove(&self) -> io::Result<()> {
        for file in FILES {
            match fs::remove_file(self.root.join(file)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    fn opened(&self) -> sqlx::Result<Database> {
        let mut database = Database::open(&self.root.join(FILES[0]))?;
        self.catch_up(&mut database)?;
        Ok(database)
    }

    /// Adds the folders that the index lacks and drops the rows that have no folder any more. Only
    /// folders that it lacks are read; those that hold no trial are left to it that lists them.
    fn catch_up(&self, database: &mut Database) -> sqlx::Result<()> {
        // In this order: a row that comes in between has its folder already, and keeps it.
        let rows: HashSet<String> = database.ids()?.into_iter().collect();
        let folders = folder::names(&self.trials)?;
        let lacking = folders.iter().filter(|name| !rows.contains(*name));
        let new: Vec<Row> = lacking
            .filter_map(|name| folder::read(&self.trials.join(name)).ok())
            .map(|trial| Row::of(&trial))
            .collect();
        let folders: HashSet<String> = folders.into_iter().collect();
        let gone: Vec<String> = rows.difference(&folders).cloned().collect();
        database.change(&gone, &new)
    }
}
