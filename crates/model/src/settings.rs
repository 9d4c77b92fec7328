//! The knobs of a trial: what a case sets, `--set` changes and `--vary` will vary.
//!
//! Outside the program settings are flat text, `disk.mbps=40`, in case files, on the command line
//! and in JSON; inside they are this struct. `setting_table` holds the one list that joins the two.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::filesystem::Filesystem;
use crate::setting_table::{KNOBS, SYSCTL_PREFIX, knob, nearest};
use crate::units::{Bytes, Nanos};

/// Whether a disk has a volatile write cache that `flush` must empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DiskCache {
    /// Every completed write is stable; the kernel sends no flushes.
    None,
    /// The kernel sends flushes; each costs one `disk.latency`.
    Flush,
}

/// How `fill` occupies the filesystem before the first phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FillStyle {
    /// One file.
    One,
    /// Files of 1 MiB, 100 to a folder.
    Many,
    /// The whole filesystem is filled with files of 64 KiB of which a share, spread evenly, is
    /// deleted again: what is free lies in small holes.
    Fragmented,
}

/// What a round does with the file that the round before left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rewrite {
    /// Opens it with `O_TRUNC`, as `dd of=FILE` does.
    Truncate,
    /// Writes over it in place, as `dd conv=notrunc` does.
    Overwrite,
    /// Writes behind its end, as `dd oflag=append conv=notrunc` does.
    Append,
}

/// What a file that is written is opened with besides, as dd's `oflag` has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenFlags {
    /// `O_DIRECT`: past the page cache.
    pub direct: bool,
    /// `O_SYNC`: each write waits until data and metadata are stable.
    pub sync: bool,
    /// `O_DSYNC`: each write waits until its data can be read back after a crash.
    pub dsync: bool,
}

/// What a writing phase calls before it closes the file, as dd's `conv` has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flush {
    /// Nothing.
    #[default]
    None,
    /// fsync(2).
    Fsync,
    /// fdatasync(2).
    Fdatasync,
}

/// The condition to which a step `age` brings the memory. 0 and `None` ask for nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// Pages, at least, in the free lists of order 0 for what cannot be moved.
    pub unmovable: u64,
    /// Pages, at least, in the free lists of order 0 for what can be moved.
    pub movable: u64,
    /// Free memory in blocks of order 3 and above (32 KiB each), at most.
    pub high: Option<Bytes>,
    /// Page cache, at least.
    pub cache: Bytes,
    /// Anonymous memory, at least; held until the trial ends.
    pub anon: Bytes,
    /// The kernel's own objects (slab), at least.
    pub slab: Bytes,
}

/// All settings of a trial. The defaults are the exact lab's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Which kernel: a path, `installed:VERSION`, `debian:VERSION`, a revision of `kernel_repo`, or
    /// `None` for the newest installed one.
    pub kernel: Option<String>,
    /// The kernel's modules folder, where it does not lie beside the image.
    pub kernel_modules: Option<String>,
    /// The git repository of which `kernel` is a revision.
    pub kernel_repo: Option<String>,
    /// Files with kernel options on top of the default configuration; one that is a whole `.config` takes
    /// its place.
    pub kernel_config: Vec<String>,
    /// Patch files that are applied to the kernel's source, in this order, after the reverts.
    pub patch: Vec<String>,
    /// Commits that are reverted in the kernel's source, in this order.
    pub revert: Vec<String>,
    /// Module files from outside the kernel's tree, loaded before `mount`.
    pub modules: Vec<String>,
    /// The filesystem on every disk.
    pub fs: Filesystem,
    /// Options for the filesystem's mkfs program, split at white space.
    pub mkfs: String,
    /// Mount options, as after `mount -o`.
    pub mount: String,
    /// Number of disks, 1 to 64; each gets its own filesystem.
    pub disks: u32,
    /// Size of each disk.
    pub disk_size: Bytes,
    /// Bandwidth of each disk in MiB/s; 0 is unlimited.
    pub disk_mbps: u32,
    /// Time from a request's start to its completion, for each request by itself.
    pub disk_latency: Nanos,
    /// Whether the disks have a volatile write cache.
    pub disk_cache: DiskCache,
    /// `true`: no block was ever written. `false`: each was, so that no phase pays for the
    /// guest memory behind a block.
    pub disk_fresh: bool,
    /// The guest's memory.
    pub mem: Bytes,
    /// Virtual CPUs, 1 to 16, run in turn.
    pub cpus: u32,
    /// QEMU's CPU model with its flags.
    pub cpu: String,
    /// Guest nanoseconds that an instruction takes: a power of two, 1 to 1024.
    pub insn_ns: u32,
    /// Percentage of the filesystem that is occupied before the first phase, 0 to 99.
    pub fill: u32,
    /// How it is occupied.
    pub fill_style: FillStyle,
    /// Values for files under `/proc/sys`, by their dotted names.
    pub sysctl: BTreeMap<String, String>,
    /// Appended to the kernel's command line.
    pub cmdline: String,
    /// How often the case's round is done in one boot.
    pub rounds: u32,
    /// Bytes that a writing phase writes to each disk.
    pub size: Bytes,
    /// Bytes that one `write` hands over.
    pub block: Bytes,
    /// What becomes of the file of the round before.
    pub rewrite: Rewrite,
    /// What a written file is opened with besides.
    pub oflag: OpenFlags,
    /// What is called before a written file is closed.
    pub conv: Flush,
    /// Streams at once, 1 to 64, each into a file of its own.
    pub writers: u32,
    /// The program by which filesystems are made; `None`: that of `fs`.
    pub mkfs_program: Option<String>,
    /// To what a step `age` brings the memory.
    pub age: Condition,
    /// The part of its time for which an ffsb profile runs, 1 in this; `None`: chosen by the place.
    pub scale: Option<u32>,
    /// How often a pass that watches from inside looks.
    pub sample_every: Nanos,
    /// Without a completed call for longer than this the workload is stalled; `None`: judged from
    /// the trial's own latencies.
    pub stall_limit: Option<Nanos>,
    /// Which neutral twin of the machine it is; 0 is the machine itself.
    pub twin: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            kernel: None,
            kernel_modules: None,
            kernel_repo: None,
            kernel_config: Vec::new(),
            patch: Vec::new(),
            revert: Vec::new(),
            modules: Vec::new(),
            fs: Filesystem::Ext4,
            mkfs: String::new(),
            mount: String::new(),
            disks: 1,
            disk_size: Bytes(512 << 20),
            disk_mbps: 40,
            disk_latency: Nanos(100_000),
            disk_cache: DiskCache::None,
            disk_fresh: true,
            mem: Bytes(2 << 30),
            cpus: 1,
            cpu: "Nehalem-v1".to_owned(),
            insn_ns: 2,
            fill: 0,
            fill_style: FillStyle::One,
            sysctl: BTreeMap::new(),
            cmdline: String::new(),
            rounds: 1,
            size: Bytes(100 << 20),
            block: Bytes(1 << 10),
            rewrite: Rewrite::Truncate,
            oflag: OpenFlags::default(),
            conv: Flush::None,
            writers: 1,
            mkfs_program: None,
            age: Condition::default(),
            scale: None,
            sample_every: Nanos(100_000_000),
            stall_limit: None,
            twin: 0,
        }
    }
}

/// Bytes to which `O_DIRECT` wants offsets and lengths aligned on any disk of ours.
pub const DIRECT_ALIGNMENT: u64 = 4096;

/// A setting that cannot be taken, with what would be valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// No setting has this name.
    #[error("there is no setting `{key}`{}; there are {}", hint(.nearest.as_deref()), known_keys())]
    Unknown {
        /// The name as given.
        key: String,
        /// The known name that is most like it.
        nearest: Option<String>,
    },
    /// The value does not suit the setting.
    #[error("{key}={value}: {why}")]
    Value {
        /// The setting.
        key: String,
        /// The value as given.
        value: String,
        /// What would be valid.
        why: String,
    },
    /// Two settings do not go together.
    #[error("{0}")]
    Together(String),
    /// Text without `=`.
    #[error("`{0}` is no setting; write KEY=VALUE, for example disk.mbps=40")]
    NoValue(String),
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map(|n| format!(" (did you mean `{n}`?)")).unwrap_or_default()
}

fn known_keys() -> String {
    let keys: Vec<_> = KNOBS.iter().map(|knob| knob.key).chain(["sysctl.NAME"]).collect();
    keys.join(", ")
}

impl Settings {
    /// Sets one knob from text.
    ///
    /// # Errors
    /// An unknown key, or a value outside the knob's range; the settings are then as before.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), SettingError> {
        let wrong =
            |why: String| SettingError::Value { key: key.to_owned(), value: value.to_owned(), why };
        if let Some(name) = key.strip_prefix(SYSCTL_PREFIX) {
            check_sysctl_name(name).map_err(wrong)?;
            self.sysctl.insert(name.to_owned(), value.trim().to_owned());
            return Ok(());
        }
        let knob = knob(key).ok_or_else(|| SettingError::Unknown {
            key: key.to_owned(),
            nearest: nearest(key).map(str::to_owned),
        })?;
        (knob.set)(self, value.trim()).map_err(wrong)
    }

    /// Takes a `KEY=VALUE` of the command line.
    ///
    /// # Errors
    /// As [`Settings::set`], or when there is no `=`.
    pub fn set_pair(&mut self, pair: &str) -> Result<(), SettingError> {
        let (key, value) =
            pair.split_once('=').ok_or_else(|| SettingError::NoValue(pair.to_owned()))?;
        self.set(key.trim(), value)
    }

    /// Every setting as flat text, in the table's order, sysctls last.
    #[must_use]
    pub fn pairs(&self) -> Vec<(String, String)> {
        let knobs = KNOBS.iter().map(|knob| (knob.key.to_owned(), (knob.get)(self)));
        let sysctls = self.sysctl.iter().map(|(k, v)| (format!("{SYSCTL_PREFIX}{k}"), v.clone()));
        knobs.chain(sysctls).collect()
    }

    /// The settings that differ from the defaults.
    #[must_use]
    pub fn changed(&self) -> Vec<(String, String)> {
        let defaults: BTreeMap<_, _> = Settings::default().pairs().into_iter().collect();
        self.pairs().into_iter().filter(|(k, v)| defaults.get(k) != Some(v)).collect()
    }

    /// Checks what no single knob can: that the settings go together, in a case that streams `size`
    /// (`streams`) or does not.
    ///
    /// # Errors
    /// The first pair that does not, and why.
    pub fn check(&self, streams: bool) -> Result<(), SettingError> {
        if !streams {
            return Ok(());
        }
        let together = |text: String| Err(SettingError::Together(text));
        if self.block > self.size {
            return together(format!(
                "block={} is larger than size={}; a write cannot be larger than the file",
                self.block, self.size
            ));
        }
        let rounds = if self.rewrite == Rewrite::Append { self.rounds } else { 1 };
        let files = u64::from(self.writers) * u64::from(rounds);
        if self.size.0.saturating_mul(files) > self.disk_size.0 {
            let each = if files > 1 { format!(", {files} times,") } else { String::new() };
            return together(format!(
                "size={}{each} does not fit on a disk with disk.size={}",
                self.size, self.disk_size
            ));
        }
        self.check_direct()
    }

    /// Checks what `O_DIRECT` asks of sizes.
    ///
    /// # Errors
    /// A size that is no multiple of a disk's block.
    pub fn check_direct(&self) -> Result<(), SettingError> {
        let odd = |size: Bytes| !size.0.is_multiple_of(DIRECT_ALIGNMENT);
        if self.oflag.direct && (odd(self.block) || odd(self.size)) {
            return Err(SettingError::Together(format!(
                "past the page cache (oflag=direct) block and size are multiples of 4K; they are \
                 block={} and size={}",
                self.block, self.size
            )));
        }
        Ok(())
    }
}

/// Names such as `vm.dirty_bytes`: they become a path under `/proc/sys` and must not leave it.
fn check_sysctl_name(name: &str) -> Result<(), String> {
    let plain = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
    };
    if name.contains('.') && name.split('.').all(plain) {
        return Ok(());
    }
    Err("a sysctl is named as sysctl(8) does, for example sysctl.vm.dirty_bytes".to_owned())
}

impl Serialize for Settings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.pairs())
    }
}

impl<'de> Deserialize<'de> for Settings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let pairs = BTreeMap::<String, String>::deserialize(deserializer)?;
        let mut settings = Settings::default();
        for (key, value) in pairs {
            settings.set(&key, &value).map_err(de::Error::custom)?;
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_survives_its_flat_form() {
        let mut settings = Settings::default();
        for pair in [
            "kernel=installed:6.1.0-57-amd64",
            "kernel.repo=/src/linux",
            "kernel.config=debug.config",
            "patch=1.patch,2.patch",
            "revert=5adc5be7cd1b",
            "modules=a.ko,b.ko.xz",
            "fs=reiserfs",
            "mkfs=-J size=4",
            "mount=data=journal,noatime",
            "disks=12",
            "disk.mbps=0",
            "disk.cache=flush",
            "disk.fresh=no",
            "insn.ns=4",
            "fill=90%",
            "fill.style=fragmented",
            "sysctl.vm.dirty_bytes=1048576",
            "rewrite=append",
            "oflag=direct,sync",
            "conv=fdatasync",
            "writers=4",
            "program.mkfs=mke2fs",
            "age.unmovable=100000",
            "age.high=16M",
            "age.anon=64M",
            "scale=400",
            "sample.every=10ms",
            "stall.limit=1s",
        ] {
            settings.set_pair(pair).unwrap();
        }
        let json = serde_json::to_string(&settings).unwrap();
        assert_eq!(serde_json::from_str::<Settings>(&json).unwrap(), settings);
    }

    #[test]
    fn wrong_settings_say_what_would_be_valid() {
        let mut settings = Settings::default();
        for (pair, said) in [
            ("disk.mbs=40", "did you mean `disk.mbps`"),
            ("fs=zfs", "reiserfs"),
            ("size=much", "100M"),
            ("disks=0", "1 to 64"),
            ("insn.ns=3", "power of two"),
            ("fill=100", "0 to 99"),
            ("disk.cache=write", "none or flush"),
            ("disk.fresh=maybe", "yes or no"),
            ("sysctl.../x=1", "sysctl(8)"),
            ("mem=1M", "64M"),
            ("size=0", "1 byte"),
            ("rounds", "KEY=VALUE"),
            ("oflag=append", "direct, sync or dsync"),
            ("conv=sync", "fsync or fdatasync"),
            ("scale=0", "auto"),
            ("sample.every=1us", "1ms"),
            ("age.unmovable=-1", "whole number"),
        ] {
            let error = settings.set_pair(pair).unwrap_err().to_string();
            assert!(error.contains(said), "{pair}: {error}");
            assert_eq!(settings, Settings::default(), "{pair} changed something");
        }
    }

    #[test]
    fn settings_that_do_not_go_together_are_refused() {
        let mut settings = Settings::default();
        settings.set_pair("size=2k").unwrap();
        settings.set_pair("block=4k").unwrap();
        assert!(settings.check(true).unwrap_err().to_string().contains("block=4K"));
        settings.set_pair("block=1k").unwrap();
        settings.set_pair("size=1G").unwrap();
        assert!(settings.check(true).unwrap_err().to_string().contains("disk.size=512M"));
        assert!(settings.check(false).is_ok());
        for (pair, fits) in [
            ("size=200M", true),
            ("writers=3", false),
            ("writers=1", true),
            ("rounds=3", true),
            ("rewrite=append", false),
        ] {
            settings.set_pair(pair).unwrap();
            assert_eq!(settings.check(true).is_ok(), fits, "{pair}");
        }
    }
}
