//! Booted machines, kept so that a trial starts in one in a fifth of a second.
//!
//! A state lies in `states/KEY/`: `state` is QEMU's, `about.json` says how long it is and what its
//! checksum is. KEY is a hash of all that the state depends on. A state that does not match its own
//! record is thrown away; so are the least recently used ones when the cache outgrows its limit.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use experiment::Cancel;
use model::units::Bytes;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::images::write_whole;

/// The cache of states and unpacked kernels.
#[derive(Clone, Debug)]
pub(crate) struct States {
    root: PathBuf,
    limit: Bytes,
}

#[derive(Serialize, Deserialize)]
struct About {
    bytes: u64,
    crc32: u32,
}

/// How often one who waits for another maker looks again.
const GLANCE: Duration = Duration::from_millis(10);

/// Held while a state is made or thrown away; it ends with the file.
struct Lock(#[expect(dead_code, reason = "closing it unlocks")] File);

impl States {
    /// The cache below `root`, which may not exist yet.
    pub(crate) fn new(root: &Path, limit: Bytes) -> Self {
        States { root: root.to_owned(), limit }
    }

    /// The folder of the state with that key.
    pub(crate) fn folder(&self, key: &str) -> PathBuf {
        self.root.join("states").join(key)
    }

    /// Opens the state of `key`, or has `make` write it first: into the file at the path it is
    /// given, which is also open. What `make` writes beside it stays there; the folder is returned
    /// too. One maker at a time, over all programs; who waits for another can be cancelled.
    ///
    /// # Errors
    /// `make`'s own, and those of the cache folder by way of `From<io::Error>`.
    pub(crate) fn open<E: From<io::Error>>(
        &self,
        key: &str,
        cancel: &Cancel,
        make: impl FnOnce(&Path, &File) -> Result<(), E>,
    ) -> Result<(File, PathBuf), E> {
        let folder = self.folder(key);
        fs::create_dir_all(&folder)?;
        let _lock = lock(&folder, cancel)?;
        if let Some(state) = checked(&folder) {
            touch(&folder)?;
            self.shrink(&folder);
            return Ok((state, folder));
        }
        let draft = folder.join("draft");
        let file =
            File::options().read(true).write(true).create(true).truncate(true).open(&draft)?;
        let made = make(&draft, &file).and_then(|()| record(&folder, &draft).map_err(E::from));
        if made.is_err() {
            let _ = fs::remove_file(&draft);
        }
        made?;
        self.shrink(&folder);
        Ok((File::open(folder.join("state"))?, folder))
    }

    /// Removes the least recently used entries until the rest is within the limit. What cannot be
    /// removed stays; the next call tries again.
    fn shrink(&self, keep: &Path) {
        let mut entries = self.entries();
        entries.sort_by_key(|(used, ..)| *used);
        let mut total: u64 = entries.iter().map(|(_, size, _)| size).sum();
        for (_, size, folder) in entries {
            if total <= self.limit.0 {
                return;
            }
            if folder != keep && remove(&folder).is_ok() {
                total -= size;
            }
        }
    }

    fn entries(&self) -> Vec<(SystemTime, u64, PathBuf)> {
        let groups = ["states", "images"].map(|group| self.root.join(group));
        let folders =
            groups.iter().filter_map(|group| fs::read_dir(group).ok()).flatten().flatten();
        folders
            .filter_map(|entry| {
                let folder = entry.path();
                let size = folder_size(&folder).ok()?;
                Some((used(&folder), size, folder))
            })
            .collect()
    }
}

fn lock(folder: &Path, cancel: &Cancel) -> io::Result<Lock> {
    let file = File::options().create(true).append(true).open(folder.join("lock"))?;
    loop {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(Lock(file)),
            Err(Errno::WOULDBLOCK) if cancel.is_set() => return Err(ErrorKind::Interrupted.into()),
            Err(Errno::WOULDBLOCK) => thread::sleep(GLANCE),
            Err(error) => return Err(error.into()),
        }
    }
}

/// The state, if it is what its record says.
fn checked(folder: &Path) -> Option<File> {
    let about: About = serde_json::from_slice(&fs::read(folder.join("about.json")).ok()?).ok()?;
    let found = measure(&folder.join("state")).ok()?;
    (found.bytes == about.bytes && found.crc32 == about.crc32)
        .then(|| File::open(folder.join("state")).ok())?
}

/// Renames the draft to the state and writes its record.
fn record(folder: &Path, draft: &Path) -> io::Result<()> {
    let about = measure(draft)?;
    if about.bytes == 0 {
        return Err(io::Error::other("QEMU saved nothing"));
    }
    let _ = fs::remove_file(folder.join("about.json"));
    fs::rename(draft, folder.join("state"))?;
    let json = serde_json::to_vec(&about).map_err(io::Error::other)?;
    write_whole(&folder.join("about.json"), &json)
}

fn measure(path: &Path) -> io::Result<About> {
    let mut file = File::open(path)?;
    let (mut bytes, mut hasher) = (0u64, crc32fast::Hasher::new());
    let mut buffer = vec![0u8; 1 << 20];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(About { bytes, crc32: hasher.finalize() }),
            n => {
                bytes += n as u64;
                hasher.update(&buffer[..n]);
            }
        }
    }
}

fn touch(folder: &Path) -> io::Result<()> {
    File::options().append(true).open(folder.join("lock"))?.set_modified(SystemTime::now())
}

fn used(folder: &Path) -> SystemTime {
    let newest = |name: &str| fs::metadata(folder.join(name)).and_then(|m| m.modified()).ok();
    newest("lock").or_else(|| newest("vmlinux")).unwrap_or(SystemTime::UNIX_EPOCH)
}

fn folder_size(folder: &Path) -> io::Result<u64> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.metadata()?.len())).sum()
}

/// Removes an entry unless somebody holds its lock.
fn remove(folder: &Path) -> io::Result<()> {
    let file = File::options().create(true).append(true).open(folder.join("lock"))?;
    flock(&file, FlockOperation::NonBlockingLockExclusive)?;
    fs::remove_dir_all(folder)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io::Write;

    use super::*;

    fn put(states: &States, key: &str, text: &str) -> (bool, String) {
        let made = Cell::new(false);
        let (mut file, _) = states
            .open::<io::Error>(key, &Cancel::new(), |_, mut file| {
                made.set(true);
                file.write_all(text.as_bytes())
            })
            .unwrap();
        let mut found = String::new();
        file.read_to_string(&mut found).unwrap();
        (made.get(), found)
    }

    #[test]
    fn a_state_is_made_once_and_made_again_when_it_was_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let states = States::new(folder.path(), Bytes(1 << 30));
        assert_eq!(put(&states, "k", "first"), (true, "first".to_owned()));
        assert_eq!(put(&states, "k", "second"), (false, "first".to_owned()));
        fs::write(folder.path().join("states/k/state"), "fIrst").unwrap();
        assert_eq!(put(&states, "k", "third"), (true, "third".to_owned()));
    }

    #[test]
    fn a_failed_maker_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let states = States::new(folder.path(), Bytes(1 << 30));
        let failed = states.open::<io::Error>("k", &Cancel::new(), |_, mut file| {
            file.write_all(b"half")?;
            Err(io::Error::other("killed"))
        });
        assert!(failed.is_err());
        assert_eq!(put(&states, "k", "whole"), (true, "whole".to_owned()));
    }

    #[test]
    fn who_waits_for_another_maker_can_be_cancelled() {
        let folder = tempfile::tempdir().unwrap();
        let states = States::new(folder.path(), Bytes(1 << 30));
        let cancelled = Cancel::new();
        cancelled.set();
        let inner = |_: &Path, _: &File| {
            let waiting = states.open::<io::Error>("k", &cancelled, |_, _| Ok(()));
            Err(waiting.unwrap_err())
        };
        let error = states.open::<io::Error>("k", &Cancel::new(), inner).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Interrupted);
    }

    #[test]
    fn the_oldest_states_go_when_the_cache_outgrows_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let states = States::new(folder.path(), Bytes(2500));
        let text = "x".repeat(1000);
        for key in ["a", "b", "c"] {
            put(&states, key, &text);
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let left = |key: &str| folder.path().join("states").join(key).exists();
        assert_eq!((left("a"), left("b"), left("c")), (false, true, true));
    }
}
