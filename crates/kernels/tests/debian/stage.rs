//! A machine with a package client, an archive and a cache.

use std::cell::RefCell;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use kernels::{Debian, KernelError};

const CLIENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/debian/package-client");
const PROGRAMS: [&str; 3] = ["apt-get", "apt-cache", "dpkg-deb"];

/// The machine; removed when this is dropped.
pub(crate) struct Stage {
    folder: tempfile::TempDir,
}

impl Stage {
    /// A machine whose archive has these kernels, each as `PACKAGE-RELEASE SUITE`.
    pub(crate) fn new(kernels: &[&str]) -> Stage {
        let stage = Stage { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(stage.client("")).unwrap();
        for program in PROGRAMS {
            symlink(CLIENT, stage.client(program)).unwrap();
        }
        stage.put(
            "targets",
            "Packages|bookworm|main|http://a.example/debian/|/none.list:1|Debian\n",
        );
        stage.archive(kernels);
        stage
    }

    /// Changes what the archive has.
    pub(crate) fn archive(&self, kernels: &[&str]) {
        let line = |kernel: &&str| {
            let (release, suite) = kernel.split_once(' ').unwrap();
            let source = format!("http://a.example/debian {suite}/main amd64 Packages");
            format!("linux-image-{release} | 6.0-1 | {source}\n")
        };
        self.put("archive", &kernels.iter().map(line).collect::<String>());
    }

    /// Makes something happen, or no more.
    pub(crate) fn set(&self, happening: &str, happens: bool) {
        match happens {
            true => self.put(happening, ""),
            false => fs::remove_file(self.client(happening)).unwrap(),
        }
    }

    /// Says what a file beside the client holds.
    pub(crate) fn put(&self, name: &str, text: &str) {
        fs::write(self.client(name), text).unwrap();
    }

    /// Takes a program of the client away.
    pub(crate) fn without(&self, program: &str) {
        fs::remove_file(self.client(program)).unwrap();
    }

    /// How often this was called.
    pub(crate) fn calls(&self, call: &str) -> usize {
        let calls = fs::read_to_string(self.client("calls")).unwrap_or_default();
        calls.lines().filter(|line| *line == call).count()
    }

    /// How often anything was called.
    pub(crate) fn all_calls(&self) -> usize {
        fs::read_to_string(self.client("calls")).unwrap_or_default().lines().count()
    }

    /// As a program that has just started sees it.
    pub(crate) fn debian(&self) -> Debian {
        Debian::new(&self.cache()).with_programs(&self.client("")).with_mirror(None)
    }

    /// Fetches and gives the folder's name, after a look at what is in it.
    pub(crate) fn fetch(&self, version: &str) -> Result<String, KernelError> {
        self.fetch_and_listen(version).0
    }

    /// As [`Stage::fetch`], with all that was told meanwhile.
    pub(crate) fn fetch_and_listen(&self, version: &str) -> (Result<String, KernelError>, String) {
        let told = RefCell::new(String::new());
        let progress = |words: &str| told.borrow_mut().push_str(&format!("{words}\n"));
        let folder = self.debian().fetch(version, &progress);
        let release = folder.map(|folder| {
            let release = folder.file_name().unwrap().to_str().unwrap().to_owned();
            assert_eq!(folder, self.kernels().join(&release));
            assert!(folder.join("boot").join(format!("vmlinuz-{release}")).is_file());
            release
        });
        (release, told.into_inner())
    }

    /// Lets a day and an hour go by.
    pub(crate) fn next_day(&self) {
        let stamp = File::options().write(true).open(self.cache().join("apt/refreshed")).unwrap();
        stamp.set_modified(SystemTime::now() - Duration::from_secs(25 * 60 * 60)).unwrap();
    }

    /// The cache.
    pub(crate) fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    /// The folder of the unpacked kernels.
    pub(crate) fn kernels(&self) -> PathBuf {
        self.cache().join("kernels")
    }

    fn client(&self, name: &str) -> PathBuf {
        self.folder.path().join("client").join(Path::new(name))
    }
}
