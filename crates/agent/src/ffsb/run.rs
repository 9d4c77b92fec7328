//! What the threads of a run share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockWriteGuard};
use std::thread::{self, ScopedJoinHandle};

use model::ffsb::Profile;

use super::build::Set;
use super::call_times::CallTable;
use super::calls::Calls;
use super::tally::Tally;
use super::worker::{Hands, Worker};
use crate::clock::now_ns;
use crate::failure::Failure;
use crate::gaps::Gaps;

/// One run.
pub(super) struct Run<'a> {
    pub(super) profile: &'a Profile,
    pub(super) sets: &'a [Set],
    pub(super) gaps: &'a Gaps,
    /// Something failed, and nothing is begun any more.
    pub(super) stop: AtomicBool,
    failure: Mutex<Option<Failure>>,
    /// Written while the threads are started: they wait to read it.
    end: RwLock<End>,
}

/// When a thread ends: whatever comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct End {
    /// By the clock, ns.
    at_ns: u64,
    /// After so many operations of its own.
    after: u64,
}

impl End {
    /// Looked at before each operation and not within it, as in the original: the last one is
    /// done to its end.
    #[inline]
    pub(super) fn is_ahead(self, done: u64, calls: &Calls<'_>) -> bool {
        calls.last_ns() < self.at_ns && done < self.after
    }

    pub(super) fn no_later_than(self, ns: u64) -> u64 {
        ns.min(self.at_ns)
    }
}

impl<'a> Run<'a> {
    pub(super) fn new(profile: &'a Profile, sets: &'a [Set], gaps: &'a Gaps) -> Self {
        Run {
            profile,
            sets,
            gaps,
            stop: AtomicBool::new(false),
            failure: Mutex::new(None),
            end: RwLock::new(End::default()),
        }
    }

    /// Lets a thread work with each of these hands, for so many ns and operations at the most; what
    /// they did together.
    ///
    /// # Errors
    /// The first failure of any thread.
    pub(super) fn with(
        self,
        hands: &mut [Hands],
        time_ns: u64,
        operations: u64,
    ) -> Result<Tally, Failure> {
        let hold = self.end.write().unwrap_or_else(PoisonError::into_inner);
        let ended = thread::scope(|scope| {
            let mut threads = Vec::with_capacity(hands.len());
            for hands in hands {
                let work = || Worker::new(&self, hands).work();
                match thread::Builder::new().spawn_scoped(scope, work) {
                    Ok(thread) => threads.push(thread),
                    Err(error) => {
                        let reason = format!("starting a thread: {error}");
                        self.fail(Some(Failure::workload(reason)));
                    }
                }
            }
            self.start(hold, time_ns, operations);
            threads.into_iter().map(|thread| self.join(thread)).collect::<Vec<_>>()
        });
        let mut all = Tally::new(CallTable::new(&self.profile.stats));
        ended.iter().flatten().for_each(|(tally, times)| all.add(tally, times.as_ref()));
        match self.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(failure) => Err(failure),
            None => Ok(all),
        }
    }

    fn start(&self, mut hold: RwLockWriteGuard<'_, End>, time_ns: u64, operations: u64) {
        let now = now_ns();
        self.gaps.begin(now);
        *hold = End { at_ns: now.saturating_add(time_ns), after: operations };
    }

    fn join<T>(&self, thread: ScopedJoinHandle<'_, T>) -> Option<T> {
        let ended = thread.join().ok();
        if ended.is_none() {
            self.fail(Some(Failure::workload("a thread of the ffsb engine panicked")));
        }
        ended
    }

    pub(super) fn wait_for_start(&self) -> End {
        *self.end.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the run; the first failure is the one that is told.
    pub(super) fn fail(&self, failure: Option<Failure>) {
        let mut first = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        if first.is_none() {
            *first = failure;
        }
        self.stop.store(true, Ordering::Relaxed);
        self.sets.iter().for_each(|set| set.files.stop());
    }
}
