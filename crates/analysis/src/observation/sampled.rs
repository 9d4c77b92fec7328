//! What samples from inside show, where there is no trace.

use model::observation::{PhaseView, StackGroup, Stall};
use model::trace::{MemoryAt, Span, Task};
use model::{Gap, Measurements, Nanos};

use super::frames::{self, Places};
use super::groups::{Stay, fold, waits_for_its_own};
use super::{Seen, limits, memory, names, sampled_disks};

/// Where one task stood at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StackSample {
    /// When, ns after the phase began; the same for all that were seen at one moment.
    pub at_ns: u64,
    /// The phase's index.
    pub phase: usize,
    /// The task.
    pub task: Task,
    /// Whether it is one of the workload's own.
    pub workload: bool,
    /// Its state, as `/proc/PID/stat` shows it.
    pub state: char,
    /// Its call path, innermost function first, without offsets; empty where that was not to be had.
    pub frames: Vec<String>,
}

/// What one disk had done until one moment: the counts of `/proc/diskstats`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiskSample {
    /// When, ns after the phase began; the same for all that were seen at one moment.
    pub at_ns: u64,
    /// The phase's index.
    pub phase: usize,
    /// The disk's name.
    pub disk: String,
    /// Requests in flight at this moment.
    pub in_flight: u64,
    /// Reads done.
    pub reads: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Writes done.
    pub writes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Time with a request in flight, ms.
    pub busy_ms: u64,
}

/// What a pass from inside sampled, in any order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Samples {
    /// How often it looked: the time for which a sample stands.
    pub every: Nanos,
    /// Tasks: those of the workload that sleep, and any that runs or sleeps uninterruptibly. The
    /// task that samples is not among them.
    pub stacks: Vec<StackSample>,
    /// Disks.
    pub disks: Vec<DiskSample>,
    /// Memory, with the index of its phase, in ns after that began.
    pub memory: Vec<(usize, MemoryAt)>,
}

/// What `samples` of a pass from inside show, of which `measured` are the own measurements; stalls
/// are stretches of `stall_limit` or more, where that is set, else of what
/// [`super::judged_limit`] says.
///
/// A sample stands for the time until the next one of its phase or stretch, at most for the interval.
/// A moment belongs to a stretch when it lies in it.
#[must_use]
pub fn sampled(measured: &Measurements, stall_limit: Option<Nanos>, samples: &Samples) -> Seen {
    let limits = limits::limits(measured, stall_limit);
    let stalls = limits::stalled(measured, &limits);
    let phases = Phase::all(samples, measured.phases.len());
    let labelled = measured.phases.iter().zip(&phases);
    let stall =
        |(index, gap): (usize, Gap)| phases[index].stall(measured.phases[index].label(), gap);
    let mut views: Vec<PhaseView> =
        labelled.map(|(run, phase)| phase.view(run.label(), run.wall_ns)).collect();
    limits::count(measured, &limits, &mut views);
    Seen {
        // Samples belong to phases.
        whole: None,
        phases: views,
        stalls: stalls.into_iter().map(stall).collect(),
        limits,
        notes: Vec::new(),
    }
}

/// One phase's samples, each kind in the order of the times.
#[derive(Default)]
struct Phase<'a> {
    every: Nanos,
    stacks: Vec<&'a StackSample>,
    disks: Vec<&'a DiskSample>,
    memory: Vec<MemoryAt>,
}

impl<'a> Phase<'a> {
    /// All of `count` phases.
    fn all(samples: &'a Samples, count: usize) -> Vec<Self> {
        let every = samples.every;
        let mut phases: Vec<Self> =
            (0..count).map(|_| Phase { every, ..Phase::default() }).collect();
        for sample in &samples.stacks {
            phases.get_mut(sample.phase).into_iter().for_each(|phase| phase.stacks.push(sample));
        }
        for sample in &samples.disks {
            phases.get_mut(sample.phase).into_iter().for_each(|phase| phase.disks.push(sample));
        }
        for (phase, moment) in &samples.memory {
            phases.get_mut(*phase).into_iter().for_each(|phase| phase.memory.push(*moment));
        }
        phases.iter_mut().for_each(Phase::sort);
        phases
    }

    fn sort(&mut self) {
        self.stacks.sort_by_key(|sample| (sample.at_ns, sample.task.pid));
        self.stacks.dedup_by_key(|sample| (sample.at_ns, sample.task.pid));
        self.disks.sort_by(|a, b| (a.at_ns, &a.disk).cmp(&(b.at_ns, &b.disk)));
        self.memory.sort_by_key(|moment| moment.at_ns);
    }

    fn view(&self, label: String, wall_ns: u64) -> PhaseView {
        let whole = Span { from_ns: 0, to_ns: wall_ns };
        let waits = |sample: &StackSample| sample.workload && matches!(sample.state, 'D' | 'S');
        let mut waits = self.groups(whole, waits);
        waits.retain(|group| !waits_for_its_own(group));
        PhaseView {
            phase: label,
            waits,
            disks: sampled_disks::view(self.disks(whole), whole),
            memory: memory::thinned(&self.memory),
            ..PhaseView::default()
        }
    }

    fn stall(&self, label: String, gap: Gap) -> Stall {
        let span = Span { from_ns: gap.at_ns, to_ns: gap.at_ns.saturating_add(gap.took_ns) };
        Stall {
            phase: label,
            gap: Some(gap),
            waiting: self.groups(span, |sample| sample.state == 'D' && !is_idle(sample)),
            running: self.groups(span, |sample| sample.state == 'R' && sample.task.pid != 0),
            waited_for: None,
            memory: memory::ends(&self.memory, span),
            disks: sampled_disks::view(self.disks(span), span),
        }
    }

    fn disks(&self, span: Span) -> &[&'a DiskSample] {
        within(&self.disks, span, |sample| sample.at_ns)
    }

    /// The groups of those samples in `span` that `counts`, each over the time for which it stands.
    fn groups(&self, span: Span, counts: impl Fn(&StackSample) -> bool) -> Vec<StackGroup> {
        let samples = within(&self.stacks, span, |sample| sample.at_ns);
        let moments: Vec<_> = samples.chunk_by(|one, next| one.at_ns == next.at_ns).collect();
        let ends = moments.iter().skip(1).map(|moment| moment[0].at_ns).chain([span.to_ns]);
        let lasting = |(moment, next): (&&[&'a StackSample], u64)| {
            let from_ns = moment[0].at_ns;
            let to_ns = next.min(from_ns.saturating_add(self.every.0));
            let of = |sample: &&'a StackSample| (Span { from_ns, to_ns }, *sample);
            moment.iter().map(of).collect::<Vec<_>>()
        };
        let all = moments.iter().zip(ends).flat_map(lasting);
        let counted: Vec<(Span, &StackSample)> = all.filter(|(_, s)| counts(s)).collect();
        let names: Vec<String> = counted.iter().map(|(_, s)| names::name(&s.task)).collect();
        let mut places = Places::new();
        let stays: Vec<Stay> = counted
            .iter()
            .zip(&names)
            .map(|((span, sample), name)| Stay {
                place: places.place(&frames_of(sample)),
                state: sample.state,
                name,
                span: *span,
            })
            .collect();
        fold(stays.into_iter(), &places)
    }
}

/// Those of `sorted` of which the time lies in `span`.
fn within<T>(sorted: &[T], span: Span, at_ns: impl Fn(&T) -> u64) -> &[T] {
    let first = sorted.partition_point(|one| at_ns(one) < span.from_ns);
    let rest = &sorted[first..];
    &rest[..rest.partition_point(|one| at_ns(one) < span.to_ns)]
}

fn frames_of(sample: &StackSample) -> Vec<&str> {
    sample.frames.iter().map(String::as_str).collect()
}

fn is_idle(sample: &StackSample) -> bool {
    let place = frames::trimmed(&frames_of(sample));
    place.first().is_some_and(|frame| frames::is_idle(frame))
}

#[cfg(test)]
mod tests {
    use model::PhaseRun;

    use super::*;

    const MS: u64 = 1_000_000;

    fn sample(at_ms: u64, pid: u32, state: char, stack: &str) -> StackSample {
        let task = Task { pid, process: 1, name: "dd".to_owned(), kernel: pid > 100 };
        let frames = stack.split_whitespace().map(str::to_owned).collect();
        StackSample { at_ns: at_ms * MS, phase: 1, task, workload: pid < 50, state, frames }
    }

    fn measured() -> Measurements {
        let write = PhaseRun {
            name: "write".to_owned(),
            wall_ns: 100 * MS,
            write_latency: vec![(3_000, 9)],
            gaps: vec![Gap { at_ns: 15 * MS, took_ns: 30 * MS }],
            ..PhaseRun::default()
        };
        let mkfs = PhaseRun { name: "mkfs".to_owned(), wall_ns: MS, ..PhaseRun::default() };
        Measurements { phases: vec![mkfs, write], ..Measurements::default() }
    }

    #[test]
    fn samples_fold_like_a_trace() {
        let mut stacks = vec![
            sample(30, 7, 'D', "schedule down_write"),
            sample(20, 7, 'D', "schedule down_write"),
            sample(20, 8, 'D', "schedule down_write"),
            sample(20, 9, 'D', "schedule down_write"),
            sample(20, 101, 'D', "schedule worker_thread kthread"),
            sample(20, 102, 'D', "schedule kjournald"),
            sample(30, 60, 'R', ""),
            sample(50, 8, 'S', "schedule poll"),
        ];
        stacks.push(StackSample { phase: 9, ..stacks[0].clone() });
        let memory = |at_ms| (1, MemoryAt { at_ns: at_ms * MS, ..MemoryAt::default() });
        let memory = [40, 0, 10, 90].map(memory).to_vec();
        let samples = Samples { every: Nanos(10 * MS), stacks, memory, ..Samples::default() };
        let seen = sampled(&measured(), Some(Nanos(30 * MS)), &samples);

        let stall = &seen.stalls[0];
        assert_eq!(stall.phase, "write");
        let waiting: Vec<_> =
            stall.waiting.iter().map(|g| (g.frames[0].as_str(), g.count, g.ns, g.times)).collect();
        assert_eq!(waiting, [("down_write", 3, 40 * MS, 4), ("kjournald", 1, 10 * MS, 1)]);
        // The gap ends 15 ms after the last sample in it, which stands for the interval.
        assert_eq!(stall.running[0].ns, 10 * MS);
        assert_eq!((stall.running.len(), stall.running[0].times), (1, 1));
        let moments: Vec<u64> = stall.memory.iter().map(|moment| moment.at_ns / MS).collect();
        assert_eq!(moments, [10, 40]);
        assert_eq!((stall.waited_for.as_ref(), stall.disks.as_ref()), (None, None));

        let waits: Vec<_> =
            seen.phases[1].waits.iter().map(|g| (g.state.as_str(), g.count, g.times)).collect();
        assert_eq!(waits, [("D", 3, 4), ("S", 1, 1)]);
        assert!(seen.phases[0].waits.is_empty());
        assert_eq!(seen.phases[1].memory.len(), 4);
    }

    #[test]
    fn a_sample_stands_until_the_next_and_never_beyond_its_phase() {
        let stacks = [0, 3, 98].map(|at| sample(at, 7, 'D', "schedule down_write")).to_vec();
        let samples = Samples { every: Nanos(10 * MS), stacks, ..Samples::default() };
        let seen = sampled(&measured(), None, &samples);
        assert_eq!(seen.phases[1].waits[0].ns, (3 + 10 + 2) * MS);
    }

    #[test]
    fn without_samples_the_stalls_still_stand() {
        let seen = sampled(&measured(), Some(Nanos(30 * MS)), &Samples::default());
        assert_eq!((seen.phases.len(), seen.stalls.len()), (2, 1));
        assert_eq!(seen.phases[1].disks, None);
    }
}
