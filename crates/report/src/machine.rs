//! On what a trial ran, in a line or two.

use std::io;

use model::place::is_exact;
use model::settings::DiskCache;
use model::{Settings, Trial};

use crate::page::{Page, Role};

/// What makes up the machine model, in the order in which it is shown.
const ITEMS: [&str; 7] = ["qemu", "cpu", "cpus", "mem", "insn.ns", "restored", "plugin"];

/// Longer values, such as hashes, are left to `show`.
const LONGEST: usize = 64;

/// What must be said wherever times of the exact lab are shown.
pub(crate) const CAVEAT: &str = "virtual time knows no caches and no memory latency; user and system \
    are the kernel's account, by ticks";

/// Writes the machine, the disks, and the notes.
pub(crate) fn write(page: &mut Page<'_>, trial: &Trial) -> io::Result<()> {
    let items: Vec<_> = ITEMS
        .into_iter()
        .filter_map(|item| Some((item, trial.fingerprint.get(item)?)))
        .filter(|(_, value)| value.len() <= LONGEST)
        .map(|(item, value)| format!("{item} {value}"))
        .collect();
    page.labelled("  machine  ", Role::Plain, &items.join(", "))?;
    if is_exact(&trial.spec.place) {
        page.labelled("  disks    ", Role::Plain, &disks(&trial.spec.settings))?;
    }
    for note in &trial.notes {
        page.labelled("  note: ", Role::Warning, note)?;
    }
    Ok(())
}

/// The simulated disks.
pub(crate) fn disks(settings: &Settings) -> String {
    let speed = match settings.disk_mbps {
        0 => "unlimited bandwidth".to_owned(),
        mbps => format!("{mbps} MiB/s"),
    };
    let cache = match settings.disk_cache {
        DiskCache::None => "no write cache",
        DiskCache::Flush => "write cache with flushes",
    };
    let history = match settings.disk_fresh {
        true => "never written before",
        false => "wholly written before",
    };
    format!(
        "{} × {}, {speed}, {} a request, {cache}, {history}",
        settings.disks, settings.disk_size, settings.disk_latency
    )
}
