//! Whether the guest's memory holds what a trial needs, worked out before anything boots.

use model::TrialSpec;
use model::case::Action;
use model::ffsb::{Fileset, Profile};
use model::units::Bytes;

use crate::disk_model::CPU_MIB;
use crate::filesystems::recipe;
use crate::fit_memory;

/// What kernel, agent and payload occupy, in MiB: a Debian kernel takes about 110.
const SYSTEM_MIB: u64 = 144;

/// `null_blk` keeps a record and tree nodes for each page of 4 KiB that it holds: 1 part in this.
const RECORDS: u64 = 24;

/// The kernel's own record of each page of memory (`struct page`): 1 part in this.
const MEMORY_MAP: u64 = 64;

/// Dirty and clean page cache without which nothing could be written at a natural pace, in MiB.
const CACHE_MIB: u64 = 64;

/// What a filesystem keeps for itself of a disk: 1 part in this.
const METADATA: u64 = 8;

/// Refuses disks that are too small for what they are to hold, and disks and conditions that are too
/// large for the memory.
///
/// # Errors
/// A sentence with the sizes that would do.
pub(crate) fn check(spec: &TrialSpec) -> Result<(), String> {
    let settings = &spec.settings;
    if let Some(profile) = &spec.ffsb {
        profile.on_disks(settings.disks)?;
    }
    holds_filesystem(spec)?;
    can_be_broken_up(spec)?;
    if !holds_files(spec) {
        return Err(format!(
            "the profile's files take up to {} MiB on each disk, and disk.size is {}; {} would do{}",
            ffsb_mib(spec),
            settings.disk_size,
            sizes_that_do(spec),
            shorter(spec),
        ));
    }
    let wants = Wants::of(spec);
    if wants.fit() {
        return Ok(());
    }
    let Wants { disks, held, system, aged, .. } = wants;
    let need = sizes_that_do(spec);
    if aged > 0 {
        return Err(format!(
            "the memory's condition does not fit the guest: age.* takes {aged} MiB, the disks up to \
             {} MiB and the system {} MiB: {need} would do; mem is {}",
            wants.disks_mib(),
            system - aged,
            settings.mem
        ));
    }
    let per_disk = wants.usable() / disks * RECORDS / (RECORDS + 1);
    // A profile's disks are as large as its files want them.
    let smaller = per_disk > 0 && spec.ffsb.is_none();
    Err(format!(
        "the disks do not fit the guest's memory: {disks} of up to {held} MiB each, with the \
         driver's records, beside {system} MiB for the system; mem is {}. With {need} they \
         fit{}{}",
        settings.mem,
        if smaller { format!(", or with disk.size={per_disk}M") } else { String::new() },
        shorter(spec),
    ))
}

/// What a trial wants of the guest's memory, MiB.
struct Wants {
    disks: u64,
    /// The most that one disk comes to hold.
    held: u64,
    /// What `age` occupies.
    aged: u64,
    /// What the system occupies, with `aged`.
    system: u64,
    have: u64,
}

impl Wants {
    fn of(spec: &TrialSpec) -> Wants {
        let ages = spec.phases.iter().any(|phase| phase.action == Action::Age);
        let aged = fit_memory::needed(&spec.settings.age).0.div_ceil(1 << 20);
        let aged = if ages { aged } else { 0 };
        Wants {
            disks: u64::from(spec.settings.disks),
            held: held_mib(spec),
            aged,
            system: SYSTEM_MIB + CACHE_MIB + aged,
            have: spec.settings.mem.0 >> 20,
        }
    }

    fn disks_mib(&self) -> u64 {
        self.disks * with_records(self.held)
    }

    fn usable(&self) -> u64 {
        (self.have - self.have.div_ceil(MEMORY_MAP)).saturating_sub(self.system)
    }

    fn fit(&self) -> bool {
        self.disks_mib() <= self.usable()
    }
}

/// The sizes at which the trial fits, as settings. One step may not do: more memory may let more
/// become dirty, which a disk must hold.
fn sizes_that_do(spec: &TrialSpec) -> String {
    const STEPS: usize = 64;
    let mut spec = spec.clone();
    let before = spec.settings.disk_size;
    for _ in 0..STEPS {
        let wants = Wants::of(&spec);
        if !holds_files(&spec) {
            spec.settings.disk_size = Bytes(files_mib(&spec) << 20);
        } else if !wants.fit() {
            let wanted = wants.disks_mib() + wants.system;
            let need = (wanted * MEMORY_MAP).div_ceil(MEMORY_MAP - 1) + 1;
            spec.settings.mem = Bytes(need << 20);
        } else {
            break;
        }
    }
    let memory = format!("mem={}M", spec.settings.mem.0 >> 20);
    match spec.settings.disk_size == before {
        true => memory,
        false => format!("{memory} and disk.size={}M", spec.settings.disk_size.0 >> 20),
    }
}

/// How a timed run could be short enough.
fn shorter(spec: &TrialSpec) -> String {
    if spec.timed_run_ns() == 0 {
        return String::new();
    }
    let mut spec = spec.clone();
    let scales = (1..20).map(|doubled| spec.scale().saturating_mul(1 << doubled));
    let fitting = scales.collect::<Vec<_>>().into_iter().find(|scale| {
        spec.settings.scale = Some(*scale);
        holds_files(&spec) && Wants::of(&spec).fit()
    });
    fitting.map(|scale| format!(", or for a shorter time, scale={scale}")).unwrap_or_default()
}

/// The zone for old devices, whose blocks are left alone, is as large as this.
const LEAST_HIGH: Bytes = Bytes(16 << 20);

/// Refuses a condition that no guest of ours can be brought to.
fn can_be_broken_up(spec: &TrialSpec) -> Result<(), String> {
    match spec.settings.age.high.filter(|high| *high < LEAST_HIGH) {
        Some(high) => Err(format!(
            "age.high={high}: at least {LEAST_HIGH} stays free in large blocks, in the zone for old \
             devices (DMA), which is left alone; age.high={LEAST_HIGH} would do"
        )),
        None => Ok(()),
    }
}

fn holds_filesystem(spec: &TrialSpec) -> Result<(), String> {
    let settings = &spec.settings;
    let least = recipe(settings.fs).least;
    let made = spec.phases.iter().any(|phase| phase.action == Action::Mkfs);
    if made && settings.mkfs_program.is_none() && settings.disk_size < least {
        return Err(format!(
            "{} needs a disk of at least {least}; disk.size is {}",
            settings.fs, settings.disk_size
        ));
    }
    Ok(())
}

/// MiB that a disk needs for a profile's files.
fn files_mib(spec: &TrialSpec) -> u64 {
    let files = ffsb_mib(spec);
    files + files.div_ceil(METADATA) + 8
}

/// Whether each disk can hold a profile's files.
fn holds_files(spec: &TrialSpec) -> bool {
    spec.ffsb.is_none() || files_mib(spec) <= spec.settings.disk_size.0 >> 20
}

fn with_records(mib: u64) -> u64 {
    mib + mib.div_ceil(RECORDS)
}

/// The most MiB of one disk that can come to hold data.
fn held_mib(spec: &TrialSpec) -> u64 {
    let settings = &spec.settings;
    let disk = settings.disk_size.0 >> 20;
    let raw = spec.phases.iter().any(|phase| phase.action == Action::DiskWrite);
    if !settings.disk_fresh {
        return disk;
    }
    let writes = spec.phases.iter().filter(|phase| phase.action.streams()).count() as u64;
    let size = (settings.size.0 >> 20).saturating_add(1).saturating_mul(settings.writers.into());
    let streamed = size.saturating_mul(writes);
    let metadata = if raw { 0 } else { disk / METADATA };
    let filled = disk * u64::from(settings.fill) / 100;
    let ffsb = ffsb_mib(spec);
    disk.min(streamed.saturating_add(metadata).saturating_add(filled).saturating_add(ffsb))
}

/// The most MiB that a profile's files take on one disk: those that are built, and what can be
/// written in the time of the run, by what the disks take and the guest's CPU moves, with what is
/// left dirty at its end.
fn ffsb_mib(spec: &TrialSpec) -> u64 {
    let Some(profile) = &spec.ffsb else { return 0 };
    let settings = &spec.settings;
    let disks = u64::from(settings.disks);
    let ms = spec.timed_run_ns() / 1_000_000;
    let cpu = CPU_MIB / u64::from(settings.insn_ns) * ms / 1000 / disks;
    let disk = u64::from(settings.disk_mbps) * ms / 1000;
    let dirty = spec.sysctls().get("vm.dirty_bytes").and_then(|text| text.parse::<u64>().ok());
    let dirty = (dirty.unwrap_or(settings.mem.0 / 5) / disks) >> 20;
    let written = match settings.disk_mbps {
        0 => cpu,
        _ => cpu.min(disk.saturating_add(dirty)),
    };
    let grows = profile.threadgroups.iter().any(|group| group.weights.iter().any(|w| w.op.grows()));
    built_mib(profile) + if grows { written + written / 4 + 1 } else { 0 }
}

/// Bytes of the largest fileset that the profile builds.
pub(crate) fn built_bytes(profile: &Profile) -> u64 {
    profile.filesystems.iter().map(built).max().unwrap_or_default()
}

fn built_mib(profile: &Profile) -> u64 {
    built_bytes(profile).div_ceil(1 << 20)
}

/// Bytes of a built fileset, as it comes out on average.
fn built(fileset: &Fileset) -> u64 {
    let weights: u64 = fileset.size_weights.iter().map(|w| w.weight).sum();
    let mean = match weights {
        0 => fileset.min_filesize.midpoint(fileset.max_filesize),
        weights => {
            fileset.size_weights.iter().map(|w| w.size.saturating_mul(w.weight) / weights).sum()
        }
    };
    // A filesystem gives whole blocks.
    let files = mean.next_multiple_of(4096).saturating_mul(fileset.num_files);
    files.max(fileset.init_size.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use model::case::Phase;
    use model::ffsb::{Op, OpWeight, ThreadGroup};
    use model::{Filesystem, Limits, Settings};

    use super::*;

    fn spec(settings: Settings) -> TrialSpec {
        let phase = |name: &str, action| Phase { name: name.to_owned(), round: None, action };
        let write = Action::Write { file: "f".to_owned() };
        TrialSpec {
            case: "c".to_owned(),
            headline: "write".to_owned(),
            phases: vec![phase("mkfs", Action::Mkfs), phase("write", write)],
            ffsb: None,
            include: Vec::new(),
            settings,
            place: "exact".to_owned(),
            seed: 0,
            limits: Limits::default(),
        }
    }

    /// The number that is named for a setting.
    fn named(said: &str, key: &str) -> u64 {
        let rest = said.split(key).last().unwrap();
        rest.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
    }

    #[test]
    fn the_sizes_that_would_fit_do_fit() {
        let mut refused = spec(Settings { disks: 12, disk_fresh: false, ..Settings::default() });
        let said = check(&refused).unwrap_err();
        refused.settings.mem = Bytes(named(&said, "mem=") << 20);
        assert!(check(&refused).is_ok());
        refused.settings.mem = Settings::default().mem;
        refused.settings.disk_size = Bytes(named(&said, "disk.size=") << 20);
        assert!(check(&refused).is_ok());
    }

    #[test]
    fn a_disk_too_small_for_its_filesystem_is_refused() {
        let disk_size = Bytes(64 << 20);
        let settings = Settings { fs: Filesystem::Xfs, disk_size, ..Settings::default() };
        assert!(check(&spec(settings)).unwrap_err().contains("300M"));
    }

    #[test]
    fn a_condition_that_does_not_fit_names_the_memory_that_would() {
        let mut refused = spec(Settings { mem: Bytes(512 << 20), ..Settings::default() });
        refused.settings.age.unmovable = 120_000;
        refused.phases[1].action = Action::Age;
        let said = check(&refused).unwrap_err();
        assert!(said.contains("age.*"), "{said}");
        refused.settings.mem = Bytes(named(&said, "mem=") << 20);
        assert!(check(&refused).is_ok());
    }

    #[test]
    fn a_profile_that_cannot_fit_names_a_disk_or_a_time_that_would() {
        let create = OpWeight { op: Op::Create, weight: 1 };
        let group = ThreadGroup { weights: vec![create], ..ThreadGroup::default() };
        let mut refused = spec(Settings { disks: 2, ..Settings::default() });
        refused.settings.scale = Some(2);
        refused.ffsb = Some(Profile {
            time: 60,
            filesystems: vec![Fileset {
                num_files: 10,
                max_filesize: 1 << 20,
                ..Fileset::default()
            }],
            threadgroups: vec![group],
            ..Profile::default()
        });
        let said = check(&refused).unwrap_err();
        let mut shorter = refused.clone();
        shorter.settings.scale = Some(u32::try_from(named(&said, "scale=")).unwrap());
        assert!(check(&shorter).is_ok(), "{said}");
        refused.settings.disk_size = Bytes(named(&said, "disk.size=") << 20);
        refused.settings.mem = Bytes(named(&said, "mem=") << 20);
        assert!(check(&refused).is_ok(), "{said}");
    }
}
