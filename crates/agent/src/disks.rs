//! Makes `null_blk` disks through configfs.
//!
//! Source: `Documentation/block/null_blk.rst` and `drivers/block/null_blk/main.c`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use protocol::Disk;

use crate::clock;
use crate::disk_write;
use crate::failure::{Failure, While as _};

const CONFIGFS: &str = "/sys/kernel/config/nullb";
const QUEUE_DEPTH: u32 = 64;
const LARGEST_CACHE_MIB: u64 = 64;
const LONGEST_WAIT_NS: u64 = 5_000_000_000;

/// `nullb0` for the first disk.
#[must_use]
pub(crate) fn name(index: usize) -> String {
    format!("nullb{index}")
}

/// `/dev/nullb0` for the first disk.
#[must_use]
pub(crate) fn device(index: usize) -> PathBuf {
    Path::new("/dev").join(name(index))
}

/// Makes disk `index` and waits for its device.
///
/// # Errors
/// The kernel has no `null_blk`, or refuses a value.
pub(crate) fn make(index: usize, disk: &Disk) -> Result<(), Failure> {
    let name = name(index);
    let folder = Path::new(CONFIGFS).join(&name);
    fs::create_dir(&folder)
        .in_setup(format!("making disk {name} in {CONFIGFS} (is the module null_blk loaded?)"))?;
    for (attribute, value) in attributes(disk) {
        match fs::write(folder.join(attribute), value.to_string()) {
            // Kernels before 5.17 lack it; the queue's own limit, below, serves them.
            Err(e) if e.kind() == io::ErrorKind::NotFound && attribute == "max_sectors" => {}
            other => other.in_setup(format!("setting {attribute}={value} of disk {name}"))?,
        }
    }
    fs::write(folder.join("power"), "1").in_setup(format!("switching disk {name} on"))?;
    wait_for(&device(index))?;
    limit_requests(&name, disk.max_request_kib)
}

/// All attributes that are set, in their order, but `power`.
fn attributes(disk: &Disk) -> Vec<(&'static str, u64)> {
    let timer = disk.latency_ns > 0;
    let mut list = vec![
        ("memory_backed", 1),
        ("size", disk.size_mib),
        ("blocksize", 4096),
        ("hw_queue_depth", QUEUE_DEPTH.into()),
        ("discard", 0),
        ("irqmode", if timer { 2 } else { 0 }),
        ("completion_nsec", disk.latency_ns),
    ];
    if disk.mbps > 0 {
        list.push(("mbps", disk.mbps.into()));
    }
    if disk.cache {
        list.push(("cache_size", disk.size_mib.min(LARGEST_CACHE_MIB)));
    }
    if disk.max_request_kib > 0 {
        list.push(("max_sectors", u64::from(disk.max_request_kib) * 2));
    }
    list
}

fn wait_for(device: &Path) -> Result<(), Failure> {
    let start = clock::now_ns();
    while !device.exists() {
        if clock::now_ns() - start > LONGEST_WAIT_NS {
            let device = device.display();
            return Err(Failure::setup(format!("{device} did not appear")));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

/// Lowers the largest request where the queue's own limit is higher.
fn limit_requests(name: &str, max_kib: u32) -> Result<(), Failure> {
    let file = format!("/sys/block/{name}/queue/max_sectors_kb");
    let now = fs::read_to_string(&file).in_setup(format!("reading {file}"))?;
    let now: u32 = now.trim().parse().unwrap_or(u32::MAX);
    if max_kib > 0 && now > max_kib {
        fs::write(&file, max_kib.to_string()).in_setup(format!("setting {file} to {max_kib}"))?;
    }
    Ok(())
}

/// Writes every block of the disk once, so that no phase pays for the memory behind a block.
///
/// # Errors
/// A write fails.
pub(crate) fn prewrite(index: usize, disk: &Disk) -> Result<(), Failure> {
    let request = match disk.max_request_kib {
        0 => 128 << 10,
        kib => u64::from(kib) << 10,
    };
    disk_write::write(&device(index), disk.size_mib << 20, request)
        .map(drop)
        .map_err(|failure| Failure::setup(format!("preparing a disk: {}", failure.reason)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk() -> Disk {
        Disk {
            size_mib: 512,
            mbps: 40,
            latency_ns: 100_000,
            cache: true,
            max_request_kib: 100,
            prewrite: false,
        }
    }

    #[test]
    fn a_disk_becomes_attributes() {
        let full = attributes(&disk());
        for wanted in [
            ("irqmode", 2),
            ("completion_nsec", 100_000),
            ("mbps", 40),
            ("cache_size", 64),
            ("max_sectors", 200),
        ] {
            assert!(full.contains(&wanted), "{wanted:?}");
        }
    }

    #[test]
    fn what_is_unlimited_is_not_set() {
        let bare = attributes(&Disk {
            mbps: 0,
            latency_ns: 0,
            cache: false,
            max_request_kib: 0,
            ..disk()
        });
        assert!(bare.contains(&("irqmode", 0)));
        for absent in ["mbps", "cache_size", "max_sectors"] {
            assert!(bare.iter().all(|(name, _)| *name != absent), "{absent}");
        }
    }
}
