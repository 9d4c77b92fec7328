//! Looks at the kernel and the workload from inside while phases run: a pass of its own, since
//! looking takes time. What is read is kept raw, in the form of `evidence::samples`.

mod look;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use evidence::samples;
use protocol::Watch;

use self::look::Look;
use crate::clock::now_ns;
use crate::environment::{Programs, collect};
use crate::failure::{Failure, While as _};
use crate::gaps::Gaps;

/// The most bytes that are kept: they lie in memory until the phases are over.
const MOST: usize = 128 << 20;

/// How often a stalled workload's stacks are looked at, at the least, ns.
const STALLED_EVERY: u64 = 10_000_000;

/// Outside of phases.
const NONE: usize = usize::MAX;

/// Which phase runs, for a watcher.
#[derive(Debug)]
pub(crate) struct Stage(AtomicUsize);

impl Default for Stage {
    fn default() -> Self {
        Stage(AtomicUsize::new(NONE))
    }
}

impl Stage {
    /// The phase of that index begins, or none runs.
    pub(crate) fn enter(&self, phase: Option<usize>) {
        self.0.store(phase.unwrap_or(NONE), Ordering::Relaxed);
    }

    fn phase(&self) -> Option<usize> {
        Some(self.0.load(Ordering::Relaxed)).filter(|phase| *phase != NONE)
    }
}

/// The environment of the filesystem at `folder`, as text.
pub(crate) fn environment(folder: PathBuf) -> Vec<u8> {
    let environment = collect(Path::new("/"), Some(&folder), Programs::Leave);
    let mut text = Vec::new();
    // Memory takes what is written to it.
    let _ = environment.write(&mut text);
    text
}

/// A thread that looks.
pub(crate) struct Watcher {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Vec<u8>>,
}

impl Watcher {
    /// Begins to look at the workload that is seen by `stage` and `gaps`.
    ///
    /// # Errors
    /// There is no memory or thread for it.
    pub(crate) fn start(
        watch: &Watch,
        (stage, gaps): (Arc<Stage>, Arc<Gaps>),
    ) -> Result<Self, Failure> {
        let stop = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&stop);
        let watch = *watch;
        let thread = thread::Builder::new()
            .name("watcher".to_owned())
            .spawn(move || {
                let mut record = Record::new(Look::new());
                while !ends.load(Ordering::Relaxed) {
                    let wait = record.turn(&watch, &stage, &gaps);
                    thread::park_timeout(Duration::from_nanos(wait));
                }
                record.out
            })
            .in_setup("starting the watcher")?;
        Ok(Watcher { stop, thread })
    }

    /// Ends it; what it saw.
    pub(crate) fn stop(self) -> Vec<u8> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.thread().unpark();
        self.thread.join().unwrap_or_default()
    }
}

/// What was seen so far.
struct Record {
    look: Look,
    out: Vec<u8>,
    /// When everything is looked at again.
    due: u64,
    full: bool,
}

impl Record {
    fn new(look: Look) -> Self {
        let mut out = Vec::with_capacity(4 << 20);
        samples::begin(&mut out);
        Record { look, out, due: now_ns(), full: false }
    }

    /// Looks at what is due; how long there is nothing to do, ns.
    fn turn(&mut self, watch: &Watch, stage: &Stage, gaps: &Gaps) -> u64 {
        let now = now_ns();
        let phase = stage.phase();
        let stalled = phase.is_some() && gaps.stretch(now) >= watch.stall_ns;
        if now >= self.due {
            if self.has_room(phase, now) {
                samples::moment(&mut self.out, now, phase);
                self.look.everything(&mut self.out);
            }
            self.due = now + watch.every_ns;
        } else if stalled && self.has_room(phase, now) {
            samples::moment(&mut self.out, now, phase);
            self.look.stacks(&mut self.out);
        }
        // A stall is noticed when half of its limit is over at the latest.
        let glance = watch.stall_ns.div_ceil(2).clamp(STALLED_EVERY / 2, STALLED_EVERY);
        self.due.saturating_sub(now_ns()).min(glance).max(1)
    }

    fn has_room(&mut self, phase: Option<usize>, now: u64) -> bool {
        if self.out.len() < MOST {
            return true;
        }
        if !self.full {
            self.full = true;
            samples::moment(&mut self.out, now, phase);
            samples::unread(&mut self.out, "samples", "there is no room for more");
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watcher_sees_the_machine_and_the_workload_in_its_phase() {
        let (stage, gaps) = (Arc::new(Stage::default()), Arc::new(Gaps::new()));
        stage.enter(Some(3));
        gaps.begin(now_ns());
        let watch = Watch { every_ns: 1_000_000, stall_ns: u64::MAX };
        let seen = (Arc::clone(&stage), Arc::clone(&gaps));
        let watcher = Watcher::start(&watch, seen).unwrap();
        // The first look is at once; it is waited for.
        let raw = watcher.stop();
        let parsed = samples::parse(&raw);
        assert!(parsed.notes.is_empty(), "{:?}", parsed.notes);
        for moment in &parsed.value {
            assert_eq!(moment.phase, Some(3));
            assert!(moment.file("/proc/meminfo").is_some_and(|text| text.contains("MemFree")));
        }
    }

    #[test]
    fn a_stalled_workload_is_looked_at_between_the_samples() {
        let (stage, gaps) = (Stage::default(), Gaps::new());
        stage.enter(Some(0));
        let mut record = Record::new(Look::new());
        let watch = Watch { every_ns: u64::MAX / 2, stall_ns: 1 };
        gaps.begin(now_ns() - 1000);
        record.turn(&watch, &stage, &gaps);
        record.turn(&watch, &stage, &gaps);
        let parsed = samples::parse(&record.out).value;
        assert_eq!(parsed.len(), 2);
        assert!(parsed[0].file("/proc/meminfo").is_some());
        assert!(parsed[1].file("/proc/meminfo").is_none());
        let own = format!("/proc/{}/task/", std::process::id());
        assert!(parsed[1].files.iter().any(|(path, _)| path.starts_with(&own)));
    }

    #[test]
    fn a_full_record_says_so_once() {
        let (stage, gaps) = (Stage::default(), Gaps::new());
        let mut record = Record::new(Look::new());
        record.out.resize(MOST, b'\n');
        let watch = Watch { every_ns: 1, stall_ns: u64::MAX };
        record.turn(&watch, &stage, &gaps);
        let length = record.out.len();
        record.due = 0;
        record.turn(&watch, &stage, &gaps);
        assert_eq!(record.out.len(), length);
    }
}
