//! A machine with a kernel's tree, a compiler and a cache.

use std::cell::RefCell;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use kernels::{Builds, Built, Origin, Source, SourceError};

const MAKE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/build/kernel-make");
const LAB: &str = include_str!("../../src/build/lab.config");
const PROGRAMS: [&str; 10] =
    ["make", "gcc", "ld", "objcopy", "bison", "flex", "bc", "perl", "gzip", "pahole"];

/// What the tree knows besides the lab's options.
const OTHERS: [&str; 9] = [
    "DEBUG_INFO",
    "DEBUG_INFO_DWARF_TOOLCHAIN_DEFAULT",
    "BPF_SYSCALL",
    "DEBUG_INFO_BTF",
    "DEBUG_INFO_BTF_MODULES",
    "DEBUG_INFO_NONE",
    "HZ_100",
    "OVERLAY_FS",
    "MODULE_SIG",
];

/// The machine; removed when this is dropped.
pub(crate) struct Stage {
    folder: tempfile::TempDir,
}

impl Stage {
    /// A machine that has all it needs, and pahole.
    pub(crate) fn new() -> Stage {
        let stage = Stage { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(stage.path("programs")).unwrap();
        PROGRAMS.iter().for_each(|program| stage.with_program(program));
        for folder in ["tree/arch/x86", "tree/scripts/kconfig", "tree/fs"] {
            fs::create_dir_all(stage.path(folder)).unwrap();
        }
        for file in [
            "tree/Kbuild",
            "tree/Makefile",
            "tree/arch/x86/Makefile",
            "tree/scripts/kconfig/conf.c",
        ] {
            stage.put(file, "\n");
        }
        let ours = LAB.lines().filter_map(symbol).chain(OTHERS);
        stage.put(
            "tree/Kconfig",
            &ours.map(|symbol| format!("config {symbol}\n")).collect::<String>(),
        );
        stage.change("int x;");
        stage
    }

    /// A file or folder of the machine.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Says what a file holds.
    pub(crate) fn put(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// What a file holds.
    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Changes the kernel; words in it say what comes of it.
    pub(crate) fn change(&self, code: &str) {
        self.put("tree/fs/sync.c", &format!("{code}\n"));
    }

    /// Installs a program.
    pub(crate) fn with_program(&self, program: &str) {
        symlink(MAKE, self.path("programs").join(program)).unwrap();
    }

    /// Takes a program away.
    pub(crate) fn without_program(&self, program: &str) {
        fs::remove_file(self.path("programs").join(program)).unwrap();
    }

    /// As a program that has just started sees it.
    pub(crate) fn builds(&self) -> Builds {
        Builds::new(&self.path("cache"))
            .with_programs(&self.path("programs"))
            .with_free_bytes(1 << 40)
            .with_jobs(3)
    }

    /// The tree, with the user's files of options.
    pub(crate) fn source(&self, config: &[&str]) -> Source {
        Source {
            origin: Origin::Tree(self.path("tree")),
            reverts: Vec::new(),
            patches: Vec::new(),
            config: config.iter().map(|name| self.path(name)).collect(),
        }
    }

    /// Builds it as a program that has just started does.
    pub(crate) fn build(&self, config: &[&str]) -> Result<Built, SourceError> {
        self.builds().build(&self.source(config), &|_| ())
    }

    /// As [`Stage::build`], with all that was told meanwhile.
    pub(crate) fn build_and_listen(&self) -> (Result<Built, SourceError>, Vec<String>) {
        let told = RefCell::new(Vec::new());
        let tell = |words: &str| told.borrow_mut().push(words.to_owned());
        let built = self.builds().build(&self.source(&[]), &tell);
        (built, told.into_inner())
    }

    /// What make was called for.
    pub(crate) fn calls(&self) -> Vec<String> {
        let calls = fs::read_to_string(self.path("programs/calls")).unwrap_or_default();
        calls.lines().map(str::to_owned).collect()
    }

    /// How often make was called for this.
    pub(crate) fn count(&self, target: &str) -> usize {
        self.calls().iter().filter(|call| *call == target).count()
    }

    /// The folders in which kernels are built.
    pub(crate) fn build_folders(&self) -> Vec<PathBuf> {
        let is_build =
            |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with("build-");
        self.beside_the_tree().into_iter().filter(is_build).collect()
    }

    /// All that lies beside the laid-out tree.
    pub(crate) fn beside_the_tree(&self) -> Vec<PathBuf> {
        let sources = entries(&self.path("cache/source"));
        sources.iter().flat_map(|folder| entries(folder)).collect()
    }

    /// The names in the folder of what is kept.
    pub(crate) fn kept(&self) -> Vec<String> {
        let names = entries(&self.path("cache/built")).into_iter();
        names.map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn symbol(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("# CONFIG_").or_else(|| line.strip_prefix("CONFIG_"))?;
    rest.split(['=', ' ']).next()
}
