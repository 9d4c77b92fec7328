//! The programs that building needs, and the environment in which they run.

use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use super::digest::Digest;
use crate::source::SourceError;

/// The programs that a build runs, and Debian's packages that bring them.
const PROGRAMS: [(&str, &str); 9] = [
    ("gcc", "gcc"),
    ("ld", "binutils"),
    ("objcopy", "binutils"),
    ("make", "make"),
    ("bison", "bison"),
    ("flex", "flex"),
    ("bc", "bc"),
    ("perl", "perl"),
    ("gzip", "gzip"),
];

/// objtool reads object files with libelf.
const HEADER: (&str, &str) = ("gelf.h", "libelf-dev");

/// What of our environment a build sees. All else could get into the kernel, or onto make's command lines.
const KEPT: [&str; 7] =
    ["HOME", "USER", "TMPDIR", "LD_LIBRARY_PATH", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "LANG"];

/// What a kernel would say of when, where and by whom it was built; fixed, the same source gives the same bytes.
pub(crate) const VARIABLES: [(&str, &str); 5] = [
    ("KBUILD_BUILD_TIMESTAMP", "2020-01-01 00:00:00 UTC"),
    ("KBUILD_BUILD_USER", "slowpath"),
    ("KBUILD_BUILD_HOST", "lab"),
    ("KBUILD_BUILD_VERSION", "1"),
    ("LC_ALL", "C"),
];

/// Where the programs are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Programs {
    /// `None`: wherever the PATH leads.
    pub(crate) folder: Option<PathBuf>,
}

/// What builds the kernels.
#[derive(Clone, Debug)]
pub(crate) struct Tools {
    /// make's file.
    pub(crate) make: PathBuf,
    /// objcopy's file.
    pub(crate) objcopy: PathBuf,
    /// Which decide what comes of a source.
    pub(crate) versions: Versions,
    /// ccache's file, where it is there.
    pub(crate) ccache: Option<PathBuf>,
}

/// What the tools say of their versions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Versions {
    /// gcc.
    pub(crate) compiler: String,
    /// ld.
    pub(crate) linker: String,
    /// pahole, where it is there.
    pub(crate) pahole: Option<String>,
}

impl Versions {
    /// Adds them to a hash.
    pub(crate) fn add_to(&self, digest: &mut Digest) {
        digest.add("compiler", &self.compiler);
        digest.add("linker", &self.linker);
        digest.add("pahole", self.pahole.as_deref().unwrap_or_default());
    }
}

impl Programs {
    /// What builds a kernel here.
    ///
    /// # Errors
    /// [`SourceError::NoCompiler`] with all that is missing; a program does not run.
    pub(crate) fn tools(&self) -> Result<Tools, SourceError> {
        self.check()?;
        let version = |name: &str| self.find(name).map(|file| self.version(&file)).transpose();
        Ok(Tools {
            make: self.find("make").unwrap_or_default(),
            objcopy: self.find("objcopy").unwrap_or_default(),
            versions: Versions {
                compiler: version("gcc")?.unwrap_or_default(),
                linker: version("ld")?.unwrap_or_default(),
                pahole: version("pahole")?,
            },
            ccache: self.find("ccache"),
        })
    }

    /// Whether all is there.
    ///
    /// # Errors
    /// [`SourceError::NoCompiler`].
    pub(crate) fn check(&self) -> Result<(), SourceError> {
        let missing = |(name, _): &&(&str, &str)| self.find(name).is_none();
        let mut missing: Vec<(&str, &str)> = PROGRAMS.iter().filter(missing).copied().collect();
        if !self.has_header() {
            missing.push(HEADER);
        }
        match missing.is_empty() {
            true => Ok(()),
            false => Err(SourceError::NoCompiler {
                missing: missing.iter().map(|(name, _)| (*name).to_owned()).collect(),
                packages: packages(&missing),
            }),
        }
    }

    /// A program that sees of our environment only what cannot change a kernel. `first` is a folder
    /// in which it looks for programs before all others.
    pub(crate) fn command(&self, program: &Path, first: Option<&Path>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(VARIABLES).stdin(Stdio::null());
        let ccache = |name: &str| name.starts_with("CCACHE_");
        let kept = env::vars_os().filter(|(name, _)| {
            name.to_str().is_some_and(|name| KEPT.contains(&name) || ccache(name))
        });
        command.envs(kept);
        // It would make paths relative that the kernel's own options expect as they are.
        command.env("CCACHE_BASEDIR", "");
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = [first, self.folder.as_deref()].into_iter().flatten().map(Path::to_path_buf);
        if let Ok(path) = env::join_paths(folders.chain(env::split_paths(&path))) {
            command.env("PATH", path);
        }
        command
    }

    fn find(&self, name: &str) -> Option<PathBuf> {
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = match &self.folder {
            Some(folder) => vec![folder.clone()],
            None => env::split_paths(&path).collect(),
        };
        folders.into_iter().map(|folder| folder.join(name)).find(|file| file.is_file())
    }

    fn version(&self, file: &Path) -> Result<String, SourceError> {
        let output = self.command(file, None).arg("--version").output();
        let output = output.map_err(|error| SourceError::io("run", file, error))?;
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(text.lines().next().unwrap_or_default().trim().to_owned())
    }

    /// Without a compiler to ask, the header is looked for where it mostly is.
    fn has_header(&self) -> bool {
        let Some(gcc) = self.find("gcc") else {
            return Path::new("/usr/include").join(HEADER.0).is_file();
        };
        let mut command = self.command(&gcc, None);
        command.args(["-E", "-x", "c", "-"]).stdin(Stdio::piped());
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        child.is_ok_and(|mut child| {
            if let Some(mut input) = child.stdin.take() {
                // It fails where gcc ends before it reads; then that is the answer.
                let _ = writeln!(input, "#include <{}>", HEADER.0);
            }
            child.wait().is_ok_and(|status| status.success())
        })
    }
}

/// Debian's packages that bring what is missing, each once.
fn packages(missing: &[(&str, &str)]) -> Vec<String> {
    let mut packages: Vec<String> =
        missing.iter().map(|(_, package)| (*package).to_owned()).collect();
    packages.dedup();
    packages
}
