//! What a pass from inside sampled: raw moments become stacks, disks, memory and series over time.

use std::collections::{BTreeMap, BTreeSet};

use analysis::observation::{DiskSample, Samples, StackSample};
use evidence::diskstats::SECTOR_BYTES;
use evidence::samples::{self, Moment};
use evidence::{buddyinfo, diskstats, meminfo, pagetypeinfo, pid_stack, pid_stat, pressure};
use model::observation::SampledSeries;
use model::trace::{MemoryAt, Task};
use model::{Measurements, Nanos};

/// What the samples hold.
#[derive(Debug, Default)]
pub(crate) struct Looked {
    /// How often everything was looked at.
    pub(crate) moments: u64,
    /// What of it lies in phases.
    pub(crate) samples: Samples,
    /// Single values over time.
    pub(crate) series: Vec<SampledSeries>,
    /// What could not be read, once each.
    pub(crate) notes: Vec<String>,
}

/// Reads the samples of a pass that measured `measured` and looked every `every`.
pub(crate) fn understood(measured: &Measurements, raw: &[u8], every: Nanos) -> Looked {
    let parsed = samples::parse(raw);
    let mut looked = Looked { notes: parsed.notes, ..Looked::default() };
    looked.samples.every = every;
    let began: Vec<Option<u64>> = measured.phases.iter().map(|run| run.began_ns).collect();
    let mut series = Series::new(began.first().copied().flatten());
    for moment in &parsed.value {
        let whole = moment.file("/proc/meminfo").is_some();
        looked.moments += u64::from(whole);
        series.take(moment);
        let phase = moment.phase.filter(|phase| *phase < began.len());
        let Some((phase, began)) = phase.and_then(|phase| Some((phase, began[phase]?))) else {
            continue;
        };
        let at = At { phase, ns: moment.at_ns.saturating_sub(began) };
        looked.samples.stacks.extend(stacks(moment, at));
        looked.samples.disks.extend(disks(moment, at));
        looked.samples.memory.extend(memory(moment, at).map(|memory| (phase, memory)));
    }
    looked.series = series.finish();
    looked.notes.extend(unread(&parsed.value));
    looked
}

/// A moment in a phase.
#[derive(Clone, Copy)]
struct At {
    phase: usize,
    ns: u64,
}

/// What could not be read at any moment, and why.
fn unread(moments: &[Moment<'_>]) -> Vec<String> {
    let mut reasons: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (path, why) in moments.iter().flat_map(|moment| &moment.unread) {
        let kind = match path.rsplit('/').next() {
            Some("stack") => "kernel stacks (/proc/PID/stack)",
            Some("io") => "a task's bytes (/proc/PID/io)",
            // Tasks that have ended meanwhile, or a kernel without scheduler statistics.
            Some("stat" | "wchan" | "schedstat" | "sched") => continue,
            _ => path,
        };
        reasons.entry(kind).or_default().insert(why);
    }
    // Of tasks that ended meanwhile.
    let gone = |why: &str| why.contains("No such process") || why.contains("No such file");
    let said = reasons.into_iter().filter_map(|(what, why)| {
        let why: Vec<_> = why.into_iter().filter(|why| !gone(why)).collect();
        (!why.is_empty())
            .then(|| format!("{what}: not available ({}){}", why.join("; "), hint(what)))
    });
    said.collect()
}

fn hint(what: &str) -> &'static str {
    match what.contains("stack") || what.contains("pagetypeinfo") {
        true => ": run as root to have it",
        false => "",
    }
}

/// Where each task stood that was looked at.
fn stacks(moment: &Moment<'_>, at: At) -> Vec<StackSample> {
    let task = |(path, text): &(&str, std::borrow::Cow<'_, str>)| {
        let folder = path.strip_suffix("/stat")?;
        let stat = pid_stat::parse(text).value?;
        let stack = moment.file(&format!("{folder}/stack")).unwrap_or_default();
        let process = folder.split('/').nth(2)?.parse().ok()?;
        Some(StackSample {
            at_ns: at.ns,
            phase: at.phase,
            // Only the workload's tasks are looked at so closely.
            workload: moment.file(&format!("{folder}/schedstat")).is_some()
                || is_of_workload(moment, folder),
            // Kernel threads are children of kthreadd, which is 2, or that itself.
            task: Task {
                pid: stat.pid,
                process,
                name: stat.comm.clone(),
                kernel: stat.pid == 2 || stat.ppid == Some(2),
            },
            state: stat.state,
            frames: pid_stack::parse(stack).value.iter().map(name).collect(),
        })
    };
    moment.files.iter().filter_map(task).collect()
}

/// Whether the moment says anything of the task that it says of the workload's tasks alone.
fn is_of_workload(moment: &Moment<'_>, folder: &str) -> bool {
    moment.unread.iter().any(|(path, _)| {
        path.strip_prefix(folder)
            .is_some_and(|rest| matches!(rest, "/schedstat" | "/io" | "/wchan" | "/sched"))
    })
}

fn name(frame: &pid_stack::Frame) -> String {
    match &frame.module {
        Some(module) => format!("{} [{module}]", frame.function),
        None => frame.function.clone(),
    }
}

fn disks(moment: &Moment<'_>, at: At) -> Vec<DiskSample> {
    let Some(text) = moment.file("/proc/diskstats") else { return Vec::new() };
    let disk = |stat: diskstats::DiskStat| {
        Some(DiskSample {
            at_ns: at.ns,
            phase: at.phase,
            in_flight: stat.in_flight?,
            reads: stat.reads,
            read_bytes: stat.sectors_read * SECTOR_BYTES,
            writes: stat.writes,
            written_bytes: stat.sectors_written * SECTOR_BYTES,
            busy_ms: stat.busy_ms?,
            disk: stat.name,
        })
    };
    diskstats::parse(text)
        .value
        .into_iter()
        .filter_map(disk)
        .filter(|disk| disk.writes > 0)
        .collect()
}

fn memory(moment: &Moment<'_>, at: At) -> Option<MemoryAt> {
    let info = meminfo::parse(moment.file("/proc/meminfo")?).value;
    Some(MemoryAt {
        at_ns: at.ns,
        free: info.free,
        cache: info.cached,
        dirty: info.dirty,
        writeback: info.writeback,
    })
}

/// Single values over time, as they grow.
struct Series {
    /// When the first phase began.
    zero: Option<u64>,
    by_name: BTreeMap<(String, &'static str), Vec<(i64, u64)>>,
}

impl Series {
    fn new(zero: Option<u64>) -> Self {
        Series { zero, by_name: BTreeMap::new() }
    }

    fn take(&mut self, moment: &Moment<'_>) {
        let Some(zero) = self.zero else { return };
        let at = i64::try_from(moment.at_ns).unwrap_or(i64::MAX);
        let at = at.saturating_sub(i64::try_from(zero).unwrap_or(i64::MAX));
        let mut add = |name: &str, unit: &'static str, value: Option<u64>| {
            if let Some(value) = value {
                self.by_name.entry((name.to_owned(), unit)).or_default().push((at, value));
            }
        };
        if let Some(text) = moment.file("/proc/meminfo") {
            let info = meminfo::parse(text).value;
            add("dirty", "bytes", info.dirty);
            add("writeback", "bytes", info.writeback);
            add("free", "bytes", info.free);
            add("cached", "bytes", info.cached);
            add("slab", "bytes", info.slab);
        }
        if let Some(text) = moment.file("/proc/buddyinfo") {
            let zones = buddyinfo::parse(text).value;
            let singles = zones.iter().filter_map(|zone| zone.free.first()).sum();
            add("free of order 0", "pages", Some(singles));
        }
        if let Some(text) = moment.file("/proc/pagetypeinfo") {
            let lists = pagetypeinfo::parse(text).value.free;
            let unmovable = lists.iter().filter(|list| list.migrate_type == "Unmovable");
            let lengths = unmovable.filter_map(|list| list.free.first()).map(|c| c.at_least());
            add("unmovable of order 0", "pages", lengths.reduce(|sum, next| sum + next));
        }
        for kind in ["cpu", "io", "memory"] {
            let Some(text) = moment.file(&format!("/proc/pressure/{kind}")) else { continue };
            let told = pressure::parse(text).value;
            add(&format!("pressure {kind} some"), "us", told.some.map(|some| some.total_us));
        }
    }

    fn finish(self) -> Vec<SampledSeries> {
        let series = self.by_name.into_iter();
        series
            .map(|((name, unit), points)| SampledSeries { name, unit: unit.to_owned(), points })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use model::PhaseRun;

    use super::*;

    fn measured() -> Measurements {
        let run = |name: &str, began: u64| PhaseRun {
            name: name.to_owned(),
            began_ns: Some(began),
            wall_ns: 500,
            ..PhaseRun::default()
        };
        Measurements {
            phases: vec![run("write", 1000), run("sync", 2000)],
            ..Measurements::default()
        }
    }

    fn raw() -> Vec<u8> {
        let mut out = Vec::new();
        samples::begin(&mut out);
        samples::moment(&mut out, 1100, Some(0));
        let dirty = "MemFree: 100 kB\nDirty: 40 kB\nWriteback: 0 kB\n";
        samples::file(&mut out, "/proc/meminfo", dirty.as_bytes());
        let stat = "41 (jbd2/nullb0-8) D 2 0 0 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0\n";
        samples::file(&mut out, "/proc/41/task/41/stat", stat.as_bytes());
        let stack = "[<0>] wait_on_page+0x1/0x2\n[<0>] commit+0x1/0x2 [jbd2]\n";
        samples::file(&mut out, "/proc/41/task/41/stack", stack.as_bytes());
        let stat = "9 (dd) S 1 0 0 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0\n";
        samples::file(&mut out, "/proc/9/task/9/stat", stat.as_bytes());
        samples::unread(&mut out, "/proc/9/task/9/io", "Permission denied");
        samples::unread(&mut out, "/proc/9/task/9/stack", "Permission denied");
        samples::moment(&mut out, 1900, None);
        samples::file(&mut out, "/proc/meminfo", dirty.as_bytes());
        out
    }

    #[test]
    fn moments_become_stacks_memory_and_series() {
        let looked = understood(&measured(), &raw(), Nanos(100));
        assert_eq!(looked.moments, 2);
        let [journal, writer] = looked.samples.stacks.as_slice() else { panic!("{looked:?}") };
        assert_eq!((journal.at_ns, journal.phase, journal.state), (100, 0, 'D'));
        assert_eq!(journal.frames, ["wait_on_page", "commit [jbd2]"]);
        assert!(journal.task.kernel && !journal.workload);
        assert!(!writer.task.kernel && writer.workload && writer.frames.is_empty());
        assert_eq!(looked.samples.memory.len(), 1);
        let dirty = looked.series.iter().find(|series| series.name == "dirty").unwrap();
        assert_eq!(dirty.points, [(100, 40 << 10), (900, 40 << 10)]);
    }

    #[test]
    fn what_could_not_be_read_is_not_available_and_says_what_to_do() {
        let looked = understood(&measured(), &raw(), Nanos(100));
        let stacks = looked.notes.iter().find(|note| note.contains("stacks")).unwrap();
        assert!(stacks.contains("not available (Permission denied)"), "{stacks}");
        assert!(stacks.contains("as root"), "{stacks}");
    }
}
