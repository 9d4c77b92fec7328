//! The files of a machine, below a root folder, read with a bound.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Of one file no more bytes than these are read.
const LONGEST: u64 = 1 << 20;

/// The files of a machine. Names begin with `/`, as they do on that machine.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    root: Arc<Path>,
}

/// Why a file has no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unread {
    Missing,
    Empty,
    Failed(String),
}

impl fmt::Display for Unread {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unread::Missing => out.write_str("there is no such file"),
            Unread::Empty => out.write_str("it is empty"),
            Unread::Failed(why) => out.write_str(why),
        }
    }
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Unread::Missing,
            io::ErrorKind::PermissionDenied => Unread::Failed(format!("{error}; root may read it")),
            _ => Unread::Failed(error.to_string()),
        }
    }
}

impl Tree {
    pub(super) fn new(root: &Path) -> Self {
        let root = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
        Tree { root: root.into() }
    }

    /// Whether it is that of the machine that runs this.
    pub(super) fn is_own(&self) -> bool {
        &*self.root == Path::new("/")
    }

    /// Where the file lies for this process.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name.trim_start_matches('/'))
    }

    /// The file's text: without zero bytes, and with a last line that says so where it was cut.
    pub(super) fn read(&self, name: &str) -> Result<String, Unread> {
        // Not to wait for the other end of a pipe.
        let file =
            File::options().read(true).custom_flags(libc::O_NONBLOCK).open(self.path(name))?;
        let mut bytes = Vec::new();
        file.take(LONGEST + 1).read_to_end(&mut bytes)?;
        let text = bounded(&bytes, LONGEST as usize).replace('\0', "");
        if text.trim().is_empty() { Err(Unread::Empty) } else { Ok(text) }
    }

    /// The file's text without white space around it; `None` where there is none.
    pub(super) fn line(&self, name: &str) -> Option<String> {
        self.read(name).ok().map(|text| text.trim().to_owned())
    }

    /// What the folder holds, numbers in names in their order; nothing where it cannot be read.
    pub(super) fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort_by_cached_key(|name| order(name));
        names
    }

    pub(super) fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// Whether it is a folder and no link to one.
    pub(super) fn is_folder(&self, name: &str) -> bool {
        fs::symlink_metadata(self.path(name)).is_ok_and(|found| found.is_dir())
    }

    /// Whether it is a file that someone may read: some of the kernel's are only written.
    pub(super) fn is_readable(&self, name: &str) -> bool {
        fs::symlink_metadata(self.path(name))
            .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o444 != 0)
    }

    /// The last part of where the link leads.
    pub(super) fn link(&self, name: &str) -> Option<String> {
        let target = fs::read_link(self.path(name)).ok()?;
        Some(target.file_name()?.to_str()?.to_owned())
    }

    /// The name without links in it; `None` where it leads to nothing, or out of the tree.
    pub(super) fn resolve(&self, name: &str) -> Option<String> {
        self.name_of(&fs::canonicalize(self.path(name)).ok()?)
    }

    /// The name of a path that lies below the root.
    pub(super) fn name_of(&self, path: &Path) -> Option<String> {
        let inner = path.strip_prefix(&self.root).ok()?.to_str()?;
        Some(format!("/{inner}"))
    }
}

/// The text, cut at a line's end where it is longer than `longest` bytes.
fn bounded(bytes: &[u8], longest: usize) -> String {
    if bytes.len() <= longest {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    let kept = &bytes[..longest];
    let end = kept.iter().rposition(|byte| *byte == b'\n').map_or(longest, |at| at + 1);
    let text = String::from_utf8_lossy(&kept[..end]);
    format!("{text}[cut here: longer than {longest} bytes]\n")
}

/// `sda2` before `sda10`: parts that are no number, and the numbers after them.
fn order(name: &str) -> Vec<(String, u64)> {
    let digit = |c: char| c.is_ascii_digit();
    let (mut parts, mut rest) = (Vec::new(), name);
    while !rest.is_empty() {
        let (word, after) = rest.split_at(rest.find(digit).unwrap_or(rest.len()));
        let (number, after) = after.split_at(after.find(|c| !digit(c)).unwrap_or(after.len()));
        parts.push((word.to_owned(), number.parse().unwrap_or_default()));
        rest = after;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::super::testing::Machine;
    use super::*;

    #[test]
    fn a_long_text_is_cut_at_a_line_and_says_so() {
        assert_eq!(bounded(b"ab\ncd\n", 6), "ab\ncd\n");
        assert_eq!(bounded(b"ab\ncd\n", 5), "ab\n[cut here: longer than 5 bytes]\n");
        assert_eq!(bounded(b"abcdef", 2), "ab[cut here: longer than 2 bytes]\n");
        let machine = Machine::new();
        machine.write("/proc/long", &"line\n".repeat(300_000));
        let text = machine.tree().read("/proc/long").unwrap();
        assert!(text.len() < 1_048_640 && text.ends_with("bytes]\n"), "{}", text.len());
    }

    #[test]
    fn numbers_stand_in_their_order() {
        let machine = Machine::new();
        for name in ["sda10", "sda2", "sda", "nvme1n1", "nvme0n1p12", "99999999999999999999"] {
            machine.write(&format!("/d/{name}"), "");
        }
        let names = machine.tree().names("/d");
        let expected = ["99999999999999999999", "nvme0n1p12", "nvme1n1", "sda", "sda2", "sda10"];
        assert_eq!(names, expected);
    }

    #[test]
    fn a_link_stays_in_the_tree() {
        let machine = Machine::new();
        machine.write("/sys/devices/sda/size", "1");
        machine.link("/sys/block/sda", "../devices/sda");
        machine.link("/sys/block/out", "/dev");
        let tree = machine.tree();
        assert_eq!(tree.resolve("/sys/block/sda").as_deref(), Some("/sys/devices/sda"));
        assert_eq!(tree.resolve("/sys/block/out"), None);
        assert_eq!(tree.link("/sys/block/sda").as_deref(), Some("sda"));
    }

    #[test]
    fn a_pipe_without_writer_is_not_waited_for() {
        let machine = Machine::new();
        machine.write("/proc/x", "");
        let pipe = machine.root().join("proc/pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        assert_eq!(machine.tree().read("/proc/pipe"), Err(Unread::Empty));
    }
}
