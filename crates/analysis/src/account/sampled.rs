//! From samples of `/proc`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use model::account::{Account, Accounts, SeenFrom, TaskTime, WorkloadTime};
use model::observation::DisksView;
use model::trace::Span;
use model::{FORMAT, Measurements, Nanos, PhaseRun};

use super::blocks::{Blocks, UNSEEN, Wait, Words};
use super::outside::written;
use super::runs::Names;
use super::watched::is_for_its_own;
use super::{running, shares};
use crate::observation::frames::{Places, is_idle};
use crate::observation::{self, Samples, StackSample, names};

/// A phase of fewer intervals is not split: one sample would stand for much of it.
const LEAST_INTERVALS: u64 = 5;

/// Where the time went in the trial that the timing pass `measured`, as `samples` of a further `pass` show it, of
/// which that is what it measured itself: its phases' times are split.
///
/// A sample stands for the time until the next one of its phase, at most for the interval; a task that could run
/// counts as running. Findings are left to the caller.
#[must_use]
pub fn sampled(measured: &Measurements, pass: &Measurements, samples: &Samples) -> Accounts {
    let seen = observation::sampled(pass, None, samples);
    let disks = seen.phases.into_iter().map(|view| view.disks);
    let phases = Phase::all(samples, pass.phases.len());
    let runs = measured.phases.iter().zip(&pass.phases);
    let account = |(((timed, run), phase), disks): (((&PhaseRun, &PhaseRun), &Phase), _)| {
        phase.account(timed, run, disks)
    };
    Accounts {
        format: FORMAT,
        seen_from: SeenFrom::Inside,
        phases: runs.zip(&phases).zip(disks).map(account).collect(),
        notes: vec![missed(samples.every)],
        ..Accounts::default()
    }
}

fn missed(every: Nanos) -> String {
    format!(
        "Tasks were sampled every {every}: waits shorter than that are missed, or count for longer than they \
         were; phases of under {LEAST_INTERVALS} such intervals are not split. Who ended a wait, who had a disk's requests done, instructions, and whether a task that could \
         run did run, were not seen."
    )
}

/// The samples of one phase.
struct Phase<'a> {
    every: Nanos,
    /// In the order of their times.
    stacks: Vec<&'a StackSample>,
}

impl<'a> Phase<'a> {
    /// All of `count` phases.
    fn all(samples: &'a Samples, count: usize) -> Vec<Self> {
        let every = samples.every;
        let mut phases: Vec<Self> =
            (0..count).map(|_| Phase { every, stacks: Vec::new() }).collect();
        for sample in &samples.stacks {
            phases.get_mut(sample.phase).into_iter().for_each(|phase| phase.stacks.push(sample));
        }
        for phase in &mut phases {
            phase.stacks.sort_by_key(|sample| (sample.at_ns, sample.task.pid));
            phase.stacks.dedup_by_key(|sample| (sample.at_ns, sample.task.pid));
        }
        phases
    }

    fn account(&self, timed: &PhaseRun, run: &PhaseRun, disks: Option<DisksView>) -> Account {
        let whole = Span { from_ns: 0, to_ns: run.wall_ns };
        let moments = self.moments(whole);
        Account {
            phase: run.name.clone(),
            round: run.round,
            timed_ns: timed.wall_ns,
            wall_ns: run.wall_ns,
            workload: (!moments.is_empty() && run.wall_ns >= LEAST_INTERVALS * self.every.0)
                .then(|| Workload::default().split(&moments, run.wall_ns)),
            tasks: tasks(&moments),
            disks,
            written_bytes: written(run),
            ..Account::default()
        }
    }

    /// What was seen at each moment, and the time for which it stands.
    fn moments(&self, whole: Span) -> Vec<(Span, &[&'a StackSample])> {
        let within = self.stacks.partition_point(|sample| sample.at_ns < whole.to_ns);
        let chunks = self.stacks[..within].chunk_by(|one, next| one.at_ns == next.at_ns);
        let mut moments: Vec<(Span, &[&StackSample])> = chunks
            .map(|chunk| (Span { from_ns: chunk[0].at_ns, to_ns: whole.to_ns }, chunk))
            .collect();
        let mut next_ns = whole.to_ns;
        for (span, _) in moments.iter_mut().rev() {
            span.to_ns = next_ns.min(span.from_ns.saturating_add(self.every.0));
            next_ns = span.from_ns;
        }
        moments
    }
}

/// The workload's time, as it comes together.
struct Workload {
    places: Places,
    running: BTreeMap<usize, u64>,
    blocked: Blocks,
    seen_ns: u64,
    /// Where each thread was seen to stand last, and since when.
    stands: HashMap<u32, (usize, char, Span)>,
}

impl Default for Workload {
    fn default() -> Self {
        Workload {
            places: Places::new(),
            running: BTreeMap::new(),
            blocked: Blocks::default(),
            seen_ns: 0,
            stands: HashMap::new(),
        }
    }
}

impl Workload {
    fn split(mut self, moments: &[(Span, &[&StackSample])], wall_ns: u64) -> WorkloadTime {
        for (span, samples) in moments {
            let own: Vec<&StackSample> =
                samples.iter().copied().filter(|sample| sample.workload).collect();
            self.take(*span, &own);
        }
        let running_ns = self.running.values().sum();
        let words = Words { places: &self.places, names: &Names::default(), from_ns: 0 };
        WorkloadTime {
            running: if running_ns > 0 {
                running::shared(&self.places, self.running, running_ns)
            } else {
                Vec::new()
            },
            ready: Vec::new(),
            blocked: self.blocked.told(&words),
            unseen_ns: wall_ns - self.seen_ns,
        }
    }

    /// One moment's samples of the workload.
    fn take(&mut self, span: Span, samples: &[&StackSample]) {
        let run: Vec<&StackSample> = samples.iter().copied().filter(|s| s.state == 'R').collect();
        let asleep = samples.iter().copied().filter(|s| matches!(s.state, 'D' | 'S'));
        let (own, asleep): (Vec<_>, Vec<_>) = asleep.partition(|sample| waits_for_its_own(sample));
        if !run.is_empty() {
            self.ran(span, &run);
        } else if !asleep.is_empty() {
            self.slept(span, &asleep);
        } else if !own.is_empty() {
            self.slept(span, &own);
        }
    }

    fn ran(&mut self, span: Span, samples: &[&StackSample]) {
        for (sample, ns) in samples.iter().zip(shares::equal(span.length(), samples.len())) {
            *self.running.entry(self.places.ran(&frames_of(sample))).or_default() += ns;
        }
        self.seen_ns += span.length();
    }

    fn slept(&mut self, span: Span, samples: &[&StackSample]) {
        for (sample, ns) in samples.iter().zip(shares::equal(span.length(), samples.len())) {
            let place = self.places.place(&frames_of(sample));
            let since = self.stands_since(sample, place, span);
            let wait = Wait { place, state: sample.state, span: since, ns, end: UNSEEN };
            self.blocked.add(&wait);
        }
        self.seen_ns += span.length();
    }

    /// From when on the thread has been seen at this place without a gap.
    fn stands_since(&mut self, sample: &StackSample, place: usize, span: Span) -> Span {
        let before = self.stands.get(&sample.task.pid).copied();
        let same = before.filter(|(was, state, stood)| {
            (*was, *state, stood.to_ns) == (place, sample.state, span.from_ns)
        });
        let from_ns = same.map_or(span.from_ns, |(_, _, stood)| stood.from_ns);
        let since = Span { from_ns, to_ns: span.to_ns };
        self.stands.insert(sample.task.pid, (place, sample.state, since));
        since
    }
}

fn waits_for_its_own(sample: &StackSample) -> bool {
    is_for_its_own(&sample.task.name, sample.state, &sample.frames)
}

fn frames_of(sample: &StackSample) -> Vec<&str> {
    sample.frames.iter().map(String::as_str).collect()
}

/// The tasks that were seen, those of one name folded, the longest running first.
fn tasks(moments: &[(Span, &[&StackSample])]) -> Vec<TaskTime> {
    let mut folded: BTreeMap<(String, bool), (TaskTime, BTreeSet<u32>)> = BTreeMap::new();
    let samples =
        moments.iter().flat_map(|(span, samples)| samples.iter().map(|s| (span.length(), *s)));
    for (ns, sample) in samples.filter(|(_, sample)| sample.task.pid != 0) {
        let key = (names::name(&sample.task), sample.task.kernel);
        let (times, pids) = folded.entry(key).or_default();
        pids.insert(sample.task.pid);
        match sample.state {
            'R' => times.running_ns += ns,
            'I' => times.idle_ns += ns,
            'D' | 'S' if is_without_work(sample) => times.idle_ns += ns,
            'D' | 'S' => times.blocked_ns += ns,
            _ => {}
        }
    }
    let named = |((name, kernel), (times, pids)): ((String, bool), (TaskTime, BTreeSet<u32>))| {
        TaskTime { name, kernel, tasks: u32::try_from(pids.len()).unwrap_or(u32::MAX), ..times }
    };
    let mut tasks: Vec<TaskTime> = folded.into_iter().map(named).collect();
    tasks.sort_by(|a, b| (Reverse(a.running_ns), &a.name).cmp(&(Reverse(b.running_ns), &b.name)));
    tasks
}

fn is_without_work(sample: &StackSample) -> bool {
    let place = observation::frames::trimmed(&frames_of(sample));
    sample.task.kernel && place.first().is_some_and(|frame| is_idle(frame))
}
