//! A thread of the run: picks an operation and a filesystem, does it, counts it.

use std::sync::atomic::Ordering;

use model::ffsb::{Op, ThreadGroup};

use super::build::Set;
use super::call_times::CallTable;
use super::calls::Calls;
use super::catalogue::Denied;
use super::names::Name;
use super::random::Random;
use super::run::{End, Run};
use super::tally::Tally;
use super::trouble::Trouble;
use crate::clock::sleep_until;
use crate::failure::Failure;
use crate::pages::Pages;

/// What a thread keeps from run to run. Alone in its cache lines: each thread writes its own.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Hands {
    /// The index of its group.
    pub(super) group: usize,
    pub(super) random: Random,
    /// The block that it reads into and writes from.
    pub(super) buffer: Pages,
    pub(super) name: Name,
}

/// A thread at work.
pub(super) struct Worker<'a> {
    run: &'a Run<'a>,
    pub(super) group: &'a ThreadGroup,
    total_weight: u64,
    pub(super) hands: &'a mut Hands,
    pub(super) calls: Calls<'a>,
    tally: Tally,
}

impl<'a> Worker<'a> {
    pub(super) fn new(run: &'a Run<'a>, hands: &'a mut Hands) -> Self {
        let group = &run.profile.threadgroups[hands.group];
        Worker {
            run,
            group,
            total_weight: group.weights.iter().map(|weight| weight.weight).sum(),
            hands,
            calls: Calls::new(run.gaps, CallTable::new(&run.profile.stats)),
            tally: Tally::new(None),
        }
    }

    /// Waits for the start, and does operations until the end.
    pub(super) fn work(mut self) -> (Tally, Option<CallTable>) {
        let _alarm = Alarm(self.run);
        let end = self.run.wait_for_start();
        self.calls.restart();
        let mut done = 0;
        while !self.run.stop.load(Ordering::Relaxed) && end.is_ahead(done, &self.calls) {
            let (op, set) = self.choose();
            match self.perform(op, set) {
                Ok(did) => self.tally.note(op, did),
                Err(trouble) => {
                    self.run.fail(self.failure(op, &trouble));
                    break;
                }
            }
            done += 1;
            self.pause(end);
        }
        (self.tally, self.calls.into_times())
    }

    /// The operation first, then the filesystem, as the original does.
    fn choose(&mut self) -> (Op, &'a Set) {
        let weights = &self.group.weights;
        let weighed = weights.iter().map(|weight| weight.weight);
        let op = weights[self.hands.random.weighted(weighed, self.total_weight)].op;
        let sets = self.run.sets;
        let picked = self.group.bindfs.unwrap_or_else(|| {
            let picked = self.hands.random.below(sets.len() as u64);
            usize::try_from(picked).unwrap_or(0)
        });
        (op, &sets[picked])
    }

    /// The profile's pause, but not beyond the end.
    fn pause(&mut self, end: End) {
        if self.group.op_delay > 0 {
            let until = self.calls.last_ns().saturating_add(self.group.op_delay * 1_000_000);
            sleep_until(end.no_later_than(until));
            self.calls.paused();
        }
    }

    /// Whether files are opened with `O_DIRECT`.
    pub(super) fn direct(&self) -> bool {
        self.run.profile.directio
    }

    /// A random offset below `bound`; with `alignio` or `directio` a multiple of 4096, as in the
    /// original.
    pub(super) fn random_offset(&mut self, bound: u64) -> u64 {
        let step = match self.run.profile.alignio || self.run.profile.directio {
            true => 4096,
            false => 1,
        };
        self.hands.random.below(bound / step) * step
    }

    fn failure(&self, op: Op, trouble: &Trouble) -> Option<Failure> {
        if *trouble == Trouble::NoFile(Denied::Stopped) {
            return None;
        }
        let reason = trouble.describe(&self.hands.name.shown(), self.direct());
        Some(Failure::workload(format!("ffsb operation {}: {reason}", op.name())))
    }
}

/// Lets nobody wait for a thread that panicked.
struct Alarm<'a>(&'a Run<'a>);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail(None);
        }
    }
}
