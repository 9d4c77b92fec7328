//! What a build says: how far it is, and where it failed first.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// So many lines of a log's end go with an error.
const TAIL: usize = 20;

/// The log of a build, read while it is written.
pub(crate) struct Log {
    path: PathBuf,
    file: File,
    tree: String,
    compiled: usize,
    linking: bool,
    said: Said,
}

/// What the last call of make said.
#[derive(Default)]
struct Said {
    error: Option<String>,
    stars: Option<String>,
    full: bool,
    tail: VecDeque<String>,
}

/// Programs and headers that only some configurations need, by how their lack shows, and their packages.
const ELSEWHERE: [(&str, &str, &str); 9] = [
    ("openssl/", "openssl/opensslv.h", "libssl-dev"),
    ("libelf.h: No such file", "libelf.h", "libelf-dev"),
    ("gelf.h: No such file", "gelf.h", "libelf-dev"),
    ("openssl: not found", "openssl", "openssl"),
    ("xz: not found", "xz", "xz-utils"),
    ("zstd: not found", "zstd", "zstd"),
    ("lz4: not found", "lz4", "lz4"),
    ("cpio: not found", "cpio", "cpio"),
    ("python3: not found", "python3", "python3"),
];

impl Log {
    /// Begins a log anew. Names in `tree` are given relative to it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn begin(path: &Path, tree: &Path) -> io::Result<Log> {
        let file = File::create(path)?;
        let tree = format!("{}/", tree.display());
        Ok(Log {
            path: path.to_path_buf(),
            file,
            tree,
            compiled: 0,
            linking: false,
            said: Said::default(),
        })
    }

    /// Forgets what was said: another call of make begins.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn call(&mut self, what: &str) -> io::Result<()> {
        self.said = Said::default();
        writeln!(self.file, "make {what}")
    }

    /// Takes a line.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn take(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.file, "{line}")?;
        let mut words = line.split_whitespace();
        match (line.starts_with("  "), words.next(), words.next()) {
            (true, Some("CC" | "AS"), Some(_)) => self.compiled += 1,
            (true, Some("LD" | "BTF" | "KSYMS"), Some(of)) if is_last(of) => self.linking = true,
            _ => self.said.take(line, &self.tree),
        }
        Ok(())
    }

    /// Adds a line of our own.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn note(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.file, "{line}")
    }

    /// How far it is, in a few words.
    pub(crate) fn progress(&self) -> Option<String> {
        match (self.linking, self.compiled) {
            (true, _) => Some("building: linking".to_owned()),
            (false, 0) => None,
            (false, 1) => Some("building: 1 file compiled".to_owned()),
            (false, compiled) => Some(format!("building: {compiled} files compiled")),
        }
    }

    /// The first error, one line.
    pub(crate) fn first(&self) -> Option<&str> {
        let last = self.said.tail.back();
        self.said.error.as_ref().or(self.said.stars.as_ref()).or(last).map(String::as_str)
    }

    /// The last lines.
    pub(crate) fn tail(&self) -> Vec<String> {
        self.said.tail.iter().cloned().collect()
    }

    /// Whether the disk was full.
    pub(crate) fn is_full(&self) -> bool {
        self.said.full
    }

    /// What is not installed, with its package, where that is the first error.
    pub(crate) fn lacks(&self) -> Option<(&'static str, &'static str)> {
        let first = self.said.error.as_deref()?;
        let absent = first.contains("not found") || first.contains("No such file");
        let found = ELSEWHERE.iter().find(|(sign, _, _)| absent && first.contains(sign));
        found.map(|(_, what, package)| (*what, *package))
    }

    /// The log's file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Said {
    fn take(&mut self, line: &str, tree: &str) {
        let line = line.trim_end().replace(tree, "");
        if line.is_empty() {
            return;
        }
        self.full |= line.contains("No space left on device");
        if self.error.is_none() && is_error(&line) {
            self.error = Some(line.clone());
        } else if self.stars.is_none() && line.contains("*** ") {
            self.stars = Some(line.clone());
        }
        if self.tail.len() == TAIL {
            self.tail.pop_front();
        }
        self.tail.push_back(line);
    }
}

fn is_last(of: &str) -> bool {
    of.starts_with("vmlinux") || of.starts_with(".tmp_vmlinux")
}

/// gcc's and ld's errors, make's where it cannot even begin, the shell's where a program is not there.
fn is_error(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    let signs =
        ["error:", "undefined reference", "no rule to make", ": not found", "cannot find -l"];
    signs.iter().any(|sign| lower.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(lines: &[&str]) -> Log {
        let folder = tempfile::tempdir().unwrap();
        let mut log =
            Log::begin(&folder.path().join("build.log"), Path::new("/cache/tree")).unwrap();
        lines.iter().for_each(|line| log.take(line).unwrap());
        log
    }

    #[test]
    fn the_first_error_is_the_compilers_and_not_what_make_makes_of_it() {
        let log = log(&[
            "  CC      fs/sync.o",
            "/cache/tree/fs/sync.c: In function 'ksys_sync':",
            "/cache/tree/fs/sync.c:101:9: error: 'nowait' undeclared (first use in this function)",
            "/cache/tree/fs/sync.c:102:9: error: another",
            "make[3]: *** [/cache/tree/scripts/Makefile.build:229: fs/sync.o] Error 1",
        ]);
        let first = "fs/sync.c:101:9: error: 'nowait' undeclared (first use in this function)";
        assert_eq!(log.first(), Some(first));
        assert_eq!(log.tail().len(), 4);
        assert_eq!(log.tail()[3], "make[3]: *** [scripts/Makefile.build:229: fs/sync.o] Error 1");
    }

    #[test]
    fn errors_of_other_programs() {
        let table = [
            "ld: fs/sync.o: in function `x': sync.c:(.text+0x1): undefined reference to `y'",
            "make[1]: *** No rule to make target 'arch/x86/x.o', needed by 'vmlinux'.  Stop.",
            "/bin/sh: 1: bc: not found",
            "arch/x86/entry/entry_64.S:10: Error: no such instruction: `foo'",
            "make: *** [Makefile:5: all] Error 2",
            "a last word",
        ];
        for line in table {
            assert_eq!(log(&["  LD      x.o", "before", line]).first(), Some(line));
        }
        assert_eq!(log(&["  CC      drivers/error.o"]).first(), None);
    }

    #[test]
    fn progress_counts_what_is_compiled() {
        let told = |lines: &[&str]| log(lines).progress();
        assert_eq!(told(&["  GEN     Makefile", "CC of nothing"]), None);
        assert_eq!(told(&["  CC      a.o"]).unwrap(), "building: 1 file compiled");
        let lines = ["  CC      a.o", "  AS      b.o", "  CC [M]  c.o", "  LD      d.o"];
        assert_eq!(told(&lines).unwrap(), "building: 3 files compiled");
        assert_eq!(told(&["  CC      a.o", "  LD      vmlinux.o"]).unwrap(), "building: linking");
    }

    #[test]
    fn a_full_disk_and_a_missing_header_are_seen() {
        let full = log(&["fatal error: error writing to /tmp/x.s: No space left on device"]);
        assert!(full.is_full() && full.lacks().is_none());
        let line = "/cache/tree/certs/extract-cert.c:21:10: fatal error: openssl/bio.h: No such file or directory";
        let lacking = log(&[line]);
        assert_eq!(lacking.lacks(), Some(("openssl/opensslv.h", "libssl-dev")));
        assert!(!lacking.is_full());
    }
}
