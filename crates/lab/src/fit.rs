//! Whether the guest's memory holds what a trial needs, worked out before anything boots.

use model::Settings;
use model::case::{Action, Phase};

use crate::filesystems::recipe;

/// What kernel, agent and payload occupy, in MiB: a Debian kernel takes about 110.
const SYSTEM_MIB: u64 = 144;

/// `null_blk` keeps a record and tree nodes for each page of 4 KiB that it holds: 1 part in this.
const RECORDS: u64 = 24;

/// The kernel's own record of each page of memory (`struct page`): 1 part in this.
const MEMORY_MAP: u64 = 64;

/// Dirty and clean page cache without which nothing could be written at a natural pace, in MiB.
const CACHE_MIB: u64 = 64;

/// Refuses disks that are too small for their filesystem or too large for the memory.
///
/// # Errors
/// A sentence with the sizes that would do.
pub(crate) fn check(settings: &Settings, phases: &[Phase]) -> Result<(), String> {
    let least = recipe(settings.fs).least;
    let made = phases.iter().any(|phase| phase.action == Action::Mkfs);
    if made && settings.disk_size < least {
        return Err(format!(
            "{} needs a disk of at least {least}; disk.size is {}",
            settings.fs, settings.disk_size
        ));
    }
    let disks = u64::from(settings.disks);
    let held = held_mib(settings, phases);
    let have = settings.mem.0 >> 20;
    let usable = (have - have.div_ceil(MEMORY_MAP)).saturating_sub(SYSTEM_MIB + CACHE_MIB);
    let wanted = disks * with_records(held);
    if wanted <= usable {
        return Ok(());
    }
    let system = SYSTEM_MIB + CACHE_MIB;
    let need = ((wanted + system) * MEMORY_MAP).div_ceil(MEMORY_MAP - 1) + 1;
    let per_disk = usable / disks * RECORDS / (RECORDS + 1);
    Err(format!(
        "the disks do not fit the guest's memory: {disks} of up to {held} MiB each, with the \
         driver's records, and {system} MiB for the system need mem={need}M; mem is {}. With \
         mem={need}M they fit{}",
        settings.mem,
        if per_disk > 0 { format!(", or with disk.size={per_disk}M") } else { String::new() },
    ))
}

fn with_records(mib: u64) -> u64 {
    mib + mib.div_ceil(RECORDS)
}

/// The most MiB of one disk that can come to hold data.
fn held_mib(settings: &Settings, phases: &[Phase]) -> u64 {
    let disk = settings.disk_size.0 >> 20;
    let raw = phases.iter().any(|phase| phase.action == Action::DiskWrite);
    if !settings.disk_fresh {
        return disk;
    }
    let writes = phases.iter().filter(|phase| writes(&phase.action)).count() as u64;
    let streamed = (settings.size.0 >> 20).saturating_add(1).saturating_mul(writes);
    let metadata = if raw { 0 } else { disk / 8 };
    let filled = disk * u64::from(settings.fill) / 100;
    disk.min(streamed.saturating_add(metadata).saturating_add(filled))
}

fn writes(action: &Action) -> bool {
    matches!(action, Action::Write { .. } | Action::DiskWrite)
}

#[cfg(test)]
mod tests {
    use model::Filesystem;
    use model::units::Bytes;

    use super::*;

    fn phases() -> Vec<Phase> {
        let phase = |name: &str, action| Phase { name: name.to_owned(), round: None, action };
        vec![phase("mkfs", Action::Mkfs), phase("write", Action::Write { file: "f".to_owned() })]
    }

    #[test]
    fn the_sizes_that_would_fit_do_fit() {
        let mut settings = Settings { disks: 12, disk_fresh: false, ..Settings::default() };
        let said = check(&settings, &phases()).unwrap_err();
        let number = |after: &str| -> u64 {
            let rest = said.split(after).last().unwrap();
            rest.split('M').next().unwrap().parse().unwrap()
        };
        settings.mem = Bytes(number("mem=") << 20);
        assert!(check(&settings, &phases()).is_ok());
        settings.mem = Settings::default().mem;
        settings.disk_size = Bytes(number("disk.size=") << 20);
        assert!(check(&settings, &phases()).is_ok());
    }

    #[test]
    fn a_disk_too_small_for_its_filesystem_is_refused() {
        let disk_size = Bytes(64 << 20);
        let settings = Settings { fs: Filesystem::Xfs, disk_size, ..Settings::default() };
        assert!(check(&settings, &phases()).unwrap_err().contains("300M"));
    }
}
