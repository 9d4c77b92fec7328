//! Names that one place of a text gives away and that may stand elsewhere in it: hosts and serial
//! numbers; and the kernel's version, which must stay.

use super::names::Kind;
use super::shapes::{Found, ends_word, starts_word};

/// Keys of lines `KEY: VALUE` and `KEY=VALUE` whose value is an id, as sysfs, udev, smartctl and
/// hdparm call them; in lower case, with `_` for a space.
const IDS: [&str; 22] = [
    "serial",
    "serial_number",
    "id_serial",
    "id_serial_short",
    "product_serial",
    "board_serial",
    "chassis_serial",
    "asset_tag",
    "board_asset_tag",
    "chassis_asset_tag",
    "wwid",
    "wwn",
    "id_wwn",
    "eui",
    "nguid",
    "logical_unit_id",
    "machine_id",
    "machine-id",
    "boot_id",
    "unique_id",
    "hostid",
    "subsysnqn",
];

/// Hosts with such names are not known by them, and the words stand for other things in a text.
const COMMON: [&str; 52] = [
    "alpine",
    "arch",
    "archlinux",
    "build",
    "builder",
    "centos",
    "cpu",
    "data",
    "debian",
    "dev",
    "disk",
    "domain",
    "email",
    "fedora",
    "gentoo",
    "guest",
    "home",
    "host",
    "id",
    "io",
    "ipv4",
    "ipv6",
    "kernel",
    "kvm",
    "label",
    "linux",
    "localhost",
    "mac",
    "machine",
    "memory",
    "network",
    "nixos",
    "node",
    "none",
    "opensuse",
    "part",
    "pc",
    "proc",
    "qemu",
    "root",
    "server",
    "storage",
    "suse",
    "sys",
    "test",
    "ubuntu",
    "user",
    "uuid",
    "virtual",
    "vm",
    "work",
    "workstation",
];

/// Filesystems that come from another host.
const REMOTE: [&str; 7] = ["nfs", "nfs4", "cifs", "smb3", "ceph", "lustre", "fuse.glusterfs"];

/// A shorter serial number might be any number.
const SHORTEST_ID: usize = 6;

/// A name in lower case.
type Word = (String, Kind);

/// Names that are known to stand in a text.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// The longest first.
    words: Vec<Word>,
    /// The kernel's version.
    release: Option<String>,
}

impl Known {
    /// Reads them from the lines that tell of them.
    pub(super) fn learn(text: &str) -> Known {
        let mut known = Known::default();
        let summary = text.lines().take_while(|line| !line.starts_with("== "));
        for (key, value) in summary.filter_map(|line| line.split_once(": ")) {
            match key {
                "host" => known.host(value.trim()),
                "kernel" => known.release = Some(value.trim().to_owned()),
                _ => {}
            }
        }
        for line in text.lines() {
            known.id(line);
            if let Some(server) = server(line) {
                known.host(server);
            }
        }
        known.words.retain(|(word, _)| !COMMON.contains(&word.as_str()) && word.len() > 2);
        known.words.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
        known
    }

    /// A host by its whole name, its name alone, and its domain; also as LVM and systemd write them.
    fn host(&mut self, name: &str) {
        let name = name.to_lowercase();
        let fits = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
        if !name.chars().all(fits) || name.parse::<core::net::Ipv4Addr>().is_ok() {
            return;
        }
        let (alone, domain) = name.split_once('.').unwrap_or((&name, ""));
        for hyphen in ["-", "--", "\\x2d"] {
            self.words.push((alone.replace('-', hyphen), Kind::Host));
        }
        if domain.contains('.') {
            self.words.push((domain.to_owned(), Kind::Domain));
        }
        self.words.push((name, Kind::Host));
    }

    fn id(&mut self, line: &str) {
        if let Some(found) = keyed(line, false).filter(|found| found.kind == Kind::Id) {
            let value = &line[found.keep..found.keep + found.length];
            let has_digit = value.contains(|c: char| c.is_ascii_digit());
            if value.len() >= SHORTEST_ID && has_digit {
                self.words.push((value.to_lowercase(), Kind::Id));
            }
        }
    }

    /// The known name at the begin of `rest`, as a word of its own.
    pub(super) fn at(&self, before: &str, rest: &str) -> Option<Found> {
        if !starts_word(before) {
            return None;
        }
        let (word, kind) = self.words.iter().find(|(word, _)| {
            let begin = rest.get(..word.len());
            begin.is_some_and(|begin| begin.eq_ignore_ascii_case(word))
                && ends_word(&rest[word.len()..])
        })?;
        Some(Found { keep: 0, length: word.len(), kind: *kind })
    }

    /// The length of the kernel's version, where it stands at the begin of `rest`.
    pub(super) fn kept(&self, before: &str, rest: &str) -> Option<usize> {
        let release = self.release.as_ref().filter(|release| !release.is_empty())?;
        (starts_word(before) && rest.starts_with(release)).then_some(release.len())
    }
}

/// The value of a line whose key says that it identifies: its first `keep` bytes stay.
pub(super) fn keyed(line: &str, in_summary: bool) -> Option<Found> {
    let (key, value) = line.split_once([':', '='])?;
    let name = key.rsplit('/').next()?.trim().to_lowercase().replace(' ', "_");
    let value = value.trim().trim_matches('"');
    let found = |value: &str, kind| {
        let keep = key.len() + line[key.len()..].find(value)?;
        let is_word = !value.is_empty() && !value.contains(char::is_whitespace);
        is_word.then_some(Found { keep, length: value.len(), kind })
    };
    match name.as_str() {
        "host" if in_summary => found(value, Kind::Host),
        "uname" if in_summary => found(host_of(value)?, Kind::Host),
        "config_default_hostname" if value != "(none)" => found(value, Kind::Host),
        "label" | "id_fs_label" => found(value, Kind::Label),
        id if IDS.contains(&id) => found(value, Kind::Id),
        _ => None,
    }
}

/// The second word, but for a kernel that has no host's name.
// Linux box 6.1.0-57-amd64 #1 SMP x86_64
fn host_of(uname: &str) -> Option<&str> {
    uname.split(' ').nth(1).filter(|word| !word.starts_with(|c: char| c.is_ascii_digit()))
}

/// The host of a mount of another host's files.
// 40 20 0:44 / /data rw - nfs4 filer:/export rw
// 41 20 0:45 / /share rw - cifs //filer/share rw
fn server(line: &str) -> Option<&str> {
    let (_, filesystem) = line.split_once(" - ")?;
    let (kind, source) = filesystem.split_once(' ')?;
    let source = source.trim_start_matches('/');
    let server = &source[..source.find([':', '/', ' ', ',', '@'])?];
    (REMOTE.contains(&kind) && !server.is_empty()).then_some(server)
}
