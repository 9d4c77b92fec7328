//! The streams of a writing phase: one on the workload's own thread, or several at once.

use std::path::{Path, PathBuf};
use std::thread;

use protocol::Writing;

use crate::failure::{Failure, While as _};
use crate::gaps::Gaps;
use crate::latency::Latency;
use crate::pages::Pages;
use crate::stream::{self, Watched};

/// Writers with all the memory that they use.
pub(crate) struct Writers {
    writing: Writing,
    /// What a write writes.
    block: Pages,
    /// A writer each.
    latencies: Vec<Latency>,
}

impl Writers {
    /// Allocates what the writers use.
    ///
    /// # Errors
    /// There is no memory for it.
    pub(crate) fn new(writing: Writing) -> Result<Self, Failure> {
        let block = usize::try_from(writing.block).unwrap_or(usize::MAX);
        Ok(Writers {
            writing,
            block: Pages::new(block).in_setup("allocating the block that is written")?,
            latencies: (0..writing.writers).map(|_| Latency::new()).collect(),
        })
    }

    /// Forgets what calls took.
    pub(crate) fn clear(&mut self) {
        self.latencies.iter_mut().for_each(Latency::clear);
    }

    /// What the calls of all writers took.
    pub(crate) fn latency(&self) -> Latency {
        let mut all = Latency::new();
        self.latencies.iter().for_each(|latency| all.add(latency));
        all
    }

    /// Has every writer write its file in each folder, one folder after the other; the bytes of all.
    ///
    /// # Errors
    /// The first writer's that fails.
    pub(crate) fn write(
        &mut self,
        folders: &[PathBuf],
        file: &str,
        first: bool,
        gaps: &Gaps,
    ) -> Result<u64, Failure> {
        let length = usize::try_from(self.writing.block).unwrap_or(usize::MAX);
        let (writing, block) = (&self.writing, &self.block[..length]);
        let one = |writer: u32, latency: &mut Latency| {
            let mut watched = Watched { latency, gaps };
            let name = Writing::file_of(file, writer);
            let each = folders.iter().map(|folder| {
                stream::write(&folder.join(Path::new(&name)), writing, block, first, &mut watched)
            });
            each.sum::<Result<u64, Failure>>()
        };
        if let [only] = self.latencies.as_mut_slice() {
            return one(0, only);
        }
        thread::scope(|scope| {
            let threads = (0..).zip(self.latencies.iter_mut());
            let threads: Vec<_> = threads
                .map(|(writer, latency)| scope.spawn(move || one(writer, latency)))
                .collect();
            let ended = threads.into_iter().map(|thread| {
                thread.join().unwrap_or_else(|_| Err(Failure::workload("a writer panicked")))
            });
            ended.sum()
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use model::settings::{Flush, OpenFlags, Rewrite};

    use super::*;

    fn writers(writers: u32) -> Writers {
        let (rewrite, oflag, conv) = (Rewrite::Truncate, OpenFlags::default(), Flush::None);
        Writers::new(Writing { size: 5000, block: 1000, rewrite, oflag, conv, writers }).unwrap()
    }

    #[test]
    fn each_writer_has_a_file_of_its_own_in_each_folder() {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let paths: Vec<_> = folders.iter().map(|folder| folder.path().to_owned()).collect();
        let mut three = writers(3);
        let written = three.write(&paths, "file", true, &Gaps::new()).unwrap();
        assert_eq!(written, 6 * 5000);
        for path in paths {
            for name in ["file", "file.2", "file.3"] {
                assert_eq!(fs::metadata(path.join(name)).unwrap().len(), 5000);
            }
        }
        let calls: u64 = three.latency().buckets().iter().map(|(_, calls)| calls).sum();
        assert_eq!(calls, 30);
        three.clear();
        assert!(three.latency().buckets().is_empty());
    }

    #[test]
    fn one_failing_writer_fails_all() {
        let gone = [PathBuf::from("/nowhere/at/all")];
        for count in [1, 2] {
            let failure = writers(count).write(&gone, "file", true, &Gaps::new()).unwrap_err();
            assert!(failure.reason.starts_with("opening /nowhere/at/all/file"), "{failure}");
        }
    }
}
