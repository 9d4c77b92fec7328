//! The one list of settings: their names, what they mean, and how text becomes a value.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::settings::{DiskCache, FillStyle, Flush, OpenFlags, Rewrite, Settings};
use crate::units::{Bytes, Nanos};

/// What precedes the name of a kernel knob, as in `sysctl.vm.dirty_bytes`.
pub const SYSCTL_PREFIX: &str = "sysctl.";

/// One setting.
pub struct Knob {
    /// Its name on the command line, in case files and in JSON.
    pub key: &'static str,
    /// What it means, for lists.
    pub about: &'static str,
    /// Its value as text.
    pub get: fn(&Settings) -> String,
    /// Takes a value from text, or says what would be valid.
    pub set: fn(&mut Settings, &str) -> Result<(), String>,
}

macro_rules! knob {
    ($key:literal, $about:literal, $get:expr, $set:expr) => {
        Knob { key: $key, about: $about, get: $get, set: $set }
    };
}

/// Every setting but the sysctls, in the order in which they are listed.
pub const KNOBS: &[Knob] = &[
    knob!(
        "kernel",
        "a bzImage, a vmlinux, the folder of an unpacked package or of a source tree, installed:VERSION, \
         debian:VERSION, or a revision of kernel.repo",
        |s| s.kernel.clone().unwrap_or_default(),
        |s, v| assign(&mut s.kernel, Ok(optional(v)))
    ),
    knob!(
        "kernel.modules",
        "the kernel's modules folder, where it is not beside the image",
        |s| s.kernel_modules.clone().unwrap_or_default(),
        |s, v| assign(&mut s.kernel_modules, Ok(optional(v)))
    ),
    knob!(
        "kernel.repo",
        "the git repository of which the kernel is a revision; it is built from there",
        |s| s.kernel_repo.clone().unwrap_or_default(),
        |s, v| assign(&mut s.kernel_repo, Ok(optional(v)))
    ),
    knob!(
        "kernel.config",
        "options for a kernel that is built, on top of the default ones: FILE[,...]",
        |s| s.kernel_config.join(","),
        |s, v| assign(&mut s.kernel_config, Ok(list(v)))
    ),
    knob!(
        "patch",
        "patches on the source of a kernel that is built: FILE[,...]",
        |s| s.patch.join(","),
        |s, v| assign(&mut s.patch, Ok(list(v)))
    ),
    knob!(
        "revert",
        "commits that are taken back in a kernel that is built: REVISION[,...]",
        |s| s.revert.join(","),
        |s, v| assign(&mut s.revert, Ok(list(v)))
    ),
    knob!(
        "modules",
        "module files from outside the kernel's tree: FILE.ko[,...]",
        |s| s.modules.join(","),
        |s, v| assign(&mut s.modules, Ok(list(v)))
    ),
    knob!(
        "fs",
        "ext2, ext3, ext4, xfs, btrfs, reiserfs, f2fs, jfs or nilfs2",
        |s| s.fs.to_string(),
        |s, v| assign(&mut s.fs, parsed(v))
    ),
    knob!("mkfs", "options for mkfs", |s| s.mkfs.clone(), |s, v| {
        assign(&mut s.mkfs, Ok(v.to_owned()))
    }),
    knob!("mount", "options for mount", |s| s.mount.clone(), |s, v| {
        assign(&mut s.mount, Ok(v.to_owned()))
    }),
    knob!("disks", "number of disks, 1 to 64", |s| s.disks.to_string(), |s, v| assign(
        &mut s.disks,
        number(v, 1..=64)
    )),
    knob!("disk.size", "size of each disk, at least 1M", |s| s.disk_size.to_string(), |s, v| {
        assign(&mut s.disk_size, size_at_least(v, Bytes(1 << 20)).and_then(whole_mib))
    }),
    knob!(
        "disk.mbps",
        "bandwidth of each disk in MiB/s, 0 to 10000; 0 is unlimited",
        |s| s.disk_mbps.to_string(),
        |s, v| assign(&mut s.disk_mbps, number(v, 0..=10_000))
    ),
    knob!(
        "disk.latency",
        "time that each request takes by itself, up to 10s",
        |s| s.disk_latency.to_string(),
        |s, v| assign(&mut s.disk_latency, latency(v))
    ),
    knob!(
        "disk.cache",
        "none or flush: whether there is a volatile write cache",
        |s| name_of(&CACHES, s.disk_cache),
        |s, v| assign(&mut s.disk_cache, choice(&CACHES, v))
    ),
    knob!(
        "disk.fresh",
        "yes or no: whether no block of the disk was ever written",
        |s| name_of(&YES_NO, s.disk_fresh),
        |s, v| assign(&mut s.disk_fresh, choice(&YES_NO, v))
    ),
    knob!("mem", "the guest's memory, 64M to 64G", |s| s.mem.to_string(), |s, v| assign(
        &mut s.mem,
        memory(v)
    )),
    knob!("cpus", "virtual CPUs, 1 to 16", |s| s.cpus.to_string(), |s, v| assign(
        &mut s.cpus,
        number(v, 1..=16)
    )),
    knob!("cpu", "QEMU's CPU model and flags", |s| s.cpu.clone(), |s, v| assign(
        &mut s.cpu,
        cpu_model(v)
    )),
    knob!(
        "insn.ns",
        "guest nanoseconds that an instruction takes: a power of two, 1 to 1024",
        |s| s.insn_ns.to_string(),
        |s, v| assign(&mut s.insn_ns, power_of_two(v))
    ),
    knob!(
        "fill",
        "percentage of the filesystem that is occupied before the first phase, 0 to 99",
        |s| s.fill.to_string(),
        |s, v| assign(&mut s.fill, number(v.strip_suffix('%').unwrap_or(v), 0..=99))
    ),
    knob!(
        "fill.style",
        "one, many or fragmented: how it is occupied",
        |s| name_of(&FILLS, s.fill_style),
        |s, v| assign(&mut s.fill_style, choice(&FILLS, v))
    ),
    knob!("cmdline", "appended to the kernel's command line", |s| s.cmdline.clone(), |s, v| {
        assign(&mut s.cmdline, Ok(v.to_owned()))
    }),
    knob!(
        "rounds",
        "how often the case's round is done in one boot, 1 to 1000",
        |s| s.rounds.to_string(),
        |s, v| assign(&mut s.rounds, number(v, 1..=1000))
    ),
    knob!(
        "size",
        "bytes that a writing phase writes to each disk",
        |s| s.size.to_string(),
        |s, v| assign(&mut s.size, size_at_least(v, Bytes(1)))
    ),
    knob!(
        "block",
        "bytes that one write hands over, up to 64M",
        |s| s.block.to_string(),
        |s, v| assign(&mut s.block, block(v))
    ),
    knob!(
        "rewrite",
        "truncate, overwrite or append: what a round does with the file of the round before",
        |s| name_of(&REWRITES, s.rewrite),
        |s, v| assign(&mut s.rewrite, choice(&REWRITES, v))
    ),
    knob!(
        "oflag",
        "direct, sync or dsync, or several: what a written file is opened with besides, as dd's oflag",
        |s| flags_text(s.oflag),
        |s, v| assign(&mut s.oflag, flags(v))
    ),
    knob!(
        "conv",
        "none, fsync or fdatasync: what is called before a written file is closed, as dd's conv",
        |s| name_of(&FLUSHES, s.conv),
        |s, v| assign(&mut s.conv, flush(v))
    ),
    knob!(
        "writers",
        "streams at once, 1 to 64, each into a file of its own",
        |s| s.writers.to_string(),
        |s, v| assign(&mut s.writers, number(v, 1..=64))
    ),
    knob!(
        "program.mkfs",
        "a program in place of the filesystem's mkfs; it gets the setting mkfs and the disk",
        |s| s.mkfs_program.clone().unwrap_or_default(),
        |s, v| assign(&mut s.mkfs_program, Ok(optional(v)))
    ),
    knob!(
        "age.unmovable",
        "pages, at least, that a step `age` leaves in the free lists of order 0 for unmovable memory",
        |s| s.age.unmovable.to_string(),
        |s, v| assign(&mut s.age.unmovable, pages(v))
    ),
    knob!("age.movable", "the same for movable memory", |s| s.age.movable.to_string(), |s, v| {
        assign(&mut s.age.movable, pages(v))
    }),
    knob!(
        "age.high",
        "free memory, at most, in blocks of 32K and more after a step `age`; empty asks for nothing",
        |s| s.age.high.map(|bytes| bytes.to_string()).unwrap_or_default(),
        |s, v| assign(&mut s.age.high, optional(v).map(|v| parsed(&v)).transpose())
    ),
    knob!(
        "age.cache",
        "page cache, at least, after a step `age`",
        |s| s.age.cache.to_string(),
        |s, v| assign(&mut s.age.cache, parsed(v))
    ),
    knob!(
        "age.anon",
        "anonymous memory, at least, that a step `age` occupies until the trial's end",
        |s| s.age.anon.to_string(),
        |s, v| assign(&mut s.age.anon, parsed(v))
    ),
    knob!(
        "age.slab",
        "the kernel's own objects, at least, after a step `age`",
        |s| s.age.slab.to_string(),
        |s, v| assign(&mut s.age.slab, parsed(v))
    ),
    knob!(
        "scale",
        "the part of its time for which an ffsb profile runs, 1 in N, with the kernel's dirty limits \
         scaled alike; auto: 1.5s in the exact lab, all of it in a directory",
        |s| s.scale.map_or_else(|| AUTO.to_owned(), |n| n.to_string()),
        |s, v| assign(&mut s.scale, scale(v))
    ),
    knob!(
        "sample.every",
        "how often --observe looks from inside, 1ms to 1h",
        |s| s.sample_every.to_string(),
        |s, v| assign(&mut s.sample_every, interval(v))
    ),
    knob!(
        "stall.limit",
        "without a completed call for longer than this the workload is stalled, from 1ms; auto: judged \
         from the trial's own latencies",
        |s| s.stall_limit.map_or_else(|| AUTO.to_owned(), |limit| limit.to_string()),
        |s, v| assign(&mut s.stall_limit, unless_auto(v, interval))
    ),
    knob!(
        "twin",
        "which neutral twin of the machine, 0 to 100000: padding where nobody looks; 0 has none",
        |s| s.twin.to_string(),
        |s, v| assign(&mut s.twin, number(v, 0..=100_000))
    ),
];

const CACHES: [(&str, DiskCache); 2] = [("none", DiskCache::None), ("flush", DiskCache::Flush)];
const FILLS: [(&str, FillStyle); 3] =
    [("one", FillStyle::One), ("many", FillStyle::Many), ("fragmented", FillStyle::Fragmented)];
const REWRITES: [(&str, Rewrite); 3] = [
    ("truncate", Rewrite::Truncate),
    ("overwrite", Rewrite::Overwrite),
    ("append", Rewrite::Append),
];
const FLUSHES: [(&str, Flush); 3] =
    [("none", Flush::None), ("fsync", Flush::Fsync), ("fdatasync", Flush::Fdatasync)];

/// The value by which a choice is left to the program.
const AUTO: &str = "auto";
const YES_NO: [(&str, bool); 2] = [("yes", true), ("no", false)];

/// The setting of that name.
#[must_use]
pub fn knob(key: &str) -> Option<&'static Knob> {
    KNOBS.iter().find(|knob| knob.key == key)
}

/// The setting whose name is most like `key`, if one is like it at all.
#[must_use]
pub fn nearest(key: &str) -> Option<&'static str> {
    KNOBS
        .iter()
        .map(|knob| (edits(key, knob.key), knob.key))
        .min()
        .filter(|(distance, _)| *distance <= 2)
        .map(|(_, known)| known)
}

/// Levenshtein's distance of two names.
pub(crate) fn edits(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

fn assign<T>(place: &mut T, value: Result<T, String>) -> Result<(), String> {
    *place = value?;
    Ok(())
}

fn parsed<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

fn optional(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

fn number(text: &str, range: RangeInclusive<u32>) -> Result<u32, String> {
    text.parse()
        .ok()
        .filter(|n| range.contains(n))
        .ok_or_else(|| format!("a whole number is wanted, {} to {}", range.start(), range.end()))
}

fn power_of_two(text: &str) -> Result<u32, String> {
    number(text, 1..=1024)
        .ok()
        .filter(|n| n.is_power_of_two())
        .ok_or_else(|| "a power of two is wanted, 1 to 1024".to_owned())
}

fn size_at_least(text: &str, least: Bytes) -> Result<Bytes, String> {
    let size: Bytes = parsed(text)?;
    if size < least {
        let least = if least.0 == 1 { "1 byte".to_owned() } else { least.to_string() };
        return Err(format!("at least {least} is wanted"));
    }
    Ok(size)
}

/// `null_blk` takes its size in MiB.
fn whole_mib(size: Bytes) -> Result<Bytes, String> {
    if size.0.is_multiple_of(1 << 20) {
        return Ok(size);
    }
    Err("whole MiB are wanted, for example 512M".to_owned())
}

fn memory(text: &str) -> Result<Bytes, String> {
    let size = size_at_least(text, Bytes(64 << 20)).and_then(whole_mib)?;
    if size > Bytes(64 << 30) {
        return Err("at most 64G".to_owned());
    }
    Ok(size)
}

fn block(text: &str) -> Result<Bytes, String> {
    let size = size_at_least(text, Bytes(1))?;
    if size > Bytes(64 << 20) {
        return Err("at most 64M can be handed over in one write".to_owned());
    }
    Ok(size)
}

fn latency(text: &str) -> Result<Nanos, String> {
    let time: Nanos = parsed(text)?;
    if time > Nanos(10_000_000_000) {
        return Err("at most 10s".to_owned());
    }
    Ok(time)
}

fn interval(text: &str) -> Result<Nanos, String> {
    let time: Nanos = parsed(text)?;
    if !(1_000_000..=3_600_000_000_000).contains(&time.0) {
        return Err("a time from 1ms to 1h is wanted".to_owned());
    }
    Ok(time)
}

fn unless_auto<T>(
    text: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<T>, String> {
    if text == AUTO { Ok(None) } else { read(text).map(Some) }
}

fn scale(text: &str) -> Result<Option<u32>, String> {
    unless_auto(text, |text| number(text, 1..=1_000_000))
        .map_err(|error| format!("auto is wanted, or: {error}"))
}

fn pages(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "a whole number of pages is wanted".to_owned())
}

fn flush(text: &str) -> Result<Flush, String> {
    let hint = match text {
        "notrunc" => "; dd's notrunc is rewrite=overwrite",
        _ => "",
    };
    choice(&FLUSHES, text).map_err(|error| error + hint)
}

fn flags(text: &str) -> Result<OpenFlags, String> {
    let mut flags = OpenFlags::default();
    for name in list(text) {
        match name.as_str() {
            "direct" => flags.direct = true,
            "sync" => flags.sync = true,
            "dsync" => flags.dsync = true,
            _ => return Err("direct, sync or dsync is wanted, or several with commas".to_owned()),
        }
    }
    Ok(flags)
}

fn flags_text(flags: OpenFlags) -> String {
    let named = [(flags.direct, "direct"), (flags.sync, "sync"), (flags.dsync, "dsync")];
    let set: Vec<_> = named.into_iter().filter(|(set, _)| *set).map(|(_, name)| name).collect();
    set.join(",")
}

/// The text goes to QEMU's `-cpu`; white space never belongs there.
fn cpu_model(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.,=+".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return Ok(text.to_owned());
    }
    Err("a CPU model of QEMU is wanted, for example Nehalem-v1 or max,rdrand=off".to_owned())
}

fn choice<T: Copy>(names: &[(&str, T)], text: &str) -> Result<T, String> {
    names.iter().find(|(name, _)| *name == text).map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<_> = names.iter().map(|(name, _)| *name).collect();
        let (last, others) = names.split_last().unwrap_or((&"", &[]));
        format!("{} or {last} is wanted", others.join(", "))
    })
}

fn name_of<T: PartialEq>(names: &[(&str, T)], value: T) -> String {
    names.iter().find(|(_, v)| *v == value).map(|(name, _)| *name).unwrap_or_default().to_owned()
}
