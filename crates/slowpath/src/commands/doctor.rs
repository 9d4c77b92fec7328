//! `slowpath doctor`.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use kernels::{Kernel, SourceError, build_needs};
use lab::{find_program, recipe};
use model::Filesystem;
use slowpath::arguments::Arguments;

use crate::exit::{Exit, Failure};
use crate::places::{self, beside};

/// The package that brings QEMU.
const QEMU: &str = "qemu-system-x86";

/// What `kernel=debian:VERSION` needs, and the packages that bring it.
const FETCHING: [(&str, &str); 3] =
    [("apt-get", "apt"), ("apt-cache", "apt"), ("dpkg-deb", "dpkg")];

/// What Debian signs its package lists with.
const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// What building kernels does without, and what is lost then.
const WELCOME: [(&str, &str); 2] = [
    ("pahole", "without it (package dwarves) kernels have no BTF, and --observe sees less"),
    ("ccache", "with it a second configuration is built in a fraction of the time"),
];

/// What is found, line by line, and what is missing.
struct Examination<'a> {
    out: &'a mut dyn Write,
    packages: BTreeSet<String>,
    complete: bool,
}

/// Says what is there, what is missing for which feature, and the command that installs it.
pub(crate) fn doctor(arguments: &Arguments) -> Result<Exit, Failure> {
    let mut out = io::stdout().lock();
    let mut examination = Examination { out: &mut out, packages: BTreeSet::new(), complete: true };
    examination.exact(arguments)?;
    examination.filesystems()?;
    examination.kernels(arguments)?;
    examination.builds()?;
    examination.directories()?;
    examination.advice()?;
    Ok(if examination.complete { Exit::Done } else { Exit::Missing })
}

impl Examination<'_> {
    fn exact(&mut self, arguments: &Arguments) -> Result<(), Failure> {
        self.feature("trials in the exact lab")?;
        let kernels = (places::debian(arguments)?, Arc::new(places::builds(arguments)?));
        match places::exact(arguments, kernels, places::Looks::default())?.emulator() {
            Ok(emulator) => {
                let program = emulator.program().display().to_string();
                self.here("QEMU", &format!("{program} {}", emulator.version()))?;
                for note in emulator.notes(1) {
                    writeln!(self.out, "             falls back: {note}")?;
                }
            }
            Err(error) => self.missing("QEMU", &error.to_string(), Some(QEMU))?,
        }
        for (what, file) in [("agent", "slowpath-agent"), ("plugin", "libslowpath_plugin.so")] {
            self.shipped(what, file)?;
        }
        Ok(())
    }

    fn shipped(&mut self, what: &str, file: &str) -> Result<(), Failure> {
        match beside(file) {
            Some(path) => self.here(what, &path.display().to_string()),
            None => {
                let why = format!("{file} belongs beside the program; make build");
                self.missing(what, &why, None)
            }
        }
    }

    fn filesystems(&mut self) -> Result<(), Failure> {
        self.feature("filesystems (fs=NAME) and their mkfs programs")?;
        for fs in Filesystem::ALL {
            let recipe = recipe(fs);
            self.program(&fs.to_string(), recipe.program, recipe.package)?;
        }
        Ok(())
    }

    fn program(&mut self, what: &str, program: &str, package: &'static str) -> Result<(), Failure> {
        match find_program(program) {
            Some(path) => self.here(what, &path.display().to_string()),
            None => self.missing(what, program, Some(package)),
        }
    }

    fn kernels(&mut self, arguments: &Arguments) -> Result<(), Failure> {
        self.feature("kernels (kernel=debian:VERSION, fetched and not installed)")?;
        for (program, package) in FETCHING {
            self.program(program, program, package)?;
        }
        match Path::new(KEYS).exists() {
            true => self.here("keys", KEYS)?,
            false => self.missing("keys", KEYS, Some("debian-archive-keyring"))?,
        }
        match places::debian(arguments)?.cached().first() {
            Some(newest) => self.here("in the cache", &format!("debian:{newest}"))?,
            None => self.here("in the cache", "none; --set kernel=debian:6.12 fetches one")?,
        }
        match Kernel::list_installed(Path::new("/")).first() {
            Some(newest) => self.here("installed", &format!("installed:{newest}")),
            None => self.here("installed", "none, and none is needed"),
        }
    }

    fn builds(&mut self) -> Result<(), Failure> {
        self.feature("kernels from source (kernel=REVISION --repo DIR, bisect)")?;
        self.program("git", "git", "git")?;
        match build_needs() {
            Ok(()) => self.here("compiler", "gcc, make and what else a kernel is built with")?,
            Err(SourceError::NoCompiler { missing, packages }) => {
                self.missing("compiler", &missing.join(", "), None)?;
                self.packages.extend(packages);
            }
            Err(error) => self.missing("compiler", &error.to_string(), None)?,
        }
        for (program, use_of) in WELCOME {
            match find_program(program) {
                Some(path) => self.here(program, &path.display().to_string())?,
                None => self.here(program, &format!("not here, and not needed: {use_of}"))?,
            }
        }
        Ok(())
    }

    fn directories(&mut self) -> Result<(), Failure> {
        self.feature("trials in a directory (--on dir:PATH)")?;
        self.shipped("agent", "slowpath-agent")
    }

    fn feature(&mut self, name: &str) -> Result<(), Failure> {
        Ok(writeln!(self.out, "{name}")?)
    }

    fn here(&mut self, what: &str, found: &str) -> Result<(), Failure> {
        Ok(writeln!(self.out, "  {what:12} {found}")?)
    }

    fn missing(
        &mut self,
        what: &str,
        why: &str,
        package: Option<&'static str>,
    ) -> Result<(), Failure> {
        self.complete = false;
        self.packages.extend(package.map(str::to_owned));
        Ok(writeln!(self.out, "  {what:12} missing: {why}")?)
    }

    fn advice(&mut self) -> Result<(), Failure> {
        if self.packages.is_empty() {
            return Ok(());
        }
        let packages: Vec<_> = self.packages.iter().map(String::as_str).collect();
        let packages = packages.join(" ");
        match find_program("apt-get") {
            Some(_) => {
                writeln!(self.out, "to install what is missing: apt-get install {packages}")?
            }
            None => writeln!(self.out, "to install: what Debian calls {packages}")?,
        }
        Ok(())
    }
}
