//! Which files a fileset has, and which are in use: shared by all threads.
//!
//! Every step takes the same short time however many files there are, and picks are exact: each
//! file that may be taken is as likely as any other.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::names::Place;
use super::random::Random;

/// The files and folders of one filesystem.
#[derive(Debug, Default)]
pub(super) struct Catalogue {
    books: Mutex<Books>,
    /// A file became free.
    freed: Condvar,
}

/// A file that a thread has; to be handed back by the method that fits.
#[derive(Debug)]
#[must_use]
pub(super) struct Claim {
    index: usize,
    pub(super) place: Place,
}

/// Why there is no file to be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Denied {
    /// There is none.
    Empty,
    /// The run ends because something failed.
    Stopped,
}

#[derive(Debug, Default)]
struct Books {
    files: Vec<File>,
    /// Files that are there, by their index: the first `idle` of them are in nobody's use, the
    /// others are being read or written.
    present: Vec<usize>,
    idle: usize,
    /// Files that are being made.
    being_made: usize,
    /// Deleted files, whose names are used again, the longest deleted first.
    holes: VecDeque<usize>,
    /// The number of the next file without a hole.
    next_file: u32,
    /// Folders that are there.
    folders: Vec<u32>,
    next_folder: u32,
    /// Threads that wait for a file.
    waiting: usize,
    stopped: bool,
}

#[derive(Clone, Copy, Debug)]
struct File {
    place: Place,
    /// Where it stands in `present`, while it is there.
    position: usize,
    users: u32,
}

impl Catalogue {
    /// A fileset with the folders 0 to `folders - 1` and these files.
    pub(super) fn new(folders: u32, places: &[Place]) -> Self {
        let mut books = Books {
            folders: (0..folders).collect(),
            next_folder: folders,
            next_file: places.iter().map(|place| place.number.saturating_add(1)).max().unwrap_or(0),
            ..Books::default()
        };
        for place in places {
            let index = books.add(*place);
            books.enter(index);
        }
        Catalogue { books: Mutex::new(books), freed: Condvar::new() }
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes those who wait, if any: waking nobody would cost a system call.
    fn wake(&self, books: MutexGuard<'_, Books>) {
        if books.waiting > 0 {
            self.freed.notify_all();
        }
    }

    /// A file that is to be made: the name of a deleted one, or else a new one in `data` or one of
    /// its folders. Nobody else gets it before [`Catalogue::made`].
    pub(super) fn new_file(&self, random: &mut Random) -> Claim {
        let mut books = self.books();
        books.being_made += 1;
        let index = match books.holes.pop_front() {
            Some(hole) => hole,
            None => {
                let place = books.new_place(random);
                books.add(place)
            }
        };
        Claim { index, place: books.files[index].place }
    }

    /// The file is there.
    pub(super) fn made(&self, claim: Claim) {
        let mut books = self.books();
        books.being_made -= 1;
        books.enter(claim.index);
        self.wake(books);
    }

    /// Any file, for reading or writing, with others if it comes to that. Waits for one that is
    /// being made where there is no other.
    ///
    /// # Errors
    /// There is none and none is being made, or the run ends.
    pub(super) fn borrow(&self, random: &mut Random) -> Result<Claim, Denied> {
        let mut books = self.wait(|books| !books.present.is_empty())?;
        let position = random.below(books.present.len() as u64) as usize;
        let index = books.present[position];
        if books.files[index].users == 0 {
            let last_idle = books.idle - 1;
            books.swap(position, last_idle);
            books.idle = last_idle;
        }
        books.files[index].users += 1;
        Ok(Claim { index, place: books.files[index].place })
    }

    /// The use of a borrowed file ends.
    pub(super) fn give_back(&self, claim: Claim) {
        let mut books = self.books();
        books.files[claim.index].users -= 1;
        if books.files[claim.index].users == 0 {
            let (position, first_used) = (books.files[claim.index].position, books.idle);
            books.swap(position, first_used);
            books.idle += 1;
            self.wake(books);
        }
    }

    /// Any file that nobody uses, to be deleted. Waits as [`Catalogue::borrow`], also for one that
    /// is in use.
    ///
    /// # Errors
    /// As [`Catalogue::borrow`].
    pub(super) fn take_out(&self, random: &mut Random) -> Result<Claim, Denied> {
        let mut books = self.wait(|books| books.idle > 0)?;
        let position = random.below(books.idle as u64) as usize;
        let index = books.present[position];
        let (last_idle, last) = (books.idle - 1, books.present.len() - 1);
        books.swap(position, last_idle);
        books.swap(last_idle, last);
        books.present.pop();
        books.idle = last_idle;
        Ok(Claim { index, place: books.files[index].place })
    }

    /// The file is no more; its name is free.
    pub(super) fn deleted(&self, claim: Claim) {
        self.books().holes.push_back(claim.index);
    }

    /// The number of a folder that is to be made.
    pub(super) fn new_folder(&self) -> u32 {
        let mut books = self.books();
        books.next_folder += 1;
        books.next_folder - 1
    }

    /// The folder is there, and new files come into it, too.
    pub(super) fn folder_made(&self, folder: u32) {
        self.books().folders.push(folder);
    }

    /// Something failed: nobody waits any more. The catalogue is of no use afterwards.
    pub(super) fn stop(&self) {
        self.books().stopped = true;
        self.freed.notify_all();
    }

    fn wait(&self, ready: impl Fn(&Books) -> bool) -> Result<MutexGuard<'_, Books>, Denied> {
        let mut books = self.books();
        loop {
            if books.stopped {
                return Err(Denied::Stopped);
            }
            if ready(&books) {
                return Ok(books);
            }
            if books.present.is_empty() && books.being_made == 0 {
                return Err(Denied::Empty);
            }
            books.waiting += 1;
            books = self.freed.wait(books).unwrap_or_else(PoisonError::into_inner);
            books.waiting -= 1;
        }
    }
}

impl Books {
    fn new_place(&mut self, random: &mut Random) -> Place {
        let chosen = random.below(self.folders.len() as u64 + 1) as usize;
        let place = Place { number: self.next_file, folder: self.folders.get(chosen).copied() };
        self.next_file += 1;
        place
    }

    fn add(&mut self, place: Place) -> usize {
        self.files.push(File { place, position: 0, users: 0 });
        self.files.len() - 1
    }

    /// Puts a file that nobody uses among those that are there.
    fn enter(&mut self, index: usize) {
        self.present.push(index);
        let (last, first_used) = (self.present.len() - 1, self.idle);
        self.files[index].position = last;
        self.swap(last, first_used);
        self.idle += 1;
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.present.swap(a, b);
        self.files[self.present[a]].position = a;
        self.files[self.present[b]].position = b;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::thread;

    use proptest::prelude::*;

    use super::*;

    fn place(number: u32) -> Place {
        Place { number, folder: None }
    }

    #[test]
    fn new_files_take_the_names_of_deleted_ones_first() {
        let (catalogue, mut random) = (Catalogue::new(2, &[place(0)]), Random::new(1, 1));
        let first = catalogue.take_out(&mut random).unwrap();
        assert_eq!(first.place, place(0));
        // Its name is not free before it is gone.
        let second = catalogue.new_file(&mut random);
        assert_eq!(second.place.number, 1);
        catalogue.deleted(first);
        let third = catalogue.new_file(&mut random);
        assert_eq!(third.place, place(0));
    }

    #[test]
    fn files_are_spread_over_data_and_its_folders() {
        let (catalogue, mut random) = (Catalogue::new(2, &[]), Random::new(1, 1));
        let mut folders = |count| -> BTreeSet<Option<u32>> {
            (0..count).map(|_| catalogue.new_file(&mut random).place.folder).collect()
        };
        assert_eq!(folders(100), BTreeSet::from([None, Some(0), Some(1)]));
        let folder = catalogue.new_folder();
        assert_eq!(folder, 2);
        assert!(!folders(100).contains(&Some(2)));
        catalogue.folder_made(folder);
        assert!(folders(100).contains(&Some(2)));
    }

    #[test]
    fn without_files_there_is_nothing_to_take() {
        let (catalogue, mut random) = (Catalogue::new(1, &[]), Random::new(1, 1));
        assert_eq!(catalogue.borrow(&mut random).err(), Some(Denied::Empty));
        assert_eq!(catalogue.take_out(&mut random).err(), Some(Denied::Empty));
        catalogue.stop();
        assert_eq!(catalogue.borrow(&mut random).err(), Some(Denied::Stopped));
    }

    #[test]
    fn who_finds_none_waits_for_the_one_that_is_being_made() {
        let (catalogue, mut random) = (Catalogue::new(1, &[]), Random::new(1, 1));
        let claim = catalogue.new_file(&mut random);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| catalogue.borrow(&mut Random::new(1, 2)));
            catalogue.made(claim);
            assert_eq!(waiting.join().unwrap().unwrap().place.number, 0);
            let deleting = scope.spawn(|| catalogue.take_out(&mut Random::new(1, 2)));
            catalogue.stop();
            assert_eq!(deleting.join().unwrap().err(), Some(Denied::Stopped));
        });
    }

    proptest! {
        /// Against a model: sets of files by what is done with them.
        #[test]
        fn no_file_is_had_twice_or_lost(
            steps in prop::collection::vec((0u8..6, any::<u64>()), 0..200)
        ) {
            let (catalogue, mut random) = (Catalogue::new(1, &[place(4)]), Random::new(1, 1));
            let (mut made, mut used, mut out) = (Vec::new(), Vec::<Claim>::new(), Vec::new());
            let mut there = BTreeSet::from([4]);
            for (step, which) in steps {
                let pick = |from: &mut Vec<Claim>| match from.len() as u64 {
                    0 => None,
                    length => Some(from.swap_remove((which % length) as usize)),
                };
                match step {
                    0 => made.push(catalogue.new_file(&mut random)),
                    1 => if let Some(claim) = pick(&mut made) {
                        prop_assert!(there.insert(claim.place.number));
                        catalogue.made(claim);
                    },
                    2 if !there.is_empty() => {
                        let claim = catalogue.borrow(&mut random).unwrap();
                        prop_assert!(there.contains(&claim.place.number));
                        used.push(claim);
                    }
                    3 => if let Some(claim) = pick(&mut used) { catalogue.give_back(claim) },
                    4 if there.iter().any(|n| used.iter().all(|c| c.place.number != *n)) => {
                        let claim = catalogue.take_out(&mut random).unwrap();
                        prop_assert!(there.remove(&claim.place.number));
                        prop_assert!(used.iter().all(|c| c.place.number != claim.place.number));
                        out.push(claim);
                    }
                    5 => if let Some(claim) = pick(&mut out) { catalogue.deleted(claim) },
                    _ => {}
                }
                let books = catalogue.books();
                prop_assert_eq!(books.present.len(), there.len());
                let idle = |index: &usize| books.files[*index].users == 0;
                prop_assert!(books.present[..books.idle].iter().all(idle));
                prop_assert!(!books.present[books.idle..].iter().any(idle));
            }
        }
    }
}
